"""Elements that are not there: None in lists, masked arrays, NaN where the user says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc

SIZES = [0, 1, 7, 255, 257, 1000]
DTYPES = [np.float32, np.float64, np.int8, np.uint64, np.bool_]


def doubled(x: Any) -> Any:
    return None if x is None else x * 2


def or_zero(x: Any) -> Any:
    return 0.5 if x is None else x


@pytest.fixture
def on(device: Any) -> Callable[[], Any]:
    return lambda: hetc.configure(device=device, offload="always", fallback="error", verify=True)


def masked(size: int, dtype: Any, every: int = 3) -> Any:
    places = np.arange(size)
    return np.ma.MaskedArray((places % 5).astype(dtype), places % every == 1)


def of_elements(function: Callable[..., Any], *inputs: Any) -> list[Any]:
    """The function over the elements, by Python."""
    columns = [[None if m else v for v, m in zip(x.data, np.ma.getmaskarray(x), strict=True)] for x in inputs]
    return [function(*row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_masked_arrays(on: Any, size: int, dtype: Any) -> None:
    data = masked(size, dtype)
    with on():
        found: Any = hetc.map(doubled)(data)
    expected = of_elements(doubled, data)
    assert isinstance(found, np.ma.MaskedArray)
    np.testing.assert_array_equal(np.ma.getmaskarray(found), [value is None for value in expected])
    present = [value for value in expected if value is not None]
    np.testing.assert_array_equal(found.compressed(), present)
    if present:
        assert found.dtype == np.array(present).dtype


def test_masks_are_left_alone(on: Any) -> None:
    data = masked(100, np.float64)
    before = data.copy()
    with on():
        hetc.map(doubled)(data)
    np.testing.assert_array_equal(data.mask, before.mask)
    np.testing.assert_array_equal(data.data, before.data)


def test_a_mask_without_holes_costs_nothing(on: Any) -> None:
    data = np.ma.MaskedArray(np.arange(10.0), np.zeros(10, bool))
    with on():
        assert "char" not in hetc.map(doubled).lower(data).opencl()
        found: Any = hetc.map(lambda x: x + 1)(data)
    np.testing.assert_array_equal(found.data, np.arange(1.0, 11.0))
    assert isinstance(found, np.ma.MaskedArray)
    assert not found.mask.any()


def test_a_result_without_holes(on: Any) -> None:
    data = masked(300, np.float64)
    with on():
        found: Any = hetc.map(or_zero)(data)
    np.testing.assert_array_equal(found.data, of_elements(or_zero, data))
    assert not found.mask.any()


def test_a_function_that_meets_a_hole(on: Any) -> None:
    with on(), pytest.raises(TypeError, match="NoneType"):
        hetc.map(lambda x: x + 1)(masked(300, np.float64))


def test_several_inputs_and_results(on: Any) -> None:
    left, right = masked(300, np.float32), np.arange(300.0)

    def pick(a: Any, b: Any) -> Any:
        return (b if a is None else a + b, a)

    with on():
        found: Any = hetc.map(pick)(left, right)
    expected = of_elements(pick, left, np.ma.MaskedArray(right))
    np.testing.assert_array_equal(found[0].data, [first for first, _ in expected])
    np.testing.assert_array_equal(np.ma.getmaskarray(found[1]), np.ma.getmaskarray(left))


def test_blocks_that_go_back_to_python(on: Any) -> None:
    data = np.ma.MaskedArray(np.arange(3000), np.arange(3000) % 7 == 3)
    data[1500] = 2**40

    def square(x: Any) -> Any:
        return None if x is None else int(x) * int(x) / 1

    with on(), hetc.profile() as p:
        found: Any = hetc.map(square)(data)
    expected = of_elements(square, data)
    assert p.deopts == 1
    assert [None if m else v for v, m in zip(found.data, np.ma.getmaskarray(found), strict=True)] == expected


def test_nan_as_missing(on: Any) -> None:
    data = np.array([1.5, np.nan, 3.0] * 100)
    with on():
        found: Any = hetc.map(doubled).options(missing="nan")(data)
        counted: Any = hetc.map(lambda x: 1 if x is None else 0).options(missing="nan")(data)
        listed = hetc.map(doubled).options(missing="nan")(data.tolist())
        kept: Any = hetc.map(lambda x: x * 2).options(missing="none")(data)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, data * 2)
    np.testing.assert_array_equal(counted, [0, 1, 0] * 100)
    assert listed == [3.0, None, 6.0] * 100
    np.testing.assert_array_equal(kept, data * 2)


def test_nan_as_missing_without_any(on: Any) -> None:
    with on():
        found: Any = hetc.map(lambda x: x + 1).options(missing="nan")(np.arange(5.0))
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, np.arange(1.0, 6.0))


def test_in_python_it_means_the_same(device: Any) -> None:
    data = masked(20, np.float64)
    with hetc.configure(device=device, offload="never"):
        found: Any = hetc.map(doubled)(data)
        missing: Any = hetc.map(doubled).options(missing="nan")(np.array([1.0, np.nan]))
    np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(data))
    np.testing.assert_array_equal(missing, [2.0, np.nan])


def test_options_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match='missing is "nan" or "none"'):
        hetc.map(doubled).options(missing="zero")
