"""Short NumPy statements in a task, as loops over their elements.

    C[i, :k] -= a[i] * B[j, :k]        __t = C[i, :k]; __u = B[j, :k]; __s = a[i]
                                ->     if len(__u) != len(__t): raise ValueError
                                       for __k in range(len(__t)):
                                           __t[__k] = __t[__k] - __s * __u[__k]

    x = A[i, :j] @ b[:j]        ->     x = dot(A[i, :j], b[:j])

A statement is one such loop if its target is part of an array of floats, in one dimension, and its value is made of
such parts, numbers and operators. NumPy computes the value as a whole before it stores any: so what is read of the
target's own array must be the same elements, others for sure, or later ones. Or it is the target from its end, as
`np.flip` and `[::-1]` give it: then two elements that need each other are computed before either is stored.

A dot product of floats adds up its terms in any order, as a BLAS and sums on devices do; that of a gathered vector,
`x @ y[places]`, does it in order. What is none of these stays as it is.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hetc.dataclass import dataclass
from hetc.frontends.python.made_functions import placed
from hetc.frontends.python.scopes import Names, assigned_names, scope_nodes

DOTS = {"d": "__hetc_dot64", "f": "__hetc_dot32"}
GATHERED_DOTS = {"d": "__hetc_gathered_dot64", "f": "__hetc_gathered_dot32"}
"""The captured variables that hold the functions for products of two vectors, the second of them gathered or not."""

_OPERATORS = ast.Add | ast.Sub | ast.Mult | ast.Div
_FUNCTIONS = frozenset({"sqrt", "abs", "absolute", "fabs", "minimum", "maximum"})


@dataclass(frozen=True)
class Kind:
    """What a variable is: an array of so many dimensions, of a dtype, by its letter in NumPy."""

    rank: int
    dtype: str

    @property
    def is_float(self) -> bool:
        """Whether it holds floats of a kind that is added up in order."""
        return self.dtype in DOTS


Kinds = Mapping[str, Kind]

_FROM_END = ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))

NUMPY = Kind(0, "the module")
"""What stands for NumPy itself."""


def kind_of(value: object) -> Kind | None:
    """What kind of array a variable is; the module NumPy is one of its own."""
    if value is np:
        return NUMPY
    return Kind(value.ndim, value.dtype.char) if type(value) is np.ndarray else None


def subscripted(loop: ast.For) -> tuple[str, ...]:
    """The variables around a loop that may be arrays in it, as far as its syntax tells."""
    inner = assigned_names(loop.body) | assigned_names(loop.target)
    names = {node.id for node in scope_nodes([loop]) if isinstance(node, ast.Name)}
    return tuple(sorted(names - inner))


@functools.cache
def functions_used() -> dict[str, Any]:
    """The functions that bodies may call, by the captured variables that hold them."""
    from hetc.frontends.loops import products

    return {
        DOTS["d"]: products.dot64,
        DOTS["f"]: products.dot32,
        GATHERED_DOTS["d"]: products.gathered_dot64,
        GATHERED_DOTS["f"]: products.gathered_dot32,
    }


class Vectors(ast.NodeTransformer):
    """Takes the NumPy statements of a loop's body apart. `kinds` are the arrays around the loop."""

    def __init__(self, body: Sequence[ast.stmt], kinds: Kinds) -> None:
        self.kinds = dict(kinds)
        self.kinds_around: Names = frozenset(kinds)
        self.count = 0
        self.found = False
        self.bases: dict[str, str] = {}
        """Of views that have a name, the variables whose elements they have."""
        views: dict[str, list[ast.expr]] = {}
        for node in scope_nodes(body):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                views.setdefault(node.targets[0].id, []).append(node.value)
        assigned = assigned_names(body)
        for name, values in views.items():  # a view that has a name
            kind = self.kind(values[0]) if len(values) == 1 and not isinstance(values[0], ast.Name) else None
            stores = sum(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in _all(body))
            if kind is not None and kind.rank == 1 and name in assigned and stores == 1:
                self.kinds[name] = kind
                self.bases[name] = _root(values[0])

    # --- what is what ------------------------------------------------------------------------------------------------

    def kind(self, node: ast.expr) -> Kind | None:
        """The array that a name, or a part of an array by numbers and slices, stands for; None for anything else."""
        match node:
            case ast.Name(id=name):
                return self.kinds.get(name)
            case ast.Subscript(value=array, slice=index):
                whole, parts = self.kind(array), _parts(index)
                if whole is None or any(self.kind(p) is not None for p in parts if not isinstance(p, ast.Slice)):
                    return None
                rank = whole.rank - sum(not isinstance(part, ast.Slice) for part in parts)
                return Kind(rank, whole.dtype) if len(parts) <= whole.rank else None
            case ast.Call():
                flipped = self.flipped(node)
                return None if flipped is None else self.kind(flipped)
            case _:
                return None

    def flipped(self, node: ast.Call) -> ast.expr | None:
        """x for `np.flip(x)`, x a vector."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr="flip"), args=[array], keywords=[]) if (
                self.kinds.get(module) is NUMPY
            ):
                kind = self.kind(array)
                return array if kind is not None and kind.rank == 1 else None
            case _:
                return None

    def is_vector(self, node: ast.expr) -> bool:
        """Whether an expression is a vector of floats."""
        kind = self.kind(node)
        return kind is not None and kind.rank == 1 and kind.is_float

    def is_scalar(self, node: ast.expr) -> bool:
        """Whether an expression is a number, made of numbers."""
        match node:
            case ast.Constant():
                return True
            case ast.Name() | ast.Subscript():
                kind = self.kind(node)
                if kind is not None:
                    return kind.rank == 0
                return isinstance(node, ast.Name)
            case ast.Attribute(value=ast.Subscript() | ast.Name(), attr="size" | "ndim"):
                return True
            case ast.BinOp(left=left, right=right):
                return self.is_scalar(left) and self.is_scalar(right)
            case ast.UnaryOp(operand=operand):
                return self.is_scalar(operand)
            case ast.Call(func=ast.Name(id=name)) if name in (*DOTS.values(), *GATHERED_DOTS.values()):
                return True
            case _:
                return False

    def base(self, name: str) -> str:
        """The variable around the loop whose elements a view has, if it is known."""
        seen: set[str] = set()
        while name in self.bases and name not in seen:
            seen.add(name)
            name = self.bases[name]
        return name

    # --- products ----------------------------------------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """x @ y -> dot(x, y)."""
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return self._product(node, node.left, node.right)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        """np.dot(x, y) -> dot(x, y); np.flip(x) -> x[::-1]."""
        self.generic_visit(node)
        array = self.flipped(node)
        if array is not None:
            return placed(ast.Subscript(array, copy.deepcopy(_FROM_END), ast.Load()), node)
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=module), attr="dot"), args=[left, right], keywords=[]
            ) if self.kinds.get(module) is NUMPY:
                return self._product(node, left, right)
            case _:
                return node

    def _product(self, node: ast.expr, left: ast.expr, right: ast.expr) -> ast.expr:
        one, other = self.kind(left), self.kind(right)
        arguments: list[ast.expr] = [left, right]
        names = DOTS
        if other is None and isinstance(right, ast.Subscript):  # x[p], with an array of integers
            other, places = self.kind(right.value), self.kind(right.slice)
            if places is None or places.rank != 1 or places.dtype not in "bhilqBHILQ":
                return node
            names, arguments = GATHERED_DOTS, [left, right.value, right.slice]
        if one is None or other is None or one != other or one.rank != 1 or not one.is_float:
            return node
        self.found = True
        return placed(ast.Call(ast.Name(names[one.dtype], ast.Load()), arguments, []), node)

    # --- statements --------------------------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> Any:
        """target[part] = value."""
        self.generic_visit(node)
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Subscript):
            return node
        return self._statement(node, node.targets[0], node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """target[part] += value."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Subscript) or not isinstance(node.op, _OPERATORS):
            return node
        return self._statement(node, node.target, ast.BinOp(_loaded(node.target), node.op, node.value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Functions inside have variables of their own."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """Likewise."""
        return node

    def _statement(self, node: ast.stmt, target: ast.Subscript, value: ast.expr) -> Any:
        whole = _loaded(target)
        if not self.is_vector(whole):
            return node
        self.count += 1
        made = _Loop(self, target, f"__hetc_{self.count}")
        element = made.element(value)
        if element is None or made.forward is None or (made.mirrored and made.ordered):
            return node
        self.found = True
        return [placed(statement, node) for statement in made.statements(element)]


class _Loop:
    """One statement as a loop over the elements of its target."""

    def __init__(self, vectors: Vectors, target: ast.Subscript, prefix: str) -> None:
        self.vectors = vectors
        self.target = target
        self.prefix = prefix
        self.before: list[ast.stmt] = [_bind(f"{prefix}_t", _loaded(target))]
        self.known: dict[str, str] = {ast.dump(_loaded(target)): f"{prefix}_t"}
        self.lengths: list[str] = []
        self.apart: list[ast.expr] = []
        """Conditions under which what is read of the target's array is not what is stored before it is read."""
        self.forward: bool | None = True
        self.ordered = False
        self.mirrored = False
        """Whether the target is read from its end."""

    def element(self, node: ast.expr) -> ast.expr | None:
        """Element k of an expression; None if there is no such."""
        if self.vectors.is_scalar(node):
            return node if isinstance(node, ast.Constant) else self._named(node)
        if self.vectors.is_vector(node):
            if self._is_mirrored(node):
                self.mirrored = True
                return ast.Subscript(_load(f"{self.prefix}_t"), _load(f"{self.prefix}_m"), ast.Load())
            name = self.known.get(ast.dump(node))
            if name is None:
                if not self._is_apart(node):
                    return None
                name = self._new(node)
                self.lengths.append(name)
            return ast.Subscript(_load(name), _load(f"{self.prefix}_k"), ast.Load())
        match node:
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
                parts = [self.element(left), self.element(right)]
                return None if parts[0] is None or parts[1] is None else ast.BinOp(parts[0], op, parts[1])
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                part = self.element(operand)
                return None if part is None else ast.UnaryOp(op, part)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name) as called, args=arguments):
                found = [self.element(argument) for argument in arguments]
                known = self.vectors.kinds.get(module) is NUMPY and name in _FUNCTIONS
                if not known or node.keywords or None in found:
                    return None
                return ast.Call(called, [part for part in found if part is not None], [])
            case _:
                return None

    def _is_mirrored(self, node: ast.expr) -> bool:
        """Whether a vector is the target from its end."""
        match node:
            case ast.Subscript(value=array, slice=part):
                if isinstance(self.target.value, ast.Name) and ast.dump(self.target.slice) == ast.dump(ast.Slice()):
                    array = ast.Subscript(array, ast.Slice(), ast.Load())  # x[::-1] for the target x[:]
                return ast.dump(part) == ast.dump(_FROM_END) and ast.dump(array) == ast.dump(_loaded(self.target))
            case _:
                return False

    def _named(self, node: ast.expr) -> ast.expr:
        """A number, as it is before anything is stored."""
        key = ast.dump(node)
        return _load(self.known[key] if key in self.known else self._new(node))

    def _new(self, node: ast.expr) -> str:
        name = f"{self.prefix}_{len(self.before)}"
        self.before.append(_bind(name, node))
        self.known[ast.dump(node)] = name
        return name

    def _is_apart(self, node: ast.expr) -> bool:
        """Whether elements of a vector are read before they are stored, if they are stored at all."""
        root, own = _root(node), _root(self.target)
        base, other = self.vectors.base(root), self.vectors.base(own)
        if base in self.vectors.kinds and base != other and not self._is_local(base) and not self._is_local(other):
            return True
        if not isinstance(node, ast.Subscript) or root != own or self._is_local(own):
            return False
        if not (isinstance(node.value, ast.Name) and isinstance(self.target.value, ast.Name)):
            return False
        parts, others = _parts(node.slice), _parts(self.target.slice)
        if [isinstance(p, ast.Slice) for p in parts] != [isinstance(p, ast.Slice) for p in others]:
            return False
        for dimension, (part, other) in enumerate(zip(parts, others, strict=True)):
            if isinstance(part, ast.Slice):
                continue
            distance = _distance(part, other)
            if distance:
                shape = ast.Subscript(
                    ast.Attribute(_load(own), "shape", ast.Load()), ast.Constant(dimension), ast.Load()
                )
                self.apart.append(ast.Compare(shape, [ast.Gt()], [ast.Constant(abs(distance))]))
                return True
            if distance is None:
                return False
        return self._is_later(parts, others)

    def _is_later(self, parts: Sequence[ast.expr], others: Sequence[ast.expr]) -> bool:
        """Whether a slice of the same row starts at the target's, or behind it."""
        (part,) = [p for p in parts if isinstance(p, ast.Slice)]
        (other,) = [p for p in others if isinstance(p, ast.Slice)]
        if part.step is not None or other.step is not None:
            return False
        start, own = (p.lower or ast.Constant(0) for p in (part, other))
        distance = _distance(start, own)
        if distance is None or distance == 0:
            return distance == 0
        self.apart += [ast.Compare(copy.deepcopy(p), [ast.GtE()], [ast.Constant(0)]) for p in (start, own)]
        if self.ordered and self.forward != (distance > 0):
            return False
        self.ordered, self.forward = True, distance > 0
        return True

    def _is_local(self, name: str) -> bool:
        return name in self.vectors.kinds and name not in self.vectors.kinds_around

    def statements(self, element: ast.expr) -> list[ast.stmt]:
        """The loop, and what comes before it."""
        target, k = f"{self.prefix}_t", f"{self.prefix}_k"
        checks = [
            ast.If(
                ast.Compare(_length(name), [ast.NotEq()], [_length(target)]),
                [ast.Raise(_load("ValueError"), None)],
                [],
            )
            for name in self.lengths
        ]
        checks += [
            ast.If(ast.UnaryOp(ast.Not(), condition), [ast.Raise(_load("ValueError"), None)], [])
            for condition in self.apart
        ]
        if self.mirrored:
            return [*self.before, *checks, *self._halves(element)]
        count: list[ast.expr] = [_length(target)]
        if not self.forward:
            minus_one = ast.UnaryOp(ast.USub(), ast.Constant(1))
            count = [ast.BinOp(count[0], ast.Sub(), ast.Constant(1)), minus_one, copy.deepcopy(minus_one)]
        store = ast.Assign([ast.Subscript(_load(target), _load(k), ast.Store())], element)
        loop = ast.For(ast.Name(k, ast.Store()), ast.Call(_load("range"), count, []), [store], [])
        return [*self.before, *checks, loop]

    def _halves(self, element: ast.expr) -> list[ast.stmt]:
        """The loop over pairs of elements that lie as far from the one end as from the other."""
        target, k, m = (f"{self.prefix}_{name}" for name in "tkm")
        one, two = ast.Constant(1), ast.Constant(2)
        half = ast.BinOp(ast.BinOp(_length(target), ast.Add(), one), ast.FloorDiv(), two)
        last = ast.BinOp(_length(target), ast.Sub(), copy.deepcopy(one))
        values = [f"{self.prefix}_{name}" for name in ("low", "high")]
        other = _Renamed({k: m, m: k}).visit(copy.deepcopy(element))
        body = [
            _bind(m, ast.BinOp(last, ast.Sub(), _load(k))),
            _bind(values[0], element),
            _bind(values[1], other),
            _store(target, k, values[0]),
            _store(target, m, values[1]),
        ]
        return [ast.For(ast.Name(k, ast.Store()), ast.Call(_load("range"), [half], []), body, [])]


class _Renamed(ast.NodeTransformer):
    """Other names in the place of some."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> Any:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _all(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _parts(index: ast.expr) -> list[ast.expr]:
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Call):
        node = node.value if isinstance(node, ast.Subscript) else node.args[0]  # np.flip of a view
    return node.id if isinstance(node, ast.Name) else ""


def _distance(one: ast.expr, other: ast.expr) -> int | None:
    """one - other, if that is known."""
    (base, number), (own, own_number) = _sum(one), _sum(other)
    return number - own_number if base == own else None


def _sum(node: ast.expr) -> tuple[str, int]:
    """An expression as another one and a constant that is added."""
    match node:
        case ast.Constant(value=int() as value):
            return "", value
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=int() as value)):
            base, number = _sum(left)
            return base, number + value
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int() as value)):
            base, number = _sum(left)
            return base, number - value
        case _:
            return ast.dump(node), 0


def _loaded(target: ast.Subscript) -> ast.expr:
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _bind(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(value))


def _store(array: str, place: str, value: str) -> ast.stmt:
    return ast.Assign([ast.Subscript(_load(array), _load(place), ast.Store())], _load(value))


def _length(name: str) -> ast.expr:
    return ast.Call(_load("len"), [_load(name)], [])


def with_loops(body: list[ast.stmt], kinds: Kinds) -> tuple[list[ast.stmt], bool]:
    """The statements of a task with the NumPy statements among them as loops; and whether there are any."""
    vectors = Vectors(body, kinds)
    made: list[ast.stmt] = []
    for statement in body:
        found = vectors.visit(statement)
        made += found if isinstance(found, list) else [found]
    return made, vectors.found
