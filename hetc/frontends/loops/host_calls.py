"""What calls in a function's host code do to arrays: those of known functions, and of the methods of arrays.

A call that is not in these tables, or has arguments that are not seen here, may do anything.
"""

from __future__ import annotations

import builtins
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from hetc.dataclass import dataclass
from hetc.frontends.loops.host_values import NUMBER, PLAIN, SIMPLE, TEXT, Kind, Value, array, is_number_type
from hetc.frontends.python.scopes import NONE, Names
from hetc.loops import forall, prange


@dataclass(frozen=True)
class Outcome:
    """What a call gives, and the variables whose arrays it reads and writes."""

    value: Value
    reads: Names = NONE
    writes: Names = NONE


Arguments = Sequence[Value]
Rule = Callable[[Arguments], "Outcome | None"]
"""What a function does, given its positional arguments; None where that is not seen."""


def roots_of(values: Arguments) -> Names:
    """The variables whose arrays some values may share memory with."""
    return NONE.union(*(value.roots for value in values))


def is_seen(values: Arguments) -> bool:
    """Whether values are numbers, arrays of numbers, or the like: their operators run no code of users."""
    return all(value.kind in SIMPLE or value.kind is Kind.ARRAY for value in values)


def are_numeric(values: Arguments) -> bool:
    """Whether values are arrays of numbers, numbers, and options."""
    return are_options(value for value in values if value.kind is not Kind.ARRAY)


def are_options(values: Iterable[Value]) -> bool:
    """Whether values are numbers and the like. A text may be a dtype, and that the one of any objects."""
    return all(value.kind in SIMPLE and value.kind is not Kind.TEXT for value in values)


def has_array(values: Arguments) -> bool:
    """Whether an array is among some values."""
    return any(value.kind is Kind.ARRAY for value in values)


# ---------------------------------------------------------------------------------------------------------------------
# Functions
# ---------------------------------------------------------------------------------------------------------------------


def _number(values: Arguments) -> Outcome | None:
    """`float(x)`: a number, for which an array is read."""
    return Outcome(NUMBER, roots_of(values)) if is_seen(values) else None


def _plain(values: Arguments) -> Outcome | None:
    return Outcome(PLAIN, roots_of(values)) if is_seen(values) else None


def _length(values: Arguments) -> Outcome | None:
    return Outcome(NUMBER) if len(values) == 1 and is_seen(values) else None


def _numbers_alone(values: Arguments) -> Outcome | None:
    """A function that iterates over an array would give parts of it: of numbers alone it gives a number."""
    if all(value.kind is Kind.NUMBER for value in values) or [value.kind for value in values] == [Kind.INTS]:
        return Outcome(NUMBER)
    return _plain_alone(values)


def _plain_alone(values: Arguments) -> Outcome | None:
    return Outcome(PLAIN) if are_options(values) else None


def _indices(values: Arguments) -> Outcome | None:
    """`range(n)`."""
    return Outcome(Value(Kind.INTS)) if are_options(values) else None


def _points(values: Arguments) -> Outcome | None:
    """`forall(h, w)`: with several extents, its points are tuples."""
    if not are_options(values):
        return None
    return Outcome(Value(Kind.INTS) if len(values) == 1 else Value(Kind.POINTS, len(values)))


def _text(values: Arguments) -> Outcome | None:
    return Outcome(TEXT) if all(value.kind in SIMPLE for value in values) else None


def elementwise(values: Arguments) -> Outcome | None:
    """An operator, or a function of NumPy's that computes like one: a new array, or a number of numbers."""
    if not is_seen(values):
        return None
    if not has_array(values):
        kinds = {value.kind for value in values}
        return Outcome(NUMBER if kinds == {Kind.NUMBER} else TEXT if Kind.TEXT in kinds else PLAIN)
    ranks = [value.rank for value in values if value.kind is Kind.ARRAY]
    plain = any(value.kind in SIMPLE and value.kind is not Kind.NUMBER for value in values)
    rank = None if plain or None in ranks else max(rank for rank in ranks if rank is not None)
    return Outcome(array(rank), roots_of(values))


def _maker(values: Arguments) -> Outcome | None:
    """`zeros(shape)`: a new array that is made of no other."""
    if not values or not are_options(values):
        return None
    shape = values[0]
    return Outcome(array(1 if shape.kind is Kind.NUMBER else shape.rank if shape.kind is Kind.INTS else None))


def _row(values: Arguments) -> Outcome | None:
    """`arange(n)`: a new array, of one dimension if it is made of numbers."""
    if not are_options(values):
        return None
    return Outcome(array(1 if all(value.kind is Kind.NUMBER for value in values) else None))


def _matrix(values: Arguments) -> Outcome | None:
    return Outcome(array(2)) if are_options(values) else None


def _filled(values: Arguments) -> Outcome | None:
    """`full(shape, number)`; of what is no number, it may be an array of objects."""
    return _maker(values) if len(values) > 1 and values[1].kind is Kind.NUMBER else None


def _chosen(values: Arguments) -> Outcome | None:
    """`where(condition, x, y)` of numbers."""
    if not has_array(values) or not all(value.kind in (Kind.ARRAY, Kind.NUMBER) for value in values):
        return None
    return Outcome(array(), roots_of(values))


def _like(values: Arguments) -> Outcome | None:
    """`zeros_like(x)`: a new array, for which none is read."""
    if not values or values[0].kind is not Kind.ARRAY or not are_options(values[1:]):
        return None
    return Outcome(array(values[0].rank))


def _reader(most: int) -> Rule:
    """A function that makes a new array, or a number, of those among its first arguments; further ones are options."""

    def rule(values: Arguments) -> Outcome | None:
        if not has_array(values) or has_array(values[most:]) or not are_numeric(values):
            return None
        return Outcome(array(), roots_of(values))

    return rule


def _reduction(values: Arguments) -> Outcome | None:
    """`sum(x)`: of all elements a number, along an axis an array."""
    if len(values) == 1 and values[0].kind is Kind.ARRAY:
        return Outcome(NUMBER, values[0].roots)
    return _reader(1)(values)


_REDUCTIONS = ("sum", "prod", "min", "max", "mean", "std", "var", "median", "argmin", "argmax", "count_nonzero")
_READERS = {
    "all": 1, "any": 1, "argsort": 1, "array_equal": 2, "allclose": 2, "bincount": 2, "copy": 1, "cumprod": 1,
    "cumsum": 1, "diff": 1, "dot": 2, "inner": 2, "isclose": 2, "nonzero": 1, "outer": 2, "sort": 1, "unique": 1,
}  # fmt: skip
_MAKERS = ("zeros", "ones", "empty")
_LIKE = ("zeros_like", "ones_like", "empty_like", "full_like")


def _rules() -> dict[int, Rule]:
    rules: dict[int, Rule] = {id(len): _length}
    rules |= {id(function): _number for function in (float, int, complex)}
    rules |= {id(function): _plain for function in (bool, isinstance)}
    rules |= {id(function): _indices for function in (range, prange)}
    rules[id(forall)] = _points
    rules |= {id(function): _numbers_alone for function in (min, max, sum, round, pow)}
    rules |= {id(function): _plain_alone for function in (divmod, tuple)}
    rules[id(str)] = _text
    rules[id(builtins.abs)] = elementwise
    rules |= {id(getattr(time, name)): _numbers_alone for name in ("perf_counter", "monotonic", "time")}
    rules |= {id(getattr(np, name)): _reduction for name in _REDUCTIONS}
    rules |= {id(getattr(np, name)): _reader(most) for name, most in _READERS.items()}
    rules |= {id(getattr(np, name)): _maker for name in _MAKERS}
    rules |= {id(getattr(np, name)): _like for name in _LIKE}
    rules |= {id(np.arange): _row, id(np.linspace): _row, id(np.eye): _matrix, id(np.identity): _matrix}
    rules |= {id(np.full): _filled, id(np.where): _chosen, id(np.linalg.norm): _reduction}
    return rules


_RULES = _rules()
_WITHOUT_OPTIONS = frozenset(map(id, (float, int, complex, bool, isinstance, range, str, tuple, len)))
OPTIONS = frozenset({"axis", "dtype", "keepdims"})
"""Keywords that only say how: their values must be numbers, texts or types of numbers."""


def call_of(function: object, values: Arguments, options: Mapping[str, Value]) -> Outcome | None:
    """What a call of a known function does; None if that is not seen."""
    if options and (not set(options) <= OPTIONS or id(function) in _WITHOUT_OPTIONS):
        return None
    if not are_options(options.values()):
        return None
    rule = _rule_of(function)
    outcome = None if rule is None else rule(values)
    if outcome is None or not options or outcome.value.kind is Kind.ARRAY:
        return outcome
    return Outcome(array(), outcome.reads, outcome.writes)


def is_maker(function: object) -> bool:
    """Whether a known function is one of hetc's that make array functions."""
    return getattr(function, "__module__", None) in ("hetc.api", "hetc.skeletons")


def _rule_of(function: object) -> Rule | None:
    if isinstance(function, np.ufunc):
        inputs, single = function.nin, function.nout == 1
        return lambda values: elementwise(values) if len(values) == inputs and single else None
    if is_number_type(function) and id(function) not in _RULES:  # a type of NumPy's, which converts arrays too
        return lambda values: elementwise(values) if len(values) <= 1 else None
    if getattr(function, "__module__", None) == math.__name__:
        return _number
    return _RULES.get(id(function))


# ---------------------------------------------------------------------------------------------------------------------
# Attributes and methods of arrays
# ---------------------------------------------------------------------------------------------------------------------

_FACTS = {"ndim": NUMBER, "size": NUMBER, "itemsize": NUMBER, "nbytes": NUMBER, "dtype": PLAIN}
_VIEWS = frozenset({"ravel", "reshape", "squeeze", "swapaxes", "transpose"})
_METHOD_READERS = {"argsort": 0, "astype": 0, "copy": 0, "cumprod": 0, "cumsum": 0, "dot": 1, "all": 0, "any": 0}


def attribute_of_array(owner: Value, name: str) -> Outcome | None:
    """What reading an attribute of an array does; None if that is not seen."""
    if name == "shape":
        return Outcome(Value(Kind.INTS, owner.rank))
    if name == "T":
        return Outcome(owner)
    return Outcome(_FACTS[name]) if name in _FACTS else None


def method_of_array(owner: Value, name: str, values: Arguments, options: Mapping[str, Value]) -> Outcome | None:
    """What calling a method of an array does; None if that is not seen."""
    if not set(options) <= OPTIONS or not are_options(options.values()) or not are_numeric(values):
        return None
    simple = not has_array(values)
    if name in _REDUCTIONS and name not in ("median", "count_nonzero") and simple:
        return Outcome(array() if values or options else NUMBER, owner.roots)
    if name in _VIEWS and simple and not options:  # where the memory does not allow a view, it is a copy
        return Outcome(array(None, owner.roots), owner.roots)
    if name in ("item", "tolist") and simple and not options:
        return Outcome(NUMBER if name == "item" else _LIST, owner.roots)
    if name in ("fill", "sort") and simple and not options:
        return Outcome(PLAIN, owner.roots, owner.roots)
    if name in _METHOD_READERS and not has_array(values[_METHOD_READERS[name] :]):
        rank = owner.rank if name in ("copy", "astype") else None
        return Outcome(array(rank), owner.roots | roots_of(values))
    return None


_LIST = Value(Kind.FOREIGN)
"""A list of numbers: what is done with it may be anything."""
