"""Expressions of NumPy code as trees, as far as their syntax tells: what they are applied to, and what is applied.

    0.25 * (a[:-2] + a[2:])     ->     multiply(leaf 0, add(leaf 1, leaf 2))

Leaves are what has a value without anything being computed: variables, constants, attributes, and parts of arrays by
numbers and slices. Whatever might do more (a call of a function that hetc does not know by its name) is no tree: the
statement that it stands in stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field

from hetc.dataclass import dataclass

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "power", ast.LShift: "left_shift", ast.RShift: "right_shift",
    ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor", ast.MatMult: "matmul",
    ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal", ast.Eq: "equal",
    ast.NotEq: "not_equal", ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "invert",
}  # fmt: skip
"""The ufunc that an operator means on arrays (NumPy's array protocol: `ndarray.__add__` is `numpy.add`, ...)."""

FOLDS = frozenset(
    {
        "sum", "prod", "min", "max", "amin", "amax", "mean", "any", "all", "argmin", "argmax", "var", "std",
        "count_nonzero",
    }
)  # fmt: skip
"""The functions and methods that bring an axis down to one number."""

METHODS = (FOLDS - {"count_nonzero"}) | {"dot", "clip", "astype", "copy", "outer"}
"""The methods of arrays, and of ufuncs, that are looked into."""

FUNCTIONS = FOLDS | {
    "abs", "absolute", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "bitwise_and",
    "bitwise_or", "bitwise_xor", "cbrt", "ceil", "clip", "conjugate", "copysign", "cos", "cosh", "deg2rad", "degrees",
    "divide", "dot", "equal", "exp", "exp2", "expm1", "fabs", "float_power", "floor", "floor_divide", "fmax", "fmin",
    "fmod", "greater", "greater_equal", "hypot", "invert", "isfinite", "isinf", "isnan", "left_shift", "less",
    "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not",
    "logical_or", "logical_xor", "matmul", "maximum", "minimum", "mod", "multiply", "negative", "not_equal", "outer",
    "positive", "power", "rad2deg", "radians", "reciprocal", "remainder", "right_shift", "rint", "sign", "signbit",
    "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "true_divide", "trunc", "where",
}  # fmt: skip
"""The functions that are looked into, by the last part of their names; whose they are shows when they are called."""


@dataclass(frozen=True)
class Tree:
    """An expression, at its place in the source. `node` has no part in comparisons."""

    node: ast.expr = field(compare=False, repr=False)


@dataclass(frozen=True)
class Leaf(Tree):
    """Leaf number `number` of its statement."""

    number: int


@dataclass(frozen=True)
class Operator(Tree):
    """An operator of Python, as the ufunc `name`."""

    name: str
    operands: tuple[Tree, ...]


@dataclass(frozen=True)
class Call(Tree):
    """A call of the function in leaf `callee`, or of a method `name` of `owner`, whose value is an array or number.

    Only one of them is given; `keywords` are the names of the last arguments.
    """

    name: str
    callee: Leaf | None
    owner: Tree | None
    arguments: tuple[Tree, ...]
    keywords: tuple[str, ...] = ()


class NoTreeError(Exception):
    """An expression that is not looked into."""


class TreeBuilder:
    """Builds the trees of one statement, whose leaves it numbers."""

    def __init__(self) -> None:
        self.leaves: list[ast.expr] = []
        self._numbers: dict[str, int] = {}

    def tree(self, node: ast.expr) -> Tree:
        """The tree of an expression. Raises NoTreeError."""
        if is_leaf(node):
            return self.leaf(node)
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                return Operator(node, OPERATORS[type(op)], (self.tree(left), self.tree(right)))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert() as op, operand=operand):
                return Operator(node, OPERATORS[type(op)], (self.tree(operand),))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
                return Operator(node, OPERATORS[type(op)], (self.tree(left), self.tree(right)))
            case ast.Call():
                return self._call(node)
            case _:
                raise NoTreeError

    def leaf(self, node: ast.expr) -> Leaf:
        """The leaf for an expression; the same one for the same text."""
        number = self._numbers.setdefault(ast.dump(node), len(self.leaves))
        if number == len(self.leaves):
            self.leaves.append(node)
        return Leaf(node, number)

    def _call(self, node: ast.Call) -> Call:
        keywords: list[str] = [keyword.arg for keyword in node.keywords if keyword.arg is not None]
        if len(keywords) != len(node.keywords) or any(isinstance(part, ast.Starred) for part in node.args):
            raise NoTreeError
        arguments = tuple(map(self.tree, (*node.args, *(keyword.value for keyword in node.keywords))))
        match node.func:
            case ast.Name(id=name) if name in FUNCTIONS:
                return Call(node, name, self.leaf(node.func), None, arguments, tuple(keywords))
            case ast.Attribute(value=owner, attr=name) if name in FUNCTIONS | METHODS:
                if is_leaf(owner) and name in FUNCTIONS - METHODS:
                    return Call(node, name, self.leaf(node.func), None, arguments, tuple(keywords))
                return Call(node, name, None, self.tree(owner), arguments, tuple(keywords))
            case _:
                raise NoTreeError


def is_leaf(node: ast.expr) -> bool:
    """Whether an expression only names something: a variable, a constant, an attribute, a part of an array."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return is_leaf(value)
        case ast.Subscript(value=value, slice=index):
            return is_leaf(value) and _is_index(index)
        case ast.Tuple(elts=parts):
            return all(map(_is_index, parts))
        case _:
            return False


def _is_index(node: ast.expr) -> bool:
    """Whether an expression is an index, which may be computed from numbers."""
    match node:
        case ast.Tuple(elts=parts):
            return all(map(_is_index, parts))
        case ast.Slice(lower=lower, upper=upper, step=step):
            return all(part is None or _is_index(part) for part in (lower, upper, step))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), right=right):
            return _is_index(left) and _is_index(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_index(operand)
        case _:
            return is_leaf(node)


def leaf_numbers(tree: Tree) -> Sequence[int]:
    """The leaves of a tree, in the order of the source."""
    match tree:
        case Leaf(number=number):
            return (number,)
        case Operator(operands=operands):
            return tuple(number for operand in operands for number in leaf_numbers(operand))
        case Call(callee=callee, owner=owner, arguments=arguments):
            parts = [part for part in (callee, owner, *arguments) if part is not None]
            return tuple(number for part in parts for number in leaf_numbers(part))
        case _:
            raise AssertionError(tree)
