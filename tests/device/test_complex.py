"""Complex numbers on the device: Python's, complex64 and complex128."""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.errors import UnsupportedError
from hetc.frontends.python import known
from hetc.runtime.devices import Device

Agree = Callable[..., Any]

PARTS = [0.0, -0.0, 1.0, -2.5, 3.0, math.inf, -math.inf, math.nan]
EDGES = [complex(x, y) for x, y in itertools.product(PARTS, PARTS)]
SIZES = [0, 1, 7, 255, 257]
DTYPES = ["complex64", "complex128"]


def numbers(count: int, seed: int = 0) -> np.ndarray[Any, np.dtype[np.complex128]]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=count) + 1j * rng.normal(size=count)


def edge_pairs() -> tuple[list[complex], list[complex]]:
    left, right = zip(*itertools.product(EDGES, EDGES), strict=True)
    return list(left), list(right)


ARITHMETIC = {
    "add": hetc.map(lambda a, b: a + b),
    "sub": hetc.map(lambda a, b: a - b),
    "mul": hetc.map(lambda a, b: a * b),
    "truediv": hetc.map(lambda a, b: a / b),
    "eq": hetc.map(lambda a, b: a == b),
    "ne": hetc.map(lambda a, b: a != b),
}


# --------------------------------------------------------------------------------------------------------------------
# Operators
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_all_sizes(agree: Agree, size: int, dtype: str):
    z = numbers(size).astype(dtype)
    af = hetc.map(lambda a: a * a - (0.5 + 1j) * a + 2)
    if size:
        agree(af, z)
    else:  # NumPy takes no elements for float64
        assert af(z).dtype == dtype


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_edge_values(agree: Agree, name: str, dtype: str):
    left, right = edge_pairs()
    agree(ARITHMETIC[name], np.array(left, dtype), np.array(right, dtype))


@pytest.mark.parametrize("name", ARITHMETIC)
def test_python_edge_values(agree: Agree, name: str):
    left, right = edge_pairs()
    rows = [(a, b) for a, b in zip(left, right, strict=True) if name != "truediv" or b != 0]
    agree(ARITHMETIC[name], [a for a, _ in rows], [b for _, b in rows])


BOTH_WAYS = {
    "add": hetc.map(lambda z, a, b, c: (z + a, a + z, z + b, b + z, z + c, c + z)),
    "sub": hetc.map(lambda z, a, b, c: (z - a, a - z, z - b, b - z, z - c, c - z)),
    "mul": hetc.map(lambda z, a, b, c: (z * a, a * z, z * b, b * z, z * c, c * z)),
    "truediv": hetc.map(lambda z, a, b, c: (z / a, a / z, z / b, b / z, z / c, c / z)),
    "eq": hetc.map(lambda z, a, b, c: (z == a, a == z, z == b, b == z, z == c, c == z)),
    "ne": hetc.map(lambda z, a, b, c: (z != a, a != z, z != b, b != z, z != c, c != z)),
}
"""An operator on a number and three others, each way: one kernel for them all."""


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("kind", ["complex", *DTYPES])
def test_mixed_types(agree: Agree, name: str, kind: str):
    left: Any = [complex(z) for z in numbers(20)] if kind == "complex" else numbers(20).astype(kind)
    plain = [3, 1, 2, 1, 5] * 4
    agree(BOTH_WAYS[name], left, *([number(x) for x in plain] for number in (int, float, bool)))
    for others in (("int8", "uint16", "int64"), ("float32", "float64", "complex64")):
        agree(BOTH_WAYS[name], left, *(np.array(plain, other) for other in others))


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_order_of_numpy_numbers(agree: Agree, dtype: str):
    left = np.array([1 + 2j, 1 + 2j, 1 + 3j, 0, -1j, 2], dtype)
    right = np.array([1 + 3j, 1 + 2j, 1 + 2j, 1, 0, 2j], dtype)
    agree(hetc.map(lambda a, b: (a < b, a <= b, a > b, a >= b)), left, right)


def test_an_order_of_python_numbers_raises(agree: Agree):
    agree(hetc.map(lambda a: a < 1), [1j, 2j], fallbacks=1)


def test_division_by_zero_raises_from_the_line_of_the_user(agree: Agree):
    agree(hetc.map(lambda a: 1j / a), [1j, 2 + 0j, 0j, 1j], deopts=1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_unary_operators_and_truth(agree: Agree, dtype: str):
    agree(hetc.map(lambda a: (-a, +a, not a, a.real, a.imag, a.conjugate())), np.array(EDGES, dtype))
    agree(hetc.map(lambda a: 1 if a else 2), EDGES)
    agree(hetc.map(lambda a: (-a, +a, not a, a.real, a.imag, a.conjugate())), EDGES)


def test_parts_of_real_numbers(agree: Agree):
    agree(
        hetc.map(lambda n, x, b: (n.real, n.imag, x.real, x.imag, x.conjugate(), b.real)),
        [1, 2],
        [0.5, -0.0],
        [True, False],
    )
    agree(hetc.map(lambda x: (x.real, x.imag, x.conj())), np.array([1.5, -2.0], "float32"))


def test_absolute_values(agree: Agree):
    agree(hetc.map(abs), EDGES, ulp=1)
    agree(hetc.map(abs), np.array([*EDGES, 1e300 + 1e300j, 1e-310 + 1e-310j, 3 + 4j]), ulp=1)
    agree(hetc.map(abs), np.array([*numbers(50), 1e30 + 1e30j, 1e-30 + 1e-30j], "complex64"), ulp=1)
    agree(hetc.map(abs), [1j, complex(1.5e308, 1.5e308)], deopts=1)


@pytest.mark.parametrize("exponent", [-3, -1, 0, 1, 2, 3, 7, 20])
def test_whole_powers(agree: Agree, exponent: int):
    z = numbers(20)
    for values in (list(map(complex, z)), z, z.astype("complex64")):
        af = {
            -3: hetc.map(lambda a: a**-3),
            -1: hetc.map(lambda a: a**-1),
            0: hetc.map(lambda a: a**0),
            1: hetc.map(lambda a: a**1),
            2: hetc.map(lambda a: a**2),
            3: hetc.map(lambda a: a**3),
            7: hetc.map(lambda a: a**7),
            20: hetc.map(lambda a: a**20.0),
        }[exponent]
        agree(af, values)
        agree(hetc.map(lambda a, n: a**n), values, [exponent] * len(values))


def test_other_powers(agree: Agree):
    z = numbers(20)
    agree(hetc.map(lambda a: a**0.5), list(map(complex, z)), ulp=64)
    agree(hetc.map(lambda a: 2**a), z, ulp=64)
    agree(hetc.map(lambda a, b: a**b), z, numbers(20, 1), ulp=64)
    agree(hetc.map(pow), list(map(complex, z)), list(map(complex, numbers(20, 1))), ulp=64)
    agree(hetc.map(lambda a: a**-1), [1j, 0j], deopts=1)
    agree(hetc.map(lambda a: a**60), [1j, 1e6 + 0j], deopts=1)


def test_a_negative_float_to_a_fraction_becomes_complex(agree: Agree):
    agree(hetc.map(lambda x: x ** (1 / 3)), [8.0, -8.0], deopts=1, ulp=4)


# --------------------------------------------------------------------------------------------------------------------
# Functions
# --------------------------------------------------------------------------------------------------------------------

CMATH = {name: hetc.map(getattr(cmath, name)) for name in known._CMATH if name not in ("polar", "rect", "isclose")}


@pytest.mark.parametrize("name", CMATH)
def test_cmath(agree: Agree, name: str):
    agree(CMATH[name], list(map(complex, numbers(257) * 3)), ulp=32)


@pytest.mark.parametrize("name", CMATH)
def test_cmath_special_values_are_left_to_python(agree: Agree, name: str):
    agree(CMATH[name], [*EDGES[:4], *map(complex, numbers(4))], deopts=None, ulp=32)
    agree(CMATH[name], [1 + 1j, 800 + 1j, 1e200 + 1j, complex(math.inf, 1), complex(1, math.nan)], deopts=None, ulp=32)


def test_polar_and_rect(agree: Agree):
    agree(hetc.map(cmath.polar), list(map(complex, numbers(20))), ulp=8)
    agree(hetc.map(lambda a: cmath.rect(a.real, a.imag)), list(map(complex, numbers(20))), ulp=8)
    agree(hetc.map(lambda a: cmath.isclose(a, a * (1 + 1e-10))), list(map(complex, numbers(20))))
    agree(hetc.map(lambda a: a + cmath.pi + cmath.infj), list(map(complex, numbers(20))))
    agree(hetc.map(lambda a: cmath.log(a, 2)), list(map(complex, numbers(20))), ulp=32)
    parallel = [0.3 + 0.4j, 1 + 2j, -2.5j]  # nothing but rounding is left of the imaginary part
    agree(hetc.map(lambda a: cmath.log(a, a)), parallel, ulp=32, deopts=None)
    agree(hetc.map(lambda a: cmath.log(a * a, a)), parallel, ulp=32, deopts=None)


NUMPY_OF_ONE = (
    "abs", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "conjugate", "cos", "cosh", "exp",
    "exp2", "expm1", "imag", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "real", "sin", "sinh",
    "sqrt", "square", "tan", "tanh",
)  # fmt: skip
NUMPY = {name: hetc.map(getattr(np, name)) for name in NUMPY_OF_ONE}


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_functions(agree: Agree, name: str, dtype: str):
    agree(NUMPY[name], numbers(257).astype(dtype), ulp=32)


def test_numpy_functions_of_python_numbers(agree: Agree):
    for name in ("exp", "abs", "conjugate", "real", "imag", "angle"):
        agree(NUMPY[name], list(map(complex, numbers(20))), ulp=8)


def test_constructors(agree: Agree):
    agree(hetc.map(lambda x, y: (complex(x, y), complex(x), 0j)), [1.5, -0.0, math.nan], [2.0, math.inf, 0.0])
    agree(hetc.map(lambda z: (complex(z), np.complex64(z), np.complex128(z), bool(z))), numbers(7).astype("complex64"))
    agree(hetc.map(lambda x: (np.complex64(x), np.complex128(x), complex(x))), np.array([1, -3, 5], "int16"))
    agree(hetc.map(float), [1j], fallbacks=1)


# --------------------------------------------------------------------------------------------------------------------
# Captured variables, control flow, tuples
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gain", [2 - 3j, np.complex64(0.5 + 1j), np.complex128(-1j)])
def test_captured_numbers(agree: Agree, gain: Any):
    agree(hetc.map(lambda a: a * gain + gain.real - gain.conjugate()), numbers(9))
    agree(hetc.map(lambda a: a * gain), list(map(complex, numbers(9))))
    agree(hetc.map(lambda a: a + gain), np.arange(5, dtype="float32"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_captured_arrays(agree: Agree, dtype: str):
    table, matrix = numbers(9).astype(dtype), numbers(12).astype(dtype).reshape(3, 4)

    def f(i: Any) -> Any:
        total = 0j
        for k in range(4):
            total += matrix[i % 3, k] * table[-k] + matrix[-1][k]
        return total

    agree(hetc.map(f), range(9))
    turned = matrix.T
    agree(hetc.map(lambda i: turned[i, 0] + len(table)), range(4))


def test_captured_lists(agree: Agree):
    roots = [1j, -1 + 0j, 2.5 - 1j]
    agree(hetc.map(lambda i: roots[i] * roots[-1 - i]), range(3))


def test_branches_and_loops_carry_complex_numbers(agree: Agree):
    def escape(c: Any) -> Any:
        z = c * 0
        steps = 0
        while abs(z) <= 2.0 and steps < 30:
            z = z * z + c
            steps += 1
        return steps, z if steps < 30 else c

    def newton(z: Any) -> Any:
        for _ in range(8):
            if abs(z) < 0.1:
                z = z + 1
                continue
            z = z - (z * z * z - 1) / (3 * z * z)
            if abs(z - 1) < 1e-6:
                break
        else:
            z = -z
        return z

    agree(hetc.map(escape), numbers(257))
    agree(hetc.map(escape), list(map(complex, numbers(20))))
    agree(hetc.map(newton), numbers(257), rtol=1e-12)
    agree(hetc.map(lambda a: a if a.imag > 0 else -a), numbers(20).astype("complex64"))


def test_a_loop_that_starts_from_a_real_number(agree: Agree):
    def f(z: Any) -> Any:
        total = 0
        for k in range(4):
            total += z * k
        return total

    agree(hetc.map(f), numbers(9))
    agree(hetc.map(f), numbers(9).astype("complex64"))
    agree(hetc.map(f), list(map(complex, numbers(9))))


def test_tuples(agree: Agree):
    rows = [(1j, 2, 0.5), (2 - 1j, 3, 1.5)]
    agree(hetc.map(lambda t: (t[0] * t[1], (t[2] - t[0], t[1]))), rows)
    agree(hetc.map(lambda a: (a, a.real, a * 2)), numbers(9).astype("complex64"))
    agree(hetc.map(lambda a: ((a, 1), a.imag)), list(map(complex, numbers(3))))
    agree(hetc.zip(), numbers(5), np.arange(5))


def test_values_that_are_complex_on_some_paths(agree: Agree):
    agree(hetc.map(lambda a: a if a.imag > 0 else a.real), list(map(complex, numbers(20))))
    agree(hetc.map(lambda a: a * 2 + 1), [1j, 2.0, 3])
    agree(hetc.map(lambda a: a.real if a == 1j else (a, 1)[0]), [1j, 2.0, 1j])
    agree(hetc.map(lambda a: None if a == 0 else a), [1j, 0j, 2j])


def test_functions_and_compositions(agree: Agree):
    def square(z: Any, offset: Any = 1j) -> Any:
        return z * z + offset

    agree(hetc.map(lambda z: square(z) + square(z, 2)), numbers(9))
    agree(hetc.map(lambda z: z + 1j).map(lambda z: z * 2j).map(square), numbers(9))
    agree(hetc.map(lambda z: z), numbers(9))
    agree(hetc.map(lambda n: 1j**n), range(9))


# --------------------------------------------------------------------------------------------------------------------
# Reductions
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_reductions(agree: Agree, size: int):
    z = numbers(size)
    add, times = (lambda p, q: p + q), (lambda p, q: p * q)
    agree(hetc.reduce(add, 0j), list(map(complex, z)), rtol=1e-12)
    agree(hetc.reduce(add, np.complex128(0)), z, rtol=1e-12)
    agree(hetc.reduce(add, np.complex64(1j)), z.astype("complex64"), rtol=1e-4)
    agree(hetc.reduce(times, 1 + 0j), list(map(complex, z / np.maximum(abs(z), 1e-3))), rtol=1e-12)
    agree(
        hetc.map(lambda a: (a, 1)).reduce(lambda p, q: (p[0] + q[0], p[1] + q[1]), (0j, 0)),
        list(map(complex, z)),
        rtol=1e-12,
    )
    agree(hetc.map(lambda a: a.conjugate() * a).reduce(add, 0j), list(map(complex, z)), rtol=1e-12)


def test_a_large_reduction(agree: Agree):
    z = numbers(100_003)
    agree(hetc.reduce(lambda p, q: p + q, np.complex128(0)), z, rtol=1e-10)


def test_a_reduction_of_real_numbers_to_a_complex_one(agree: Agree):
    agree(hetc.reduce(lambda p, q: p + q, 1j), [1.0, 2.5, -3.0], fallbacks=None)


# --------------------------------------------------------------------------------------------------------------------
# Devices
# --------------------------------------------------------------------------------------------------------------------


def test_complex64_needs_no_double_precision(device: Device):
    text = hetc.map(lambda a: abs(a * a / (a + 1)) + a.real).on(device).lower(numbers(3).astype("complex64")).opencl()
    assert "double" not in text


def test_results_are_not_views_of_inputs(device: Device):
    z = numbers(5)
    with hetc.configure(device=device, offload="always", fallback="error"):
        result = hetc.map(lambda a: a)(z)
    assert not np.shares_memory(result, z)


def test_what_is_refused_says_why(device: Device):
    with hetc.configure(device=device, offload="always", fallback="error"):
        with pytest.raises(UnsupportedError, match="no order"):
            hetc.map(lambda a: a < 1)([1j])
        with pytest.raises(UnsupportedError, match=r"take its \.real"):
            hetc.map(int)(numbers(2))
        with pytest.raises(UnsupportedError, match="use cmath"):
            hetc.map(math.sin)([1j])
