"""NumPy's functions on portable arrays: array statements where the data is on a device, else NumPy on the host.

Under `offload="auto"` an operation runs where its data is: on the device if an operand is on a device alone, else in
NumPy, which has the data and needs no compiler. `offload="always"` prefers the device, `"never"` the host. What hetc
does not compile, NumPy does on the host, with its own meaning; the result is a portable array in each case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from hetc import settings
from hetc.abi import NUMPY_SCALARS
from hetc.api import dispatcher
from hetc.array_accumulations import accumulate, place_of
from hetc.array_calls import ArrayCalls
from hetc.array_folds import fold
from hetc.array_joining import concatenate
from hetc.array_packing import packed, store
from hetc.array_views import VIEWS
from hetc.array_warnings import WARNINGS, run_and_warn, telling_the_caller
from hetc.arrays.base import Array
from hetc.arrays.geometry import basic_key
from hetc.arrays.memory import Memory
from hetc.arrays.numbers import NumberArray
from hetc.errors import CompileError, DeviceError, UnsupportedError
from hetc.frontends.array_code.calls import (
    FOLDS,
    OF_UFUNCS,
    cast_call,
    clip_call,
    outer_call,
    product_call,
    store_call,
    ufunc_call,
    where_call,
)
from hetc.jobs import select_device
from hetc.runtime import profile
from hetc.runtime.call import GuardFailed
from hetc.runtime.devices import Device
from hetc.timeline.events import Kind

_ERROR_STATES = {"ignore", "warn"}
"""What `numpy.errstate` may ask for that hetc does; the rest only NumPy can."""
_RUNNING: dict[Any, np.ufunc] = {np.cumsum: np.add, np.cumprod: np.multiply}
_WRITING = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
"""The functions of NumPy that change their first argument."""


class NumPyFunctions:
    """What `numpy.add(a, b)`, `numpy.sum(a)` and `a[1:] = b` mean where an argument is a portable array."""

    def __init__(self) -> None:
        self.calls = ArrayCalls(dispatcher())

    def ufunc(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A call of a ufunc, or of one of its methods, such as "reduce"."""
        device = _device_for(inputs, options)
        if device is not None:
            try:
                return self._ufunc_on(device, ufunc, method, inputs, options)
            except (CompileError, DeviceError, GuardFailed) as error:
                _note(error)
        return _in_numpy(getattr(ufunc, method), inputs, options, writes=method == "at")

    def _ufunc_on(
        self, device: Device, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        match method:
            case "__call__":
                (out,) = cast("tuple[Any]", options.get("out") or (None,))
                if isinstance(out, NumberArray) and options.keys() == {"out"} and not out.is_view:
                    result = self._elementwise(device, ufunc, inputs, {})
                    if isinstance(result, NumberArray) and (result.dtype, result.shape) == (out.dtype, out.shape):
                        return self._into(out, result)
                if isinstance(out, NumberArray):
                    return self._to_view(device, out, ufunc, inputs, options)
                return self._elementwise(device, ufunc, inputs, options)
            case "outer":
                return self.calls.run(outer_call(ufunc, inputs, options), device)
            case "reduce" if ufunc in OF_UFUNCS and len(inputs) == 1:
                out = cast("Any", options.get("out"))
                given: dict[str, Any] = {"axis": 0, **options, "out": out[0] if isinstance(out, tuple) else out}
                return self._fold(device, OF_UFUNCS[ufunc], inputs[0], (), given)
            case "accumulate" if len(inputs) == 1 and not options.keys() - {"axis", "dtype"}:
                axis = options.get("axis", 0)
                return accumulate(self.calls, device, ufunc, inputs[0], axis, options.get("dtype"))
            case _:
                raise UnsupportedError(f"{ufunc.__name__}.{method} is not looked into")

    def _to_view(
        self, device: Device, out: NumberArray, ufunc: np.ufunc, inputs: tuple[Any, ...], options: dict[str, Any]
    ) -> NumberArray:
        """A ufunc whose result goes to a view, or to some elements of an array."""
        call = ufunc_call(ufunc, inputs, options)
        try:
            self.calls.run(call, device)
        except UnsupportedError:
            if out.is_on_host or options.keys() != {"out"}:
                raise
            result = self._elementwise(device, ufunc, inputs, {})
            store(out, device, self.calls, lambda made: store_call(made, result))
        return out

    def _elementwise(self, device: Device, ufunc: np.ufunc, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A ufunc of elements, with NumPy's warnings."""
        call = ufunc_call(ufunc, inputs, options)
        try:
            return self.calls.run(call, device)
        except GuardFailed as failure:
            if failure.sites or ufunc not in WARNINGS or options:
                raise
            return run_and_warn(self.calls, device, ufunc, lambda: self.calls.run(call, device), list(inputs))

    def function(self, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A call of another function of NumPy."""
        if function in VIEWS and args and isinstance(args[0], NumberArray):
            found = VIEWS[function](*args, **options)
            if found is not None:
                return found
        device = _device_for(args, options)
        if device is not None:
            try:
                return self._function_on(device, function, args, options)
            except (CompileError, DeviceError, GuardFailed) as error:
                _note(error)
        return _in_numpy(function, args, options, writes=function in _WRITING)

    def _function_on(self, device: Device, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if function in FOLDS and args:
            return self._fold(device, FOLDS[function], args[0], args[1:], options)
        if function in _RUNNING and len(args) in (1, 2) and not options.keys() - {"axis", "dtype"}:
            axis = args[1] if len(args) == 2 else options.get("axis")
            return accumulate(self.calls, device, _RUNNING[function], args[0], axis, options.get("dtype"))
        if function is np.concatenate and not options.keys() - {"axis"}:
            return concatenate(self.calls, device, *args, **options)
        if function is np.where and not options:
            return self.calls.run(where_call(args), device)
        if function is np.clip:
            return self._clip(device, *args, **options)
        if function is np.dot and len(args) == 2 and not options:
            return self.calls.run(product_call("dot", *args), device)
        raise UnsupportedError(f"{getattr(function, '__name__', function)} is not looked into")

    def _fold(self, device: Device, name: str, array: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
        out = options.get("out")
        axis = args[0] if args else options.get("axis")
        if name in ("argmin", "argmax") and isinstance(array, NumberArray) and (axis is None or array.ndim == 1):
            if any(value is not None for key, value in options.items() if key != "axis") or axis not in (None, 0, -1):
                raise UnsupportedError(f"{name} is called with {', '.join(options)}")
            return place_of(name, array, device)
        result = fold(self.calls, device, name, array, args, {**options, "out": None})
        if out is None:
            return result
        if not isinstance(out, NumberArray) or not isinstance(result, NumberArray) or out.is_view:
            raise UnsupportedError("the result goes to another array than a whole portable one")
        return self._into(out, result)

    def _into(self, out: NumberArray, result: Any) -> NumberArray:
        """An array that takes what has been computed for it, instead of its own numbers."""
        if not isinstance(result, NumberArray) or (result.dtype, result.shape) != (out.dtype, out.shape):
            raise UnsupportedError("the result is converted for the array that it goes to")
        out.owner.take(result.owner)
        return out

    def _clip(
        self, device: Device, a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None,  # noqa: A002
        **options: Any,
    ) -> Any:  # fmt: skip
        if any(value is not None for value in options.values()):
            raise UnsupportedError(f"clip is called with {', '.join(options)}")
        low, high = (one if one is not None else other for one, other in ((a_min, min), (a_max, max)))
        return self.calls.run(clip_call(a, low, high), device)

    # --- assignment, conversion, views -------------------------------------------------------------------------------

    def assign(self, array: NumberArray, key: Any, value: Any) -> bool:
        """Assign to some elements on a device, if that is where the array is: whether it has been done."""
        device = _device_for((array, value, key), {})
        if device is None or array.owner.frozen:
            return False
        try:
            if basic_key(key):
                if array.put(key, value) or _is_itself(array, key, value):
                    return True
                target, mask = array.part(key), None
                if not target.size:
                    np.empty(target.shape)[...] = np.broadcast_to(0.0, np.shape(value))  # raises as NumPy does
                    return True
            else:
                target, mask = array, _mask(array, key)
            try:
                self.calls.run(store_call(target, value, mask), device)
            except UnsupportedError:
                if array.is_on_host:
                    raise
                store(target, device, self.calls, lambda made: store_call(made, value, mask, target))
        except (CompileError, DeviceError, GuardFailed) as error:
            _note(error)
            return False
        return True

    def astype(self, array: NumberArray, dtype: np.dtype[Any]) -> NumberArray | None:
        """A conversion on a device, if that is where the array is."""
        device = _device_for((array,), {})
        if device is None:
            return None
        try:
            return self.calls.run(cast_call(array, dtype), device)
        except (CompileError, DeviceError, GuardFailed) as error:
            _note(error)
            return None

    def packed(self, array: NumberArray) -> Memory | None:
        """The elements of a view in a row, if they are on a device that puts them there."""
        device = _device_for((array,), {})
        if device is None or array.is_on_host:
            return None
        try:
            return packed(array, device, self.calls.dispatcher).owner
        except (CompileError, DeviceError, GuardFailed) as error:
            _note(error)
            return None


def _device_for(args: Iterable[Any], options: Mapping[str, Any]) -> Device | None:
    """The device that an operation is to run on: where some of the data is, or else that of the settings."""
    current = settings.current()
    if current.offload == "never" or not _ERROR_STATES.issuperset(np.geterr().values()):
        return None
    operands = [*args, *options.values()]
    for operand in tuple(operands):
        if isinstance(operand, tuple | list) and operand and isinstance(operand[0], Array | np.ndarray):
            operands += operand
    arrays = [value for value in operands if isinstance(value, NumberArray)]
    if any(not array.size for array in arrays):
        return None
    for array in arrays:
        if not array.is_on_host:
            return cast("Device", array.owner.devices[0])
    if current.offload != "always":
        return None
    try:
        return select_device(current.device)
    except CompileError:
        return None


def _note(error: Exception) -> None:
    """NumPy runs an operation on the host: tell the profiles."""
    if profile.active():
        reason = error.reason if isinstance(error, CompileError | DeviceError) else str(error)
        profile.note_instant(Kind.FALLBACK, reason)


def _is_itself(array: NumberArray, key: Any, value: Any) -> bool:
    """Whether a part of an array is assigned to itself, as Python does after an operation in place."""
    if not isinstance(value, NumberArray) or value.owner is not array.owner:
        return False
    part = array.part(key)
    return (part.shape, part.geometry) == (value.shape, value.geometry)


def _mask(array: NumberArray, key: Any) -> Any:
    """A mask that an array is indexed by. Raises UnsupportedError for other keys."""
    if isinstance(key, NumberArray | np.ndarray) and key.dtype == np.bool_ and key.shape == array.shape:
        return cast("Any", key)
    raise UnsupportedError("an index is no number, slice or mask of the array's shape")


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
    with telling_the_caller(function):
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
