"""Calls of NumPy's functions as array statements of their operands: what NumPy is asked for, written as code.

    np.add(a, b, out=c)               ->     x2[...] = np.add(x0, x1)
    a.std(axis=-1, keepdims=True)     ->     np.std(x0, axis=(1,), keepdims=True)

So a call on portable arrays means what the same statement means in a function of NumPy statements.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from hetc.abi import NUMPY_SCALARS
from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.trees import FUNCTIONS


@dataclass(frozen=True)
class ArrayCall:
    """A statement whose variables x0, x1, ... are `operands`; its result has the shape `shape`, if that is given.

    A fold `name` of neighbouring axes has in `axes` how many elements its array has before them, along them and after
    them, as numbers of rows; `dtype_text` says in which dtype it is.
    """

    text: str
    operands: tuple[Any, ...]
    shape: tuple[int, ...] | None = None
    name: str = ""
    axes: tuple[int, int, int] | None = None
    dtype_text: str = ""


_PARAMETERS: dict[str, tuple[str, ...]] = {
    "sum": ("axis", "dtype", "out", "keepdims"),
    "prod": ("axis", "dtype", "out", "keepdims"),
    "mean": ("axis", "dtype", "out", "keepdims"),
    "min": ("axis", "out", "keepdims"),
    "max": ("axis", "out", "keepdims"),
    "any": ("axis", "out", "keepdims"),
    "all": ("axis", "out", "keepdims"),
    "argmin": ("axis", "out"),
    "argmax": ("axis", "out"),
    "var": ("axis", "dtype", "out", "ddof", "keepdims"),
    "std": ("axis", "dtype", "out", "ddof", "keepdims"),
    "count_nonzero": ("axis",),
}
"""The parameters of folds after the array, in their order, as far as they are looked into."""

FOLDS: dict[Any, str] = {getattr(np, name): name for name in _PARAMETERS} | {np.amin: "min", np.amax: "max"}

OF_UFUNCS: dict[np.ufunc, str] = {
    np.add: "sum", np.multiply: "prod", np.minimum: "min", np.maximum: "max", np.logical_or: "any",
    np.logical_and: "all",
}  # fmt: skip
"""What `ufunc.reduce` is."""

_DEFAULTS: dict[str, Any] = {"dtype": None, "out": None, "keepdims": False, "where": True, "ddof": 0, "axis": None}
"""Values of options that change nothing; NumPy passes some of them on."""


def ufunc_call(ufunc: np.ufunc, inputs: Sequence[Any], options: Mapping[str, Any]) -> ArrayCall:
    """A call of a ufunc on operands of any shapes, with `out`, and `where` beside it. Raises UnsupportedError."""
    if options.keys() - {"out", "where", "dtype"} or options.get("dtype") is not None:
        raise UnsupportedError(f"{ufunc.__name__} is called with {', '.join(options)}")
    where: Any = options.get("where", True)
    (out,) = cast("tuple[Any]", options.get("out") or (None,))
    if ufunc is np.matmul:
        return _filled(product_call("matmul", *inputs), out)
    writer = _Writer()
    text = f"np.{_name(ufunc)}({', '.join(map(writer.operand, inputs))})"
    if ufunc is np.power and type(inputs[1]) in (int, float):
        text = f"{writer.operand(inputs[0])} ** {inputs[1]!r}"  # some powers are computed in other ways
        writer = _Writer()
        writer.operand(inputs[0])
    if where is not True:
        if out is None:
            raise UnsupportedError("what is not computed is left as it is, and there is no array that it is in")
        text = f"np.where({writer.operand(where)}, {text}, {writer.operand(out)})"
    if out is not None:
        _check_cast(ufunc, inputs, out)
        text = f"{writer.target(out)} = {text}"
    return ArrayCall(text, writer.operands)


def outer_call(ufunc: np.ufunc, inputs: Sequence[Any], options: Mapping[str, Any]) -> ArrayCall:
    """`ufunc.outer`: of each element of one array with each of another. Raises UnsupportedError."""
    if options or len(inputs) != 2:
        raise UnsupportedError(f"{ufunc.__name__}.outer is called with {', '.join(options)}")
    writer = _Writer()
    operands = ", ".join(map(writer.operand, inputs))
    return ArrayCall(f"np.{_name(ufunc)}.outer({operands})", writer.operands)


def fold_call(name: str, array: Any, args: Sequence[Any], options: Mapping[str, Any]) -> ArrayCall:
    """A fold of all axes, or of some. Raises UnsupportedError, AxisError as NumPy does."""
    names = _PARAMETERS[name]
    if len(args) > len(names):
        raise UnsupportedError(f"{name} is called with {len(args) + 1} arguments")
    given = {**dict(zip(names, args, strict=False)), **options}
    given = {k: v for k, v in given.items() if k not in _DEFAULTS or v is not _DEFAULTS[k]}
    axis, keep, out, ddof = given.pop("axis", None), given.pop("keepdims", False), given.pop("out", None), 0
    dtype = given.pop("dtype", None) if "dtype" in names else None
    if name in ("var", "std"):
        ddof = given.pop("ddof", 0)
    if given or type(ddof) is not int or not isinstance(array, NumberArray):
        raise UnsupportedError(f"{name} is called with {', '.join(given) or 'something else than an array'}")
    if not array.ndim:
        raise UnsupportedError("an array without dimensions is among the operands")
    axes = axes_of(axis, array.ndim, one=name.startswith("arg"))
    if name in ("min", "max") and array.dtype == np.bool_:
        name = "all" if name == "min" else "any"
    writer = _Writer()
    in_dtype = ""
    if dtype is not None:
        wanted = np.dtype(dtype)
        if wanted.name not in NUMPY_SCALARS or not wanted.isnative:
            raise UnsupportedError(f"a fold in {wanted}")
        in_dtype = f", dtype=np.{wanted.name}"
    text = f"np.{name}({writer.operand(array)}, axis={axes!r}{in_dtype}{f', ddof={ddof}' if ddof else ''})"
    if out is not None:
        raise UnsupportedError("what is folded goes to an array that there is")
    rows = None
    if axes == tuple(range(axes[0], axes[-1] + 1)):
        first, last = axes[0], axes[-1] + 1
        rows = math.prod(array.shape[:first]), math.prod(array.shape[first:last]), math.prod(array.shape[last:])
    return ArrayCall(text, writer.operands, _shape_of(array.shape, axes, keep=bool(keep)), name, rows, in_dtype)


def where_call(args: Sequence[Any]) -> ArrayCall:
    """`numpy.where` of three arguments. Raises UnsupportedError."""
    if len(args) != 3:
        raise UnsupportedError("numpy.where with one argument gives indices")
    writer = _Writer()
    return ArrayCall(f"np.where({', '.join(map(writer.operand, args))})", writer.operands)


def clip_call(array: Any, low: Any, high: Any) -> ArrayCall:
    """`numpy.clip`, between two bounds or with one alone. Raises UnsupportedError."""
    writer = _Writer()
    text = writer.operand(array)
    if low is not None and high is not None:
        text = f"np.clip({text}, {writer.operand(low)}, {writer.operand(high)})"
    elif low is not None:
        text = f"np.maximum({text}, {writer.operand(low)})"
    elif high is not None:
        text = f"np.minimum({text}, {writer.operand(high)})"
    else:
        raise UnsupportedError("numpy.clip without bounds")
    return ArrayCall(text, writer.operands)


def product_call(name: str, left: Any, right: Any) -> ArrayCall:
    """A product of vectors or matrices as a sum of products. Raises UnsupportedError, ValueError as NumPy does."""
    if not all(isinstance(operand, NumberArray | np.ndarray) and operand.ndim in (1, 2) for operand in (left, right)):
        raise UnsupportedError(f"{name} of numbers, or of stacks of matrices")
    if left.shape[-1] != right.shape[0]:
        raise UnsupportedError("the shapes of the operands do not go together")
    dtype = np.result_type(left.dtype, right.dtype)
    if dtype.kind not in "iuf" or dtype.name == "float16":
        raise UnsupportedError(f"{name} of {dtype}")
    shape = (*left.shape[:-1], *right.shape[1:])
    if right.ndim == 1:
        text, axis = "x0 * x1", left.ndim - 1
    elif left.ndim == 1:
        left, text, axis = left[:, None], "x0 * x1", 0
    else:
        left, right, text, axis = left[:, :, None], right[None], "x0 * x1", 1
    return ArrayCall(f"np.sum({text}, axis=({axis},), dtype=np.{dtype.name})", (left, right), shape)


def store_call(target: NumberArray, value: Any, mask: Any = None, old: Any = None) -> ArrayCall:
    """An assignment to all elements of an array, or to those where a mask is true. Raises UnsupportedError.

    The others are those of `old`, or stay.
    """
    writer = _Writer()
    if mask is None:
        text = writer.operand(value)
    else:
        others = writer.operand(target if old is None else old)
        text = f"np.where({writer.operand(mask)}, {writer.operand(value)}, {others})"
    return ArrayCall(f"{writer.target(target)} = {text}", writer.operands)


def cast_call(array: NumberArray, dtype: np.dtype[Any]) -> ArrayCall:
    """A conversion of elements. Raises UnsupportedError."""
    if dtype.name not in NUMPY_SCALARS or not dtype.isnative:
        raise UnsupportedError(f"elements become {dtype}")
    writer = _Writer()
    if dtype == np.bool_:
        return ArrayCall(f"{writer.operand(array)} != 0", writer.operands)
    return ArrayCall(f"{writer.operand(array)}.astype(np.{dtype.name})", writer.operands)


class _Writer:
    """Names the operands of a call: one variable for each object."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._operands: list[Any] = []

    @property
    def operands(self) -> tuple[Any, ...]:
        """What the variables are."""
        return tuple(self._operands)

    def operand(self, value: Any) -> str:
        """The name of an operand."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"x{len(self._operands)}"
            self._operands.append(value)
        return name

    def target(self, array: Any) -> str:
        """An array whose elements are all stored to."""
        if not isinstance(array, NumberArray):
            raise UnsupportedError("the result goes to memory of NumPy's")
        return f"{self.operand(array)}[...]"


def _name(ufunc: np.ufunc) -> str:
    name = ufunc.__name__
    if ufunc.nout != 1 or name not in FUNCTIONS or getattr(np, name, None) is not ufunc:
        raise UnsupportedError(f"{name} is not looked into")
    return name


def _check_cast(ufunc: np.ufunc, inputs: Sequence[Any], out: Any) -> None:
    """Raise UnsupportedError where NumPy does not convert results to the dtype of `out`."""
    kinds: list[Any] = [value.dtype if hasattr(value, "dtype") else type(value) for value in inputs]
    try:
        found = cast("Any", ufunc).resolve_dtypes((*kinds, None))[-1]
    except TypeError as error:
        raise UnsupportedError(str(error)) from None
    if not np.can_cast(found, out.dtype, "same_kind"):
        raise UnsupportedError("the result does not fit the array")


def _filled(call: ArrayCall, out: Any) -> ArrayCall:
    """A call whose result goes to an array."""
    if out is not None:
        raise UnsupportedError("a product goes to an array that there is")
    return call


def axes_of(axis: Any, rank: int, *, one: bool) -> tuple[int, ...]:
    """The axes that are folded. Raises UnsupportedError for what NumPy refuses."""
    if axis is None:
        return tuple(range(rank))
    given = cast("tuple[Any, ...]", axis if isinstance(axis, tuple) else (axis,))
    try:
        numbers = [operator.index(number) for number in given]
    except TypeError:
        raise UnsupportedError("an axis is no number") from None
    found = tuple(sorted({number % rank for number in numbers if -rank <= number < rank}))
    if len(found) != len(given) or (one and len(found) != 1):
        raise UnsupportedError("there is no such axis, or it is given twice")
    return found


def _shape_of(shape: tuple[int, ...], axes: tuple[int, ...], *, keep: bool) -> tuple[int, ...]:
    """The shape of what is left of an array's when some axes have been folded."""
    return tuple(1 if dim in axes else size for dim, size in enumerate(shape) if keep or dim not in axes)
