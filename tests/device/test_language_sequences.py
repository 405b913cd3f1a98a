"""Tuples and lists of known length inside functions: unpacking, items, slices, operators, loops over them."""

# The functions under test are odd on purpose.
# ruff: noqa: B905, F841, RUF060, RUF015, RUF017, E501

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

Agree = Callable[..., Any]

INTS = [-7, -3, -1, 0, 1, 2, 3, 5, 10, 64]
FLOATS = [-7.5, -1.0, -0.0, 0.0, 0.25, 1.0, 2.0, 1e300]
NAN = math.nan


# --------------------------------------------------------------------------------------------------------------------
# Unpacking
# --------------------------------------------------------------------------------------------------------------------


def starred(x: Any) -> Any:
    t = (x, x + 1, 2.5, x * 3)
    a, *b = t
    *c, d = t
    e, *f, g = t
    h, i, j, k, *l = t  # noqa: E741
    return a + b[0] + len(b) + c[2] + d + e + f[0] + f[-1] + g + h + len(l) + i + j + k


def nested(x: Any) -> Any:
    (a, (b, *c)), [d, e] = (x, (1, 2, 3)), [x + 4, 5]
    for f, (g, h) in ((x, (2, x)), (3, (x, 4))):
        a += f * g - h
    return a + b + c[0] * c[1] + d - e


def several_targets(x: Any) -> Any:
    a = b, c = x, x + 1
    [d, e] = f = [b, c]
    return a[0] + a[1] + b * c + d - e + f[1]


def swapped(x: Any) -> Any:
    a, b = x, 10
    a, b = b, a
    c = [a, b]
    c[0], c[1] = c[1], c[0]
    return c[0] - 2 * c[1] + a


def displays(x: Any) -> Any:
    t = (x, 2)
    u = (*t, 3, *[4, x], *range(2))
    v = [0, *t, *u]
    first, *rest = range(4)
    return first + rest[2] + len(u) + u[3] + u[-1] + v[1] * v[-3] + len(v)


@pytest.mark.parametrize("function", [starred, nested, several_targets, swapped, displays])
def test_unpacking(agree: Agree, function: Callable[[Any], Any]) -> None:
    agree(hetc.map(function), INTS)
    agree(hetc.map(function), FLOATS)
    agree(hetc.map(function), np.array(INTS, np.int32))
    agree(hetc.map(function), [])


def wrong_length(x: int) -> Any:
    if x > 2:
        a, b = (x, 1, 2)
        return a + b
    if x == 2:
        a, b, *c = (x,)
        return a
    if x == 1:
        a, b = x
        return a
    return x


def test_wrong_lengths_raise(agree: Agree) -> None:
    agree(hetc.map(wrong_length), [0, -1, 0])
    for x in (1, 2, 3):
        agree(hetc.map(wrong_length), [0, x, 5], deopts=1)


# --------------------------------------------------------------------------------------------------------------------
# Items and slices
# --------------------------------------------------------------------------------------------------------------------


def chosen(i: int) -> Any:
    t = (2.5, -0.0, 7.25)
    v = [i, 2, 3 * i]
    return t[i], v[i - 1], (t, t, (v[0] * 1.0, 1.0, 2.0))[i][-1]


def chosen_of_types(i: int) -> Any:
    return (1, 2.5, True)[i]


def sliced(x: Any) -> Any:
    t = (x, 1, 2.5, x + 3, 4)
    v = list(t)
    return t[1:][0] + t[::-1][0] + t[-3:-1][1] + t[:100][4] + len(t[3:1]) + v[::2][1] + v[None:2][0] + t[4:0:-2][1]


def test_items(agree: Agree) -> None:
    agree(hetc.map(chosen), [0, 1, 2, 1, 2])
    agree(hetc.map(chosen), [-1, -2])
    agree(hetc.map(chosen), np.array([1, 2, 1], np.uint8))
    agree(hetc.map(chosen), [0, 3], deopts=1)
    agree(hetc.map(chosen), [0, -3], deopts=1)
    agree(hetc.map(chosen_of_types), [0, 1, 2, -1, -3, -2])
    agree(hetc.map(chosen_of_types), [0, 1, 7], deopts=1)
    agree(hetc.map(lambda x: (x, x + 1)[x > 2]), INTS)
    agree(hetc.map(lambda x: (1, 2)[x]), [0.0, 1.0], fallbacks=1)
    agree(hetc.map(lambda x: ()[x]), [0, 1], fallbacks=1)


def test_slices(agree: Agree) -> None:
    agree(hetc.map(sliced), INTS)
    agree(hetc.map(sliced), FLOATS)
    agree(hetc.map(lambda x: len((x, 1, 2)[:x])), INTS, fallbacks=1)
    agree(hetc.map(lambda x: (x, 1)[::0]), INTS, fallbacks=1)


# --------------------------------------------------------------------------------------------------------------------
# Lists that change
# --------------------------------------------------------------------------------------------------------------------


def histogram(n: int) -> Any:
    counts = [0] * 4
    for k in range(n):
        counts[k * k % 4] += 1
    return tuple(counts)


def stores(x: Any) -> Any:
    v = [x, x + 1, x + 2]
    v[0] = 5
    v[-1] += 10
    v[1], other = v[2], v[1]
    return sum(v) + other + max(v) + len(v)


def stores_of_types(i: int) -> Any:
    v = [i, 2, 3]
    v[1] = 2.5
    v[i] = 0.5
    return tuple(v)


def copies(x: Any) -> Any:
    v = [x, 1, 2]
    w, u = v[:], list(v)
    w[0], u[1] = 5, 6
    s = sorted(v)
    s[-1] = 9
    return tuple(v) + tuple(w) + tuple(u) + tuple(s)


def bubble(x: Any) -> Any:
    v = [x, -x, 2 * x, x - 3]
    for end in range(3, 0, -1):
        for k in range(end):
            if v[k + 1] < v[k]:
                v[k], v[k + 1] = v[k + 1], v[k]
    return v[0], v[1], v[2], v[3]


def matrix_product(x: float) -> float:
    a, b, c = [[x, 2.0], [3.0, 4.0]], [[1.0, x], [x, 1.0]], [0.0] * 4
    for i in range(2):
        for j in range(2):
            for k in range(2):
                c[2 * i + j] += a[i][k] * b[k][j]
    return c[0] - c[1] + c[2] * c[3]


def test_lists_that_change(agree: Agree) -> None:
    agree(hetc.map(histogram), [0, 1, 2, 5, 11])
    agree(hetc.map(stores), INTS)
    agree(hetc.map(stores), FLOATS)
    agree(hetc.map(stores_of_types), [0, 1, 2, -1])
    agree(hetc.map(stores_of_types), [0, 3], deopts=1)
    agree(hetc.map(copies), INTS)
    agree(hetc.map(bubble), INTS)
    agree(hetc.map(matrix_product), FLOATS)


def aliased(x: int) -> int:
    v = [x, 1]
    w = v
    v[0] = 5
    return w[0]


def aliased_in_tuple(x: int) -> int:
    v = [x, 1]
    t = (v, 2)
    v[0] = 5
    return t[0][0]


def grown_in_place(x: int) -> int:
    v = w = [x]
    v += [1]
    return len(w)


def captured_by_function(x: int) -> int:
    v = [x]

    def first() -> int:
        return v[0]

    v[0] = 7
    return first()


def looped_over(x: int) -> int:
    v, total = [x, 1, 2], 0
    for y in v:
        v[1] = 100
        total += y
    return total


def appended(x: int) -> int:
    v = w = [x]
    v.append(1)
    return len(w)


def appended_while_looped_over(x: int) -> int:
    v, total = [x, 1, 2], 0
    for y in v:
        if len(v) < 5:
            v.append(y)
        total += y
    return total


SHARED = [1, 2, 3]


def shared(x: int) -> int:
    SHARED[0] = 1
    return SHARED[0] + x


@pytest.mark.parametrize(
    "function",
    [
        aliased,
        aliased_in_tuple,
        grown_in_place,
        captured_by_function,
        looped_over,
        appended,
        appended_while_looped_over,
        shared,
    ],
)
def test_lists_that_something_else_may_see_are_refused(agree: Agree, function: Callable[[int], Any]) -> None:
    agree(hetc.map(function), INTS, fallbacks=1)


# --------------------------------------------------------------------------------------------------------------------
# Operators
# --------------------------------------------------------------------------------------------------------------------


def operators(x: Any) -> Any:
    t = (x, 1) + (2,) * 3 + () + 0 * (5,)
    v = [x] * 2 + [3.5]
    return len(t), t[-1] + v[1], len(v), not t, not (), bool(x) and t[1]


def comparisons(x: Any) -> Any:
    a, b = (x, 2, x), (1, x, 3)
    return (
        a == b, a != b, a < b, a <= b, a > b, a >= b, (x,) < (x, 0), (x, 1) < (x,), () < (x,), [x, 1] == [1, x],
        (x, (1, x)) == (1, (x, 1)), [x] == (x,), (x,) == x, (x, 1) != [x, 1], (x,) == (x, x), [x, 2] > [2, x],
    )  # fmt: skip


def membership(x: Any) -> Any:
    return x in (1, 2, 5), x not in [0, 3.0], x in (), 2 in (x, x + 1), x in (True, -1), (x, 1) in ((2, 1), (x, 1))


def in_ranges(x: int) -> Any:
    return (
        x in range(10), x in range(-3, 6, 3), x in range(10, -8, -3), x in range(x, x + 3), x not in range(3, 0),
        3 in range(x), x in range(0, 10, 2), x in range(5, x, -1), x in range(5, 5), len(range(x)), True in range(x),
    )  # fmt: skip


def test_operators(agree: Agree) -> None:
    agree(hetc.map(operators), INTS)
    agree(hetc.map(comparisons), INTS)
    agree(hetc.map(comparisons), FLOATS)
    agree(hetc.map(membership), INTS)
    agree(hetc.map(membership), FLOATS)
    agree(hetc.map(in_ranges), INTS)
    agree(hetc.map(lambda x: (x,) < (1, "a")), INTS, fallbacks=1)
    agree(hetc.map(lambda x: (x,) + [1]), INTS, fallbacks=1)
    agree(hetc.map(lambda x: (x, 1) * x), INTS, fallbacks=None)
    agree(hetc.map(lambda x: (x,) < 1), INTS, fallbacks=1)


def test_containers_ask_for_identity_first(agree: Agree) -> None:
    data = [NAN, 1.0, 2.0, NAN]
    agree(hetc.map(lambda x: (x in (x, 1.0), (x,) == (x,), (x, 2.0) < (x, 3.0))), data)
    agree(hetc.map(lambda x: x in (x + 1.0, 2.0)), data, deopts=1)
    agree(hetc.map(lambda x: x in (1.0, 2.0)), data)
    agree(hetc.map(lambda x: (x, 1) == (-x, 1)), data, deopts=1)
    agree(hetc.map(lambda x: [x] < [2.0 * x]), data, deopts=1)


# --------------------------------------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------------------------------------


def over_items(x: Any) -> Any:
    total, last = 0, None
    for item in (x, 2.5, True, x * 2):
        if item > 100:
            break
        if item == 2.5:
            continue
        total += item
        last = item
    else:
        total += 1000
    return total, last is None, item


def over_pairs(x: Any) -> Any:
    total = 0
    for i, (a, b) in enumerate(zip([x, 1, 2], (3, x, 5.5, 7)), start=2):
        total += i * a - b
    for a in reversed((x, 2, 3)):
        total = 2 * total + a
    for i in reversed(range(3)):
        total = total * 3 + i
    for i, j in zip(range(x > 0, 9, 2), reversed(range(5))):
        total += i * j
    return total


def returns_from_inside(x: Any) -> Any:
    for limit, result in ((0, 1.5), (3, 2), (10, True)):
        if x < limit:
            return result
    return -1


def zipped_with_range(n: int) -> int:
    total = 0
    for weight, k in zip((5, 7, 11), range(n)):
        total += weight * k + 1
        if total > 12:
            break
    else:
        total = -total
    return total


def test_loops_over_items(agree: Agree) -> None:
    agree(hetc.map(over_items), INTS)
    agree(hetc.map(over_items), FLOATS)
    agree(hetc.map(over_pairs), INTS)
    agree(hetc.map(returns_from_inside), INTS)
    agree(hetc.map(zipped_with_range), [0, 1, 2, 3, 4, 7])
    agree(hetc.map(zipped_with_range), np.array([0, 1, 2, 7]))


# --------------------------------------------------------------------------------------------------------------------
# Functions of them
# --------------------------------------------------------------------------------------------------------------------


def measured(x: Any) -> Any:
    t, v = (x, 2, 7), [x, -1, 3]
    return len(t), sum(t), sum(v, 10), min(v), max(t), any(v), all(t), min(*t), max(3, *v), sum(()), all([]), any(())


def ordered(x: Any) -> Any:
    a, b, c, d = sorted([x, 3 * x, -x, x - 1])
    return a, b, c, d, tuple(sorted((x, -x)))[0], list(range(3))[2], len(sorted([]))


def test_functions_of_them(agree: Agree) -> None:
    agree(hetc.map(measured), INTS)
    agree(hetc.map(ordered), INTS)
    agree(hetc.map(ordered), FLOATS)
    agree(hetc.map(ordered), np.array(FLOATS[:-1], np.float32))
    agree(hetc.map(lambda x: sorted([x, 1.0, 2.0])[0]), [1.0, NAN, 0.0], deopts=1)
    agree(hetc.map(lambda x: min([])), INTS, fallbacks=1)
    agree(hetc.map(lambda x: max((), default=x)), INTS)
    agree(hetc.map(lambda x: sum([[x], [1]], [])[1]), INTS, fallbacks=None)


def classes(x: Any) -> Any:
    return (
        isinstance(x, int), isinstance(x, float), isinstance(x, (int, float)), isinstance(x, bool | float),
        isinstance((x,), tuple), isinstance([x], list | tuple), isinstance(x, np.floating), isinstance(None, int | None),
        isinstance(x, np.integer), isinstance(x > 1, bool), isinstance(x, np.float64), isinstance(x, (np.number, list)),
        isinstance(x, str), isinstance(x, numbers.Real), isinstance(x, numbers.Integral), isinstance(x, object),
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64, np.bool_])
def test_classes(agree: Agree, dtype: type) -> None:
    agree(hetc.map(classes), np.array([0, 1, 1], dtype))
    agree(hetc.map(classes), [1, 2])
    agree(hetc.map(classes), [1.5, 2.0])
    agree(hetc.map(classes), [True, False])
