"""NumPy statements under `hetc.jit`, on a device, against NumPy running the very same function."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import Outcome, assert_same_outcome, last_place

SHAPES = [(1,), (7,), (255,), (257,), (1, 1), (3, 5), (16, 17), (1, 257), (2, 3, 4), (3, 1, 5), (2, 3, 2, 5)]
EMPTY = [(0,), (0, 3), (3, 0), (2, 0, 4)]


def check(
    device: Device,
    function: Callable[..., Any],
    *arguments: Any,
    launches: int | None = 1,
    deopts: int | None = 0,
    rtol: float = 0.0,
) -> Any:
    """The function under jit does what the plain one does: result, exception, warnings, and what it leaves in arrays.

    `launches` says how many kernels run; None stands for any number, but at least one.
    """
    expected_arguments, found_arguments = copy.deepcopy(arguments), copy.deepcopy(arguments)
    with warnings.catch_warnings(record=True) as expected_warnings:
        warnings.simplefilter("always")
        expected = come_to(lambda: function(*expected_arguments))
    compiled = hetc.jit(function)  # pyright: ignore[reportArgumentType, reportCallIssue]
    with (
        warnings.catch_warnings(record=True) as found_warnings,
        hetc.configure(device=device, offload="always"),
        hetc.profile() as p,
    ):
        warnings.simplefilter("always")
        found = come_to(lambda: compiled(*found_arguments))
    check_same(found, expected, found_arguments, expected_arguments, rtol)
    assert told(found_warnings) == told(expected_warnings)
    assert p.launches if launches is None else p.launches == launches, f"{p.launches} launches"
    assert deopts in (None, p.deopts), f"{p.deopts} returns to Python"
    check_again(device, compiled, function, arguments, rtol)
    return found.value


RUNS_AGAIN = 4
"""From the third run on, plans are run in short, and statements are not looked into any more."""


def check_again(
    device: Device, compiled: Callable[..., Any], function: Callable[..., Any], arguments: tuple[Any, ...], rtol: float
) -> None:
    """The next runs do what the plain function does, too, warnings included."""
    for _ in range(RUNS_AGAIN):
        expected_arguments, found_arguments = copy.deepcopy(arguments), copy.deepcopy(arguments)
        with warnings.catch_warnings(record=True) as expected_warnings:
            warnings.simplefilter("always")
            expected = come_to(lambda given=expected_arguments: function(*given))
        with (
            warnings.catch_warnings(record=True) as found_warnings,
            hetc.configure(device=device, offload="always"),
        ):
            warnings.simplefilter("always")
            found = come_to(lambda given=found_arguments: compiled(*given))
        check_same(found, expected, found_arguments, expected_arguments, rtol)
        assert told(found_warnings) == told(expected_warnings)


def check_same(
    found: Outcome,
    expected: Outcome,
    found_arguments: tuple[Any, ...],
    expected_arguments: tuple[Any, ...],
    rtol: float,
) -> None:
    """Both have come to the same, and left the same in their arguments."""
    assert_same_outcome(found, expected, 0, rtol)
    same(found.value, expected.value, rtol)
    for one, other in zip(found_arguments, expected_arguments, strict=True):
        same(one, other, rtol)


def told(given: list[warnings.WarningMessage]) -> list[tuple[str, int]]:
    """What warnings say, and of which lines."""
    return [(str(warning.message), warning.lineno) for warning in given]


def come_to(call: Callable[[], Any]) -> Outcome:
    """What a call comes to, with the warnings that it gives."""
    try:
        return Outcome(call())
    except (ArithmeticError, ValueError, TypeError, IndexError) as error:
        return Outcome(error=error, place=last_place(error.__traceback__))


def same(found: Any, expected: Any, rtol: float) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray | np.generic):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        if rtol:
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)
        else:
            np.testing.assert_array_equal(found, expected)
    elif isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            same(one, other, rtol)


def numbers(*shape: int, dtype: Any = np.float64, seed: int = 0) -> Any:
    drawn = np.random.default_rng(seed).uniform(-4, 4, shape)
    return (drawn * 10).astype(np.int64).astype(dtype) if np.dtype(dtype).kind in "iu" else drawn.astype(dtype)


# --------------------------------------------------------------------------------------------------------------------
# Element by element
# --------------------------------------------------------------------------------------------------------------------


def formula(x: Any, y: Any) -> Any:
    return 2.5 * x + y * y - x / 3


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(device: Device, shape: tuple[int, ...]) -> None:
    check(device, formula, numbers(*shape), numbers(*shape, seed=1))


@pytest.mark.parametrize("shape", EMPTY)
def test_nothing_is_left_to_numpy(device: Device, shape: tuple[int, ...]) -> None:
    check(device, formula, np.zeros(shape), np.zeros(shape), launches=0)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((4, 5), (5,)),
        ((4, 1), (5,)),
        ((3, 1, 5), (1, 4, 1)),
        ((5,), (3, 4, 5)),
        ((3, 1, 5), (4, 5)),
        ((1,), (6,)),
        ((1, 1), (3,)),
    ],
)
def test_broadcasting(device: Device, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    check(device, formula, numbers(*left), numbers(*right, seed=1))


def test_a_number_that_is_stored_beside_others(device: Device) -> None:
    def fill(x: Any, y: Any, z: Any) -> Any:
        y[:] = 0
        z[1:] = 7
        y[:] = x + 1

    check(device, fill, numbers(5), numbers(5), numbers(5, dtype=np.int32), launches=None)


def test_an_array_that_repeats_a_row(device: Device) -> None:
    check(device, formula, numbers(4, 5), np.broadcast_to(numbers(5, seed=1), (4, 5)))


@pytest.mark.parametrize("options", ["", "axis=0", "axis=(0, 2), keepdims=True", "axis=-1, ddof=1"])
def test_variances(device: Device, options: str) -> None:
    comma = ", " if options else ""
    source = f"def fold(x):\n    a = np.std(x + 1{comma}{options})\n    b = (x * 2).var({options})\n    return a, b"
    check_source(device, source, numbers(3, 4, 5), launches=None, rtol=1e-13)


def test_folds_in_other_types(device: Device) -> None:
    source = (
        "def fold(x, f):\n    a = np.count_nonzero(x > 3, axis=1)\n    b = x.sum(axis=0, dtype=np.float64)\n"
        "    c = np.sum(f * f, axis=1, dtype=np.float64)\n    return a, b, c, np.mean(x, dtype=np.float32)"
    )
    check_source(
        device, source, numbers(4, 6, dtype=np.int32), numbers(4, 6, dtype=np.float32), launches=None, rtol=1e-6
    )


def test_shapes_that_do_not_go_together_raise_as_numpy_does(device: Device) -> None:
    check(device, formula, numbers(3), numbers(4), launches=0)


@pytest.mark.parametrize("left", ["bool", "int8", "uint8", "int32", "uint64", "int64", "float32", "float64"])
@pytest.mark.parametrize("right", ["int16", "float16", "float32", "complex64"])
def test_promotion(device: Device, left: str, right: str) -> None:
    def promoted(x: Any, y: Any) -> Any:
        return x * y + x

    check(device, promoted, numbers(9, dtype=left), numbers(9, dtype=right, seed=1))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("number", [2, 2.5, True, np.float32(2.5), np.float64(2.5), np.int64(3)])
def test_numbers_are_as_weak_as_numpy_has_them(device: Device, dtype: str, number: Any) -> None:
    def scaled(x: Any, k: Any) -> Any:
        return k * x - (k + 1)

    check(device, scaled, numbers(9, dtype=dtype), number)


def test_a_number_that_does_not_fit_raises_as_numpy_does(device: Device) -> None:
    def added(x: Any) -> Any:
        return x + 300

    check(device, added, np.ones(4, np.uint8), launches=0)


def test_integers_wrap(device: Device) -> None:
    def wrapping(x: Any) -> Any:
        return x * x + x

    check(device, wrapping, np.array([100, 127, -128, 3], np.int8))


def test_integer_division(device: Device) -> None:
    def divided(x: Any, y: Any) -> Any:
        return x // y + x % y

    check(device, divided, numbers(99, dtype="int32"), numbers(99, dtype="int32", seed=1) * 2 + 1)


def test_comparisons_and_truth_values(device: Device) -> None:
    def between(x: Any, low: Any, high: Any) -> Any:
        return (x >= low) & (x < high) | ~(x == x)

    check(device, between, np.array([1.0, np.nan, -3.0, 2.0]), -1.0, 2.0)


def test_functions(device: Device) -> None:
    def computed(x: Any, y: Any) -> Any:
        return np.sqrt(np.abs(x)) + np.maximum(x, y) * np.exp(-x) + np.arctan2(x, y) + abs(y)

    check(device, computed, numbers(33), numbers(33, seed=1), rtol=1e-14)


def test_where_and_clip(device: Device) -> None:
    def chosen(x: Any, y: Any) -> Any:
        limited = np.clip(x, -1, 2.5)
        return np.where(x > y, limited, 0) + x.clip(0, 1)

    check(device, chosen, np.append(numbers(33), np.nan), np.append(numbers(33, seed=1), 0))
    check(device, chosen, numbers(33, dtype="int32"), numbers(33, dtype="float32", seed=1))


def test_powers(device: Device) -> None:
    def powers(x: Any, k: Any) -> Any:
        return x**2 + x**3 + np.abs(x) ** 0.5 + np.abs(x) ** k

    check(device, powers, numbers(33), 1.5, rtol=1e-14)
    check(device, powers, numbers(33, dtype="float32"), 1.5, rtol=1e-6)


def test_first_powers_and_inverses_are_exact(device: Device) -> None:
    def powers(x: Any) -> Any:
        a = x**1 - 2 * x**1.0
        b = x**-1 + 3 * x**-1.0
        return a, b

    check(device, powers, numbers(999), launches=None)
    check(device, powers, numbers(999, dtype="float32"), launches=None)


def test_powers_of_booleans_are_numpys(device: Device) -> None:
    def powers(x: Any) -> Any:
        a = x**2 + x
        b = x**3 + x**1
        c = x**2.0 + x**True
        d = np.power(x, 2) + x
        return a, b, c, d

    check(device, powers, numbers(33) > 0, launches=None)
    x = numbers(33) > 0
    for found, expected in zip(powers(hetc.array(x)), powers(x), strict=True):
        same(np.asarray(found), expected, 0)


def test_integer_powers(device: Device) -> None:
    def squares(x: Any) -> Any:
        return x**2 - x**1

    check(device, squares, numbers(33, dtype="int32"))


def test_casts_and_copies(device: Device) -> None:
    def cast(x: Any) -> Any:
        y = (x + 1).astype(np.float32)
        return y.copy() * x

    check(device, cast, numbers(33, dtype="int16"))


def test_outer(device: Device) -> None:
    def table(x: Any, y: Any) -> Any:
        return np.add.outer(x, y) + np.multiply.outer(x, y)

    check(device, table, numbers(5), numbers(7, seed=1))


def test_constants_of_modules_and_attributes(device: Device) -> None:
    def circles(box: Any) -> Any:
        return np.pi * box.radius**2

    check(device, circles, Box(numbers(9)))


class Box:
    def __init__(self, radius: Any) -> None:
        self.radius = radius


# --------------------------------------------------------------------------------------------------------------------
# Parts of arrays
# --------------------------------------------------------------------------------------------------------------------


def test_a_stencil_in_place_of_slices(device: Device) -> None:
    def jacobi(a: Any, b: Any) -> None:
        for _ in range(3):
            b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
            a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])

    check(device, jacobi, numbers(9, 12), numbers(9, 12, seed=1), launches=6)


def test_three_dimensions(device: Device) -> None:
    def heat(a: Any, b: Any) -> None:
        b[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1])
            + a[1:-1, 1:-1, 1:-1]
        )

    check(device, heat, numbers(6, 7, 8), numbers(6, 7, 8, seed=1))


def test_what_overlaps_is_read_before_it_is_stored(device: Device) -> None:
    def shifted(a: Any) -> None:
        a[1:] = a[:-1] + 1
        a[:-1] += a[1:]
        a[:] = a[::-1] * 2

    check(device, shifted, numbers(300), launches=3)


def test_overlaps_in_two_dimensions(device: Device) -> None:
    def shifted(a: Any) -> None:
        a[1:, 1:] = a[:-1, :-1] - a[1:, 1:]
        a[:, 0] = a[:, 1] * 2.0
        a[0] = a[1] * 3.0

    check(device, shifted, numbers(9, 7), launches=2)  # rows are copied after columns have been computed


def test_updates_in_place(device: Device) -> None:
    def updated(a: Any, b: Any) -> Any:
        a += b
        a[2:] *= 2
        a -= 1
        return a[:]

    check(device, updated, numbers(50), numbers(50, seed=1), launches=3)
    check(device, updated, numbers(50, dtype="float32"), numbers(50, seed=1), launches=3)


def test_an_update_that_does_not_fit_raises_as_numpy_does(device: Device) -> None:
    def updated(a: Any, b: Any) -> None:
        a += b

    check(device, updated, np.ones(5, np.int32), np.ones(5), launches=0)
    check(device, updated, np.ones(5), np.ones((2, 5)), launches=0)


def test_stores_convert_as_numpy_does(device: Device) -> None:
    def stored(a: Any, b: Any) -> None:
        a[...] = b * 2

    check(device, stored, np.zeros(9, np.float32), numbers(9))
    check(device, stored, np.zeros(9, np.int8), numbers(9, dtype="int64") * 50)
    check(device, stored, np.zeros((4, 9)), numbers(9))
    check(device, stored, np.zeros(9, np.int64), numbers(9), launches=0)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[::-1],
        lambda a: a.T,
        lambda a: a[:, 1:-1],
        lambda a: a[:, ::3],
        np.asfortranarray,
        lambda a: a[2],
        lambda a: a[:, 3],
        lambda a: a[None],
        lambda a: np.broadcast_to(a[0], a.shape),
    ],
)
def test_views(device: Device, view: Callable[[Any], Any]) -> None:
    def computed(x: Any, y: Any) -> Any:
        return x * 2.0 + y[..., ::-1] - x[..., :1]

    array = view(numbers(8, 9))
    check(device, computed, array, array + 1)


def test_stores_to_views(device: Device) -> None:
    def stored(a: Any, b: Any) -> None:
        a[::2, ::-1] = b * 2
        a.T[1:3] = b[:2].T[:2, :1] + 1
        a[:, 3] += b[:, 0].sum()

    check(device, stored, numbers(6, 5), numbers(3, 5, seed=1), launches=None)


def test_a_view_of_a_view_of_fortran_order(device: Device) -> None:
    def stored(a: Any, b: Any) -> None:
        a[1:-1] = b[1:-1] * 2 + b[2:] - a[1:-1]

    check(device, stored, np.asfortranarray(numbers(6, 5)), np.asfortranarray(numbers(6, 5, seed=1)))


def test_new_axes(device: Device) -> None:
    def distances(x: Any) -> Any:
        d = x[:, None] - x[None, :]
        return np.sqrt(d * d)

    check(device, distances, numbers(17))


# --------------------------------------------------------------------------------------------------------------------
# Folds
# --------------------------------------------------------------------------------------------------------------------

FOLDS = ["sum", "prod", "min", "max", "mean"]


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2), (0, 1, 2), None])
@pytest.mark.parametrize("name", FOLDS)
def test_folds(device: Device, name: str, axis: Any) -> None:
    source = f"def fold(x): return np.{name}(x * 2 + 1, axis={axis})"
    check_source(device, source, numbers(4, 5, 6), launches=None, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint64", "float16", "float32"])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "any", "all"])
def test_what_folds_add_up_in(device: Device, name: str, dtype: str) -> None:
    check_source(
        device,
        f"def fold(x, y):\n    a = (x * y).{name}(axis=0)\n    b = (x * y).{name}()\n    return a, b",
        numbers(5, 6, dtype=dtype) if dtype == "bool" else (numbers(5, 6, dtype=dtype) / 8).astype(dtype),
        np.ones(6, dtype),
        launches=None,
        rtol={"float16": 2e-2, "float32": 1e-5}.get(dtype, 1e-12),
    )


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_where_the_least_is(device: Device, name: str) -> None:
    array = np.array([[1.0, np.nan, 3.0, np.nan], [2.0, 7.0, 2.0, -np.inf], [5.0, 5.0, np.inf, np.inf]])
    for axis in (0, 1):
        source = f"def fold(x): return np.{name}(x + 0.0, axis={axis})"
        check_source(device, source, array)
        check_source(device, source, np.nan_to_num(array, posinf=9, neginf=-9).astype(np.int32))


@pytest.mark.parametrize("name", ["min", "max"])
def test_nan_is_the_least_and_the_greatest(device: Device, name: str) -> None:
    array = np.array([[1.0, np.nan, 3.0], [2.0, 7.0, -np.inf]])
    check_source(device, f"def fold(x): return np.{name}(x + 0.0, axis=1)", array)
    check_source(device, f"def fold(x): return np.{name}(x + 0.0)", array, launches=None)


def test_folds_of_nothing(device: Device) -> None:
    for name in ("sum", "prod", "min", "any"):
        source = f"def fold(x): return np.{name}(x * 2, axis=0)"
        check_source(device, source, np.zeros((0, 3)), launches=None if name != "min" else 0)
        check_source(device, source, np.zeros((3, 0)), launches=0)


def test_keepdims(device: Device) -> None:
    def softmax(x: Any) -> Any:
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    check(device, softmax, numbers(7, 9), launches=None, rtol=1e-14)


def test_numbers_computed_of_folds(device: Device) -> None:
    def deviation(x: Any) -> Any:
        mean = np.sum(x) / x.shape[0]
        d = x - mean
        return np.sqrt(np.sum(d * d) / (x.size - 1))

    check(device, deviation, numbers(1000), launches=None, rtol=1e-12)


def test_products_are_numpys(device: Device) -> None:
    def product(a: Any, b: Any) -> Any:
        return a @ b

    def more(a: Any, b: Any, c: Any) -> Any:
        return np.dot(a * 2, b) + c

    check(device, product, numbers(4, 5), numbers(5, 3), launches=0)
    check(device, more, numbers(4, 5), numbers(5, 3), numbers(3), launches=2)
    check(device, more, numbers(4, 5), numbers(5), 1.5, launches=2)


# --------------------------------------------------------------------------------------------------------------------
# Several statements
# --------------------------------------------------------------------------------------------------------------------


def test_statements_over_one_space_share_a_loop(device: Device) -> None:
    def chained(a: Any, b: Any, out: Any) -> None:
        t = a * b
        u = t + a
        out[:] = u * u - t
        a += u

    check(device, chained, numbers(99), numbers(99, seed=1), numbers(99, seed=2))


def test_neighbours_of_what_was_stored_need_another_loop(device: Device) -> None:
    def neighbours(a: Any, b: Any) -> None:
        b[:] = a * 2
        a[1:-1] = b[:-2] + b[2:]

    check(device, neighbours, numbers(99), numbers(99, seed=1), launches=2)


def test_what_is_read_is_stored_to_later(device: Device) -> None:
    def later(a: Any, b: Any) -> None:
        b[1:-1] = a[:-2] + a[2:]
        a[1:-1] = b[1:-1] * 0.5

    check(device, later, numbers(99), numbers(99, seed=1), launches=2)


def test_an_element_that_was_stored_is_read(device: Device) -> None:
    def element(a: Any, b: Any) -> None:
        a[:] = a * 2
        b[:] = b + a[3]

    check(device, element, numbers(99), numbers(99, seed=1), launches=2)


def test_variables_that_are_needed_later(device: Device) -> None:
    def kept(a: Any) -> Any:
        t = a + 1
        u = t * 2
        v = u - t
        w = v * v
        return t, v, w

    check(device, kept, numbers(99))


def test_a_variable_that_changes_its_value(device: Device) -> None:
    def changed(a: Any) -> Any:
        t = a + 1
        t = t * t
        t += a
        return t

    check(device, changed, numbers(99))


def test_a_variable_of_a_nested_function(device: Device) -> None:
    def nested(a: Any) -> Any:
        t = a + 1
        u = t * 2

        def read() -> Any:
            return t

        return u, read()

    check(device, nested, numbers(99))


def test_rounds_that_read_what_the_last_has_made(device: Device) -> None:
    def rounds(a: Any) -> Any:
        t = a * 0.5
        for _ in range(4):
            s = t + a
            t = s * 0.5
        return t

    check(device, rounds, numbers(99), launches=5)


def test_a_sum_of_what_the_same_loop_computes(device: Device) -> None:
    def norm(a: Any, b: Any) -> Any:
        d = a - b
        return np.sum(d * d)

    check(device, norm, numbers(99), numbers(99, seed=1), launches=None, rtol=1e-12)


def test_an_exception_after_statements_that_ran(device: Device) -> None:
    def raising(a: Any, b: Any) -> None:
        a[:] = a * 2
        b[:] = a[:3] + 1
        a[:] = 0

    check(device, raising, numbers(9), numbers(9, seed=1))


def test_unpacking_and_conditions_around(device: Device) -> None:
    def around(a: Any, n: int) -> Any:
        x, y = a, a + 1
        while n > 0:
            if n % 2:
                x = x * 2 + y
                y = y - 1
            else:
                x = x - y * y
            n -= 1
        return x, y

    check(device, around, numbers(20) / 8, 4, launches=4)


# --------------------------------------------------------------------------------------------------------------------
# Warnings, exceptions and what is not compiled
# --------------------------------------------------------------------------------------------------------------------


def test_warnings_are_numpys(device: Device) -> None:
    def divided(x: Any, y: Any) -> Any:
        return np.sqrt(x / y)

    check(device, divided, np.array([1.0, -2.0, 3.0]), np.array([0.0, 1.0, 2.0]), deopts=1)
    check(device, divided, np.array([1.0, 2.0, 3.0]), np.array([4.0, 1.0, 2.0]))
    with np.errstate(all="ignore"):
        check(device, divided, np.array([1.0, -2.0, 3.0]), np.array([0.0, 1.0, 2.0]))


def test_warnings_in_place(device: Device) -> None:
    def divided(x: Any, y: Any) -> None:
        x /= y
        x[1:] /= y[1:]

    check(device, divided, np.array([1.0, -2.0, 3.0]), np.array([0.0, 1.0, 0.0]), launches=2, deopts=2)


def test_an_error_state_that_raises(device: Device) -> None:
    def divided(x: Any, y: Any) -> Any:
        return x / y

    with np.errstate(all="raise"):
        check(device, divided, np.array([1.0, -2.0]), np.array([0.0, 1.0]), launches=0)


def test_negative_integer_powers_raise(device: Device) -> None:
    def power(x: Any, y: Any) -> Any:
        return x**y

    check(device, power, np.array([1, 2, 3]), np.array([1, 2, -1]), launches=None, deopts=1)


def test_masks_are_numpys(device: Device) -> None:
    def masked(x: Any) -> Any:
        x[x > 0] = 0
        x[:] = x[x < 1] * 2
        return x[[0, 1]] + 1

    check(device, masked, -np.abs(numbers(9)), launches=0)


def test_subclasses_and_objects_are_numpys(device: Device) -> None:
    def computed(x: Any) -> Any:
        return x * 2 + 1

    check(device, computed, np.array([1, 2.5, "x"], object)[:2], launches=0)
    check(device, computed, np.ma.masked_array([1.0, 2.0], [True, False]), launches=0)
    check(device, computed, np.array([1.0, 2.0], ">f8"), launches=0)
    check(device, computed, np.array(3.5), launches=0)


def test_functions_of_the_same_name(device: Device) -> None:
    def sqrt(x: Any) -> Any:
        return x + 100

    def computed(x: Any) -> Any:
        return sqrt(x) * 2

    check(device, computed, numbers(9), launches=0)


def test_read_only_arrays_raise_as_numpy_does(device: Device) -> None:
    def stored(x: Any) -> None:
        x[:] = x * 2

    array = numbers(9)
    array.flags.writeable = False
    with hetc.configure(device=device, offload="always"), pytest.raises(ValueError, match="read-only"):
        hetc.jit(stored)(array)


def test_memory_that_is_shared_without_numpy_knowing(device: Device) -> None:
    def stored(x: Any, y: Any) -> None:
        x[1:] = y[:-1] * 2

    memory = bytearray(8 * 10)
    x, y = np.frombuffer(memory), np.frombuffer(memory)
    x[:] = np.arange(10)
    with hetc.configure(device=device, offload="always"):
        hetc.jit(stored)(x, y)
    assert x.tolist() == [0, *(2.0 * k for k in range(9))]


def test_methods_and_threads(device: Device) -> None:
    class Model:
        def __init__(self) -> None:
            self.state = numbers(50)

        def step(self, dt: float) -> None:
            self.state = self.state + dt * self.state

        compiled = hetc.jit(step)

    one, other = Model(), Model()
    one.step(0.5)
    with hetc.configure(device=device, offload="always"):
        other.compiled(0.5)
    np.testing.assert_array_equal(one.state, other.state)


def test_many_calls_with_data_of_many_forms(device: Device) -> None:
    """Whatever is measured and remembered, each call gives NumPy's result; and in the end the device runs some."""

    def work(a: Any, b: Any, k: int) -> Any:
        t = a * 2 + b
        b[k:] = t[k:] - a[k:]
        return t.sum(axis=0)

    compiled = hetc.jit(work)
    with hetc.configure(device=None, offload="auto", threshold=0.0), hetc.profile() as p:
        for number in range(60):
            shape = ((40, 7), (300, 400))[number % 2]
            a, b = numbers(*shape, seed=number), numbers(*shape, seed=number + 1)
            other = b.copy()
            expected, found = work(a, b, number % 3), compiled(a, other, number % 3)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
            np.testing.assert_array_equal(other, b)
    assert p.launches


def test_statements_of_numbers_alone(device: Device) -> None:
    def numbers_alone(n: int) -> Any:
        total = 0
        for k in range(n):
            term = k * k
            total += term
        return total

    with hetc.configure(device=device, offload="always"):
        assert hetc.jit(numbers_alone)(5000) == numbers_alone(5000)


def test_portable_arrays_are_left_alone(device: Device) -> None:
    def computed(x: Any, y: Any) -> Any:
        return x * 2 + y

    with hetc.configure(device=device, offload="always"):
        found = hetc.jit(computed)(hetc.array(numbers(9)), numbers(9))
        assert isinstance(found, hetc.Array)
        np.testing.assert_array_equal(np.asarray(found), computed(numbers(9), numbers(9)))


def test_explain_names_the_statements(device: Device) -> None:
    def computed(x: Any, y: Any) -> Any:
        z = x * 2 + y
        return z @ y

    with hetc.configure(device=device, offload="always"):
        told = str(hetc.jit(computed).explain(numbers(4, 4), numbers(4, 4)))
    assert "the array statements in line" in told
    assert "runs on the device" in told
    assert "leaves it to a BLAS" in told


def check_source(device: Device, source: str, *arguments: Any, **options: Any) -> None:
    """The same for a function that is given as text."""
    import linecache

    name = f"<{source}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names: dict[str, Any] = {"np": np}
    exec(compile(source, name, "exec"), names)
    check(device, names["fold"], *arguments, **options)
