"""NumPy's functions on portable arrays: array functions where the data is on a device, else NumPy on the host.

Under `offload="auto"` an operation runs where its data is: on the device if an operand is on a device alone, else in
NumPy, which has the data and needs no compiler. `offload="always"` prefers the device, `"never"` the host. What hetc
does not compile, NumPy does on the host, with its own meaning; the result is a portable array in each case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from hetc import settings
from hetc.abi import NUMPY_SCALARS
from hetc.api import ArrayFunction
from hetc.arrays.base import Array
from hetc.arrays.numbers import NumberArray
from hetc.errors import CompileError
from hetc.frontends.python.known import known_name
from hetc.frontends.skeleton.composition import Map, Reduce, Scan, Stages
from hetc.jobs import CallOptions
from hetc.runtime.devices import Device

_DEFAULTS: dict[str, Any] = {"axis": None, "dtype": None, "out": None, "keepdims": False, "where": True}
"""Options of reductions that change nothing; NumPy passes some of them on."""
_WRITING = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
"""The functions of NumPy that change their first argument."""
_REDUCTIONS: dict[Any, np.ufunc] = {
    np.sum: np.add, np.prod: np.multiply, np.min: np.minimum, np.amin: np.minimum, np.max: np.maximum,
    np.amax: np.maximum,
}  # fmt: skip


class NumPyFunctions:
    """What `numpy.add(a, b)` and `numpy.sum(a)` mean where an argument is a portable array."""

    def ufunc(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A call of a ufunc, or of one of its methods, such as "reduce"."""
        call: tuple[Stages, Sequence[Any]] | None = None
        if method == "__call__" and not options:
            call = _elementwise(ufunc, inputs)
        elif method == "__call__" and (target := _in_place(inputs, options)) is not None:
            result = self.ufunc(ufunc, method, inputs, {})
            fits = isinstance(result, NumberArray) and (result.dtype, result.shape) == (target.dtype, target.shape)
            if fits:
                target.owner.take(result.owner)
                return target
        elif method == "reduce" and len(inputs) == 1 and _changes_nothing(inputs[0], options):
            call = _reduction(ufunc, inputs[0])
        elif method == "accumulate" and len(inputs) == 1 and _changes_nothing(inputs[0], options):
            call = _running(ufunc, inputs[0])
        return _run(call, inputs, lambda: _in_numpy(getattr(ufunc, method), inputs, options, writes=method == "at"))

    def function(self, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A call of another function of NumPy."""
        call: tuple[Stages, Sequence[Any]] | None = None
        if len(args) == 1 and _changes_nothing(args[0], options):
            if function in _REDUCTIONS:
                call = _reduction(_REDUCTIONS[function], args[0])
            elif function is np.cumsum:
                call = _running(np.add, args[0])
        elif function is np.where and len(args) == 3 and not options:
            call = _choice(args)
        return _run(call, args, lambda: _in_numpy(function, args, options, writes=function in _WRITING))


def _run(call: tuple[Stages, Sequence[Any]] | None, operands: Sequence[Any], in_numpy: Callable[[], Any]) -> Any:
    """The result of an array function on the device, if that is where it is to run and it is compiled; else NumPy's."""
    offload = settings.current().offload
    arrays = [value for value in operands if isinstance(value, NumberArray)]
    if call is None or offload == "never" or (offload == "auto" and all(array.is_on_host for array in arrays)):
        return in_numpy()
    stages, inputs = call
    # Where some of the data is, or else the device of the settings.
    away = [device for array in arrays if not array.is_on_host for device in array.owner.devices]
    options = CallOptions(cast("Device", away[0]) if away else None, fallback="error")
    try:
        with settings.configure(offload="always"):
            result = ArrayFunction(stages, options)(*inputs)
    except CompileError:
        return in_numpy()
    return result.reshape(arrays[0].shape) if isinstance(result, NumberArray) else result


def _in_place(inputs: tuple[Any, ...], options: dict[str, Any]) -> NumberArray | None:
    """The array that an operation in place changes, if it is on a device alone, where the operation can be done."""
    out: Any = options.get("out")
    if set(options) != {"out"} or not isinstance(out, tuple):
        return None
    (target, *others) = cast("tuple[Any, ...]", out)
    suits = not others and any(target is value for value in inputs) and isinstance(target, NumberArray)
    return target if suits and not target.is_view and not target.is_on_host else None


def _changes_nothing(array: Any, options: dict[str, Any]) -> bool:
    """Whether options of a reduction say no more than that all elements are taken."""
    if not isinstance(array, NumberArray) or not array.size:
        return False
    return all(
        name in _DEFAULTS and (value is _DEFAULTS[name] or (name == "axis" and value == 0 and array.ndim == 1))
        for name, value in options.items()
    )


# --------------------------------------------------------------------------------------------------------------------
# As array functions
# --------------------------------------------------------------------------------------------------------------------


def _elementwise(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> tuple[Stages, Sequence[Any]] | None:
    """A ufunc of arrays of one shape, or of an array and a number."""
    if known_name(ufunc) is None or ufunc.nout != 1:
        return None
    arrays = [value for value in inputs if isinstance(value, NumberArray | np.ndarray)]
    shape = arrays[0].shape
    if not shape or any(array.shape != shape for array in arrays):
        return None
    flat = [array.reshape(-1) for array in arrays]
    if len(arrays) == len(inputs):
        return (Map(ufunc),), flat
    if len(inputs) != 2 or not all(_is_number(value) for value in inputs if value is not arrays[0]):
        return None
    left, right = inputs
    return (Map(_with_right(ufunc, right) if arrays[0] is left else _with_left(ufunc, left)),), flat


def _with_right(ufunc: Callable[[Any, Any], Any], right: Any) -> Callable[[Any], Any]:
    return lambda x: ufunc(x, right)


def _with_left(ufunc: Callable[[Any, Any], Any], left: Any) -> Callable[[Any], Any]:
    return lambda x: ufunc(left, x)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, bool, complex) or (
        isinstance(value, np.generic) and value.dtype.name in NUMPY_SCALARS
    )


def _summed(array: NumberArray, ufunc: np.ufunc) -> tuple[Stages, np.dtype[Any]] | None:
    """How elements are converted before they are combined, as NumPy does, and the dtype; None for what hetc leaves."""
    dtype = array.dtype
    if dtype.kind in "iub" and ufunc in (np.add, np.multiply):
        wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
        return ((), dtype) if dtype == wide else ((Map(wide.type),), wide)
    return ((), dtype) if dtype.kind in "iu" or dtype.name in ("float32", "float64") else None


def _reduction(ufunc: np.ufunc, array: NumberArray) -> tuple[Stages, Sequence[Any]] | None:
    """A sum, product, minimum or maximum, from a number that changes nothing."""
    summed = _summed(array, ufunc)
    if summed is None:
        return None
    stages, dtype = summed
    lowest, highest = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    # Adding -0.0 changes nothing, not even a -0.0.
    neutral: dict[np.ufunc, Any] = {
        np.add: -0.0 if dtype.kind == "f" else 0, np.multiply: 1, np.minimum: highest, np.maximum: lowest,
    }  # fmt: skip
    if ufunc not in neutral:
        return None
    return (*stages, Reduce(ufunc, dtype.type(neutral[ufunc]))), (array.reshape(-1),)


def _running(ufunc: np.ufunc, array: NumberArray) -> tuple[Stages, Sequence[Any]] | None:
    """Running sums of an array of one dimension."""
    summed = _summed(array, ufunc)
    if summed is None or ufunc is not np.add or array.ndim != 1:
        return None
    return (*summed[0], Scan(ufunc)), (array,)


def _choice(args: tuple[Any, ...]) -> tuple[Stages, Sequence[Any]] | None:
    """`numpy.where` of arrays of one shape, the choices of one dtype."""
    arrays = [value for value in args if isinstance(value, NumberArray)]
    if len(arrays) < 3 or len({array.shape for array in arrays}) > 1 or not arrays[0].shape:
        return None
    condition, then, other = arrays
    if condition.dtype != np.bool_ or then.dtype != other.dtype:
        return None
    return (Map(_chosen),), [array.reshape(-1) for array in arrays]


def _chosen(condition: Any, then: Any, other: Any) -> Any:
    return then if condition else other


# --------------------------------------------------------------------------------------------------------------------
# In NumPy
# --------------------------------------------------------------------------------------------------------------------


def _in_numpy(function: Any, args: tuple[Any, ...], options: dict[str, Any], *, writes: bool) -> Any:
    """NumPy's own result, on the host; what is written to is a portable array's memory there.

    `writes`: the function changes its first argument.
    """
    out: Any = options.get("out")
    outputs: tuple[Any, ...] = cast("Any", out) if isinstance(out, tuple) else (out,)
    plain = [_on_host(value) for value in args]
    if writes and args and isinstance(args[0], NumberArray):
        plain[0] = args[0].writable()
    named = {name: _on_host(value) for name, value in options.items()}
    if out is not None:
        written = tuple(array.writable() if isinstance(array, NumberArray) else array for array in outputs)
        named["out"] = written if isinstance(out, tuple) else written[0]
    result = function(*plain, **named)
    if out is not None:
        return outputs[0] if len(outputs) == 1 else outputs
    return _own(result)


def _on_host(value: Any) -> Any:
    """NumPy arrays in the place of portable ones, also in lists and tuples."""
    if isinstance(value, Array):
        return np.asarray(value)
    if isinstance(value, list):
        return [_on_host(part) for part in cast("list[Any]", value)]
    return tuple(_on_host(part) for part in cast("tuple[Any, ...]", value)) if type(value) is tuple else value


def _own(result: Any) -> Any:
    """Portable arrays in the place of NumPy's, with memory of their own."""
    if type(result) is np.ndarray and result.dtype.name in NUMPY_SCALARS and result.dtype.isnative:
        mine = result.flags.owndata and result.flags.writeable and result.flags.c_contiguous
        return NumberArray.of(result if mine else np.array(result, order="C"))
    if type(result) is list:
        return list(map(_own, cast("list[Any]", result)))
    return tuple(map(_own, cast("tuple[Any, ...]", result))) if type(result) is tuple else result
