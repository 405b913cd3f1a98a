"""What the values of an array statement will be: shapes and dtypes by NumPy's own rules, for the leaves of one run.

A tree becomes one of four kinds of values: numbers, which Python computes once; elements of arrays; functions applied
to elements; and folds, which bring axes down to one element. NumPy itself is asked for the dtype of each function
(`ufunc.resolve_dtypes`, with Python's numbers as weak as NEP 50 has them), so nothing here repeats its rules.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

import numpy as np

from hetc.abi import NUMPY_SCALARS
from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.accesses import Access, access_of, portable_place
from hetc.frontends.array_code.numbers import number_value
from hetc.frontends.array_code.trees import FOLDS, Call, Leaf, Operator, Tree

Shape = tuple[int, ...]
DType = np.dtype[Any]

_CASTS: dict[object, DType] = {
    int: np.dtype(int),
    float: np.dtype(float),
    bool: np.dtype(bool),
    complex: np.dtype(complex),
}
_FOLDS_OF: dict[Any, str] = {
    getattr(np, name): {"amin": "min", "amax": "max"}.get(name, name) for name in sorted(FOLDS)
}
_OUTER = "outer"
_WITH_DTYPE = ("sum", "prod", "mean", "var", "std")
_VARIANCES = ("var", "std")


@dataclass(frozen=True)
class Value:
    """A value with a shape and dtype; `node` is its place in the source."""

    shape: Shape
    dtype: DType
    node: ast.expr = field(compare=False, repr=False)


@dataclass(frozen=True)
class Number(Value):
    """A number that is computed before the loop. `weak` is its Python type, if it is one of Python's."""

    tree: Tree
    weak: type | None


@dataclass(frozen=True)
class Elements(Value):
    """The elements of the array in a leaf."""

    leaf: int
    access: Access


@dataclass(frozen=True)
class Earlier(Value):
    """The value, at the same place, of statement `statement` of the same loop."""

    statement: int


@dataclass(frozen=True)
class Made(Value):
    """What step `step` has made: an array for statement `statement`, or the one number or array that it comes to."""

    step: int
    statement: int | None


@dataclass(frozen=True)
class Applied(Value):
    """A function applied to elements: a ufunc by its name, "where", or "cast"; `inputs` are the dtypes it takes."""

    name: str
    operands: tuple[Value, ...]
    inputs: tuple[DType, ...]


@dataclass(frozen=True)
class Fold(Value):
    """An operand whose axes `axes` are brought down to one element; `total` is the dtype that this is done in."""

    name: str
    operand: Value
    axes: tuple[int, ...]
    total: DType
    less: int = 0
    """What the number of elements is less by, by which a mean divides."""


@dataclass(frozen=True)
class Expanded(Value):
    """A value with dimensions of one element put in, as `keepdims` has them; `kept` are the others."""

    operand: Value
    kept: tuple[int, ...]


@dataclass(frozen=True)
class Product(Value):
    """A product of matrices or vectors, which NumPy computes: `name` is its function."""

    name: str
    operands: tuple[Value, ...]


class Typing:
    """Finds the values of the trees of a statement.

    `values` are those of its leaves, `containers` says in which array a leaf's array is best seen. `earlier` has the
    values of variables that statements before it in the same loop bind, by the leaf that names them. `portable` says
    that portable arrays may be among the operands.
    """

    def __init__(
        self,
        values: Sequence[Any],
        container: Callable[[int], Any],
        earlier: Mapping[int, Value],
        *,
        portable: bool = False,
    ) -> None:
        self.portable = portable
        self.values = values
        self.container = container
        self.earlier = earlier

    def value(self, tree: Tree) -> Value:
        """The value of a tree. Raises UnsupportedError for what is left to NumPy."""
        match tree:
            case Leaf(number=number):
                return self._leaf(tree, number)
            case Operator(name="matmul", operands=operands):
                return self._product("matmul", tree, [self.value(operand) for operand in operands])
            case Operator(name=name, operands=operands):
                found = [self.value(operand) for operand in operands]
                if name == "power" and found[0].dtype == np.bool_ and found[0].shape:
                    raise UnsupportedError("a square of booleans has another dtype than other powers of them")
                return self._applied(getattr(np, name), tree, found)
            case Call():
                return self._call(tree)
            case _:
                raise AssertionError(tree)

    def _leaf(self, tree: Leaf, number: int) -> Value:
        if number in self.earlier:
            return self.earlier[number]
        value = self.values[number]
        if isinstance(value, NumberArray):
            if not self.portable:
                raise UnsupportedError(
                    "a portable array is among the operands: what NumPy does with it, it decides itself",
                    hint="take a NumPy array, or see docs/arrays.md",
                )
            return Elements(value.shape, value.dtype, tree.node, number, portable_place(value).access)
        if type(value) is np.ndarray:
            check_dtype(value.dtype)
            if not value.ndim:
                raise UnsupportedError("an array without dimensions is among the operands")
            return Elements(value.shape, value.dtype, tree.node, number, access_of(value, self.container(number)))
        return number_of(value, tree)

    # --- functions of elements -----------------------------------------------------------------------------------

    def _applied(self, ufunc: np.ufunc, tree: Tree, operands: Sequence[Value]) -> Value:
        if all(isinstance(operand, Number) for operand in operands):
            return number_of(number_value(tree, self.values), tree)
        kinds = tuple(
            operand.weak if isinstance(operand, Number) and operand.weak else operand.dtype for operand in operands
        )
        try:
            found = cast("Any", ufunc).resolve_dtypes((*kinds, *[None] * ufunc.nout))
        except TypeError as error:
            raise UnsupportedError(f"NumPy has no {ufunc.__name__} for these types: {error}") from None
        if ufunc.nout != 1 or any(not isinstance(dtype, np.dtype) for dtype in found):
            raise UnsupportedError(f"{ufunc.__name__} gives several arrays")
        for dtype in found:
            check_dtype(dtype)
        return Applied(
            self._broadcast(operands), found[-1], tree.node, ufunc.__name__, tuple(operands), tuple(found[:-1])
        )

    def _broadcast(self, operands: Sequence[Value]) -> Shape:
        try:
            return np.broadcast_shapes(*(operand.shape for operand in operands))
        except ValueError:
            raise UnsupportedError("the shapes of the operands do not go together") from None

    def _chosen(self, tree: Tree, operands: Sequence[Value]) -> Value:
        """`numpy.where` of three operands."""
        if len(operands) != 3:
            raise UnsupportedError("numpy.where with one argument gives indices")
        if all(isinstance(operand, Number) for operand in operands):
            raise UnsupportedError("nothing is an array")
        dtype = _result_type(operands[1:])
        return Applied(
            self._broadcast(operands), dtype, tree.node, "where", tuple(operands), (operands[0].dtype, dtype, dtype)
        )

    def _clipped(self, tree: Tree, operands: Sequence[Value]) -> Value:
        """`numpy.clip`: the larger one of an element and a bound, then the smaller one of that and the other."""
        if len(operands) != 3:
            raise UnsupportedError("numpy.clip without both bounds")
        dtype = _result_type(operands)
        if dtype.kind not in "iuf":
            raise UnsupportedError(f"numpy.clip of {dtype}")
        element, low, high = operands
        raised = Applied(self._broadcast((element, low)), dtype, tree.node, "maximum", (element, low), (dtype, dtype))
        return Applied(self._broadcast((raised, high)), dtype, tree.node, "minimum", (raised, high), (dtype, dtype))

    def _cast(self, tree: Tree, operand: Value, dtype: DType) -> Value:
        check_dtype(dtype)
        exact = dtype.kind in "fc" or (dtype.kind in "iu" and operand.dtype.kind in "iub")
        if not exact or (operand.dtype.kind == "c" and dtype.kind != "c"):
            raise UnsupportedError(f"{operand.dtype} elements become {dtype}")
        return Applied(operand.shape, dtype, tree.node, "cast", (operand,), (dtype,))

    # --- calls ---------------------------------------------------------------------------------------------------

    def _call(self, tree: Call) -> Value:
        callee, owner = tree.callee, tree.owner
        if callee is not None:
            return self._function(tree, self.values[callee.number], tree.arguments)
        assert owner is not None
        known = self.values[owner.number] if isinstance(owner, Leaf) and owner.number not in self.earlier else None
        if known is np:
            return self._function(tree, getattr(np, tree.name, None), tree.arguments)
        if isinstance(known, np.ufunc) and tree.name == _OUTER:
            return self._outer(known, tree)
        return self._method(tree, self.value(owner))

    def _function(self, tree: Call, function: Any, arguments: Sequence[Tree]) -> Value:
        if function in _FOLDS_OF:
            return self._fold(_FOLDS_OF[function], tree, self.value(arguments[0]), arguments[1:])
        if tree.keywords:
            raise UnsupportedError(f"{tree.name} is called with keywords")
        if function is np.dot or function is np.matmul:
            return self._product(tree.name, tree, [self.value(argument) for argument in arguments])
        if function is np.outer:
            return self._outer(np.multiply, tree, rank=1)
        if function is np.where:
            return self._chosen(tree, [self.value(argument) for argument in arguments])
        if function is np.clip:
            return self._clipped(tree, [self.value(argument) for argument in arguments])
        ufunc = np.absolute if function is abs else function
        if not isinstance(ufunc, np.ufunc) or ufunc.nin != len(arguments):
            raise UnsupportedError(f"{tree.name} is not looked into")
        return self._applied(ufunc, tree, [self.value(argument) for argument in arguments])

    def _method(self, tree: Call, owner: Value) -> Value:
        if isinstance(owner, Number):
            raise UnsupportedError(f"the method '{tree.name}' is one of a number")
        if tree.name in FOLDS - {"amin", "amax", "count_nonzero"}:
            return self._fold(tree.name, tree, owner, tree.arguments)
        if tree.keywords:
            raise UnsupportedError(f"{tree.name} is called with keywords")
        arguments = tree.arguments
        match tree.name:
            case "dot" if len(arguments) == 1:
                return self._product("dot", tree, [owner, self.value(arguments[0])])
            case "clip":
                return self._clipped(tree, [owner, *map(self.value, arguments)])
            case "copy" if not arguments:
                return Applied(owner.shape, owner.dtype, tree.node, "cast", (owner,), (owner.dtype,))
            case "astype" if len(arguments) == 1 and isinstance(arguments[0], Leaf):
                return self._cast(tree, owner, _dtype_of(self.values[arguments[0].number]))
            case _:
                pass
        raise UnsupportedError(f"the method '{tree.name}' is not looked into")

    def _outer(self, ufunc: np.ufunc, tree: Call, rank: int | None = None) -> Value:
        """`ufunc.outer(a, b)`: of each element of one with each of the other, which have `rank` dimensions."""
        if len(tree.arguments) != 2 or tree.keywords:
            raise UnsupportedError("outer takes two arguments")
        left, right = map(self.value, tree.arguments)
        if isinstance(left, Number) or isinstance(right, Number):
            raise UnsupportedError("outer of a number")
        if rank is not None and (len(left.shape), len(right.shape)) != (rank, rank):
            raise UnsupportedError("numpy.outer of matrices takes them row by row")
        shape = (*left.shape, *(1 for _ in right.shape))
        return self._applied(
            ufunc, tree, (Expanded(shape, left.dtype, left.node, left, tuple(range(len(left.shape)))), right)
        )

    def _product(self, name: str, tree: Tree, operands: Sequence[Value]) -> Value:
        if len(operands) != 2 or any(isinstance(operand, Number) for operand in operands):
            raise UnsupportedError(f"{name} of numbers")
        left, right = operands
        if len(left.shape) > 2 or len(right.shape) > 2:
            raise UnsupportedError(f"{name} of stacks of matrices is NumPy's, which leaves it to a BLAS")
        if not left.shape or not right.shape or left.shape[len(left.shape) - 1] != right.shape[0]:
            raise UnsupportedError("the shapes of the operands do not go together")
        shape = (*left.shape[:-1], *right.shape[1:])
        dtype = np.result_type(left.dtype, right.dtype)
        check_dtype(dtype)
        return Product(shape, dtype, tree.node, name, (left, right))

    # --- folds ---------------------------------------------------------------------------------------------------

    def _fold(self, name: str, tree: Call, operand: Value, others: Sequence[Tree]) -> Value:
        if isinstance(operand, Number):
            raise UnsupportedError(f"{name} of a number")
        positional = len(others) - len(tree.keywords)
        if positional > 1:
            raise UnsupportedError(f"{name} is called with more than an axis")
        given = dict(zip(("axis",) * positional + tree.keywords, others, strict=True))
        wanted = self._dtype(given.pop("dtype")) if "dtype" in given and name in _WITH_DTYPE else None
        named = {option: self._literal(value) for option, value in given.items()}
        axis, keep = named.pop("axis", None), named.pop("keepdims", False)
        less = named.pop("ddof", 0) if name in _VARIANCES else 0
        if named or keep not in (True, False) or type(less) is not int:
            raise UnsupportedError(f"{name} is called with {', '.join(map(str, named)) or 'keepdims or ddof'}")
        rank = len(operand.shape)
        axes = _axes(axis, rank)
        if name in ("argmin", "argmax") and len(axes) != 1 and rank != 1:
            raise UnsupportedError(f"{name} of several dimensions counts through all of them")
        count = math.prod(operand.shape[axis] for axis in axes)
        if not count and name in ("min", "max", "argmin", "argmax", "mean", *_VARIANCES):
            raise UnsupportedError(f"{name} of nothing")
        if name in _VARIANCES:
            fold = _variance(name, tree, operand, axes, wanted, less)
        else:
            fold = _folded(name, tree, operand, axes, wanted)
        if not keep:
            return fold
        if len(axes) == rank:
            raise UnsupportedError(f"{name} of all elements with keepdims")
        return _expanded(fold, operand.shape, axes)

    def _dtype(self, tree: Tree) -> DType:
        """The dtype that an argument names."""
        if not isinstance(tree, Leaf):
            raise UnsupportedError("a dtype is computed")
        return _dtype_of(self.values[tree.number])

    def _literal(self, tree: Tree) -> Any:
        """The value of an argument that is written out, such as an axis."""
        try:
            return ast.literal_eval(tree.node)
        except ValueError:
            raise UnsupportedError("an axis is not written out") from None


def _dtype_of(wanted: Any) -> DType:
    """The dtype that an argument stands for."""
    if isinstance(wanted, np.dtype):
        return cast("DType", wanted)
    if wanted in _CASTS:
        return _CASTS[wanted]
    if isinstance(wanted, type) and issubclass(wanted, np.generic):
        return np.dtype(wanted)
    raise UnsupportedError("astype is called with something else than a dtype")


def check_dtype(dtype: DType) -> None:
    """Raise UnsupportedError for a dtype whose elements are not compiled."""
    if dtype.name not in NUMPY_SCALARS or not dtype.isnative:
        raise UnsupportedError(f"arrays of {dtype} are NumPy's")


def number_of(value: Any, tree: Tree) -> Number:
    """A value that is a number, as one. Raises UnsupportedError for anything else."""
    kind = cast("type[Any]", type(value))
    if kind in (int, float, complex):
        return Number((), np.dtype(kind), tree.node, tree, kind)
    if kind is bool or (issubclass(kind, np.generic) and np.dtype(kind).name in NUMPY_SCALARS):
        return Number((), np.dtype(kind), tree.node, tree, None)
    raise UnsupportedError(f"a {kind.__name__} is among the operands")


def _result_type(operands: Sequence[Value]) -> DType:
    """The dtype of elements that come from any of some values."""
    kinds = [operand.weak(0) if isinstance(operand, Number) and operand.weak else operand.dtype for operand in operands]
    try:
        dtype = np.result_type(*kinds)
    except TypeError as error:
        raise UnsupportedError(str(error)) from None
    check_dtype(dtype)
    return dtype


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    given = cast("tuple[Any, ...]", axis if isinstance(axis, tuple) else (axis,))
    if not all(type(number) is int and -rank <= number < rank for number in given):
        raise UnsupportedError("there is no such axis")
    found = tuple(sorted(number % rank for number in given))
    if len(set(found)) != len(found):
        raise UnsupportedError("an axis is given twice")
    return found


def _folded(name: str, tree: Tree, operand: Value, axes: tuple[int, ...], wanted: DType | None, less: int = 0) -> Fold:
    """The fold of a name, in the dtype that is asked for."""
    if name == "count_nonzero":
        truth = Applied(operand.shape, np.dtype(bool), tree.node, "cast", (operand,), (operand.dtype,))
        return _folded("sum", tree, truth, axes, np.dtype(np.intp))
    dtype, total = _fold_dtypes(name, operand.dtype, wanted)
    return Fold(_left(operand.shape, axes), dtype, tree.node, name, operand, axes, total, less)


def _variance(name: str, tree: Tree, operand: Value, axes: tuple[int, ...], wanted: DType | None, less: int) -> Value:
    """`numpy.var`: the mean of the squares of the differences to the mean; and its root, `numpy.std`."""
    if operand.dtype.kind == "c" or operand.dtype.name == "float16" or (wanted and wanted.kind != "f"):
        raise UnsupportedError(f"{name} of {operand.dtype}")
    mean: Value = _folded("mean", tree, operand, axes, wanted)
    if mean.shape:
        mean = _expanded(mean, operand.shape, axes)
    dtype = mean.dtype
    apart = Applied(operand.shape, dtype, tree.node, "subtract", (_cast_to(operand, dtype), mean), (dtype, dtype))
    square = Applied(operand.shape, dtype, tree.node, "multiply", (apart, apart), (dtype, dtype))
    found = _folded("mean", tree, square, axes, wanted, less)
    return found if name == "var" else Applied(found.shape, dtype, tree.node, "sqrt", (found,), (dtype,))


def _cast_to(value: Value, dtype: DType) -> Value:
    return value if value.dtype == dtype else Applied(value.shape, dtype, value.node, "cast", (value,), (dtype,))


def _expanded(value: Value, shape: Shape, axes: tuple[int, ...]) -> Expanded:
    """What is left of a shape when some axes have been folded, with dimensions of one element for these."""
    wide = tuple(1 if dim in axes else size for dim, size in enumerate(shape))
    return Expanded(wide, value.dtype, value.node, value, tuple(dim for dim in range(len(shape)) if dim not in axes))


def _left(shape: Shape, axes: tuple[int, ...]) -> Shape:
    return tuple(size for dim, size in enumerate(shape) if dim not in axes)


def _fold_dtypes(name: str, dtype: DType, wanted: DType | None = None) -> tuple[DType, DType]:
    """The dtype of the result, and of what is added up; NumPy is asked, with an array of one element."""
    if name in ("any", "all"):
        if dtype.kind not in "biuf":
            raise UnsupportedError(f"{name} of {dtype}")
        return np.dtype(bool), np.dtype(bool)
    if name in ("argmin", "argmax"):
        if dtype.kind not in "iuf":
            raise UnsupportedError(f"{name} of {dtype}")
        return np.dtype(np.intp), dtype
    if dtype.kind == "c" or (dtype.kind == "b" and name in ("min", "max")):
        raise UnsupportedError(f"{name} of {dtype}")
    result = wanted or getattr(np, name)(np.ones(1, dtype)).dtype
    check_dtype(result)
    if wanted and (result.kind not in "iuf" or (dtype.kind == "f" and result.kind != "f")):
        raise UnsupportedError(f"{dtype} elements become {result}")
    # NumPy adds narrow floats up in pairs; one after the other they need more digits to be as good.
    narrow = name in ("sum", "mean") and result.kind == "f"
    return result, np.dtype(np.float64) if narrow else result
