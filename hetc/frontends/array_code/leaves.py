"""The values of leaves: what variables, attributes and parts of arrays are, found out without running anyone's code.

A statement that Python runs later evaluates its leaves again, so evaluating them here must change nothing: attributes
are looked up in modules, arrays and the dictionaries of plain objects only, and parts are taken of arrays, lists and
tuples, by numbers and slices only.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import field
from types import ModuleType
from typing import Any, cast

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError

_ARRAY_ATTRIBUTES = frozenset({"T", "shape", "size", "ndim", "dtype"})


class UnknownNameError(Exception):
    """A variable that a statement before this one has yet to give its value."""


@dataclass
class LeafValues:
    """Evaluates the leaves of some statements.

    `names` are the namespaces in the order in which a name is looked up. `pending` are the variables to which earlier
    statements, which have not run yet, give values. `looked_at` collects the arrays of which elements were read.
    """

    names: Sequence[Mapping[str, Any]]
    pending: frozenset[str] = frozenset()
    looked_at: list[Any] = field(default_factory=list[Any])

    def value(self, node: ast.expr) -> Any:
        """The value of a leaf. Raises UnsupportedError, UnknownNameError."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._variable(name)
            case ast.Attribute(value=value, attr=name):
                return _attribute(self.value(value), name)
            case ast.Subscript(value=value, slice=index):
                return self._part(self.value(value), index)
            case ast.Tuple(elts=parts):
                return tuple(map(self.value, parts))
            case ast.UnaryOp(operand=operand):
                return -_number(self.value(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return _computed(_number(self.value(left)), op, _number(self.value(right)))
            case _:
                raise UnsupportedError("it is not looked into")

    def _variable(self, name: str) -> Any:
        if name in self.pending:
            raise UnknownNameError(name)
        for names in self.names:
            if name in names:
                return names[name]
        raise UnsupportedError(f"the variable '{name}' has no value")

    def _part(self, owner: Any, index: ast.expr) -> Any:
        key = self.index(index)
        if not isinstance(owner, np.ndarray | NumberArray | tuple | list):
            raise UnsupportedError(f"a part of a {type(owner).__name__} is taken")
        try:
            found: Any = cast("Any", owner)[key]
        except (IndexError, TypeError, ValueError) as error:
            raise UnsupportedError(f"taking a part of an array raises {type(error).__name__}") from None
        if not isinstance(found, np.ndarray | NumberArray) and isinstance(owner, np.ndarray | NumberArray):
            self.looked_at.append(owner)
        return found

    def index(self, node: ast.expr) -> Any:
        """What an index is: numbers, slices, and tuples of them. Raises UnsupportedError, UnknownNameError."""
        match node:
            case ast.Tuple(elts=parts):
                return tuple(map(self.index, parts))
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(None if part is None else self.index(part) for part in (lower, upper, step)))
            case _:
                value = self.value(node)
        if value is None or value is ... or type(value) is int or isinstance(cast("object", value), np.integer | slice):
            return cast("Any", value)
        raise UnsupportedError(f"an array is indexed by a {type(value).__name__}", hint="index by numbers and slices")


def _attribute(owner: object, name: str) -> Any:
    if isinstance(owner, ModuleType):
        if name in vars(owner):
            return vars(owner)[name]
    elif type(owner) is np.ndarray or isinstance(owner, NumberArray):
        if name in _ARRAY_ATTRIBUTES:
            return getattr(owner, name)
    elif (
        type(owner).__getattribute__ is object.__getattribute__
        and not hasattr(type(owner), name)
        and name in getattr(owner, "__dict__", {})
    ):
        return vars(owner)[name]
    raise UnsupportedError(f"the attribute '{name}' of a {type(owner).__name__} may be computed")


def _number(value: Any) -> Any:
    if isinstance(value, int | float | complex | np.generic):
        return cast("Any", value)
    raise UnsupportedError(f"an index is computed from a {type(value).__name__}")


def _computed(left: Any, op: ast.operator, right: Any) -> Any:
    try:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case _:
                return left // right
    except ArithmeticError as error:
        raise UnsupportedError(f"computing an index raises {type(error).__name__}") from None


def owner_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array whose memory an array is a view of, as far as NumPy knows.

    >>> a = np.zeros(5)
    >>> owner_of(a[1:][::2]) is a
    True
    """
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def container_of(array: np.ndarray[Any, Any], node: ast.expr, value: Any) -> np.ndarray[Any, Any]:
    """The contiguous array that a part of one is best seen in: the variable's, or the owner of the memory.

    `node` is the leaf whose value `array` is, `value` evaluates expressions.
    """
    while isinstance(node, ast.Subscript):
        node = node.value
        owner = value(node)
        if type(owner) is np.ndarray and owner.flags.c_contiguous and owner.dtype == array.dtype:
            return owner
    owner = owner_of(array)
    return owner if type(owner) is np.ndarray and owner.dtype == array.dtype and owner.flags.c_contiguous else array
