"""The language inside functions, on every device: statements, control flow, indexing, arithmetic, errors."""

# The functions under test are odd on purpose.
# ruff: noqa: PLW0108, B007, B023, PLW2901, RET504, RUF021, PIE790

from __future__ import annotations

import math
import math as mathematics
from collections.abc import Callable
from math import sqrt as root
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]

INTS = [-7, -3, -2, -1, 0, 1, 2, 3, 5, 10, 64]
FLOATS = [-7.5, -1.0, -0.5, -0.0, 0.0, 0.25, 1.0, 2.0, 3.5, 1e10, 1e300]
SPECIAL = [math.inf, -math.inf, math.nan, 0.0, -0.0, 1.0, -1.0, 5e-324, 1.7976931348623157e308]


# --------------------------------------------------------------------------------------------------------------------
# Branches
# --------------------------------------------------------------------------------------------------------------------


def sign(x: Any) -> int:
    if x > 0:
        return 1
    elif x < 0:
        return -1
    else:
        return 0


def clamp(x: Any) -> Any:
    result = x
    if x > 3:
        result = x - x + 3
    elif x < -2:
        result = x - x - 2
    return result * 2


def early(x: Any) -> Any:
    if x < 0:
        return -x
    y = x * 2
    if y > 6:
        if y > 12:
            return y - 100
        y += 1
    return y


def assigned_in_both(x: Any) -> Any:
    if x > 1:
        y = x + 1
        z = 5
    else:
        y = x - 1
        z = 6
    return y * z


def nothing_to_do(x: Any) -> Any:
    """A docstring, and statements that do nothing."""
    pass
    y: Any
    y = x
    z: Any = y + 1
    return z


@pytest.mark.parametrize("function", [sign, clamp, early, assigned_in_both, nothing_to_do])
@pytest.mark.parametrize(
    "data",
    [INTS, FLOATS, np.array(FLOATS[:-1], np.float32), np.array(INTS, np.int8)],
    ids=["int", "float", "f32", "i8"],
)
def test_branches(agree: Agree, function: Callable[[Any], Any], data: Any) -> None:
    agree(hetc.map(function), data)


def test_conditional_expressions(agree: Agree) -> None:
    agree(hetc.map(lambda x: x * 2 if x > 0 else x - 1), INTS)
    agree(hetc.map(lambda x: 1 if x > 2 else 2 if x > 0 else 3), INTS)
    agree(hetc.map(lambda x: (1, x) if x > 0 else (x, 1)), INTS)
    agree(hetc.map(lambda x: (x if x else 7) + (1 if not x else 0)), INTS)


def test_chained_comparisons(agree: Agree) -> None:
    agree(hetc.map(lambda x: -2 < x <= 3), INTS)
    agree(hetc.map(lambda x: 1 if -2 < x <= 3 != 5 else 0), INTS)
    agree(hetc.map(lambda x: 0 < x < 10 > 2 * x), INTS)
    agree(hetc.map(lambda x: -1.0 <= x < 2.0), np.array(FLOATS[:-1], np.float32))
    agree(hetc.map(lambda x: x < 1 / x if x else False), INTS)


def test_a_chain_stops_at_the_first_false_comparison(agree: Agree) -> None:
    agree(hetc.map(lambda x: 0 < x < 10 // x), INTS)
    agree(hetc.map(lambda x: -8 < x < 10 // x), [1, 0], deopts=1)


def test_short_circuits(agree: Agree) -> None:
    agree(hetc.map(lambda x: x and 10 // x), INTS)
    agree(hetc.map(lambda x: x or 5), INTS)
    agree(hetc.map(lambda x: x > 0 and x < 5 or x == -3), INTS)
    agree(hetc.map(lambda x: not (x > 0 and 6 % x == 0)), INTS)
    agree(hetc.map(lambda x: 1 if x and 10 % x == 0 else 0), INTS)
    agree(hetc.map(lambda x: x or -1.0), FLOATS)
    agree(hetc.map(lambda x, y: x and y), [True, True, False], [1 == 1, False, True])


# --------------------------------------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------------------------------------


def collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def first_divisor(n: int) -> int:
    d = 2
    while d * d <= n:
        if n % d == 0:
            break
        d += 1
    else_value = d if d * d <= n else n
    return else_value


def odd_sum(n: int) -> int:
    total, k = 0, 0
    while True:
        k += 1
        if k > n:
            break
        if k % 2 == 0:
            continue
        total += k
    return total


def found_in_loop(n: int) -> int:
    for k in range(1, 50):
        if k * k > n:
            return k
    return -1


def squares(n: int) -> int:
    total = 0
    for k in range(n):
        total += k * k
    return total


def from_to(n: int) -> int:
    total = 1
    for k in range(-3, n):
        total = total * 3 + k
        total %= 1000
    return total


def by_twos(n: int) -> int:
    total = 0
    for k in range(n, 20, 2):
        total = total * 10 + k
        total %= 99991
    return total


def countdown(n: int) -> int:
    total = 0
    for k in range(n, -3, -2):
        total = total * 7 + k
        total %= 99991
    return total


def last_value(n: int) -> int:
    k = -100
    for k in range(3, n, 4):
        pass
    return k


def last_value_down(n: int) -> int:
    k = 100
    for k in range(n, 0, -3):
        pass
    return k


def changed_inside(n: int) -> int:
    total = 0
    for k in range(n):
        total += k
        k = 100
        total += k
    return total


def bound_evaluated_once(n: int) -> int:
    count = 0
    for _ in range(n):
        n += 5
        count += 1
    return count * 1000 + n


def nested(n: int) -> int:
    total = 0
    for i in range(n):
        for j in range(i, n):
            if (i + j) % 3 == 0:
                continue
            if j - i > 4:
                break
            total += i * j
    return total


def nested_return(n: int) -> int:
    for i in range(1, 20):
        for j in range(1, i):
            if i * j > n:
                return i * 100 + j
        if i > 15:
            return -i
    return 0


def continue_in_for(n: int) -> int:
    total = 0
    for k in range(n):
        if k % 3 == 1:
            continue
        if k > 30:
            break
        total = total * 2 + k
        total %= 10007
    return total


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def swapped(n: int) -> int:
    a, b, c = n, n + 1, n + 2
    for _ in range(4):
        a, b, c = c, a, b
    (a, b), c = (b, a), a + c
    return a * 100 + b * 10 + c


def while_in_for(n: int) -> int:
    total = 0
    for k in range(n):
        j = k
        while j > 0:
            total += j % 2
            j //= 2
    return total


LOOPS = [
    collatz, first_divisor, odd_sum, found_in_loop, squares, from_to, by_twos, countdown, last_value, last_value_down,
    changed_inside, bound_evaluated_once, nested, nested_return, continue_in_for, fibonacci, swapped, while_in_for,
]  # fmt: skip


@pytest.mark.parametrize("function", LOOPS)
def test_loops(agree: Agree, function: Callable[[int], Any]) -> None:
    agree(hetc.map(function), INTS)
    agree(hetc.map(function), range(-5, 40))


def test_steps_known_at_run_time_only(agree: Agree) -> None:
    def stepped(start: int, stop: int, step: int) -> int:
        total, k = 0, -1
        for k in range(start, stop, step):
            total = (total * 31 + k) % 99991
        return total * 1000 + k

    cases = [(0, 10, 3), (10, 0, -3), (0, 10, -1), (10, 0, 1), (5, 5, 1), (-3, 4, 7), (4, -3, -7), (0, 1, 100)]
    agree(hetc.map(stepped), *(list(column) for column in zip(*cases, strict=True)))


def test_a_step_of_zero_raises(agree: Agree) -> None:
    def stepped(step: int) -> int:
        total = 0
        for k in range(0, 10, step):
            total += k
        return total

    agree(hetc.map(stepped), [1, 0, 2], deopts=1)


def test_loops_that_run_zero_times_leave_names_unbound(agree: Agree) -> None:
    def unbound(n: int) -> int:
        for k in range(n):
            pass
        return k

    agree(hetc.map(unbound), [3, 0], deopts=1)


def test_accumulators_that_start_as_python_numbers(agree: Agree) -> None:
    """With float32 data the sum is float32, as Python has it."""
    table = np.linspace(0.1, 2.0, 50).astype(np.float32)

    def summed(i: int) -> Any:
        total = 0
        for k in range(50):
            total += table[k] * i
        return total

    def summed_from_float(i: int) -> Any:
        total = 0.0
        for k in range(50):
            total = total + table[k]
        return total * 2

    agree(hetc.map(summed), np.arange(4, dtype=np.float32))
    agree(hetc.map(summed_from_float), range(3))

    def some(i: int) -> Any:
        total = 0.0
        for k in range(i):
            total += table[k]
        return total

    agree(hetc.map(some), [5, 7, 50])
    agree(hetc.map(lambda i: float(some(i))), [5, 7, 50])


def test_an_accumulator_of_no_element_stays_a_python_number(agree: Agree) -> None:
    table = np.linspace(0.1, 2.0, 50).astype(np.float32)

    def some(i: int) -> Any:
        total = 0.0
        for k in range(i):
            total += table[k]
        return total

    agree(hetc.map(some), [5, 0, 50], deopts=1)


def test_an_int_accumulator_that_turns_float(agree: Agree) -> None:
    def halves(n: int) -> Any:
        total = 0
        for k in range(n):
            total += k * 0.5
        return total

    agree(hetc.map(halves), [1, 2, 10])
    agree(hetc.map(halves), [1, 0, 10], deopts=1)


def test_augmented_assignments(agree: Agree) -> None:
    def arithmetic(x: Any) -> Any:
        y = x
        y += 3
        y -= 1
        y *= 5
        y //= 2
        y %= 17
        return y

    def bits(x: Any) -> Any:
        y = x
        y |= 9
        y &= 13
        y ^= 6
        y <<= 3
        y >>= 1
        return y

    def powers(x: Any) -> Any:
        x **= 2
        x /= 4
        return x

    agree(hetc.map(arithmetic), INTS)
    agree(hetc.map(arithmetic), FLOATS)
    agree(hetc.map(bits), INTS)
    agree(hetc.map(powers), INTS)


# --------------------------------------------------------------------------------------------------------------------
# Arrays and tuples
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool", "int64", "uint64"])
def test_indexing_arrays(agree: Agree, dtype: str) -> None:
    line = (np.arange(12) * 7 % 11 - (0 if dtype[0] in "ub" else 4)).astype(dtype)
    matrix = line.reshape(3, 4)
    agree(hetc.map(lambda i: line[i]), range(12))
    agree(hetc.map(lambda i: line[-i]), range(1, 13))
    agree(hetc.map(lambda i: (matrix[i, 0], matrix[i, -1], matrix[-i, 2], matrix[i][1], matrix[-1][i])), range(3))
    agree(hetc.map(lambda i: line[i] if i < len(line) else line[0]), range(20))
    agree(hetc.map(lambda i: (len(line), len(matrix), len(matrix[i]), matrix.shape[1], matrix.shape[-2])), range(2))


def test_shapes_unpack(agree: Agree) -> None:
    matrix = np.arange(12.0).reshape(3, 4)

    def summed(i: int) -> Any:
        rows, columns = matrix.shape
        total = 0.0
        for j in range(columns):
            total += matrix[i % rows, j]
        return total

    agree(hetc.map(summed), range(10))


def test_matrix_vector_product(agree: Agree) -> None:
    matrix = np.random.default_rng(0).normal(size=(17, 9))
    vector = np.random.default_rng(1).normal(size=9)

    def row(i: int) -> Any:
        total = 0.0
        for j in range(len(vector)):
            total += matrix[i, j] * vector[j]
        return total

    agree(hetc.map(row), range(17))


def test_indexing_captured_lists_and_tuples(agree: Agree) -> None:
    integers, floats, flags = [5, 3, 1], (0.5, 1.5), [True, False]
    agree(hetc.map(lambda i: integers[i] + integers[-1]), range(3))
    agree(hetc.map(lambda i: floats[i % 2] * len(floats)), range(3))
    agree(hetc.map(lambda i: 10 if flags[i] else 20), range(2))


def test_indices_of_all_integer_types(agree: Agree) -> None:
    line = np.arange(10.0)
    for dtype in ("int8", "uint8", "int32", "uint32", "int64"):
        agree(hetc.map(lambda i: line[i]), np.arange(10).astype(dtype))
    agree(hetc.map(lambda i: line[-i]), np.arange(1, 5).astype("int8"))


@pytest.mark.parametrize("index", [10, -11, 2**40, -(2**40)])
def test_an_index_out_of_range(agree: Agree, index: int) -> None:
    values, matrix = [float(k) for k in range(10)], np.arange(30.0).reshape(10, 3)

    def of_list(i: int) -> float:
        j = i
        return values[j]

    agree(hetc.map(of_list), [0, 9, -10, index, 1], deopts=1)
    agree(hetc.map(lambda i: matrix[i, 1]), [0, 9, -10, index, 1], deopts=1)
    agree(hetc.map(lambda i: matrix[1][i % 4]), [0, 1, 2, 3], deopts=1)


def test_an_index_into_an_empty_array(agree: Agree) -> None:
    empty = np.array([], np.float64)
    agree(hetc.map(lambda i: float(empty[i]) if i < 0 else 1.0), range(3))
    agree(hetc.map(lambda i: empty[i]), range(3), deopts=1)
    agree(hetc.map(lambda i: len(empty) + i), range(3))


def test_tuples_inside(agree: Agree) -> None:
    def rotated(x: Any) -> Any:
        point = (x, x * 2, (x + 1, -x))
        a, b, (c, d) = point
        swapped = (b, a)
        return swapped[0] * point[2][0] + point[-1][1] + len(point) + a + c + d

    agree(hetc.map(rotated), INTS)

    def chosen(x: Any) -> Any:
        pair = (x, 1) if x > 0 else (1, x)
        if x > 3:
            pair = (pair[1], pair[0])
        return pair

    agree(hetc.map(chosen), INTS)

    def carried(n: int) -> Any:
        state = (0, 1)
        for k in range(n):
            state = (state[1], state[0] + state[1] * k % 7)
        return state

    agree(hetc.map(carried), range(12))
    agree(hetc.map(lambda x: divmod(x, 3)), INTS)
    agree(hetc.map(lambda x: min((x, 3, -x)) + max((x, 1))), INTS)


# --------------------------------------------------------------------------------------------------------------------
# Python's numbers
# --------------------------------------------------------------------------------------------------------------------


def pairs(left: list[Any], right: list[Any]) -> tuple[list[Any], list[Any]]:
    return [a for a in left for _ in right], [b for _ in left for b in right]


def test_integer_arithmetic(agree: Agree) -> None:
    left, right = pairs(INTS, [x for x in INTS if x])
    agree(hetc.map(lambda a, b: (a + b, a - b, a * b, a / b, a // b, a % b)), left, right)
    agree(hetc.map(lambda a, b: (a & b, a | b, a ^ b, ~a, -a, +b, abs(a))), left, right)
    agree(hetc.map(lambda a, b: (min(a, b), max(a, b), a < b, a == b)), left, right)
    agree(hetc.map(lambda a: (a**2, a**3, a**0, a**1, float(a), bool(a), int(a), round(a))), INTS)
    agree(hetc.map(lambda a: (a << 5, a >> 2, 1 << 6)), INTS)
    agree(hetc.map(lambda a: (a // 7, a % 7, a // -7, a % -7, a / 4)), INTS)


def test_float_arithmetic(agree: Agree) -> None:
    left, right = pairs(FLOATS + SPECIAL, [x for x in FLOATS + SPECIAL if x])
    agree(hetc.map(lambda a, b: (a + b, a - b, a * b, a / b)), left, right)
    agree(hetc.map(lambda a, b: a // b), left, right)
    agree(hetc.map(lambda a, b: a % b), left, right)
    agree(hetc.map(lambda a, b: (min(a, b), max(a, b), a < b, a <= b, a == b, a != b)), left, right)
    agree(hetc.map(lambda a: (abs(a), -a, bool(a), not a, a * a, a**2)), FLOATS[:-1])


def test_floor_division_and_modulo_of_floats(agree: Agree) -> None:
    left, right = pairs([-1.0, -4.0, 1.0, 6.0, -7.0, 0.3, 1e17], [0.1, 2.0, -2.0, 5.0, -5.0, 3.0, -0.7, 1e-3])
    agree(hetc.map(lambda a, b: (a // b, a % b)), left, right)
    agree(hetc.map(lambda a, b: divmod(a, b)), left, right)


def test_mixed_arithmetic(agree: Agree) -> None:
    left, right = pairs(INTS, [x for x in FLOATS if x])
    agree(hetc.map(lambda a, b: (a + b, b - a, a * b, a / b, a // b, a % b, a < b, a == b)), left, right)
    agree(hetc.map(lambda a, b: (a + b, a * b, a == b, a < b)), [True, False, True, False], [1, 1, 0, 0])
    agree(hetc.map(lambda a: (a + a, a * 2.5, -a, ~a, abs(a), a & True, a | False, a ^ True)), [True, False])


def test_integers_past_64_bits(agree: Agree) -> None:
    big = 2**62
    agree(hetc.map(lambda x: x + x), [1, big - 1, -big])
    agree(hetc.map(lambda x: x + x), [1, 2 * big - 1], deopts=1)
    agree(hetc.map(lambda x: x - 5), [1, -2 * big], deopts=1)
    agree(hetc.map(lambda x: x * x), [1, big], deopts=1)
    agree(hetc.map(lambda x: -x), [1, -2 * big], deopts=1)
    agree(hetc.map(lambda x: abs(x)), [1, -2 * big], deopts=1)
    agree(hetc.map(lambda x: x // -1), [1, -2 * big], deopts=1)
    agree(hetc.map(lambda x: x**5), [3, 10**6], deopts=1)
    agree(hetc.map(lambda x: 1 << x), [3, 70], deopts=1)
    agree(hetc.map(lambda x: x << 3), [3, big], deopts=1)
    agree(hetc.reduce(lambda a, b: a * b, 1), list(range(1, 30)), deopts=1)
    agree(hetc.map(fibonacci), [10, 100], deopts=1)
    agree(hetc.map(lambda x: x * x - x * x), [1, big], deopts=1)


def test_integers_that_floats_do_not_hold(agree: Agree) -> None:
    big = 2**53 + 1
    agree(hetc.map(lambda x: x / 3), [1, big], deopts=1)
    agree(hetc.map(lambda x: x == 9007199254740992.0), [1, big])
    agree(hetc.map(lambda x: x + 0.5), [1, big, 2**63 - 1, -(2**63)])
    agree(hetc.map(lambda x: float(x)), [1, big, 2**63 - 1])


def test_integers_from_floats(agree: Agree) -> None:
    values = [-7.9, -2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 2.675, 1e15, -1e18]
    agree(hetc.map(lambda x: (int(x), round(x), math.floor(x), math.ceil(x), math.trunc(x))), values)
    agree(hetc.map(lambda x: int(x)), np.array(values, np.float32))
    for value in (math.nan, math.inf, 1e30):
        agree(hetc.map(lambda x: int(x)), [1.0, value], deopts=1)


def test_division_by_zero(agree: Agree) -> None:
    def quotient(a: Any, b: Any) -> Any:
        c = a + 1
        return c / b

    agree(hetc.map(quotient), [1, 2, 3], [1, 0, 3], deopts=1)
    agree(hetc.map(quotient), [1.0, 2.0, 3.0], [1.0, -0.0, 3.0], deopts=1)
    agree(hetc.map(lambda a: 5 // a), [1, 0], deopts=1)
    agree(hetc.map(lambda a: 5 % a), [1, 0], deopts=1)
    agree(hetc.map(lambda a: 5.0 // a), [1.0, 0.0], deopts=1)
    agree(hetc.map(lambda a: 5.0 % a), [1.0, 0.0], deopts=1)
    agree(hetc.map(lambda a: a**-1), [1, 0], deopts=1)
    agree(hetc.map(lambda a: a**-1.5), [1.0, 0.0], deopts=1)
    agree(hetc.map(lambda a: divmod(a, a)), [1, 0], deopts=1)


def test_numpy_elements_divide_by_zero_without_an_error(agree: Agree) -> None:
    zeros = np.array([0.0, 1.0, -1.0], np.float32)
    agree(hetc.map(lambda a: (1 / a, a / 0, a % 0, a // 0)), zeros)
    agree(hetc.map(lambda a: (1 // a, 1 % a)), np.array([0, 1, -1], np.int32))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_numpy_integers_wrap_wherever_the_result_goes(agree: Agree, dtype: str) -> None:
    """C's signed integers may not overflow: a compiler would widen the sum, or drop the test of its sign."""
    info = np.iinfo(dtype)
    data = np.array([info.min, info.max, info.max // 2 + 1, info.max // 3 * 2, -1, 7], dtype)
    agree(hetc.map(lambda a: int(a + (a + a))), data)
    agree(hetc.map(lambda a: (a + a + a + a + a + a, int(a * 3), float(a - 5))), data)
    agree(hetc.map(lambda a: 1 if a + 1 > a else 0), data)
    agree(hetc.map(lambda a: math.sqrt(a * 3 * 4) if a * 3 > 0 else 0.5), data, deopts=None)
    agree(hetc.map(lambda a: table_of_seven[int(a * 3) % 7]), data)


table_of_seven = [0, 1, 2, 3, 4, 5, 6]


def test_ranges_near_the_ends_of_64_bits(agree: Agree) -> None:
    top, bottom = 2**63 - 1, -(2**63)

    def counted(start: int, stop: int) -> int:
        count = 0
        for _ in range(start, stop, 4):
            count += 1
        return count

    agree(hetc.map(counted), [0, top - 20, top - 1], [9, top - 3, top - 3])
    agree(hetc.map(counted), [top - 20], [top], deopts=None)
    agree(hetc.map(lambda i: i), range(bottom, top, 2**62))

    def down(start: int, stop: int, step: int) -> int:
        count = 0
        for k in range(start, stop, step):
            count += k // step
        return count

    agree(hetc.map(down), [bottom, top, bottom], [top, bottom, bottom + 9], [2**62, -(2**62), 5], deopts=None)


def test_first_powers_and_inverses(agree: Agree) -> None:
    """OpenCL's `pow` is neither `x` for an exponent of 1 nor `1 / x` for -1, to the bit; C's is not `1 / x`, either."""
    some = np.random.default_rng(1).uniform(0.5, 100, 2000)
    for x in (some, some.astype(np.float32), np.array([np.inf, -np.inf, np.nan, -3, 1e-300, 1e308])):
        for values in (x, x.tolist()):
            agree(hetc.map(lambda x: (x**1, x**1.0)), values)
            agree(hetc.map(lambda x: (x**-1, x**-1.0, pow(x, -1))), values, ulp=1)
    agree(hetc.map(lambda x: x**1), [-0.0, 0.0])
    agree(hetc.map(lambda x: x**-1), [2.0, 1e-310], deopts=1)
    agree(hetc.map(lambda x: x**-1), [2.0, -0.0], deopts=1)
    agree(hetc.map(lambda x: x**-1), np.array([2.0, -0.0]))


def test_powers(agree: Agree) -> None:
    agree(hetc.map(lambda x: (x**2, x**3, x**0.5, x**-1, x**0)), [0.25, 1.0, 2.0, 9.0], ulp=2)
    agree(hetc.map(lambda x: (x**2, x**-1, pow(x, 3))), [-3, -1, 2, 9], ulp=2)
    agree(hetc.map(lambda x, y: x**y), [2.0, 3.0, 0.5, -2.0], [3.0, -2.0, 0.5, 3.0], ulp=2)
    agree(hetc.map(lambda x: (x**2, x**3, x**0.5)), np.array([0.25, 2.0, 9.0], np.float32), ulp=4)
    agree(hetc.map(lambda x: x**2.0), [1e200], deopts=1)
    agree(hetc.map(lambda x: x ** (1 / 3)), [8.0, -8.0], deopts=1, ulp=2)
    agree(hetc.map(lambda x: 3**x), [2, 41], deopts=1)


def test_shifts_by_negative_counts(agree: Agree) -> None:
    agree(hetc.map(lambda x: 1 << x), [1, -1], deopts=1)
    agree(hetc.map(lambda x: 8 >> x), [1, -1], deopts=1)
    agree(hetc.map(lambda x: -8 >> x), [1, 62, 63, 64, 1000])


# --------------------------------------------------------------------------------------------------------------------
# Functions that hetc knows
# --------------------------------------------------------------------------------------------------------------------

EVERYWHERE = [
    "asinh", "atan", "cbrt", "cos", "cosh", "degrees", "erf", "exp", "exp2", "expm1", "fabs", "radians", "sin", "sinh",
    "tan", "tanh",
]  # fmt: skip
POSITIVE = ["log", "log10", "log1p", "log2", "sqrt"]
WITHIN_ONE = ["acos", "asin", "atanh"]


@pytest.mark.parametrize("name", [*EVERYWHERE, *POSITIVE, *WITHIN_ONE, "acosh"])
def test_math_functions(agree: Agree, name: str) -> None:
    function = getattr(math, name)
    points = np.linspace(0.001, 0.999, 101)
    if name in EVERYWHERE:
        points = np.concatenate([points - 0.5, points * 20 - 10, [0.0, -0.0]])
    elif name in POSITIVE:
        points = np.concatenate([points, points * 1e6, [1.0]])
    elif name == "acosh":
        points = 1 + points * 100
    agree(hetc.map(lambda x: function(x)), points.tolist(), ulp=8)
    agree(hetc.map(lambda x: function(x)), points.astype(np.float32), ulp=8)
    agree(hetc.map(lambda x: function(x)), [1 if name != "atanh" else 0], ulp=8)


def test_square_roots_are_exact(agree: Agree) -> None:
    points = np.random.default_rng(0).random(1000) * 1e3
    agree(hetc.map(lambda x: math.sqrt(x)), points.tolist())
    agree(hetc.map(lambda x: np.sqrt(x)), points)
    agree(hetc.map(lambda x: np.sqrt(x)), points.astype(np.float32))


def test_names_of_known_functions(agree: Agree) -> None:
    agree(hetc.map(lambda x: root(x) + mathematics.sqrt(x)), [1.0, 4.0])
    agree(hetc.map(math.sqrt), [1.0, 4.0])
    agree(hetc.map(abs), [-1, 2])
    agree(hetc.map(lambda x: x * math.pi + math.e), [1.0, 2.0])
    agree(hetc.map(lambda x: x if x < math.inf else math.nan), SPECIAL)
    agree(hetc.map(lambda x: x * np.pi), np.array([1.0, 2.0], np.float32))


@pytest.mark.parametrize(
    ("function", "bad"),
    [
        (math.sqrt, -1.0), (math.log, 0.0), (math.log, -1.0), (math.log10, 0.0), (math.log2, 0.0), (math.log1p, -1.0),
        (math.exp, 1000.0), (math.sinh, 1000.0), (math.cosh, -1000.0), (math.acos, 1.5), (math.asin, -1.5),
        (math.acosh, 0.5), (math.atanh, 1.0), (math.sin, math.inf), (math.cos, -math.inf), (math.tan, math.inf),
        (math.expm1, 1000.0), (math.floor, math.nan), (math.ceil, math.inf),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)  # fmt: skip
def test_math_domain_errors(agree: Agree, function: Callable[[float], float], bad: float) -> None:
    def called(x: float) -> float:
        y = x * 1
        return function(y)

    good = 1.0 if function is math.acosh else 0.5
    agree(hetc.map(called), [good, bad, good], deopts=1)
    if function not in (math.floor, math.ceil):
        agree(hetc.map(called), [good, math.nan], ulp=4)


def test_math_of_special_values(agree: Agree) -> None:
    agree(hetc.map(lambda x: (math.isnan(x), math.isinf(x), math.isfinite(x), math.fabs(x))), SPECIAL)
    agree(hetc.map(lambda x: math.copysign(3.0, x)), SPECIAL)
    agree(hetc.map(lambda x: math.atan(x)), SPECIAL, ulp=4)
    agree(hetc.map(lambda x: math.tanh(x)), SPECIAL, ulp=4)
    agree(hetc.map(lambda x: math.exp(x)), [-math.inf, math.inf, math.nan, -1000.0])
    left, right = pairs(SPECIAL[:7], SPECIAL[:7])
    agree(hetc.map(lambda x, y: math.atan2(x, y)), left, right, ulp=4)
    agree(hetc.map(lambda x, y: math.fmod(x, y)), [5.0, -5.0, 5.5, 1e300], [3.0, 3.0, -2.0, 7.0])


NUMPY_FUNCTIONS = [
    "abs", "absolute", "arcsinh", "arctan", "cbrt", "ceil", "cos", "cosh", "exp", "exp2", "expm1", "fabs", "floor",
    "isfinite", "isinf", "isnan", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "log", "log10", "log1p",
    "log2", "arccos", "arcsin", "arctanh", "arccosh",
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NUMPY_FUNCTIONS)
def test_numpy_functions(agree: Agree, name: str, dtype: str) -> None:
    function = getattr(np, name)
    with np.errstate(over="ignore"):
        points = np.concatenate([np.linspace(-3, 3, 61), SPECIAL]).astype(dtype)
    agree(hetc.map(lambda x: function(x)), points, ulp=8)


def test_numpy_functions_of_two(agree: Agree) -> None:
    left, right = pairs([*SPECIAL, 2.5], [*SPECIAL, 2.5])
    for dtype in ("float32", "float64"):
        with np.errstate(over="ignore"):
            a, b = np.array(left).astype(dtype), np.array(right).astype(dtype)
        agree(hetc.map(lambda x, y: (np.maximum(x, y), np.minimum(x, y), np.copysign(x, y))), a, b)
        agree(hetc.map(lambda x, y: np.arctan2(x, y)), a, b, ulp=8)
        agree(hetc.map(lambda x, y: (min(x, y), max(x, y))), a, b)
    integers = np.array([-3, 0, 5, 127], np.int8)
    agree(hetc.map(lambda x, y: (np.maximum(x, y), np.minimum(x, 1))), integers, integers[::-1])


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint32", "float32", "float64"])
def test_numpy_constructors(agree: Agree, dtype: str) -> None:
    make = getattr(np, dtype)
    agree(hetc.map(lambda x: make(x)), [0, 1, 5])
    agree(hetc.map(lambda x: make(x)), [0.0, 1.5, 5.75])
    agree(hetc.map(lambda x: make(x)), [True, False])
    agree(hetc.map(lambda x: make(x)), np.array([-1, 0, 300, 70000], np.int32))
    agree(hetc.map(lambda x: make(x) + make(1)), np.array([0, 1, 5], np.float32))


def test_numpy_scalars_mixed_with_python_numbers(agree: Agree) -> None:
    agree(hetc.map(lambda x: (x + 1, x * 2.5, 1 - x, x / 3)), np.arange(5, dtype=np.float32))
    agree(hetc.map(lambda x: (x + 1, x * 2.5, x / 3, x // 2)), np.arange(5, dtype=np.int8))
    agree(hetc.map(lambda x: (math.sqrt(x), np.sqrt(x), float(x) * 0.1)), np.arange(5, dtype=np.float32))
    agree(hetc.map(lambda x: (x > 1, x == 2, 2 >= x)), np.arange(5, dtype=np.uint8))
    agree(hetc.map(lambda x, y: x * y), np.arange(5, dtype=np.float32), [0.1, 0.2, 0.3, 0.4, 0.5])
    agree(hetc.map(lambda x, y: x + y), np.arange(3, dtype=np.int16), [1, 2, 3])
    agree(hetc.map(lambda x, y: x + y), np.arange(3, dtype=np.int16), [1, 2, 2**30], deopts=1)


def test_captured_scalars_of_all_types(agree: Agree) -> None:
    scalars: list[Any] = [
        3, 2.5, True, np.float32(2.5), np.float64(0.1), np.int8(-3), np.int16(3), np.int32(-3), np.int64(2**62),
        np.uint8(200), np.uint16(65535), np.uint32(2**32 - 1), np.uint64(2**64 - 1), np.True_,
    ]  # fmt: skip
    for k in scalars:
        agree(hetc.map(lambda x: k), [1, 2])
        agree(hetc.map(lambda x: x * k), np.arange(3, dtype=np.float64))


@pytest.mark.parametrize("values", [[0, 1], [1, 2]])
def test_a_shift_by_a_number_that_is_known_to_be_negative(agree: Agree, values: list[int]) -> None:
    def shifted(a: Any) -> Any:
        if not a:
            return 3 >> (a - 5)
        return a

    agree(hetc.map(shifted), *[values], deopts=None)
