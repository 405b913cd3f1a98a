"""The body of a loop over an index space, as a function of its indices: what NumPy does element by element.

    b[1:-1] = 0.5 * (a[:-2] + a[2:])                def f_arrays(i0):
    c = b[1:-1] * x                       ->            v0 = k0 * (a[i0] + a[i0 + 2])
                                                        b[i0 + 1] = v0
                                                        v1 = b[i0 + 1] * x[i0]
                                                        c[i0] = v1

The elements of arrays are numbers of NumPy's, and Python's numbers are captured as those that NumPy makes of them, so
the function means in Python, element by element, what the statements mean. Each node is placed where the expression
stands that it comes from.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.accesses import MAX_RANK, Access, address
from hetc.frontends.array_code.captured import (
    Captured,
    CapturedArray,
    CapturedLength,
    CapturedMade,
    CapturedNumber,
    Groups,
    NewArray,
)
from hetc.frontends.array_code.collapsing import SPACE, Token, joined_dims, token_of
from hetc.frontends.array_code.forms import Sizes
from hetc.frontends.array_code.steps import Action, LoopStep
from hetc.frontends.array_code.typed import (
    Applied,
    DType,
    Earlier,
    Elements,
    Expanded,
    Fold,
    Made,
    Number,
    Shape,
    Value,
)
from hetc.frontends.array_code.values import Source, Values
from hetc.frontends.python.made_functions import arguments_of, placed

_JOINED = ast.Name("joined")
"""The place of a dimension that is one with that before it."""

_SYMBOLS: dict[str, ast.operator] = {
    "add": ast.Add(), "subtract": ast.Sub(), "multiply": ast.Mult(), "divide": ast.Div(),
    "floor_divide": ast.FloorDiv(), "remainder": ast.Mod(), "power": ast.Pow(), "left_shift": ast.LShift(),
    "right_shift": ast.RShift(), "bitwise_and": ast.BitAnd(), "bitwise_or": ast.BitOr(), "bitwise_xor": ast.BitXor(),
}  # fmt: skip
_COMPARISONS: dict[str, ast.cmpop] = {
    "less": ast.Lt(), "less_equal": ast.LtE(), "greater": ast.Gt(), "greater_equal": ast.GtE(), "equal": ast.Eq(),
    "not_equal": ast.NotEq(),
}  # fmt: skip


@dataclass
class LoopBody:
    """A loop as a function, where its indices start, how many there are of each, and what its variables are."""

    function: ast.FunctionDef
    starts: tuple[int, ...]
    lengths: tuple[Shape, ...]
    """The product of these lengths is the number of values of an index."""
    captured: dict[str, Captured] = field(default_factory=dict[str, Captured])

    def ranges(self, sizes: Sizes) -> tuple[range, ...]:
        """The ranges of its indices in a run."""
        counts = [math.prod(sizes[length] for length in lengths) for lengths in self.lengths]
        return tuple(range(start, start + count) for start, count in zip(self.starts, counts, strict=True))


def loop_body(step: LoopStep, values: Values, name: str) -> LoopBody:
    """The body of a step's loop. Raises UnsupportedError for arrays of more dimensions than loops index."""
    return _Writer(step, values).write(name)


class _Writer:
    """Writes the statements of a body; `block` is where they go."""

    def __init__(self, step: LoopStep, values: Values) -> None:
        self.step = step
        self.values = values
        self.captured: dict[str, Captured] = {}
        self.names: dict[Any, str] = {}
        self.block: list[ast.stmt] = []
        self.fresh = 0
        self.flat = self._is_flat()
        self.looped = (0,) if self.flat else looped_dims(step.space)
        self.joined = frozenset[Token]() if self.flat else joined_dims(step, self.looped, MAX_RANK)
        self.leading = tuple(dim for dim in self.looped if (SPACE, dim) not in self.joined)
        """The dimensions of which each has an index, for itself and for those that are one with it."""
        self.starts: tuple[int, ...] = (0,) if self.flat else self._starts()

    def write(self, name: str) -> LoopBody:
        """The body, as a function with this name."""
        step = self.step
        rank = 1 if self.flat else len(step.space)
        indices = [f"i{dim}" for dim in self.leading]
        places = [
            _load(f"i{dim}") if dim in self.leading else _JOINED if dim in self.looped else ast.Constant(0)
            for dim in range(rank)
        ]
        for action in step.actions:
            self._act(action, places)
        first = (step.actions[0].value if step.actions else step.total).node  # pyright: ignore[reportOptionalMemberAccess]
        if step.total is not None:
            self.statement = step.total_statement
            total = self._emit(step.total.operand, places)
            self.block.append(placed(ast.Return(_converted_to(step.total.total, step.total, total)), step.total.node))
        else:
            self.block.append(placed(ast.Return(None), first))
        function = ast.FunctionDef(
            name=name, args=arguments_of(indices), body=self.block, decorator_list=[], returns=None
        )
        starts = tuple(self.starts[dim] for dim in self.leading)
        return LoopBody(placed(function, first), starts, self._lengths(), self.captured)

    def _lengths(self) -> tuple[Shape, ...]:
        """For each index, the lengths whose product it runs through."""
        space = self.step.space
        if self.flat:
            return (space,)
        ends = (*self.leading[1:], len(space))
        pairs = zip(self.leading, ends, strict=True)
        return tuple(tuple(space[dim] for dim in self.looped if first <= dim < end) for first, end in pairs)

    # --- the form of the loop ----------------------------------------------------------------------------------------

    def _is_flat(self) -> bool:
        """Whether all arrays are read and stored to row by row, as if they had one dimension."""
        step = self.step
        if len(step.space) == 1 or (not step.actions and step.total is None):
            return False
        roots = [action.value for action in step.actions]
        targets = [action.target for action in step.actions if action.target is not None]
        if step.total is not None:
            roots.append(step.total.operand)
        return all(_is_row_by_row(value, step.space) for value in (*roots, *targets))

    def _starts(self) -> tuple[int, ...]:
        """Where the indices start: where the last of the parts of arrays starts, so that no index is above its own.

        Then that each is below its length is known from the loop's range alone. New arrays start at 0.
        """
        step = self.step
        starts: list[list[int]] = [[] for _ in step.space]
        for action in step.actions:
            if action.target is None:
                if action.kept:
                    return (0,) * len(step.space)
            else:
                self._note_starts(action.target, step.space, starts)
            self._note_starts(action.value, step.space, starts)
        if step.total is not None:
            self._note_starts(step.total.operand, step.space, starts)
        return tuple(max(found) if found and min(found) > 0 else 0 for found in starts)

    def _note_starts(self, value: Value, space: Shape, starts: list[list[int]]) -> None:
        match value:
            case Elements(access=access):
                shift = len(space) - len(value.shape)
                for dim, start in access.dims:
                    if dim is not None and dim + shift >= 0:
                        starts[dim + shift].append(start if not access.whole else -1)
            case Made():
                shift = len(space) - len(value.shape)
                for dim in range(len(value.shape)):
                    starts[dim + shift].append(-1)
            case Applied(operands=operands):
                for operand in operands:
                    self._note_starts(operand, space, starts)
            case Fold() | Expanded():  # which dimensions run where is not followed here: the loop starts at 0
                for found in starts:
                    found.append(-1)
            case _:
                return

    # --- statements --------------------------------------------------------------------------------------------------

    def _act(self, action: Action, places: Sequence[ast.expr]) -> None:
        self.statement = action.statement
        dtype = action.value.dtype if action.target is None else action.target.dtype
        value = self._operand(action.value, dtype, places)
        name, node = f"v{action.statement}", action.value.node
        self.block.append(_assign(name, value, node))
        if action.target is not None:
            target = self._element(action.target, places, ast.Store())
            stored = _as(action.target.dtype, action.value, _load(name))
            self.block.append(placed(ast.Assign([target], stored), action.target.node))
        elif action.kept:
            array = self._capture(NewArray(action.statement, self._lengths(), action.value.dtype), "out")
            target = _subscript(array, self._at_new(places), ast.Store())
            self.block.append(placed(ast.Assign([target], _load(name)), node))

    def _at_new(self, places: Sequence[ast.expr]) -> list[ast.expr]:
        return _few([_shifted(places[dim], -self.starts[dim]) for dim in self.leading])

    # --- values ------------------------------------------------------------------------------------------------------

    def _emit(self, value: Value, places: Sequence[ast.expr]) -> ast.expr:
        """A value at a point, whose indices are `places`, those of the value's own dimensions the last of them."""
        own = places[len(places) - len(value.shape) :] if not self.flat else places
        match value:
            case Elements():
                return self._element(value, own, ast.Load())
            case Earlier(statement=statement):
                return placed(_load(f"v{statement}"), value.node)
            case Made():
                return self._made(value, own)
            case Number():
                raise AssertionError("a number is emitted by what takes it")
            case Expanded(operand=operand, kept=kept):
                return self._emit(operand, [own[dim] for dim in kept])
            case Fold():
                return self._fold(value, own)
            case Applied():
                return placed(self._applied(value, own), value.node)
            case _:
                raise AssertionError(value)

    def _element(self, value: Elements, places: Sequence[ast.expr], context: ast.expr_context) -> ast.expr:
        access, groups = value.access, list[list[int]]()
        indices: list[ast.expr] = []
        for number, (dim, start) in enumerate(() if self.flat else access.dims):
            if dim is not None and places[dim] is _JOINED:
                groups[-1].append(number)
                continue
            groups.append([number])
            indices.append(
                (places[-1] if value.shape == self.step.space else ast.Constant(0))
                if len(access.dims) == 1 and dim is None
                else ast.Constant(start)
                if dim is None
                else _shifted(places[dim], start - self._start_of(places[dim]))
            )
        what = CapturedArray(Source(self.statement, value.leaf), access, self.flat, _not_trivial(groups))
        array = self._capture(what, _name_of(value.node))
        return placed(_subscript(array, places if self.flat else _few(indices), context), value.node)

    def _start_of(self, place: ast.expr) -> int:
        """Where the index at a place starts: a loop's own where its range does, a fold's at 0."""
        name = place.id if isinstance(place, ast.Name) else ""
        return self.starts[int(name[1:])] if name.startswith("i") else 0

    def _made(self, value: Made, places: Sequence[ast.expr]) -> ast.expr:
        indices, groups, ones = list[ast.expr](), list[list[int]](), list[int]()
        for dim, size in enumerate(() if self.flat else value.shape):
            if size == 1 and self.joined:
                (groups[-1] if groups else ones).append(dim)
            elif places[dim] is _JOINED:
                groups[-1].append(dim)
            else:
                groups.append([*ones, dim])
                ones.clear()
                indices.append(ast.Constant(0) if size == 1 else _shifted(places[dim], -self._start_of(places[dim])))
        if ones:
            groups, indices = [ones], list[ast.expr]([ast.Constant(0)])
        array = self._capture(CapturedMade(value.step, value.statement, self.flat, _not_trivial(groups)), "made")
        if not value.shape:
            return placed(_load(array), value.node)
        return placed(_subscript(array, places if self.flat else _few(indices), ast.Load()), value.node)

    def _operand(self, operand: Value, dtype: DType, places: Sequence[ast.expr]) -> ast.expr:
        """An operand of a function, as that takes it."""
        if isinstance(operand, Number):
            kind = operand.weak or operand.dtype.type
            name = self._capture(CapturedNumber(self.statement, operand.tree, dtype, kind), "c")
            return placed(_load(name), operand.node)
        return self._emit(operand, places)

    def _applied(self, value: Applied, places: Sequence[ast.expr]) -> ast.expr:
        if value.name == "power" and (found := self._power(value, places)) is not None:
            return found
        operands = [self._operand(o, d, places) for o, d in zip(value.operands, value.inputs, strict=True)]
        if value.name == "cast":
            return _converted_to(value.dtype, value, operands[0])
        if value.name == "where":
            chosen, then, other = operands
            pairs = zip(value.operands[1:], (then, other), strict=True)
            then, other = (_as(value.dtype, operand, made) for operand, made in pairs)
            return ast.IfExp(chosen, then, other)
        if value.name in _SYMBOLS:
            return ast.BinOp(operands[0], _SYMBOLS[value.name], operands[1])
        if value.name in _COMPARISONS:
            return ast.Compare(operands[0], [_COMPARISONS[value.name]], [operands[1]])
        return _call(value.name, *operands)

    def _power(self, value: Applied, places: Sequence[ast.expr]) -> ast.expr | None:
        """Powers that NumPy computes in other ways: squares and roots. None for others."""
        base, exponent = value.operands
        node = exponent.node
        if not isinstance(exponent, Number) or isinstance(base, Number) or base.dtype != value.dtype:
            return None
        if ast.unparse(node) in ("-1", "-1.0") and value.dtype.kind == "f":
            return ast.BinOp(ast.Constant(1.0), ast.Div(), self._emit(base, places))
        if not isinstance(node, ast.Constant):
            return None
        if node.value == 1 and type(node.value) in (int, float):
            return self._emit(base, places)
        if node.value == 2:
            name = self._named(self._emit(base, places), base.node)
            return ast.BinOp(_load(name), ast.Mult(), _load(name))
        if node.value == 0.5 and value.dtype.kind == "f":
            return _call("sqrt", self._emit(base, places))
        if type(node.value) is int and node.value > 0 and value.dtype.kind == "f":
            return ast.BinOp(self._emit(base, places), ast.Pow(), ast.Constant(node.value))
        return None

    def _named(self, value: ast.expr, node: ast.expr) -> str:
        """A new variable with a value."""
        name = self._new("t")
        self.block.append(_assign(name, value, node))
        return name

    # --- folds -------------------------------------------------------------------------------------------------------

    def _fold(self, fold: Fold, places: Sequence[ast.expr]) -> ast.expr:
        """Loops over the axes of a fold, before the statement that takes what they come to."""
        operand, node, rank = fold.operand, fold.node, len(fold.operand.shape)
        kept, own = iter(places), list[ast.expr]()
        rounds: list[tuple[str, str]] = []
        for dim in range(rank):
            if dim not in fold.axes:
                own.append(next(kept))
            elif token_of(fold, dim) in self.joined:
                own.append(_JOINED)
            else:
                index = self._new("k")
                rounds.append((index, self._capture(CapturedLength(self._joined_lengths(fold, dim)), "n")))
                own.append(_load(index))
        total, where = self._new("t"), self._new("t")
        first = first_of(fold)
        self.block.append(_assign(total, _constant(fold.total, first), node))
        if fold.name in ("argmin", "argmax"):
            self.block.append(_assign(where, ast.Constant(0), node))
        outer, body = self.block, list[ast.stmt]()
        self.block = body
        element = self._named(_as(fold.total, operand, self._emit(operand, own)), operand.node)
        if fold.name in ("argmin", "argmax"):
            body += self._candidate(fold, rounds[0][0], element, (total, where))
        else:
            body.append(_assign(total, _combined(fold, _load(total), _load(element)), node))
        for index, count in reversed(rounds):
            numbers = ast.Call(_load("range"), [_load(count)], [])
            body = list[ast.stmt]([placed(ast.For(ast.Name(index, ast.Store()), numbers, body, []), node)])
        self.block = outer
        self.block += body
        if fold.name in ("argmin", "argmax"):
            return placed(_call("int64", _load(where)), node)
        if fold.name == "mean":
            lengths = tuple(operand.shape[axis] for axis in fold.axes)
            count = self._capture(CapturedLength(lengths, fold.less), "n")
            return _converted_to(fold.dtype, fold, placed(ast.BinOp(_load(total), ast.Div(), _load(count)), node))
        return placed(_load(total) if fold.total == fold.dtype else _call(fold.dtype.name, _load(total)), node)

    def _joined_lengths(self, fold: Fold, first: int) -> Shape:
        """The lengths of an axis of a fold and of those that are one with it."""
        lengths = [fold.operand.shape[first]]
        for axis in fold.axes[fold.axes.index(first) + 1 :]:
            if token_of(fold, axis) in self.joined:
                lengths.append(fold.operand.shape[axis])
            elif fold.operand.shape[axis] != 1:
                break
        return tuple(lengths)

    def _candidate(self, fold: Fold, index: str, element: str, best: tuple[str, str]) -> list[ast.stmt]:
        """The first of the least, or greatest, elements; the first NaN, if there is one (`numpy.argmin`)."""
        total, where = best
        compare = ast.Lt() if fold.name == "argmin" else ast.Gt()
        tests: list[ast.expr] = [
            ast.Compare(_load(index), [ast.Eq()], [ast.Constant(0)]),
            ast.Compare(_load(element), [compare], [_load(total)]),
        ]
        if fold.total.kind == "f":
            is_nan = ast.Compare(_load(element), [ast.NotEq()], [_load(element)])
            is_number = ast.Compare(_load(total), [ast.Eq()], [_load(total)])
            tests.append(ast.BoolOp(ast.And(), [is_nan, is_number]))
        taken = [_assign(total, _load(element), fold.node), _assign(where, _load(index), fold.node)]
        return [placed(ast.If(ast.BoolOp(ast.Or(), tests), taken, []), fold.node)]

    # --- names -------------------------------------------------------------------------------------------------------

    def _new(self, start: str) -> str:
        self.fresh += 1
        return f"{start}_{self.fresh}"

    def _capture(self, what: Captured, start: str) -> str:
        """The name of what is captured; the same one for the same memory."""
        key: Any = what
        if isinstance(what, CapturedArray):
            key = _memory_of(what.source_in(self.values)), what.flat, what.groups
        elif isinstance(what, CapturedNumber):
            key = (what.statement, ast.dump(what.tree.node), what.dtype)
        name = self.names.get(key)
        if name is None:
            name = self.names[key] = f"{start}_{len(self.names)}"
            self.captured[name] = what
        return name


def _few(indices: list[ast.expr]) -> list[ast.expr]:
    """Some indices. Raises UnsupportedError for more than arrays have that a loop indexes."""
    if len(indices) > MAX_RANK:
        raise UnsupportedError(f"an array has {len(indices)} dimensions; loops index up to {MAX_RANK}")
    return indices


def _not_trivial(groups: list[list[int]]) -> Groups:
    """Groups of dimensions, if one has several."""
    return tuple(map(tuple, groups)) if any(len(dims) > 1 for dims in groups) else ()


def _memory_of(array: Any) -> Any:
    """What is the same for two arrays that are captured if one may stand for the other."""
    if isinstance(array, NumberArray):
        return id(array.owner), array.shape, array.layout.strides, address(array.layout)
    return (address(array), array.shape, array.strides, array.dtype) if isinstance(array, np.ndarray) else id(array)


def looped_dims(space: Shape) -> tuple[int, ...]:
    """The dimensions of an index space that a loop runs over: those of more than one point, but at least one."""
    return tuple(dim for dim, size in enumerate(space) if size != 1) or (len(space) - 1,)


def _is_row_by_row(value: Value, space: Shape) -> bool:
    match value:
        case Elements(access=access):
            return (
                value.shape == space and access.whole and access.packed and not access.dropped and _is_in_order(access)
            )
        case Applied(operands=operands):
            return all(_is_row_by_row(operand, space) for operand in operands)
        case Made():
            return value.shape in (space, ())
        case Number() | Earlier():
            return True
        case _:
            return False


def _is_in_order(access: Access) -> bool:
    return all(dim == place and start == 0 for place, (dim, start) in enumerate(access.dims))


def _name_of(node: ast.expr) -> str:
    """A name for the array of a leaf: its variable's."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return f"a_{node.id}" if isinstance(node, ast.Name) and node.id.isascii() else "a"


def first_of(fold: Fold) -> float:
    """What a fold starts from: what changes nothing."""
    kind = fold.total.kind
    match fold.name:
        case "sum" | "mean" | "argmin" | "argmax":
            return -0.0 if kind == "f" else 0  # adding it changes nothing, not even a -0.0
        case "prod":
            return 1
        case "any" | "all":
            return fold.name == "all"
        case "min":
            return np.inf if kind == "f" else int(np.iinfo(fold.total).max)
        case _:
            return -np.inf if kind == "f" else int(np.iinfo(fold.total).min)


def _constant(dtype: DType, value: Any) -> ast.expr:
    if value in (np.inf, -np.inf):
        found: ast.expr = _attribute("inf")
        return _call(dtype.name, found if value > 0 else ast.UnaryOp(ast.USub(), found))
    return _call(dtype.name, ast.Constant(value))


def _combined(fold: Fold, total: ast.expr, element: ast.expr) -> ast.expr:
    match fold.name:
        case "sum" | "mean":
            return ast.BinOp(total, ast.Add(), element)
        case "prod":
            return ast.BinOp(total, ast.Mult(), element)
        case "any":
            return _call("logical_or", total, element)
        case "all":
            return _call("logical_and", total, element)
        case "min":
            return _call("minimum", total, element)
        case _:
            return _call("maximum", total, element)


def _as(dtype: DType, operand: Value, made: ast.expr) -> ast.expr:
    """An operand's element as one of a dtype."""
    if isinstance(operand, Number) or operand.dtype == dtype:
        return made
    return _converted_to(dtype, operand, made)


def _converted_to(dtype: DType, value: Value, made: ast.expr) -> ast.expr:
    """A conversion to a dtype; of truth values, by a comparison."""
    if dtype.kind == "b":
        return placed(ast.Compare(made, [ast.NotEq()], [ast.Constant(0)]), value.node)
    return placed(_call(dtype.name, made), value.node)


def _call(name: str, *operands: ast.expr) -> ast.expr:
    return ast.Call(_attribute(name), list(operands), [])


def _attribute(name: str) -> ast.expr:
    return ast.Attribute(_load("np"), name, ast.Load())


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr, node: ast.expr) -> ast.stmt:
    return placed(ast.Assign([ast.Name(name, ast.Store())], value), node)


def _subscript(array: str, places: Sequence[ast.expr], context: ast.expr_context) -> ast.expr:
    index = places[0] if len(places) == 1 else ast.Tuple(list(places), ast.Load())
    return ast.Subscript(_load(array), index, context)


def _shifted(place: ast.expr, by: int) -> ast.expr:
    """An index further on, or back."""
    if not by:
        return place
    return ast.BinOp(place, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))
