"""Python data into the arrays that a device takes, and the arrays it filled back into Python data.

The user's data is never changed and is copied only where its layout asks for it: an array that is contiguous, aligned
and in this machine's byte order goes to the device as it is (Marawacc calls such an array a PArray: "portable, without
marshalling", Fumero, thesis, 2017, ch. 5). Tuples are taken apart into one array a component.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np

from hetc.abi import (
    IDENTITY,
    NUMPY_SCALARS,
    SCALAR_TYPES,
    TAG_PATH,
    Container,
    ElementType,
    FixedListType,
    ListType,
    NoneType,
    ObjectType,
    ScalarType,
    TupleType,
    UnionType,
    alternative_path_of_tag,
    leaves,
    only_numbers,
    tag_of,
)
from hetc.arrays.base import Array
from hetc.arrays.formulas import Formula, constant_of
from hetc.arrays.making import portable
from hetc.arrays.numbers import NumberArray
from hetc.containers import collect, is_masked
from hetc.field_values import PackedNumbers, pack_numbers
from hetc.identities import KNOWN_OBJECTS
from hetc.runtime.objects import MixedColumn, ObjectColumn, make_objects
from hetc.runtime.structured import field_view, memory_of

if TYPE_CHECKING:
    from hetc.containers import MaskedArray

PYTHON_SCALARS: dict[type, ScalarType] = {
    int: SCALAR_TYPES["int"],
    float: SCALAR_TYPES["float"],
    bool: SCALAR_TYPES["bool"],
    complex: SCALAR_TYPES["complex"],
}
DTYPES: dict[np.dtype[Any], ScalarType] = {np.dtype(name): scalar for name, scalar in NUMPY_SCALARS.items()}
SCALARS: dict[type, ScalarType] = PYTHON_SCALARS | {
    np.dtype(code).type: scalar for code in "?bhilqBHILQefdFD" for scalar in (DTYPES[np.dtype(code)],)
}
"""The exact type of an element -> its element type. C's `long` and `long long` are two NumPy types of one size."""

_TAGS: dict[type, int] = {kind: tag_of(scalar) for kind, scalar in SCALARS.items()} | {type(None): tag_of(NoneType())}

AnyArray = np.ndarray[Any, np.dtype[Any]]
HostArray = np.ndarray[tuple[int], np.dtype[Any]]


def formula_of(value: object) -> Formula | None:
    """What computes the elements of an input, where it is a number many times or a portable sequence."""
    if isinstance(value, NumberArray):
        return value.formula
    return constant_of(value) if is_array(value) else None


def is_array(value: object) -> TypeGuard[AnyArray]:
    """Whether a value is a NumPy array, of whatever subclass."""
    return isinstance(value, np.ndarray)


def marshal(value: object, path: tuple[int, ...], dtype: np.dtype[Any]) -> HostArray:
    """The numbers of an array, list, tuple or range as one contiguous, aligned, one-dimensional array.

    `path` picks a component of elements that are tuples, or of several types. Arrays of two dimensions are
    flattened row by row. The result may be `value` itself, or a read-only view of it: it is for reading only.
    """
    if type(value) is np.ndarray and value.dtype == dtype and value.ndim == 1:
        flags = value.flags
        if flags.c_contiguous and flags.aligned:  # nothing is to be done
            return value
    if isinstance(value, ObjectColumn | MixedColumn):
        return value.marshal(path, dtype, marshal)
    if isinstance(value, Array):
        return value.memory(path).read()
    if is_masked(value):
        if path == (TAG_PATH,):
            tag = tag_of(DTYPES[value.dtype])
            return np.where(np.ma.getmaskarray(value), tag_of(NoneType()), tag).astype(dtype)
        value = value.data
    if isinstance(value, PackedNumbers):
        value = value.packed
    if is_array(value):
        if value.dtype.names is not None:
            value = field_view(value, path, DTYPES)
        flags = value.flags
        if not (flags.c_contiguous and flags.aligned and value.dtype == dtype):
            value = np.array(value, dtype=dtype, order="C", subok=False)
        return value if value.ndim == 1 else value.reshape(-1)
    if isinstance(value, range):
        # `np.arange` alone would go through float64 for some bounds outside 64 bits.
        return value.start + value.step * np.arange(len(value), dtype=dtype)
    elements = cast("Sequence[Any]", value)
    packed = None if path else pack_numbers(elements)
    if packed is not None and packed.dtype == dtype:
        return packed
    column: Iterable[Any] = elements
    for place in path:
        column = _component(column, place)
    return np.fromiter(column, dtype, len(elements))


def in_place(value: object, path: tuple[int, ...], stride: int) -> HostArray:
    """The memory of an array of numbers, or of a field of a structured one, whose numbers stand a stride apart."""
    array = cast("AnyArray", value)
    return memory_of(field_view(array, path, DTYPES) if path else array, stride)


def _component(column: Iterable[Any], place: int) -> Iterable[Any]:
    """A component of each element: an item of tuples, the tag of a union, or one of its alternatives, else 0."""
    if place >= 0:
        return map(itemgetter(place), column)
    if place == TAG_PATH:
        return map(_TAGS.__getitem__, map(type, column))
    kinds = {kind for kind, tag in _TAGS.items() if alternative_path_of_tag(tag) == place}
    return [value if type(value) in kinds else 0 for value in column]


def marshal_scalar(value: object, path: tuple[int, ...], part: str, dtype: np.dtype[Any]) -> int | float | bool:
    """One number as Python holds it, ready to be a kernel's argument of `dtype`; `part` is that of `abi.Scalar`.

    Kernels take integers as signed ones of their width, so an unsigned number past that range is wrapped.
    """
    number: Any = value
    for place in path:
        number = number[place]
    if part in ("start", "step"):
        number = getattr(number if isinstance(number, range) else formula_of(number), part)
    elif part != "value":
        number = getattr(number, part)
    if dtype.kind == "i" and isinstance(number, np.unsignedinteger):
        number = number.astype(dtype)
    return _PYTHON_NUMBER[dtype.kind](number)


_PYTHON_NUMBER: dict[str, type[int | float | bool]] = {"b": bool, "i": int, "u": int, "f": float}


def length(value: object, dimension: int) -> int:
    """The length of a dimension of an input or captured variable."""
    if is_array(value) or isinstance(value, Array):
        return value.shape[dimension]
    return len(cast("Sequence[object]", value))


Classes = Mapping[str, Any]
"""The classes of the program, by `class_key`, among other things."""


def class_key(symbol: str) -> str:
    """Where a class of the program is found among the captured values, whose names have no space in them."""
    return f"class {symbol}"


def unmarshal(
    hosts: Sequence[HostArray],
    element: ElementType,
    container: Container,
    classes: Classes = MappingProxyType({}),
    *,
    scalar: bool,
) -> object:
    """A call's result from one array for each leaf of `element`, left to right; `classes` make its objects.

    * `scalar`: the first element, as a Python number for Python's types and a NumPy scalar for NumPy's.
    * NDARRAY: the array; for tuples a tuple of arrays, nested as the tuples are.
    * ARRAY: the same as portable arrays, as far as they hold it.
    * LIST, TUPLE: the elements, again with Python's own numbers for Python's types.

    The device knows integers by their width alone, and a truth value as a byte: the leaf says what they are.
    """
    hosts = typed(hosts, element)
    if not scalar and (container is Container.ARRAY or (container is Container.KEPT and only_numbers(element))):
        return portable(unmarshal(hosts, element, Container.NDARRAY, classes, scalar=False))
    if scalar:
        firsts = [host[:1] for host in hosts]
        return _zip_leaves(firsts, element, classes)[0]
    if container in (Container.NDARRAY, Container.MASKED):
        masked = container is Container.MASKED
        arrays = _nest(hosts, element, masked=masked)
        if arrays is not None:
            return arrays
    elements = _zip_leaves(hosts, element, classes)
    return collect(elements, container)


def typed(hosts: Sequence[HostArray], element: ElementType) -> list[HostArray]:
    """The arrays of an element's leaves, with the dtypes of the leaves."""
    return [
        host if host.dtype == leaf.dtype else host.view(leaf.dtype)
        for host, leaf in zip(hosts, leaves(element), strict=True)
    ]


def has_union(element: ElementType) -> bool:
    """Whether an element, or a part of it, may be of several types or None, or a list of any length.

    Then the elements decide of what dtype and shape an array of them is.
    """
    match element:
        case ScalarType():
            return False
        case TupleType(items) | ObjectType(items=items):
            return any(map(has_union, items))
        case NoneType() | UnionType() | ListType() | FixedListType():
            return True


def _zip_leaves(hosts: Sequence[HostArray], element: ElementType, classes: Classes) -> list[Any]:
    """The elements as Python holds them, put together from the arrays of their leaves."""
    match element:
        case ScalarType():
            (host,) = hosts
            return host.tolist() if element.python else list(host)
        case NoneType():
            raise AssertionError("None has no leaves: what it stands in says how many there are")
        case UnionType(items):
            columns = _columns(hosts[1:], items, len(hosts[0]), classes)
            return _choose(hosts[0], dict(zip(map(tag_of, items), columns, strict=True)))
        case TupleType(items):
            return list(zip(*_columns(hosts, items, len(hosts[0]), classes), strict=True))
        case FixedListType(items):
            return list(map(list, zip(*_columns(hosts, items, len(hosts[0]), classes), strict=True)))
        case ObjectType(_, names) if IDENTITY in names:
            return _identified(hosts, element, classes)
        case ObjectType(symbol, names, items):
            count = len(hosts[0])
            return make_objects(classes[class_key(symbol)], names, _columns(hosts, items, count, classes), count)
        case ListType(item):
            items_of_all = _gather(hosts)
            flat = elements_of(items_of_all, item, len(items_of_all[0]), classes)
            ends = np.cumsum(hosts[1]).tolist()
            return [flat[start:end] for start, end in pairwise([0, *ends])]


def _identified(hosts: Sequence[HostArray], element: ObjectType, classes: Classes) -> list[Any]:
    """Objects that came from outside, or that may have: those of which the identity is zero are made."""
    parts, place = parts_of(hosts, element.items), element.names.index(IDENTITY)
    (numbers,) = parts[place]
    objects: list[Any] = classes[KNOWN_OBJECTS].of(numbers)
    new = np.flatnonzero(numbers == 0)
    if new.size and len(parts) > 1:
        chosen = [host[new] for k, part in enumerate(parts) if k != place for host in part]
        pairs = [pair for pair in zip(element.names, element.items, strict=True) if pair[0] != IDENTITY]
        made_type = ObjectType(element.symbol, tuple(name for name, _ in pairs), tuple(item for _, item in pairs))
        for index, made in zip(new.tolist(), elements_of(chosen, made_type, len(new), classes), strict=True):
            objects[index] = made
    return objects


def _gather(hosts: Sequence[HostArray]) -> list[HostArray]:
    """The items of lists, one list after the other: `hosts` are where each begins, how long it is, and all items."""
    begins, lengths, *arrays = hosts
    before = np.cumsum(lengths) - lengths
    shift = np.repeat(begins - before, lengths)
    places = shift + np.arange(len(shift))
    return [array[places] for array in arrays]


def parts_of(hosts: Sequence[HostArray], items: Sequence[ElementType]) -> list[Sequence[HostArray]]:
    """The arrays of each item's leaves."""
    parts: list[Sequence[HostArray]] = []
    for item in items:
        width = len(leaves(item))
        parts.append(hosts[:width])
        hosts = hosts[width:]
    return parts


def elements_of(hosts: Sequence[HostArray], element: ElementType, count: int, classes: Classes) -> list[Any]:
    """The elements, of which there are `count`, as Python holds them."""
    match element:
        case NoneType():
            return [None] * count
        case ObjectType(symbol, ()):
            return make_objects(classes[class_key(symbol)], (), (), count)
        case _:
            return _zip_leaves(typed(hosts, element), element, classes)


def _columns(hosts: Sequence[HostArray], items: Sequence[ElementType], count: int, classes: Classes) -> list[list[Any]]:
    """The elements of each item."""
    parts = zip(parts_of(hosts, items), items, strict=True)
    return [elements_of(part, item, count, classes) for part, item in parts]


def _choose(tags: HostArray, columns: Mapping[int, list[Any]]) -> list[Any]:
    """The elements of a union: each from the column of its tag."""
    present = np.unique(tags).tolist()
    if len(present) == 1 and present[0] in columns:
        return columns[present[0]]
    unknown = [None] * len(tags)  # elements that the kernel has not come to, for Python to run
    return [columns.get(tag, unknown)[place] for place, tag in enumerate(tags.tolist())]


def _merge(hosts: Sequence[HostArray], element: UnionType, *, masked: bool) -> HostArray | MaskedArray | None:
    """A union of numbers as one array, of the dtype that NumPy gives to a list of them; None if some are no numbers.

    `masked`: what is None is masked.
    """
    tags, parts = hosts[0], parts_of(hosts[1:], element.items)
    present = set(np.unique(tags).tolist())
    chosen: list[tuple[int, HostArray]] = []
    for item, part in zip(element.items, parts, strict=True):
        if tag_of(item) in present and not (masked and isinstance(item, NoneType)):
            if not isinstance(item, ScalarType):
                return None
            chosen.append((tag_of(item), part[0]))
    if not chosen:
        return None
    merged = np.zeros(len(tags), np.result_type(*(host.dtype for _, host in chosen)))
    for tag, host in chosen:
        np.copyto(merged, host, where=tags == tag, casting="unsafe")
    return np.ma.MaskedArray(merged, tags == tag_of(NoneType())) if masked else merged


def _nest(hosts: Sequence[HostArray], element: ElementType, *, masked: bool) -> object | None:
    """Arrays for the numbers of an element, nested as its tuples are; None where only the elements themselves tell."""
    match element:
        case ScalarType():
            (host,) = hosts
            return np.ma.MaskedArray(host) if masked else host
        case TupleType():
            parts = zip(parts_of(hosts, element.items), element.items, strict=True)
            arrays = [_nest(part, item, masked=masked) for part, item in parts]
            return None if any(array is None for array in arrays) else tuple(arrays)
        case UnionType():
            return _merge(hosts, element, masked=masked)
        case ListType(ScalarType()) if len(hosts[0]) and hosts[1][0] and (hosts[1] == hosts[1][0]).all() and not masked:
            (items,) = _gather(hosts)
            return items.reshape(len(hosts[0]), -1)
        case FixedListType(items) if len(set(items)) == 1 and len(hosts[0]) and not masked:
            parts = zip(parts_of(hosts, items), items, strict=True)
            arrays = [_nest(part, item, masked=False) for part, item in parts]
            columns = [array for array in arrays if is_array(array)]
            # Of tuples in a list NumPy makes rows, too: that is left to it.
            return np.stack(columns, axis=1) if len(columns) == len(items) else None
        case NoneType() | ObjectType() | ListType() | FixedListType():
            return None
