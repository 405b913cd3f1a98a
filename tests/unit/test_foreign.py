"""How containers of other packages are found, and what is checked of how they are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hetc import extensions
from hetc.extensions import Extension, ExtensionError, Marshaller
from hetc.foreign import ForeignInputs, check_marshaller, marshaller_for, read_inputs, refuse_foreign
from tests import containers
from tests.containers import MARSHALLERS, Column, Floats, Points, SpecialColumn, installed_marshallers


def test_which_values_are_foreign() -> None:
    class Column:  # has the name of another class
        pass

    Column.__module__, Column.__qualname__ = "tests.containers", "Column"
    with installed_marshallers():
        assert marshaller_for(containers.Column([1])) is MARSHALLERS[0]
        assert marshaller_for(SpecialColumn([1])) is MARSHALLERS[0]
        assert [marshaller_for(value) for value in (Column(), [1], (1,), range(1), np.zeros(1), 1.5, "a", {})] == [
            None
        ] * 8
        refuse_foreign([[1], (1,), np.zeros(1), {}])
        with pytest.raises(ForeignInputs):
            refuse_foreign([[1], Points([1])])
    assert marshaller_for(containers.Column([1])) is None


def test_ordinary_inputs_are_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hetc.foreign.marshaller_of", None)
    inputs = ([1], (1,), range(1), np.zeros(1))
    refuse_foreign(inputs)
    assert read_inputs(inputs).inputs == inputs


def test_two_packages_that_read_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Marshaller(MARSHALLERS[0].container, read="other:read")
    monkeypatch.setattr(extensions, "extensions", lambda: (Extension(marshallers=[*MARSHALLERS, other]),))
    extensions._marshallers.cache_clear()
    try:
        with pytest.raises(ExtensionError, match="read_column and by other:read"):
            marshaller_for(Column([1]))
    finally:
        extensions._marshallers.cache_clear()


def _name(value: object) -> str:
    """A name that is the same in all processes, which an object's place in memory is not."""
    return value if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize(
    "container",
    [
        Column(np.array([1.5, -0.0, np.nan])),
        Column(np.zeros(0)),
        Points([1, 2], [0.5, 1]),
        Points([], []),
        Floats("d", [1]),
    ],
    ids=_name,
)
def test_right_marshallers(container: Any) -> None:
    with installed_marshallers():
        check_marshaller(container)


@pytest.mark.parametrize(
    ("container", "said"),
    [
        (Column(np.zeros(2), np.ones(2)), "has np.float64(1.0) as element 0, iterating np.float64(0.0)"),
        (Column(np.zeros(2), np.zeros(2, np.float32)), "has np.float32(0.0) as element 0, iterating np.float64(0.0)"),
        (Column(np.zeros(2), -np.zeros(2)), "has np.float64(-0.0) as element 0"),
        (Column(np.zeros(2), [0.0, 0.0]), "has 0.0 as element 0, iterating np.float64(0.0)"),
        (Column(np.zeros(2), np.zeros(2)), "make_column of a tests.containers.Column raises KeyError"),
        (Column(np.arange(2)), "does not take what has been read of it"),
        ({}, "no installed package says how a builtins.dict is read"),
    ],
    ids=_name,
)
def test_wrong_marshallers(container: Any, said: str) -> None:
    with installed_marshallers(), pytest.raises(ExtensionError) as found:
        check_marshaller(container)
    assert said in str(found.value)


def test_functions_that_are_not_there() -> None:
    marshallers = [Marshaller("tests.containers:Column", read="tests.containers:no_such")]
    with installed_marshallers(marshallers), pytest.raises(ExtensionError, match="no_such, which is not there"):
        read_inputs([Column([1])])


def test_arrays_are_read_without_a_copy() -> None:
    column, points = Column(np.zeros(3)), Points(np.zeros(3), np.zeros(3))
    with installed_marshallers():
        array, tuples = read_inputs([column, points]).inputs
        copied, _ = read_inputs([column, points], copy=True).inputs
    assert array is column.values
    assert np.shares_memory(np.asarray(tuples.fields[0]), points.parts[0])
    assert not np.shares_memory(copied, column.values)
