"""Programs after every pass of the pipeline, on the interpreter, against CPython: passes keep what a program means."""

# ruff: noqa: B007, B905, F841, PLW0108, PLW0120, PLW2901, RUF021 (programs that people write)

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import driver
from hetc.abi import DeviceTraits
from hetc.dialects.guard import Warns
from hetc.frontends.python.closure import resolve
from hetc.frontends.skeleton.composition import functions
from hetc.interpreter.cases import InterpretationError
from hetc.interpreter.comparison import flat, same
from hetc.interpreter.modules import Result, run_module
from hetc.runtime.describe import describe
from hetc.tools.device_traits import DEVICE_TRAITS
from tests.unit.semantics_oracle import leaves_64_bits, outcome

WEIGHTS = np.array([1.0, 2.0, 4.0], np.float32)
MATRIX = np.arange(6, dtype=np.int64).reshape(2, 3)
EMPTY = np.zeros(0)
LEVELS = [3, 1, 4, 1]
GAIN = 3


def levels(af: hetc.ArrayFunction, inputs: Sequence[Any], traits: DeviceTraits) -> Any:
    resolution = resolve(functions(af.stages))
    signature, captures = describe(inputs, resolution.captures)
    warns = Warns.EACH if traits.family == "intel-cpu" else Warns.ANY
    request = driver.Request(af.stages, signature, captures, resolution, traits, "entry", verify=True, warns=warns)
    return resolution.captures, driver.levels(request)


def agree(af: hetc.ArrayFunction | Callable[..., Any], *inputs: Any, device: str = "intel-cpu") -> None:
    """Run an array function after every pass; each has to give what Python gives, but for elements that deoptimise."""
    af = af if isinstance(af, hetc.ArrayFunction) else hetc.map(af)
    captured, modules = levels(af, inputs, DEVICE_TRAITS[device])
    rows = list(zip(*inputs, strict=True))
    expected = in_python(af, inputs)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = ""
        for name, module in modules:
            text = driver.module_text(module)
            if name == driver.FRONTEND or text == before or (device != "intel-cpu" and "offload." not in text):
                continue
            before = text
            try:
                complain(run_module(module, inputs, captured), expected, rows)
            except (AssertionError, InterpretationError) as error:
                raise AssertionError(f"after {name}: {error}\n{text}") from error


def in_python(af: hetc.ArrayFunction, inputs: Sequence[Any]) -> list[Any]:
    """By element what Python gives, exceptions included."""
    if len(af.stages) == 1 and hasattr(af.stages[0], "function"):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [outcome(af.stages[0].function, row) for row in zip(*inputs, strict=True)]
    with hetc.configure(offload="never"), np.errstate(all="ignore"):
        result = af(*inputs)
    return list(result) if isinstance(result, list) else [result]


def complain(result: Result, expected: list[Any], rows: list[Sequence[Any]]) -> None:
    """Fail unless each element is right, or has failed a guard for a reason."""
    assert len(result.elements) == len(expected)
    for index, (found, right) in enumerate(zip(result.elements, expected, strict=True)):
        if index in result.failed:
            large = any(isinstance(value, int) and abs(value) > 2**53 for value in rows[index])
            excused = large or isinstance(right, Exception) or any(map(leaves_64_bits, flat(right)))
            assert excused, f"element {index}: the guard '{result.failed[index]}' fails, but Python gives {right!r}"
            continue
        assert not isinstance(right, Exception), f"element {index}: {found!r}, but Python raises {right!r}"
        pairs = list(zip(flat(found), flat(right), strict=True))
        assert all(same(a, b, 4) for a, b in pairs), f"element {index}: {found!r} instead of {right!r}"


# --------------------------------------------------------------------------------------------------------------------
# Programs
# --------------------------------------------------------------------------------------------------------------------


def branch(x):
    if x > 1:
        y = x * 2
    elif x < -1:
        y = -x
    else:
        y = 0.5
    return y


def early_return(x):
    if x < 0:
        return -1
    for i in range(10):
        if i * i > x:
            return i
    return 10


def collatz(n):
    steps = 0
    while n != 1:
        if steps > 60:
            break
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def nested_loops(n):
    total = 0
    for i in range(n):
        for j in range(i, 0, -1):
            if (i + j) % 3 == 0:
                continue
            if j > 4:
                break
            total += i * j
    return total


def return_from_inner(n):
    for i in range(1, 6):
        j = 0
        while j < 6:
            if i * j == n:
                return i, j
            j += 1
    return -1, -1


def range_steps(n):
    a = 0
    for i in range(10, n, -3):
        a = a * 2 + i
    for i in range(n, 12, 5):
        a = a + i
    return a


def range_unknown_step(start, stop, step):
    count, last = 0, -1000
    for i in range(start, stop, step):
        count += 1
        last = i
    return count, last


def range_of_fives(start, stop):
    count, last = 0, -1
    for i in range(start, stop, 5):
        count += 1
        last = i
    return count, last


def range_left_early(start, stop):
    for i in range(start, stop, 5):
        if i % 5 == 4:
            return i
    return -1


def loop_variable_after(n):
    i = -1
    for i in range(n):
        pass
    return i


def loop_variable_rebound(n):
    seen = 0
    for i in range(n):
        i = i * 2
        seen += i
    return seen


def zero_iterations(x):
    y = x
    for _ in range(0):
        y = y + 1
    while False:
        y = 0
    return y


def while_true(x):
    n = 0
    while True:
        n += 1
        x = x // 2
        if x < 1:
            break
    return n


def swap(a, b):
    a, b = b, a + b
    (a, b), c = (b, a), a
    return a, (b, c)


def tuple_through_loop(n):
    pair = (0, 1)
    for _ in range(n):
        pair = (pair[1], pair[0] + pair[1])
    return pair


def tuple_through_branch(x):
    t = (x, 1) if x > 0 else (0.0, -1)
    return t[1], t[-2], len(t)


def chain(x, y):
    return -1 < x < y <= 5, x < y > 0, not x == y != 2


def short_circuits(x, y):
    a = x and y
    b = x or y
    if x > 0 and 10 // x > 2 or y < 0:
        return a, b, 1
    return a, b, 0


def conditional(x):
    return 1.0 if x > 0 else (2.0 if x == 0 else 3.0)


def truth_of_numbers(x):
    n = 0
    while x:
        x -= 1
        n += 1 if n else 2
    return n, not x, bool(n)


def helper(a, b=2, *, c=3):
    return a * b + c


def calls(x):
    return helper(x), helper(x, 5), helper(b=x, a=1), helper(x, c=x)


def nested_calls(x):
    return early_return(branch(int(x)) * 1)


def captured_sum(x):
    total = 0
    for i in range(len(WEIGHTS)):
        total += WEIGHTS[i] * x
    return total


def loop_over_arrays(x):
    total = x
    for a, b in zip(WEIGHTS, LEVELS):
        if b == x:
            break
        total = total + a * float(b)
    else:
        for i, a in enumerate(LEVELS, 2):
            total = total - float(i * a)
    for row in MATRIX:
        for entry in row:
            total = total + float(entry)
    return total


def loop_over_empty_array(x):
    last = x
    for last in EMPTY:
        pass
    else:
        last = last + 1.0
    return last


def captured_negative_index(i):
    return WEIGHTS[i]


def captured_matrix(i, j):
    return MATRIX[i, j] + MATRIX[i][j], MATRIX.shape[0] * GAIN, len(MATRIX[0])


def empty_capture(x):
    y = x
    for i in range(len(EMPTY)):
        y = EMPTY[i]
    return y


def polynomial(x):
    return ((x - 1) * x + GAIN) * x


def float_loop(x):
    total = 0.0
    k = 1
    while k < 20 and abs(total) < 100.0:
        total += x / k
        k += 1
    return total, k


def min_max(a, b):
    return min(a, b), max(a, b), min((a, b, a)), abs(a - b)


def division(a, b):
    return a // b, a % b, divmod(a, b)


def mathematics(x):
    return math.sqrt(x), math.log(x + 1.0), math.floor(x), math.pi * x


def conversions(x):
    return int(x), float(x), bool(x), round(x)


def delayed(n):
    a = b = c = d = e = f = g = 0
    for _ in range(n):
        g, f, e, d, c, b, a = f, e, d, c, b, a, a * 2 + 1
    return g + 1


def overflow_in_loop(n):
    x = 1
    for _ in range(n):
        x *= 10
    return x


def maybe_unbound(x):
    if x > 0:
        y = x
    z = 1
    if x > 0:
        z = 2
    return z


def numpy_scalars(x, y):
    return np.sqrt(x * x), np.maximum(x, y), np.float64(x) + y, -x


def bits(a, b):
    return a & b, a | b, a ^ b, ~a, a >> 1, a << 2


SMALL = [-7, -2, -1, 0, 1, 2, 3, 6, 9, 40]
REALS = [-2.5, -0.0, 0.0, 0.3, 1.0, 7.0, math.inf, math.nan]
F32 = np.array([-3.5, -0.0, 0.25, 1.5, 100.0], np.float32)
I8 = np.array([-128, -3, 0, 2, 127], np.int8)
U16 = np.array([0, 1, 7, 65535, 300], np.uint16)

FAR = [-(2**62), 5, -(2**63), -(2**63)]


def number_theory(a: int, b: int) -> Any:
    size = abs(b) % 20
    return math.gcd(a, b), a ** (size % 5), pow(a, size, 97), math.isqrt(size), math.comb(size, 3), round(a, -1)


def parts(x: float, n: int) -> Any:
    return math.frexp(x), math.ldexp(x, n), math.nextafter(x, 0.0), math.ulp(x), round(x, 2), round(x, n % 7)


def wrapping_powers(a: Any, b: Any) -> Any:
    return np.power(a, abs(b) % 7), np.gcd(a, b), np.lcm(a, b)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (branch, (REALS,)),
    (early_return, (SMALL,)),
    (early_return, (range(0, 200, 17),)),
    (collatz, ([1, 2, 3, 6, 7, 9, 27],)),
    (nested_loops, (range(8),)),
    (return_from_inner, (range(0, 31, 3),)),
    (range_steps, (SMALL,)),
    (range_unknown_step, ([0, 10, 5, 0, 3, 2**62], [10, 0, 5, 9, -3, 2**62 + 5], [3, -4, 1, 0, -2, 2])),
    (range_unknown_step, ([2**62, 2**63 - 2, 1, 2**63 - 1], [-(2**63), 2**63 - 1, 0, -(2**63)], FAR)),
    (range_of_fives, ([0, 7, 3, 2**63 - 8, 2**63 - 3], [11, 7, -3, 2**63 - 2, 2**63 - 1])),
    (range_left_early, ([0, 7, 3, 2**63 - 8, 2**63 - 3], [11, 7, -3, 2**63 - 2, 2**63 - 1])),
    (loop_variable_after, (range(4),)),
    (loop_variable_rebound, (range(4),)),
    (zero_iterations, (SMALL,)),
    (while_true, ([0, 1, 2, 9, 1000],)),
    (swap, (SMALL[:4], REALS[:4])),
    (swap, (F32, F32)),
    (tuple_through_loop, (range(0, 100, 11),)),
    (tuple_through_branch, (REALS,)),
    (chain, (SMALL, SMALL[::-1])),
    (short_circuits, (SMALL, SMALL[::-1])),
    (conditional, (REALS,)),
    (conditional, (I8,)),
    (truth_of_numbers, (range(6),)),
    (calls, (SMALL,)),
    (calls, (F32,)),
    (captured_sum, (F32,)),
    (captured_sum, (REALS,)),
    (loop_over_arrays, (np.arange(-1.0, 4.0),)),
    (loop_over_empty_array, (np.array([0.5, -1.0]),)),
    (captured_negative_index, (range(-5, 5),)),
    (captured_negative_index, (I8,)),
    (captured_negative_index, ([0, -3, 3, -4, 2**40, -(2**40), 2**63 - 1, -(2**63)],)),
    (captured_matrix, ([0, 1, -1, -2, 2], [0, 2, -3, 5, 1])),
    (empty_capture, (np.array([0.5, -1.0]),)),
    (polynomial, ([*SMALL, 10**6, 10**7],)),
    (polynomial, (range(-3, 50),)),
    (polynomial, (F32,)),
    (polynomial, (I8,)),
    (float_loop, (REALS,)),
    (min_max, (SMALL, SMALL[::-1])),
    (min_max, (REALS, REALS[::-1])),
    (division, (SMALL, SMALL[::-1])),
    (division, (REALS, REALS[::-1])),
    (division, ([-(2**63), 2**63 - 1, 7], [-1, -1, 0])),
    (division, (I8, I8[::-1])),
    (mathematics, (REALS,)),
    (conversions, (REALS,)),
    (conversions, (F32,)),
    (conversions, (I8,)),
    (delayed, ([0, 1, 6, 7, 8, 20, 62, 70],)),
    (overflow_in_loop, ([0, 1, 18, 19, 30],)),
    (maybe_unbound, (SMALL,)),
    (numpy_scalars, (F32, F32[::-1])),
    (numpy_scalars, (F32, np.arange(5.0))),
    (number_theory, (SMALL, SMALL[::-1])),
    (parts, (REALS, [1, -3, 0, 40, -1070, 60, -60, 900])),
    (wrapping_powers, (I8, I8[::-1])),
    (wrapping_powers, (U16, U16[::-1])),
    (bits, (SMALL, SMALL[::-1])),
    (bits, (I8, I8[::-1])),
    (bits, (U16, U16[::-1])),
]


@pytest.mark.parametrize("device", ["intel-cpu", "gpu"])
@pytest.mark.parametrize(("program", "inputs"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_programs(program: Callable[..., Any], inputs: tuple[Any, ...], device: str):
    agree(program, *inputs, device=device)


# --------------------------------------------------------------------------------------------------------------------
# Compositions
# --------------------------------------------------------------------------------------------------------------------

Matrix = tuple[float, float, float, float]


def product(p: Matrix, q: Matrix) -> Matrix:
    a, b, c, d = p
    e, f, g, h = q
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


def affine(p: tuple[int, int], q: tuple[int, int]) -> tuple[int, int]:
    """x -> a x + b after x -> c x + d, modulo a prime, so that no order but the right one gives the result."""
    return p[0] * q[0] % 10007, (p[0] * q[1] + p[1]) % 10007


COMPOSITIONS: dict[str, Callable[[int], tuple[hetc.ArrayFunction, tuple[Any, ...]]]] = {
    "sum": lambda n: (hetc.reduce(lambda a, b: a + b, 0), (list(range(n)),)),
    "sum of float32": lambda n: (hetc.reduce(lambda a, b: a + b, 0.0), (np.arange(n, dtype=np.float32),)),
    "dot": lambda n: (
        hetc.map(lambda a, b: a * b).reduce(lambda p, q: p + q, 0.0),
        (np.arange(n, dtype=np.float64), np.ones(n)),
    ),
    "largest": lambda n: (hetc.reduce(lambda a, b: max(a, b), -(2**63)), ([(i * 7919) % 1009 for i in range(n)],)),
    "matrices": lambda n: (
        hetc.map(lambda i: (1.0, i * 1.0, 0.0, 1.0)).reduce(product, (1.0, 0.0, 0.0, 1.0)),
        (range(n),),
    ),
    "order": lambda n: (hetc.map(lambda i: (i + 2, i)).reduce(affine, (1, 0)), (range(n),)),
    "of a range": lambda n: (hetc.map(lambda i: i * 2).reduce(lambda a, b: a + b, 5), (range(3, 3 + 2 * n, 2),)),
    "chain": lambda n: (hetc.map(lambda x: x + 1).map(lambda x: (x, x * x)).map(lambda t: t[1] - t[0]), (range(n),)),
    "zip": lambda n: (hetc.zip().map(lambda t: t[0] - t[1]), (list(range(n)), [0.5] * n)),
}


@pytest.mark.parametrize("device", ["intel-cpu", "gpu"])
@pytest.mark.parametrize("size", [1, 7, 70])
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_compositions(name: str, size: int, device: str):
    af, inputs = COMPOSITIONS[name](size)
    agree(af, *inputs, device=device)


def test_a_reduction_that_overflows_deoptimises():
    captured, modules = levels(hetc.reduce(lambda a, b: a * b, 1), [[2] * 70], DEVICE_TRAITS["intel-cpu"])
    for name, module in modules:
        assert name == driver.FRONTEND or run_module(module, [[2] * 70], captured).failed, name
