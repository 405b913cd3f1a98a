"""Python data into the arrays that a device takes, and the arrays it filled back into Python data.

The user's data is never changed and is copied only where its layout asks for it: an array that is contiguous, aligned
and in this machine's byte order goes to the device as it is (Marawacc calls such an array a PArray: "portable, without
marshalling", Fumero, thesis, 2017, ch. 5). Tuples are taken apart into one array a component.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeGuard, cast

import numpy as np

from hetc.abi import Container, ElementType, ScalarType, leaves

AnyArray = np.ndarray[Any, np.dtype[Any]]
HostArray = np.ndarray[tuple[int], np.dtype[Any]]


def is_array(value: object) -> TypeGuard[AnyArray]:
    """Whether a value is a NumPy array, of whatever subclass."""
    return isinstance(value, np.ndarray)


def marshal(value: object, path: tuple[int, ...], dtype: np.dtype[Any]) -> HostArray:
    """The numbers of an array, list, tuple or range as one contiguous, aligned, one-dimensional array.

    `path` picks a component of elements that are tuples. Arrays of two dimensions are flattened row by row. The
    result may be `value` itself, or a read-only view of it: it is for reading only.
    """
    if is_array(value):
        flags = value.flags
        if not (flags.c_contiguous and flags.aligned and value.dtype == dtype):
            value = np.array(value, dtype=dtype, order="C", subok=False)
        return value if value.ndim == 1 else value.reshape(-1)
    if isinstance(value, range):
        # `np.arange` alone would go through float64 for some bounds outside 64 bits.
        return value.start + value.step * np.arange(len(value), dtype=dtype)
    elements = cast("Sequence[Any]", value)
    column: Iterable[Any] = elements
    for place in path:
        column = map(itemgetter(place), column)
    return np.fromiter(column, dtype, len(elements))


def marshal_scalar(value: object, path: tuple[int, ...], part: str, dtype: np.dtype[Any]) -> int | float | bool:
    """One number as Python holds it, ready to be a kernel's argument of `dtype`; `part` is that of `abi.Scalar`.

    Kernels take integers as signed ones of their width, so an unsigned number past that range is wrapped.
    """
    number: Any = value
    for place in path:
        number = number[place]
    if part != "value":
        number = number.start if part == "start" else number.step
    if dtype.kind == "i" and isinstance(number, np.unsignedinteger):
        number = number.astype(dtype)
    return _PYTHON_NUMBER[dtype.kind](number)


_PYTHON_NUMBER: dict[str, type[int | float | bool]] = {"b": bool, "i": int, "u": int, "f": float}


def length(value: object, dimension: int) -> int:
    """The length of a dimension of an input or captured variable."""
    if is_array(value):
        return value.shape[dimension]
    return len(cast("Sequence[object]", value))


def unmarshal(hosts: Sequence[HostArray], element: ElementType, container: Container, *, scalar: bool) -> object:
    """A call's result from one array for each leaf of `element`, left to right.

    * `scalar`: the first element, as a Python number for Python's types and a NumPy scalar for NumPy's.
    * NDARRAY: the array; for tuples a tuple of arrays, nested as the tuples are.
    * LIST, TUPLE: the elements, again with Python's own numbers for Python's types.

    The device knows integers by their width alone, and a truth value as a byte: the leaf says what they are.
    """
    hosts = [
        host if host.dtype == leaf.dtype else host.view(leaf.dtype)
        for host, leaf in zip(hosts, leaves(element), strict=True)
    ]
    if scalar:
        firsts = [host[:1] for host in hosts]
        return _zip_leaves(firsts, element)[0]
    if container is Container.NDARRAY:
        return _nest(hosts, element)
    elements = _zip_leaves(hosts, element)
    return tuple(elements) if container is Container.TUPLE else elements


def _zip_leaves(hosts: Sequence[HostArray], element: ElementType) -> list[Any]:
    """The elements as Python holds them, put together from the arrays of their leaves."""
    if isinstance(element, ScalarType):
        (host,) = hosts
        return host.tolist() if element.python else list(host)
    columns: list[list[Any]] = []
    for item in element.items:
        width = len(leaves(item))
        columns.append(_zip_leaves(hosts[:width], item))
        hosts = hosts[width:]
    return list(zip(*columns, strict=True))


def _nest(hosts: Sequence[HostArray], element: ElementType) -> object:
    if isinstance(element, ScalarType):
        (host,) = hosts
        return host
    parts: list[object] = []
    for item in element.items:
        width = len(leaves(item))
        parts.append(_nest(hosts[:width], item))
        hosts = hosts[width:]
    return tuple(parts)
