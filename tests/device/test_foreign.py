"""Array functions on other packages' containers: what Python computes over their elements, in such a one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.api import dispatcher
from hetc.extensions import ExtensionError
from hetc.runtime.devices import Device
from tests.containers import Column, Floats, Points, SpecialColumn, installed_marshallers

SIZES = (0, 1, 7, 257)


@pytest.fixture(autouse=True)
def _marshallers() -> Iterator[None]:
    dispatcher().warned.clear()
    with installed_marshallers():
        yield


@pytest.fixture(params=["device", "python", "auto"])
def where(request: pytest.FixtureRequest, device: Device) -> Iterator[str]:
    """The same on the device, in Python, and where hetc decides."""
    if request.param == "auto":
        yield request.param
        return
    offload = "always" if request.param == "device" else "never"
    with hetc.configure(device=device, offload=offload, fallback="error"):
        yield request.param


def numbers(size: int) -> Any:
    return np.linspace(-3, 4, size, dtype=np.float32)


def f(x: Any) -> Any:
    return x * x + 1 if x > 0 else -x


@pytest.mark.parametrize("size", SIZES)
def test_a_column(where: str, size: int) -> None:
    column = Column(numbers(2 * size)[::-2])
    result = hetc.map(f)(column)
    assert type(result) is Column
    assert result.values.dtype == hetc.map(f)(column.values).dtype  # Python alone does not tell it of no elements
    np.testing.assert_array_equal(result.values, np.array([f(x) for x in column], np.float32))


@pytest.mark.parametrize("size", SIZES)
def test_tuples(where: str, size: int) -> None:
    points = Points(numbers(size), np.arange(size))
    result = hetc.map(lambda p: (p[0] + 1, p[1] * 2))(points)
    if where == "python" and not size:  # of no elements it does not tell that they are tuples
        assert result.tolist() == []
        return
    assert type(result) is Points
    assert [part.dtype for part in result.parts] == [np.float32, np.int64]
    assert list(result) == [(x + 1, n * 2) for x, n in points]
    one = hetc.map(lambda p: p[0] * p[1])(points)  # no tuples, so no points
    assert type(one) is np.ndarray
    assert one.tolist() == [x * n for x, n in points]


@pytest.mark.parametrize("size", SIZES)
def test_python_numbers_without_make(where: str, size: int) -> None:
    floats = Floats("d", [number / 4 for number in range(1, size + 1)])
    result = hetc.map(lambda x: 1 / x)(floats)
    assert type(result) is list
    assert list(map(repr, result)) == [repr(1 / x) for x in floats]


@pytest.mark.parametrize("size", SIZES)
def test_reductions_scans_filters_sorts_and_stencils(where: str, size: int) -> None:
    values = np.arange(size, dtype=np.float64)
    column = Column(values)
    assert hetc.reduce(lambda a, b: a + b, 0.0)(column) == values.sum()
    running = hetc.scan(lambda a, b: a + b)(column)
    kept = hetc.filter(lambda x: x > 2)(column)
    falling = hetc.sort(reverse=True)(column)
    means = hetc.stencil(lambda w: (w[-1] + w[1]) / 2)(column)
    rounds = hetc.iterate(hetc.map(lambda x: x + 1), times=3)(column)
    for found, expected in [
        (running, values.cumsum()),
        (kept, values[values > 2]),
        (falling, values[::-1]),
        (rounds, values + 3),
    ]:
        assert type(found) is Column
        np.testing.assert_array_equal(found.values, expected)
    assert len(means) == size


def test_beside_other_inputs(where: str) -> None:
    column, array = Column(numbers(7)), np.arange(7, dtype=np.float32)
    add = hetc.map(lambda a, b: a + b)
    expected = column.values + array
    for inputs in [(column, array), (array, column), (column, Column(array)), (SpecialColumn(numbers(7)), array)]:
        result = add(*inputs)
        assert isinstance(result, Column)
        np.testing.assert_array_equal(result.values, expected)
    assert type(result) is SpecialColumn
    for result in (add(column, hetc.array(array)), add.options(results="array")(column, array)):
        assert isinstance(result, hetc.Array)
        np.testing.assert_array_equal(result, expected)
    with pytest.raises(hetc.InputError, match="different lengths"):
        add(column, array[:3])


def test_results_that_the_class_does_not_hold(where: str) -> None:
    column = Column(numbers(7))
    assert type(hetc.map(lambda x: x > 0)(column)) is np.ndarray


def test_what_falls_back_is_of_the_same_kind(device: Device) -> None:
    column, seen = Column(numbers(7)), []
    with hetc.configure(device=device, offload="always"), pytest.warns(hetc.FallbackWarning) as told:
        result = hetc.map(lambda x: seen.append(x) or x)(column)
    assert len(told) == 1
    assert type(result) is Column
    assert seen == list(column)


def test_exceptions_are_pythons(where: str) -> None:
    with pytest.raises(ZeroDivisionError) as found:
        hetc.map(lambda x: 1 / x)(Floats("d", [1.0, 0.0]))
    assert found.value.__context__ is None
    with pytest.raises(IndexError, match="out of"):
        hetc.gather([9])(Column(numbers(7)))


def test_elements_that_leave_the_device(device: Device) -> None:
    size = 257
    column, points = Column(np.arange(size, dtype=np.float64)), Points(np.arange(size), np.ones(size))
    table = np.arange(250)

    def clipped(x: Any) -> Any:
        try:
            return table[int(x)] + x
        except IndexError:
            return -x

    with hetc.configure(device=device, offload="always", fallback="silent"):
        assert list(hetc.map(clipped)(column)) == [clipped(x) for x in column]
        with pytest.raises(IndexError):
            hetc.map(lambda p: (table[p[0]] + p[1], p[1]))(points)


def test_several_devices_and_futures_and_batches(device: Device) -> None:
    column = Column(numbers(257))
    expected = [f(x) for x in column]
    with hetc.configure(offload="always", fallback="error"):
        for result in [
            hetc.map(f).on([device])(column),
            hetc.map(f).on("all")(column),
            hetc.map(f).on(device).submit(column).result(60),
            hetc.map(f).on(device).batched(512)(column),
            hetc.map(lambda x: f(x) if x is not None else None).options(missing="nan").on(device)(column),
        ]:
            assert type(result) is Column
            assert list(result) == expected


def test_changes_are_seen_and_kept_results_are_values(device: Device) -> None:
    points = Points(np.arange(7.0), np.arange(7.0))
    with hetc.configure(device=device, offload="always", fallback="error"):
        total = hetc.map(lambda p: p[0] + p[1])
        kept = total.options(results="array")(points)
        first = total(points)
        points.parts[0][:] += 1
        assert total(points).tolist() == (first + 1).tolist()
    assert kept.tolist() == first.tolist()


def test_explain_lower_and_portable_arrays(device: Device) -> None:
    column, points = Column(numbers(7)), Points(numbers(7), np.arange(7))
    with hetc.configure(device=device, offload="always"):
        said = str(hetc.map(f).explain(column))
        assert "input 0, a tests.containers.Column, is read by tests.containers:read_column" in " ".join(said.split())
        assert "kernel" in hetc.map(f).lower(column).opencl()
    assert hetc.array(column).tolist() == column.values.tolist()
    assert hetc.array(points).tolist() == [(x, n) for x, n in points]
    column.values[0] = 99
    assert 99 not in hetc.array(Column(numbers(7))).tolist()


def test_indexing_captured_containers_is_pythons(device: Device) -> None:
    floats = Floats("d", [1.0, 2.0])

    @hetc.jit
    def doubled(floats: Any) -> Any:
        found = np.zeros(len(floats))
        for i in hetc.forall(len(found)):
            found[i] = 2 * floats[i]
        return found

    with hetc.configure(device=device, offload="always"):
        with pytest.warns(hetc.FallbackWarning):
            assert hetc.map(lambda x: x + floats[1])(np.arange(3.0)).tolist() == [2.0, 3.0, 4.0]
        with pytest.warns(hetc.FallbackWarning):
            assert doubled(floats).tolist() == [2.0, 4.0]


def test_in_jit(device: Device, gpu: Device) -> None:
    @hetc.jit
    def shifted(column: Any, x: Any) -> Any:
        for i in hetc.forall(len(x)):
            x[i] = x[i] + 1
        both = hetc.map(lambda a, b: a + b)(column, x)
        for i in hetc.forall(len(x)):
            x[i] = 2 * x[i]
        return both

    for chosen in (device, gpu):
        column, x = Column(np.arange(7.0)), np.arange(7.0)
        with hetc.configure(device=chosen, offload="always", fallback="error"):
            result = shifted(column, x)
        assert type(result) is Column
        np.testing.assert_array_equal(result.values, 2 * np.arange(7.0) + 1)
        np.testing.assert_array_equal(x, 2 * (np.arange(7.0) + 1))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (ValueError("closed"), "raises ValueError: closed"),
        (np.float64(1), "gives a numpy.float64, not an array"),
        (np.array(1.0), "gives an array of float64 of shape (), not an array"),
        ("text", "gives a builtins.str, not an array"),
        ((), "gives a tuple of nothing, not of arrays of one length"),
        ((np.zeros(2), np.zeros(3)), "gives a tuple of an array of float64 of shape (2,), an array of"),
        ((np.zeros(2), "ab"), "of shape (2,), a builtins.str, not of arrays"),
        (np.zeros(3), "gives 3 elements of 7"),
        (np.zeros(7), "make_column of a tests.containers.Column raises KeyError"),
    ],
    ids=str,
)
def test_wrong_marshallers_are_named(where: str, wrong: Any, said: str) -> None:
    with pytest.raises(ExtensionError) as found:
        hetc.map(f)(Column(numbers(7), wrong))
    assert said in str(found.value)
    assert "HETC0041" in str(found.value)
    assert "this is a fault of the package tests" in str(found.value)
