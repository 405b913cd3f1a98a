"""Unary operators, built-in functions, `math` and NumPy's scalar functions on every type: against CPython and NumPy.

Functions that OpenCL does not round correctly are compared within a few units in the last place, since the interpreter
computes them with NumPy; where they raise, and what type they give, has to be right in any case.
"""

from __future__ import annotations

import builtins
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hetc.abi import SCALAR_TYPES
from hetc.errors import UnsupportedError
from hetc.frontends.python import known
from hetc.passes.semantics import arithmetic, functions
from hetc.passes.semantics.emitter import Emitter, Number
from tests.unit.semantics_oracle import TYPES, Build, check, edges, python_raises

WHOLE = {name for name, scalar in SCALAR_TYPES.items() if np.dtype(scalar.dtype).kind in "iu"}
BOOLS = {"bool", "b1"}
FLOATS = {"float", "f16", "f32", "f64"}
ALL = WHOLE | BOOLS | FLOATS
UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
    "not": operator.not_,
}
TURNS = [1e-300, 0.5, 0.75, 1.5, -1.5, -2.5, 3.5, 0.49999999999999994, 88.0, 89.0, 709.0, 710.0, -745.0, 1e22, 1024.0]
"""Where functions of floats turn: rounding, overflow, underflow."""


def call(name: str) -> Build:
    return lambda e, *arguments: functions.call(e, name, arguments)


def values(type_: str) -> list[Any]:
    """The edge values of a type, and for floats those of functions."""
    if type_ not in FLOATS:
        return edges(type_)
    with np.errstate(all="ignore"):
        return [*edges(type_), *map(float if type_ == "float" else np.dtype(SCALAR_TYPES[type_].dtype).type, TURNS)]


def refused(
    build: Build,
    function: Callable[..., Any],
    arity: int = 1,
    *,
    ulp: int = 0,
    may_fail: str | None = None,
    rows_of: Callable[..., Any] = itertools.product,
) -> set[tuple[str, ...]]:
    """Check a function on all combinations of types; the result names those that only Python runs."""
    found: set[tuple[str, ...]] = set()
    for types in itertools.product(sorted(ALL), repeat=arity):
        rows = list(rows_of(*map(values, types)))
        try:
            check(build, function, [TYPES[type_] for type_ in types], rows, ulp, may_fail=may_fail)
        except UnsupportedError:
            if not python_raises(function, rows):
                found.add(types)
        except AssertionError as error:
            raise AssertionError(f"{', '.join(types)}\n{error}") from None
    return found


def singles(types: set[str]) -> set[tuple[str, ...]]:
    return {(type_,) for type_ in types}


# --------------------------------------------------------------------------------------------------------------------
# Operators and built-in functions
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", UNARY)
def test_unary_operators(name: str):
    def build(e: Emitter, operand: Number) -> Number:
        return arithmetic.unary(e, name, operand)

    assert refused(build, UNARY[name]) == set()


@pytest.mark.parametrize("name", ["abs", "int", "float", "bool", "round"])
def test_builtins_of_one_number(name: str):
    assert refused(call(name), getattr(builtins, name)) == set()


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_keep_the_first_of_equals(name: str):
    # Python returns either operand as it is, so both must have one type.
    different = {types for types in itertools.product(ALL, ALL) if types[0] != types[1]}
    assert refused(call(name), getattr(builtins, name), 2) == different


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("type_", ["int", "float", "f32"])
def test_extremes_of_three(name: str, type_: str):
    some = [*edges(type_)[:4], *edges(type_)[-3:]]
    check(call(name), getattr(builtins, name), [TYPES[type_]] * 3, itertools.product(some, repeat=3))


def test_pow_is_the_operator():
    check(call("pow"), pow, [TYPES["float"], TYPES["float"]], itertools.product(values("float"), repeat=2), ulp=4)


# --------------------------------------------------------------------------------------------------------------------
# math
# --------------------------------------------------------------------------------------------------------------------

MATH = {name for name in known._MATH if hasattr(math, name)}
OF_TWO = {"atan2", "copysign", "fmod", "hypot", "isclose", "nextafter", "pow", "remainder"}
OF_INTEGERS = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm"}
OF_TUPLES = {"dist", "fsum", "prod", "sumprod"}
PAIRS = {"frexp", "modf"}


@pytest.mark.parametrize("name", sorted(MATH - OF_TWO - OF_INTEGERS - OF_TUPLES - PAIRS - {"fma", "ldexp"}))
def test_math(name: str):
    # NumPy's functions that the interpreter computes with are not those of libm.
    ulp = {"gamma": 200, "lgamma": 1000}.get(name, 8)
    assert refused(call(f"math.{name}"), getattr(math, name), ulp=ulp) == set()


@pytest.mark.parametrize("name", sorted(OF_TWO))
def test_math_of_two(name: str):
    assert refused(call(f"math.{name}"), getattr(math, name), 2, ulp=8) == set()


def test_logarithms_to_a_base():
    assert refused(call("math.log"), math.log, 2, ulp=8) == set()


@pytest.mark.parametrize("name", ["hypot", "gcd", "lcm"])
def test_math_of_three(name: str):
    type_ = "int" if name in OF_INTEGERS else "float"
    some = [*edges(type_)[:6], *edges(type_)[-3:]]
    check(call(f"math.{name}"), getattr(math, name), [TYPES[type_]] * 3, itertools.product(some, repeat=3), ulp=1)
    check(call(f"math.{name}"), getattr(math, name), [TYPES[type_]], [(x,) for x in some])


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("name", sorted(PAIRS))
def test_math_that_gives_two(name: str, part: int):
    def build(e: Emitter, number: Number) -> Number:
        return functions.call_pair(e, f"math.{name}", [number])[part]

    assert refused(build, lambda x: getattr(math, name)(x)[part]) == set()


def test_math_ldexp():
    exponents = [0, 1, -1, 52, -53, 1023, -1022, 1024, -1074, -1075, 2000, -2000, 2098, -2099, 2**63 - 1, -(2**63)]
    fractions = [x * 2.0**-k for x in (1.0, 1.5, 1.25, 1.0000000000000002) for k in (0, 1, 900, 1021, 1022, 1050)]

    def rows_of(numbers: list[Any], others: list[Any]) -> list[tuple[Any, Any]]:
        if type(others[-1]) is not int:
            return list(itertools.product(numbers, others))
        return list(itertools.product([*numbers, *fractions] if type(numbers[-1]) is float else numbers, exponents))

    assert refused(call("math.ldexp"), math.ldexp, 2, rows_of=rows_of) == set()


SMALL = [-1, 0, 1, 2, 3, 5, 10, 19, 20, 21, 30, 61, 62, 66, 67]


def small(values: list[Any]) -> list[Any]:
    """Numbers that Python computes factorials of in no time, of the type of some values."""
    if type(values[-1]) in (bool, np.bool_) or isinstance(values[-1], float | np.floating):
        return values
    inside = [x for x in SMALL if x >= 0 or min(values) < 0]
    return [type(values[-1])(x) for x in inside]


@pytest.mark.parametrize("name", ["comb", "perm", "gcd", "lcm"])
def test_math_of_two_integers(name: str):
    def rows_of(left: list[Any], right: list[Any]) -> list[tuple[Any, Any]]:
        rows = list(itertools.product(small(left), small(right)))
        return rows if name in ("comb", "perm") else [*rows, *itertools.product(left, right)]

    # A factor of the product before the last may not fit, where the product does.
    assert refused(call(f"math.{name}"), getattr(math, name), 2, rows_of=rows_of) == set()


@pytest.mark.parametrize("name", ["factorial", "perm", "isqrt"])
def test_math_of_one_integer(name: str):
    def rows_of(numbers: list[Any]) -> list[tuple[Any]]:
        return [(x,) for x in (numbers if name == "isqrt" else small(numbers))]

    assert refused(call(f"math.{name}"), getattr(math, name), rows_of=rows_of) == set()
    if name == "isqrt":
        roots = [1, 2, 3, 2**26 + 1, 94906267, 3037000498, 3037000499]
        check(call("math.isqrt"), math.isqrt, [TYPES["int"]], [(r * r + d,) for r in roots for d in (-1, 0, 1)])


def test_gamma_of_whole_numbers_is_exact():
    whole = [(float(n),) for n in range(1, 24)]
    check(call("math.gamma"), math.gamma, [TYPES["float"]], whole)
    spread = [(0.1 * k,) for k in range(-1700, 1700) if k % 10]
    check(call("math.gamma"), math.gamma, [TYPES["float"]], spread, ulp=200)
    check(call("math.lgamma"), math.lgamma, [TYPES["float"]], [x for x in spread if abs(x[0]) > 3], ulp=100)


@pytest.mark.parametrize(
    ("name", "arity"), [("math.sqrt", 0), ("math.sqrt", 2), ("math.atan2", 1), ("abs", 2), ("float", 0)]
)
def test_wrong_numbers_of_arguments_are_left_to_python(name: str, arity: int):
    emitter = Emitter()
    with pytest.raises(UnsupportedError):
        functions.call(emitter, name, [emitter.constant(1.0, TYPES["float"])] * arity)


# --------------------------------------------------------------------------------------------------------------------
# NumPy
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", known._NUMPY_TYPES)
def test_numpy_constructors(name: str):
    # What NumPy makes of a float that does not fit depends on the processor, so it is left to NumPy.
    assert refused(call(f"np.{name}"), getattr(np, name), may_fail="the float does not fit") == set()
