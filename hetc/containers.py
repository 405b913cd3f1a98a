"""The elements of an input, and elements in the container that the caller of an array function expects.

Of a masked array, the masked elements are holes: a function sees None there, and where it gives None the result is
masked. So a function that does not care about holes raises TypeError at the first one, as over a list with None in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard, cast, overload

import numpy as np

from hetc.abi import Container
from hetc.arrays.base import Array
from hetc.arrays.making import portable
from hetc.arrays.numbers import NumberArray
from hetc.arrays.objects import ObjectArray

if TYPE_CHECKING:  # NumPy imports them when they are asked for, which takes a while
    MaskedArray = np.ma.MaskedArray[Any, np.dtype[Any]]


def is_masked(value: object) -> TypeGuard[MaskedArray]:
    """Whether a value is a masked array that hetc takes: one of one dimension, no subclass."""
    kind: type[object] = type(value)
    if kind.__name__ != "MaskedArray":  # NumPy imports them when they are asked for
        return False
    return kind is np.ma.MaskedArray and cast("MaskedArray", value).ndim == 1


class MaskedElements(Sequence[object]):
    """The elements of a masked array: None where it is masked."""

    def __init__(self, array: MaskedArray) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, index: int) -> object: ...

    @overload
    def __getitem__(self, index: slice) -> MaskedElements: ...

    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return MaskedElements(self.array[index])
        return None if np.ma.getmaskarray(self.array)[index] else self.array.data[index]

    def __iter__(self) -> Iterator[object]:
        pairs = zip(self.array.data, np.ma.getmaskarray(self.array), strict=True)
        return (None if masked else value for value, masked in pairs)


def elements_of(value: Any) -> Any:
    """An input as the iterable of the elements that a function sees.

    >>> list(elements_of(np.ma.array([1.5, 2.5], mask=[False, True])))
    [np.float64(1.5), None]
    """
    if isinstance(value, Array):
        return value.elements()
    return MaskedElements(value) if is_masked(value) else value


def nan_as_missing(value: Any) -> Any:
    """An input whose NaNs are holes: an array masked there, a list with None there.

    >>> nan_as_missing([1.5, float("nan"), 2])
    [1.5, None, 2]
    """
    array = value.host() if isinstance(value, NumberArray) else value
    if type(array) is np.ndarray and array.dtype.kind == "f" and array.ndim == 1:
        holes = np.isnan(array)
        return np.ma.MaskedArray(array, holes) if holes.any() else value
    if not isinstance(value, list | tuple):
        return value
    sequence = cast("Sequence[object]", value)
    elements = [None if isinstance(x, float) and x != x else x for x in sequence]
    return tuple(elements) if type(sequence) is tuple else elements


def missing_as_nan(result: Any) -> Any:
    """A result in which NaN stands for what is missing, where an array can say it no other way."""
    if isinstance(result, np.ma.MaskedArray):
        array = cast("MaskedArray", result)
        if not np.ma.getmaskarray(array).any():
            return array.data
        filled = np.array(array.data, np.result_type(array.dtype, np.float16))
        filled[np.ma.getmaskarray(array)] = np.nan
        return filled
    if isinstance(result, tuple):
        return tuple(missing_as_nan(part) for part in cast("tuple[object, ...]", result))
    return result


def collect(elements: list[Any], container: Container) -> object:
    """Elements in the container that the caller expects.

    In an ndarray, tuples become one array a component, as NumPy's own functions with several outputs return them. What
    a portable array does not hold (objects, None) comes back as it does from ndarrays. KEPT is the same but for
    objects, None among them, which become a portable array, too.
    """
    match container:
        case Container.LIST:
            return elements
        case Container.TUPLE:
            return tuple(elements)
        case Container.NDARRAY:
            return _as_arrays(elements, masked=False)
        case Container.MASKED:
            return _as_arrays(elements, masked=True)
        case Container.ARRAY:
            return portable(_as_arrays(elements, masked=False))
        case Container.KEPT:
            objects = any(map(_is_object, elements))
            return ObjectArray.of(elements) if objects else portable(_as_arrays(elements, masked=False))


def as_array(result: Any) -> Any:
    """What an array function gives, as portable arrays where it is a list or arrays; else as it is."""
    if isinstance(result, list):
        return collect(cast("list[Any]", result), Container.KEPT)
    return portable(result)


def select(inputs: Sequence[Any], positions: Sequence[int], container: Container, *, rows: bool) -> object:
    """The elements that inputs have at some positions: those of the one input, or `rows` of an element of each.

    In a list or tuple they are the very objects. Arrays keep their dtype; what is no array has that of all its
    elements if none is selected.

    >>> select([[1.5, 2.5], "ab"], [1], Container.LIST, rows=True)
    [(2.5, 'b')]
    """
    if container in (Container.LIST, Container.TUPLE):
        columns = [[value[place] for place in positions] for value in inputs]
        return collect(list(zip(*columns, strict=True)) if rows else columns[0], container)
    arrays = tuple(_selected(value, positions, container) for value in inputs)
    return arrays if rows else arrays[0]


def _selected(value: Any, positions: Sequence[int], container: Container) -> object:
    if isinstance(value, np.ndarray):
        return cast("Any", value)[np.array(positions, np.intp)]
    if positions:
        return collect([value[place] for place in positions], container)
    every: Any = collect(list(value), container)
    return every[:0] if isinstance(every, np.ndarray) else every


def _is_object(element: object) -> bool:
    """Whether an element is an object of a class: no None, number, or plain tuple or list."""
    plain = isinstance(element, int | float | complex | np.generic | np.ndarray | list | str | None)
    return not plain and type(element) is not tuple


def _as_arrays(elements: Sequence[object], *, masked: bool) -> object:
    widths = {_width(element) for element in elements}
    if len(widths) != 1 or None in widths:
        return _as_masked(elements) if masked else np.array(elements)
    rows = cast("Sequence[tuple[object, ...]]", elements)
    return tuple(_as_arrays(component, masked=masked) for component in zip(*rows, strict=True))


def _as_masked(elements: Sequence[object]) -> MaskedArray:
    """A masked array with the dtype of the elements that are there, masked at the others."""
    present = np.array([element for element in elements if element is not None])
    mask = np.array([element is None for element in elements], bool)
    data = np.zeros((len(elements), *present.shape[1:]), present.dtype)
    data[~mask] = present
    return np.ma.MaskedArray(data, mask)


def _width(element: object) -> int | None:
    """The number of items in a tuple, None for anything else."""
    return len(cast("tuple[object, ...]", element)) if isinstance(element, tuple) else None


LONGEST_TEXT = 60
"""Characters of a value that a message shows."""


def value_text(value: object) -> str:
    """A value as messages show it: NumPy's numbers as numbers, on one line, and not at any length.

    >>> value_text(np.float32(0.5)), value_text(np.arange(3.0))
    ('0.5', 'array([0., 1., 2.])')
    """
    text = " ".join((str(value) if isinstance(value, np.generic) else repr(value)).split())
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}..."


def values_text(names: Iterable[str], values: Iterable[object]) -> str:
    """Variables and their values.

    >>> values_text(["i", "x"], [3, 0.5])
    'i = 3, x = 0.5'
    """
    return ", ".join(f"{name} = {value_text(value)}" for name, value in zip(names, values, strict=True))
