"""Complex numbers: what `specialize` emits, run by an interpreter, against CPython and NumPy."""

from __future__ import annotations

import cmath
import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hetc.errors import UnsupportedError
from hetc.frontends.python import known
from hetc.passes.semantics import arithmetic, comparison, functions
from hetc.passes.semantics.emitter import Emitter, Number
from hetc.passes.semantics.promotion import OPERATORS
from tests.unit.semantics_oracle import ALL_TYPES as TYPES
from tests.unit.semantics_oracle import Build, check, edges, is_ordinary, python_raises

COMPLEX = ("complex", "c64", "c128")
PAIRS = [pair for pair in itertools.product(TYPES, TYPES) if any(name in COMPLEX for name in pair)]
COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")
ARITHMETIC = ("add", "sub", "mul", "truediv")
OTHERS = ("floordiv", "mod", "and", "or", "xor", "lshift", "rshift")


def call(name: str) -> Build:
    return lambda e, *arguments: functions.call(e, name, arguments)


def binary(name: str) -> Build:
    return lambda e, left, right: arithmetic.binary(e, name, left, right)


def compiles(
    build: Build, function: Callable[..., Any], types: tuple[str, ...], rows: list[Any], **options: Any
) -> bool:
    """Check a function; what is not compiled, Python must refuse too."""
    try:
        check(build, function, [TYPES[name] for name in types], rows, **options)
    except UnsupportedError:
        assert python_raises(function, rows), types
        return False
    except AssertionError as error:
        raise AssertionError(f"{types}\n{error}") from None
    return True


# --------------------------------------------------------------------------------------------------------------------
# Operators
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_is_bit_equal(name: str):
    for left, right in PAIRS:
        rows = list(itertools.product(edges(left), edges(right)))
        assert compiles(binary(name), OPERATORS[name], (left, right), rows)


@pytest.mark.parametrize("name", OTHERS)
def test_other_operators_raise(name: str):
    for left, right in PAIRS:
        rows = list(itertools.product(edges(left)[:3], edges(right)[:3]))
        assert not compiles(binary(name), OPERATORS[name], (left, right), rows)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name: str):
    function = getattr(operator, name)
    for left, right in PAIRS:
        rows = list(itertools.product(edges(left), edges(right)))
        compiles(lambda e, a, b: comparison.compare(e, name, a, b), function, (left, right), rows)


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("unary", ["neg", "pos", "not"])
def test_unary_operators(unary: str, name: str):
    rows = [(value,) for value in edges(name)]
    assert compiles(lambda e, a: arithmetic.unary(e, unary, a), OPERATORS[unary], (name,), rows)


@pytest.mark.parametrize("name", COMPLEX)
def test_the_inverse_of_bits_raises(name: str):
    rows = [(value,) for value in edges(name)]
    assert not compiles(lambda e, a: arithmetic.unary(e, "invert", a), operator.invert, (name,), rows)


@pytest.mark.parametrize("name", COMPLEX)
def test_literals(name: str):
    for literal, operation in itertools.product([2j, 0j, -0.0, 2, True, 1.5, complex(-0.0, -3.0)], ARITHMETIC):
        kind = TYPES[type(literal).__name__]
        rows = [(value,) for value in edges(name)]

        def right(e: Emitter, a: Number, literal: Any = literal, kind: Any = kind, op: str = operation) -> Number:
            return arithmetic.binary(e, op, a, e.constant(literal, kind))

        def left(e: Emitter, a: Number, literal: Any = literal, kind: Any = kind, op: str = operation) -> Number:
            return arithmetic.binary(e, op, e.constant(literal, kind), a)

        function = OPERATORS[operation]
        check(right, lambda a, f=function, c=literal: f(a, c), [TYPES[name]], rows, literal=literal)
        check(left, lambda a, f=function, c=literal: f(c, a), [TYPES[name]], rows, literal=literal)


# --------------------------------------------------------------------------------------------------------------------
# Powers
# --------------------------------------------------------------------------------------------------------------------


def moderate(value: Any) -> bool:
    return is_ordinary(value) and abs(complex(value)) < 200


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("exponent", [*range(-5, 8), 64, 99, -99])
def test_whole_powers_are_bit_equal(name: str, exponent: int):
    for literal in (exponent, float(exponent), complex(exponent)):
        kind = TYPES[type(literal).__name__]
        check(
            lambda e, a, literal=literal, kind=kind: arithmetic.binary(e, "pow", a, e.constant(literal, kind)),
            lambda a, literal=literal: a**literal,
            [TYPES[name]],
            [(value,) for value in edges(name)],
        )


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_powers(pair: tuple[str, str]):
    left, right = pair
    rows = [row for row in itertools.product(edges(left), edges(right)) if all(abs(complex(x)) < 200 for x in row)]
    assert compiles(binary("pow"), operator.pow, pair, rows, ulp=5000, may_fail="a power")


# --------------------------------------------------------------------------------------------------------------------
# Functions
# --------------------------------------------------------------------------------------------------------------------

GRID = [-3.0, -1.0, -0.5, -1e-9, -0.0, 0.0, 1e-9, 0.25, 1.0, 1.5, 20.0, 1e10]
PLANE = [complex(x, y) for x, y in itertools.product(GRID, GRID)]
ONE = sorted({*known._CMATH} - {"rect", "isclose", "polar"})


def plane(name: str) -> list[Any]:
    points = [*edges(name)]
    kind = type(points[0])
    with np.errstate(all="ignore"):
        return [*points, *map(kind, PLANE)]


@pytest.mark.parametrize("name", ONE)
def test_cmath(name: str):
    for type_ in TYPES:
        values = plane(type_) if type_ in COMPLEX else edges(type_)
        rows = [(value,) for value in values]
        function = getattr(cmath, name)
        assert compiles(call(f"cmath.{name}"), function, (type_,), rows, ulp=8, may_fail=f"{name}() of this number")


@pytest.mark.parametrize("name", ["abs", "bool", "complex"])
def test_builtins(name: str):
    function = {"abs": abs, "bool": bool, "complex": complex}[name]
    for type_ in TYPES if name == "complex" else COMPLEX:
        rows = [(value,) for value in edges(type_)]
        assert compiles(call(name), function, (type_,), rows, ulp=1 if name == "abs" else 0)


def test_complex_of_two():
    for left, right in itertools.product(TYPES, TYPES):
        rows = list(itertools.product(edges(left), edges(right)))
        if right == "c64":  # Python drops a part, and warns
            with pytest.raises(UnsupportedError):
                check(call("complex"), complex, [TYPES[left], TYPES[right]], rows)
        else:
            assert compiles(call("complex"), complex, (left, right), rows)


def test_rect():
    rows = list(itertools.product(edges("float"), edges("float")))
    check(call("cmath.rect"), cmath.rect, [TYPES["float"]] * 2, rows, ulp=4)


def test_isclose():
    near = [1 + 1j, 1 + (1 + 1e-10) * 1j, 1 + (1 + 1e-8) * 1j]
    rows = list(itertools.product([*edges("complex"), *near], repeat=2))
    check(call("cmath.isclose"), cmath.isclose, [TYPES["complex"]] * 2, rows)


def test_log_to_a_base():
    rows = list(itertools.product(edges("complex"), repeat=2))
    check(call("cmath.log"), cmath.log, [TYPES["complex"]] * 2, rows, ulp=16, may_fail="log() of this number")


@pytest.mark.parametrize("name", ["real", "imag", "conjugate"])
def test_attributes(name: str):
    def function(number: Any) -> Any:
        found = getattr(number, name)
        return found() if name == "conjugate" else found

    for type_ in TYPES:
        assert compiles(call(f"number.{name}"), function, (type_,), [(value,) for value in edges(type_)])


NUMPY_ANY = ("real", "imag", "conjugate", "angle")
NUMPY = ("abs", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "square", "sin", "cos", "tan", "sinh")
NUMPY_MORE = (
    "cosh",
    "tanh",
    "arcsin",
    "arccos",
    "arctan",
    "arcsinh",
    "arccosh",
    "arctanh",
    "isnan",
    "isinf",
    "isfinite",
)


@pytest.mark.parametrize("name", NUMPY_ANY)
def test_numpy_functions_of_all_numbers(name: str):
    for type_ in TYPES:
        rows = [(value,) for value in edges(type_)]
        assert compiles(call(f"np.{name}"), getattr(np, name), (type_,), rows, ulp=4)


@pytest.mark.parametrize("name", [*NUMPY, *NUMPY_MORE])
def test_numpy_functions(name: str):
    for type_ in COMPLEX:
        rows = [(value,) for value in plane(type_)]
        reason = f"{'exp' if name == 'exp2' else name.replace('arc', 'a')}() of this number"
        assert compiles(call(f"np.{name}"), getattr(np, name), (type_,), rows, ulp=16, may_fail=reason)


@pytest.mark.parametrize("name", ["complex64", "complex128", "bool"])
def test_numpy_constructors(name: str):
    for type_ in TYPES:
        rows = [(value,) for value in edges(type_)]
        assert compiles(call(f"np.{name}"), getattr(np, name), (type_,), rows)


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "cbrt", "fabs", "arctan2", "copysign", "maximum"])
def test_numpy_functions_without_complex(name: str):
    emitter = Emitter()
    arity = 2 if name in ("arctan2", "copysign", "maximum") else 1
    with pytest.raises(UnsupportedError):
        functions.call(emitter, f"np.{name}", [emitter.constant(1j, TYPES["c128"])] * arity)


@pytest.mark.parametrize("name", ["int", "float", "round", "math.sqrt", "math.floor", "np.float32", "np.int8"])
def test_what_needs_a_real_number(name: str):
    emitter = Emitter()
    with pytest.raises(UnsupportedError):
        functions.call(emitter, name, [emitter.constant(1j, TYPES["complex"])])
