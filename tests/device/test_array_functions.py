"""Array functions on every device: containers, sizes, element types, layouts, compositions."""

# The functions under test are odd on purpose.
# ruff: noqa: PLW0108, B007, B023, F811

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.abi import NUMPY_SCALARS
from hetc.runtime.devices import Device

Agree = Callable[..., Any]
SIZES = [1, 7, 255, 256, 257, 1000]

saxpy = hetc.map(lambda a, b: 2.5 * a + b)


def numbers(size: int, dtype: str, seed: int = 0) -> np.ndarray[Any, Any]:
    """Numbers of any type, integers over their whole range."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return generator.random(size) < 0.5
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return generator.integers(info.min, info.max, size, dtype=kind, endpoint=True)
    return generator.normal(size=size).astype(kind)


# --------------------------------------------------------------------------------------------------------------------
# saxpy
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_saxpy_equals_numpy_bit_for_bit(device: Device, dtype: str) -> None:
    x, y = numbers(1 << 20, dtype), numbers(1 << 20, dtype, seed=1)
    with hetc.configure(device=device, fallback="error"):
        result = saxpy(x, y)
    assert result.dtype == np.dtype(dtype)
    assert np.array_equal(result.view(np.uint8), (np.dtype(dtype).type(2.5) * x + y).view(np.uint8))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
def test_the_same_object_takes_other_sizes_and_types(agree: Agree, size: int, dtype: str) -> None:
    agree(saxpy, numbers(size, dtype), numbers(size, dtype, seed=1))


def test_the_same_object_takes_other_containers(agree: Agree) -> None:
    agree(saxpy, [1.0, 2.0, -0.0], [3.0, 4.0, 0.0])
    agree(saxpy, (1.0, 2.0), (3.0, 4.0))
    agree(saxpy, [1, 2], [3, 4])
    agree(saxpy, range(10), range(10, 0, -1))
    agree(saxpy, range(3), [0.5, 1.5, 2.5])
    agree(saxpy, (True, False), [1, 2])
    agree(saxpy, np.arange(3, dtype=np.float32), [1.0, 2.0, 3.0])
    agree(saxpy, np.arange(3, dtype=np.float32), range(3))
    agree(saxpy, (1, 2, 3), np.arange(3, dtype=np.int16))


def test_squares_of_a_range(device: Device) -> None:
    with hetc.configure(device=device, fallback="error"):
        assert hetc.map(lambda i: i * i)(range(10)) == [i * i for i in range(10)]


@pytest.mark.parametrize(
    "numbers_of", [range(0, 20, 3), range(20, 0, -3), range(-5, 5), range(5, 5, -1), range(2**40, 2**40 + 5)]
)
def test_ranges(agree: Agree, numbers_of: range) -> None:
    agree(hetc.map(lambda i: i + 1), numbers_of)
    agree(hetc.map(lambda i: (i, i * 0.5)), numbers_of)


# --------------------------------------------------------------------------------------------------------------------
# Reductions keep the order
# --------------------------------------------------------------------------------------------------------------------

MODULUS = 10_007


def matrix_of(i: int) -> tuple[int, int, int, int]:
    return (i % 7 + 1, i % 5, i % 3, 1)


def matrix_product(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    return (
        (a[0] * b[0] + a[1] * b[2]) % MODULUS,
        (a[0] * b[1] + a[1] * b[3]) % MODULUS,
        (a[2] * b[0] + a[3] * b[2]) % MODULUS,
        (a[2] * b[1] + a[3] * b[3]) % MODULUS,
    )


def then_affine(f: tuple[int, int], g: tuple[int, int]) -> tuple[int, int]:
    """First f, then g, for maps x -> a * x + b."""
    (a, b), (c, d) = f, g
    return (a * c % MODULUS, (b * c + d) % MODULUS)


matrix_products = hetc.map(matrix_of).reduce(matrix_product, (1, 0, 0, 1))
affine_maps = hetc.map(lambda i: (i % 11 + 1, i % 13)).reduce(then_affine, (1, 0))
last = hetc.reduce(lambda a, b: b, 0)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 255, 256, 257, 10_007])
def test_reductions_keep_the_order(agree: Agree, size: int) -> None:
    agree(matrix_products, range(size))
    agree(affine_maps, range(size))
    agree(last, range(size))


def test_a_long_reduction_keeps_the_order(agree: Agree) -> None:
    agree(affine_maps, range(1_000_003))


@pytest.mark.parametrize("size", [0, 1, 7, 255, 256, 257, 10_007])
def test_sums(agree: Agree, size: int) -> None:
    agree(hetc.map(lambda x: x * x).reduce(lambda a, b: a + b, 0), range(size))
    agree(hetc.reduce(lambda a, b: a + b, 0), [i % 7 for i in range(size)])
    agree(hetc.reduce(lambda a, b: a + b, 0), np.arange(size, dtype=np.int32))
    agree(hetc.reduce(lambda a, b: a + b, 0.0), numbers(size, "float64") + 3, rtol=1e-12)
    agree(hetc.map(lambda x, y: x * y).reduce(lambda a, b: a + b, 1.5), [0.5] * size, [4.0] * size, rtol=1e-12)


def test_a_sum_of_float32_stays_float32(agree: Agree) -> None:
    x = np.arange(1, 5000, dtype=np.float32) % 7
    assert type(agree(hetc.map(lambda a, b: a * b).reduce(lambda p, q: p + q, 0.0), x, x)) is np.float32


def test_a_reduction_counts_its_initial_value_once(agree: Agree) -> None:
    for size in (1, 300, 5000):
        assert agree(hetc.reduce(lambda a, b: a + b, 100), [1] * size) == 100 + size


def test_a_reduction_that_may_return_its_initial_value(agree: Agree) -> None:
    """For NumPy's elements the initial value is a Python float, another type than theirs; either may win."""
    larger = hetc.reduce(lambda a, b: a if a > b else b, 0.0)
    agree(larger, [-1.0, -2.0])
    agree(larger, [-1.0, 2.0])
    agree(larger, np.array([-1.0, -2.0], np.float32))
    for size in (1, 7, 255, 257, 10_007):
        agree(larger, np.linspace(-1.0, size % 3 - 1.5, size))


def test_a_reduction_with_known_functions(agree: Agree) -> None:
    agree(hetc.reduce(max, -1000), list(range(-500, 500, 3)))
    agree(hetc.reduce(min, math.inf), [3.0, 1.0, 2.0])


def test_reductions_of_pairs(agree: Agree) -> None:
    agree(
        hetc.map(lambda x: (x, x * x)).reduce(lambda a, b: (a[0] + b[0], a[1] + b[1]), (0, 0)),
        [3, 1, 4, 1, 5, 9, 2, 6] * 100,
    )
    agree(
        hetc.map(lambda x: (x, x)).reduce(lambda a, b: (min(a[0], b[0]), max(a[1], b[1])), (math.inf, -math.inf)),
        [3.0, 1.0, 4.0, 1.5] * 100,
    )
    agree(
        hetc.map(lambda x, i: (x, i)).reduce(lambda a, b: b if b[0] > a[0] else a, (-math.inf, -1)),
        [0.5, 2.5, 2.5, 1.0] * 99,
        range(396),
    )


# --------------------------------------------------------------------------------------------------------------------
# Composition
# --------------------------------------------------------------------------------------------------------------------


def test_two_lambdas_on_one_line(agree: Agree) -> None:
    up, down = hetc.map(lambda x: x + 1), hetc.map(lambda x: x - 1)
    assert agree(up, [1, 2]) == [2, 3]
    assert agree(down, [1, 2]) == [0, 1]
    pair = [hetc.map(f) for f in (lambda x: x * 2, lambda y: y * 3)]
    assert [agree(f, [5]) for f in pair] == [[10], [15]]
    nested = hetc.map(lambda x: x + 1).map(lambda x: x * 10).map(lambda x: x - 3)
    assert agree(nested, [1]) == [17]


def test_compositions(agree: Agree) -> None:
    add, double = hetc.map(lambda a, b: a + b), hetc.map(lambda x: x * 2)
    agree(add.map(lambda x: x * x), [1, 2, 3], [4, 5, 6])
    agree(add | (lambda x: x * x) | (lambda x: -x), [1, 2, 3], [4, 5, 6])
    agree(add.then(double).then(double), [1, 2, 3], [4, 5, 6])
    agree(add | double | hetc.reduce(lambda a, b: a + b, 0), [1, 2, 3], [4, 5, 6])
    agree(double.reduce(lambda a, b: a * b % 1009, 1), range(1, 500))
    agree(hetc.map(lambda x: (x, x + 1)).map(lambda p: p[0] * p[1]), range(10))
    agree(hetc.map(lambda x: (x, x + 1)).map(lambda p: (p[1], p)).map(lambda q: q[1][0] + q[0]), range(10))


def test_zip(agree: Agree) -> None:
    agree(hetc.zip() | (lambda pair: pair[0] * pair[1]), [1, 2], [3, 4])
    agree(hetc.zip().map(lambda t: t[0] + t[1] + t[2]), [1, 2], [0.5, 0.25], (True, False))
    agree(hetc.zip(), [1, 2], [3.0, 4.0])
    agree(hetc.zip(), (1, 2), (3.0, 4.0))
    agree(hetc.zip(), np.arange(3, dtype=np.float32), np.arange(3, dtype=np.int8))
    agree(hetc.zip() | hetc.reduce(lambda a, b: (a[0] + b[0], a[1] + b[1]), (0, 0)), [1, 2], [3, 4])
    agree(hetc.zip() | (lambda p: p[0]), [1, 2])


def test_tuples_in(agree: Agree) -> None:
    agree(hetc.map(lambda p: p[0] * p[1]), [(1, 2.0), (3, 4.0)])
    agree(hetc.map(lambda p: p[-1] - p[0]), [(1, 2), (3, 4)])
    agree(hetc.map(lambda p: p[0][0] + p[0][1] * p[1]), [((1, 2), 3.0), ((4, 5), 6.0)])
    agree(hetc.map(lambda p, k: p[0] * k), [(1, 2), (3, 4)], [10, 20])
    agree(hetc.map(lambda p: len(p)), ((1, 2), (3, 4)))

    def unpacked(p: tuple[tuple[int, int], float]) -> float:
        (a, b), c = p
        return a + b * c

    agree(hetc.map(unpacked), [((1, 2), 3.0), ((4, 5), 6.0)])
    agree(hetc.map(lambda p: p), [(1, (2.0, True)), (3, (4.0, False))])


def test_tuples_out(agree: Agree) -> None:
    both = hetc.map(lambda x: (x + 1, x * 0.5))
    agree(both, [1, 2, 3])
    agree(both, (1, 2, 3))
    agree(both, np.arange(5, dtype=np.float32))
    agree(both, np.arange(5, dtype=np.int64))
    nested = hetc.map(lambda x: (x, (x > 1, x * x)))
    agree(nested, [1, 2, 3])
    agree(nested, np.arange(5, dtype=np.float64))
    agree(hetc.map(lambda x: (x,)), np.arange(5, dtype=np.float64))
    agree(hetc.map(lambda x: (x,)), [1, 2])


# --------------------------------------------------------------------------------------------------------------------
# Captured variables
# --------------------------------------------------------------------------------------------------------------------

scale: Any = 2
table: Any = [1.0, 2.0, 4.0]


def scaled(x: Any) -> Any:
    return x * scale


def test_a_closure_variable_that_changes_in_value_and_type(agree: Agree) -> None:
    k: Any = 3
    f = hetc.map(lambda x: x * k)
    assert agree(f, [1, 2]) == [3, 6]
    for k in (4, -1, 0, 4.5, True, False, np.float32(0.5), np.int8(3), np.float64(2.5), 2**40):
        agree(f, [1, 2])
        agree(f, np.arange(4, dtype=np.float32))


def test_a_global_that_changes_in_value_and_type(agree: Agree) -> None:
    global scale
    f = hetc.map(scaled)
    for scale in (2, 3, 2.5, np.float32(0.5)):
        agree(f, [1, 2])
    scale = 2


def test_closures_bound_late_in_a_loop(agree: Agree) -> None:
    late = [hetc.map(lambda x: x + n) for n in range(3)]
    assert [agree(f, [0]) for f in late] == [[2], [2], [2]]
    bound = [hetc.map(lambda x, n=n: x + n) for n in range(3)]
    assert [agree(f, [0]) for f in bound] == [[0], [1], [2]]


def test_a_captured_array_changed_in_place_and_rebound(agree: Agree) -> None:
    lookup: Any = np.arange(5, dtype=np.float64)
    f = hetc.map(lambda i: lookup[i])
    agree(f, range(5))
    lookup[2] = -7.0
    assert agree(f, range(5))[2] == -7.0
    lookup = np.arange(10, 15, dtype=np.float32)
    assert type(agree(f, range(5))[0]) is np.float32
    lookup = [1, 2, 3, 4, 5]
    agree(f, range(5))
    lookup.append(6)
    agree(f, range(6))
    lookup[0] = 2**40
    agree(f, range(6))
    lookup = (0.5, 1.5)
    agree(f, range(2))


def test_a_captured_function_that_is_replaced(agree: Agree) -> None:
    def step(x: Any) -> Any:
        return x + 1

    f = hetc.map(lambda x: step(x) * 2)
    assert agree(f, [1]) == [4]

    def step(x: Any) -> Any:
        return x - 1

    assert agree(f, [1]) == [0]
    step = math.sqrt
    agree(f, [4.0])


def test_default_arguments(agree: Agree) -> None:
    def shifted(x: Any, by: float = 1.5, *, times: int = 2) -> Any:
        return (x + by) * times

    agree(hetc.map(lambda x: shifted(x)), [1, 2])
    agree(hetc.map(lambda x: shifted(x, 2)), [1, 2])
    agree(hetc.map(lambda x: shifted(x, times=3)), [1, 2])
    agree(hetc.map(lambda x: shifted(by=x, x=1)), [1, 2])
    agree(hetc.map(shifted), [1, 2])
    agree(hetc.map(shifted), [1, 2], [3, 4])
    shifted.__defaults__ = (10,)
    agree(hetc.map(shifted), [1, 2])


def test_nested_calls_of_helpers(agree: Agree) -> None:
    def square(x: Any) -> Any:
        return x * x

    def hypotenuse(a: Any, b: Any) -> Any:
        return math.sqrt(square(a) + square(b))

    def far(a: Any, b: Any, limit: Any) -> Any:
        if hypotenuse(a, b) > limit:
            return square(limit)
        return hypotenuse(b, a)

    agree(hetc.map(lambda a, b: far(a, b, 5.0)), [3.0, 6.0, 0.0], [4.0, 8.0, 0.0])
    agree(hetc.map(lambda a, b: far(a, b, 5.0)), np.array([3.0, 0.5]), np.array([3.0, 8.0]))


def test_one_variable_name_in_two_functions(agree: Agree) -> None:
    def make(k: Any) -> Callable[[Any], Any]:
        return lambda x: x * 10 + k

    first, second = make(1), make(2)
    agree(hetc.map(lambda x: (first(x), second(x), first(x + 1))), [1, 2])
    agree(hetc.map(first).map(second), [1, 2])


# --------------------------------------------------------------------------------------------------------------------
# Element types
# --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", list(NUMPY_SCALARS))
def test_each_numpy_type_passes_through(agree: Agree, dtype: str) -> None:
    agree(hetc.map(lambda x: x), numbers(300, dtype))
    agree(hetc.map(lambda x: (x, x)), numbers(300, dtype))
    agree(hetc.map(lambda x: x == x), numbers(300, dtype))
    agree(hetc.map(lambda x: x), list(numbers(10, dtype)))
    agree(hetc.map(lambda x: 1 if x else 0), numbers(300, dtype), deopts=None)


@pytest.mark.parametrize("left", list(NUMPY_SCALARS))
def test_each_pair_of_numpy_types(agree: Agree, left: str) -> None:
    """Promotion as NumPy has it; integers wrap. One kernel for several types on the right: compiling takes the time."""
    names = list(NUMPY_SCALARS)
    for some in (names[:5], names[5:10], names[-5:]):
        others = [numbers(60, right, seed=1) for right in some]
        sums = hetc.map(lambda a, b, c, d, e, f: (a + b, a + c, a + d, a + e, a + f))
        products = hetc.map(lambda a, b, c, d, e, f: (a * b, a * c, a * d, a * e, a * f))
        agree(sums, numbers(60, left), *others)
        agree(products, numbers(60, left), *others)


@pytest.mark.parametrize("dtype", [name for name in NUMPY_SCALARS if np.dtype(name).kind in "iuf"])
def test_operators_on_each_numpy_type(agree: Agree, dtype: str) -> None:
    x, y = numbers(200, dtype), numbers(200, dtype, seed=1)
    if np.dtype(dtype).kind != "f":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        x[:6] = y[:6] = np.array([low, high, 0, 1, low // 2, high // 2], dtype)
        y[1:8:2] = 0
    agree(hetc.map(lambda a, b: (a + b, a - b, a * b, a / b)), x, y)
    agree(hetc.map(lambda a, b: (a // b, a % b)), x, y)
    agree(hetc.map(lambda a, b: (a < b, a <= b, a == b, a != b, a >= b, a > b)), x, y)
    agree(hetc.map(lambda a: (-a, +a, abs(a), not a)), x)
    agree(hetc.map(lambda a: (a * 2, 2 - a, a + 1)), x)
    agree(hetc.map(lambda a: (float(a), bool(a))), x)


@pytest.mark.parametrize("dtype", [name for name in NUMPY_SCALARS if np.dtype(name).kind in "iu"])
def test_bits_of_each_numpy_integer(agree: Agree, dtype: str) -> None:
    x, y = numbers(200, dtype), numbers(200, dtype, seed=1)
    agree(hetc.map(lambda a, b: (a & b, a | b, a ^ b, ~a)), x, y)
    shifts = (np.arange(200) % 70).astype(dtype)
    agree(hetc.map(lambda a, b: (a << b, a >> b)), x, shifts)
    agree(hetc.map(lambda a: (a << 3, a >> 3, a**3)), x)


def test_numpy_truth_values(agree: Agree) -> None:
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    agree(hetc.map(lambda a, b: (a & b, a | b, a ^ b, ~a, not a)), x, y)
    agree(hetc.map(lambda a, b: (a + b, a * b, a == b, a < b)), x, y)
    agree(hetc.map(lambda a, b: (a and b, a or b)), x, y)
    agree(hetc.map(lambda a: (a + 1, a * 0.5, int(a))), x)


@pytest.mark.parametrize("element", [5, 5.5, True, np.float32(5.5), np.int8(5), np.uint64(2**63), np.True_])
def test_elements_of_a_list_keep_their_type(agree: Agree, element: Any) -> None:
    agree(hetc.map(lambda x: x), [element] * 3)
    agree(hetc.map(lambda x: (x, x == x)), (element,) * 3)


# --------------------------------------------------------------------------------------------------------------------
# Layouts
# --------------------------------------------------------------------------------------------------------------------


def layouts() -> dict[str, np.ndarray[Any, Any]]:
    base = np.arange(600, dtype=np.float32)
    frozen = base[:100].copy()
    frozen.flags.writeable = False
    packed = np.zeros(100, dtype=np.dtype([("pad", "u1"), ("x", "<f4")]))
    packed["x"] = base[:100]
    return {
        "strided": base[::3],
        "reversed": base[::-1],
        "offset": base[5:105],
        "read-only": frozen,
        "zero stride": np.broadcast_to(np.float32(2.5), (100,)),
        "column": base.reshape(100, 6)[:, 2],
        "unaligned": packed["x"],
        "one element": base[7:8],
    }


@pytest.mark.parametrize("layout", list(layouts()))
def test_layouts_of_inputs(agree: Agree, layout: str) -> None:
    x = layouts()[layout]
    agree(hetc.map(lambda a: a * 2 + 1), x)
    agree(saxpy, x, x)
    agree(hetc.reduce(lambda a, b: a + b, 0.0), x)


@pytest.mark.parametrize("layout", ["C", "Fortran", "strided", "reversed", "read-only", "transposed", "zero stride"])
def test_layouts_of_captured_matrices(agree: Agree, layout: str) -> None:
    base = np.arange(48, dtype=np.float64).reshape(6, 8)
    frozen = base.copy()
    frozen.flags.writeable = False
    matrix = {
        "C": base,
        "Fortran": np.asfortranarray(base),
        "strided": base[::2, 1::3],
        "reversed": base[::-1, ::-1],
        "read-only": frozen,
        "transposed": base.T,
        "zero stride": np.broadcast_to(base[0], (6, 8)),
    }[layout]
    agree(hetc.map(lambda i: matrix[i, 1] * 100 + matrix[i][-1]), range(matrix.shape[0]))
    agree(hetc.map(lambda i: matrix[-i, i % matrix.shape[1]]), range(3))


def test_one_array_twice_and_overlapping_views(agree: Agree) -> None:
    x = np.arange(100, dtype=np.float64)
    agree(saxpy, x, x)
    agree(saxpy, x[:-1], x[1:])
    agree(hetc.map(lambda i, a: x[i] - a), range(100), x)


def test_a_result_is_new_memory(device: Device) -> None:
    x = np.arange(100, dtype=np.float64)
    with hetc.configure(device=device, fallback="error"):
        result = hetc.map(lambda a: a)(x)
        again = hetc.map(lambda a: a)(x)
    assert not np.shares_memory(result, x)
    assert not np.shares_memory(result, again)
    assert result.flags.writeable
    result[0] = 5.0
    assert x[0] == 0.0


def test_results_outlive_later_calls(device: Device) -> None:
    f = hetc.map(lambda a: a + 1)
    with hetc.configure(device=device, fallback="error"):
        results = [f(np.full(1000, float(k))) for k in range(20)]
    assert [result[0] for result in results] == [k + 1.0 for k in range(20)]
