"""Portable arrays of what Python has, and of what NumPy and devices give."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from hetc.abi import INT64_MAX, NUMPY_SCALARS, ElementType, TupleType, leaves
from hetc.arrays.base import AnyArray, Array
from hetc.arrays.formulas import Formula, Progression, constant_of
from hetc.arrays.memory import Memory
from hetc.arrays.numbers import NumberArray
from hetc.arrays.tuples import TupleArray
from hetc.diagnostics import Category
from hetc.errors import InputError

_CPU = 1
"""DLPack's name for memory that the host can read."""


def make_array(obj: Any, *, copy: bool | None) -> Array:
    """The portable array of an object; what `copy` means is NumPy's.

    Raises InputError for what holds no numbers that hetc compiles, ValueError where a copy is needed and not wanted.
    """
    if isinstance(obj, Array):
        return obj.copy() if copy else obj
    if isinstance(obj, list | tuple) and obj and isinstance(cast("Sequence[Any]", obj)[0], tuple):
        if copy is False:
            raise ValueError("tuples cannot be shared: they are kept as one array a component")
        return _of_tuples(cast("Sequence[Any]", obj), "the list")
    return _of_numbers(obj, copy=copy)


def make_sequence(start: Any, step: Any, n: Any) -> NumberArray:
    """The array of `start + step * i`, computed where it is needed.

    Raises TypeError for what is no real number or no length, ValueError for a negative length, InputError for integers
    that do not fit 64 bits.
    """
    count = operator.index(n)
    if count < 0:
        raise ValueError(f"a sequence has no {count} elements")
    if all(isinstance(value, int | np.integer) for value in (start, step)):
        first, width = operator.index(start), operator.index(step)
        if not all(-INT64_MAX - 1 <= value <= INT64_MAX for value in (first, width, first + width * max(count - 1, 0))):
            raise InputError(
                f"the sequence from {first} by {width} has numbers that do not fit 64 bits", category=Category.INTEGER
            )
        return _computed(Progression(np.int64(first), np.int64(width)), (count,), np.dtype(np.int64))
    for value in (start, step):
        if not isinstance(value, int | float | np.integer | np.floating):
            raise TypeError(f"a sequence starts and steps by real numbers, not by {_named(value)}")
    return _computed(Progression(np.float64(start), np.float64(step)), (count,), np.dtype(np.float64))


def _computed(formula: Formula, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NumberArray:
    return NumberArray(Memory(math.prod(shape), dtype, formula=formula), shape)


def portable(result: Any) -> Any:
    """What an array function gives as portable arrays, as far as they hold it; a tuple has one array a component."""
    if isinstance(result, np.ndarray):
        found = cast("AnyArray", result)
        fits = type(found) is np.ndarray and found.dtype.name in NUMPY_SCALARS and found.dtype.isnative
        return NumberArray.of(np.ascontiguousarray(found)) if fits else found
    if isinstance(result, tuple):
        parts = [portable(part) for part in cast("tuple[Any, ...]", result)]
        arrays = bool(parts) and all(isinstance(part, NumberArray | TupleArray) for part in parts)
        return TupleArray(parts) if arrays else tuple(parts)
    return result


def components(array: Array) -> Any:
    """The opposite of `portable`: new NumPy arrays with the numbers of an array, nested as its tuples are."""
    if isinstance(array, TupleArray):
        return tuple(map(components, array.fields))
    return np.array(array)


def from_memories(memories: Sequence[Memory], element: ElementType) -> NumberArray | TupleArray:
    """The array whose numbers are in these memories, one for each leaf of its elements' type."""
    if not isinstance(element, TupleType):
        (memory,) = memories
        return NumberArray(memory, (memory.size,))
    parts: list[NumberArray | TupleArray] = []
    for item in element.items:
        width = len(leaves(item))
        parts.append(from_memories(memories[:width], item))
        memories = memories[width:]
    return TupleArray(parts)


def _of_numbers(obj: Any, *, copy: bool | None) -> NumberArray:
    source = _as_numpy(obj)
    if isinstance(source, np.ma.MaskedArray):
        raise InputError(
            "hetc.array takes no masked array: it has no place for what is missing",
            hint="pass the masked array itself to array functions, or fill it: a.filled(0)",
            category=Category.INPUT,
        )
    native = source.dtype.newbyteorder("=")
    if native.name not in NUMPY_SCALARS:
        raise InputError(
            f"hetc.array takes no {source.dtype} elements, of {_named(obj)}",
            hint=f"hetc compiles {', '.join(NUMPY_SCALARS)}, and tuples of them",
            category=Category.INPUT,
        )
    constant = constant_of(source)
    if constant is not None and copy is not False:
        return _computed(constant, source.shape, source.dtype)
    if isinstance(obj, list | tuple | range | int | float | complex | np.generic) and copy is not False:
        return NumberArray.of(source)  # NumPy has just made it
    plain = type(source) in (np.ndarray, np.memmap) and source.dtype == native and source.dtype.isnative
    if copy or not (plain and source.flags.c_contiguous and source.flags.aligned):
        if copy is False:
            raise ValueError(f"{_named(obj)} cannot be shared: its elements are not in a row in this machine's format")
        return NumberArray.of(np.array(source, native, order="C", subok=False))
    return NumberArray.of(np.asarray(source), frozen=True)


def _as_numpy(obj: Any) -> AnyArray:
    """What NumPy makes of an object, without a copy where it offers one."""
    if isinstance(obj, np.ndarray):
        return cast("AnyArray", obj)
    if isinstance(obj, range):
        return _of_range(obj)
    shares = any(hasattr(obj, name) for name in ("__array__", "__array_interface__", "__buffer__"))
    if not shares and hasattr(obj, "__dlpack__") and obj.__dlpack_device__()[0] == _CPU:
        return np.from_dlpack(obj)
    try:
        return np.asarray(obj)
    except (TypeError, ValueError) as error:
        raise InputError(f"{_named(obj)} is no array of numbers: {error}", category=Category.INPUT) from None


def _of_range(numbers: range) -> AnyArray:
    try:
        return np.fromiter(numbers, np.int64, len(numbers))
    except OverflowError:
        raise InputError(f"{numbers} has numbers that do not fit 64 bits", category=Category.INTEGER) from None


def _of_tuples(elements: Sequence[Any], what: str) -> TupleArray:
    width = len(elements[0])
    for place, element in enumerate(elements):
        if type(element) is not tuple or len(cast("tuple[Any, ...]", element)) != width or not width:
            found = f"a tuple of {len(cast('Any', element))}" if isinstance(element, tuple) else _named(element)
            raise InputError(
                f"element {place} of {what} is {found}, element 0 a tuple of {width}; "
                "hetc.array takes tuples of one length, at least 1",
                category=Category.MIXED,
            )
    parts: list[NumberArray | TupleArray] = []
    for place, column in enumerate(zip(*elements, strict=True)):
        if isinstance(column[0], tuple):
            parts.append(_of_tuples(column, f"{what}, component {place}"))
        else:
            parts.append(_of_numbers(list(column), copy=True))
            if parts[-1].ndim != 1:
                raise InputError(
                    f"component {place} of {what} holds sequences; hetc.array takes numbers and tuples in tuples",
                    category=Category.INPUT,
                )
    return TupleArray(parts)


def _named(obj: Any) -> str:
    return f"a {type(obj).__name__}"
