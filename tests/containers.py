"""Containers as other packages have them, and how they are read; `installed_marshallers` makes hetc know them."""

from __future__ import annotations

import array
import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from hetc.extensions import Marshaller


class Column:
    """Numbers of one type, in an array; `wrong` is what its readers do wrong."""

    def __init__(self, values: Any, wrong: Any = None) -> None:
        self.values = np.asarray(values)
        self.wrong = wrong

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)


class SpecialColumn(Column):
    """A column that inherits how it is read."""


class Points:
    """Tuples of numbers, as one array a component."""

    def __init__(self, *parts: Any) -> None:
        self.parts = tuple(map(np.asarray, parts))

    def __iter__(self) -> Iterator[Any]:
        return zip(*self.parts, strict=True)


if TYPE_CHECKING:
    PythonFloats = array.array[float]
else:
    PythonFloats = array.array  # from Python 3.12 on it can be subscripted


class Floats(PythonFloats):
    """Python's own floats, in a class with C under it; there is no way to make one of a result."""


def read_column(column: Column) -> Any:
    if isinstance(column.wrong, Exception):
        raise column.wrong
    return column.values if column.wrong is None else column.wrong


def make_column(result: Any, like: Column) -> Any:
    if like.wrong is not None:
        raise KeyError(like.wrong)
    return type(like)(result) if isinstance(result, np.ndarray) and result.dtype.kind == "f" else None


def read_points(points: Points) -> Any:
    return points.parts


def make_points(result: Any, like: Points) -> Any:
    return Points(*result) if isinstance(result, tuple) else None


def read_floats(floats: Floats) -> Any:
    return floats.tolist()


MARSHALLERS = (
    Marshaller("tests.containers:Column", read="tests.containers:read_column", make="tests.containers:make_column"),
    Marshaller("tests.containers:Points", read="tests.containers:read_points", make="tests.containers:make_points"),
    Marshaller("tests.containers:Floats", read="tests.containers:read_floats"),
)


@contextlib.contextmanager
def installed_marshallers(marshallers: Sequence[Marshaller] = MARSHALLERS) -> Iterator[None]:
    known = {marshaller.container: marshaller for marshaller in marshallers}
    with mock.patch("hetc.extensions._marshallers", return_value=known):
        yield
