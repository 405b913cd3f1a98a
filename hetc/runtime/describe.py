"""What a call looks like to the compiler: the types of its inputs and captured variables, and facts about them.

This runs at every call, before the cache of compiled kernels is asked, so it looks at no element of an array, and at
the elements of a list only by loops in C: hetc's own (3 ns an element), or those inside Python and NumPy (about 15 ns
for the types, as much again for the bounds of integers). What it finds out once here, the passes need not guard in a
kernel: element types, equal lengths, intervals of integers (as FastR-OCL's marshalling does, Fumero, thesis, 2017,
ch. 6).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, TypeGuard, cast

import numpy as np

from hetc.abi import (
    INT32_MAX,
    INT64_MAX,
    LONGEST,
    MAX_ALTERNATIVES,
    NUMPY_SCALARS,
    POSITIVE,
    SCALAR_TYPES,
    Bounds,
    Container,
    ElementType,
    InputKind,
    NoneType,
    Refused,
    ScalarType,
    Signature,
    TupleType,
    UnionType,
    ValueType,
    leaves,
    tag_of,
    without_identity,
)
from hetc.arrays.base import Array
from hetc.arrays.formulas import Constant, Progression
from hetc.arrays.made_objects import MadeObjects
from hetc.arrays.numbers import NumberArray
from hetc.arrays.objects import ObjectArray
from hetc.containers import is_masked
from hetc.diagnostics import Category
from hetc.errors import InputError, UnsupportedError
from hetc.field_values import PackedNumbers, packed_type, type_of_numbers
from hetc.foreign import KNOWN, refuse_foreign
from hetc.identities import Identities
from hetc.records import ClassLayout
from hetc.runtime.marshal import DTYPES, SCALARS, AnyArray, formula_of, has_union, is_array, length
from hetc.runtime.objects import MixedColumn, ObjectColumn, as_column
from hetc.runtime.structured import record_type, stride_of, strides_of

_INT = SCALAR_TYPES["int"]
_EMPTY = SCALAR_TYPES["float"]
"""The element type of an empty list: that of `np.array([])`."""


def of_objects(types: Captures, objects: Mapping[str, str]) -> Captures:
    """The types of captured variables, with the names of the objects that arrays are fields of."""
    named = {
        name: replace(found, objects=objects[name]) for name, found in types.items() if _is_field(found, name, objects)
    }
    return {**types, **named}


def _is_field(type_: ValueType | Refused, name: str, objects: Mapping[str, str]) -> TypeGuard[ValueType]:
    return name in objects and isinstance(type_, ValueType) and type_.kind is InputKind.ARRAY and type_.rank == 1


_ARRAY_INPUTS: dict[np.dtype[Any], ValueType] = {
    dtype: ValueType(InputKind.ARRAY, scalar, dims=(0,)) for dtype, scalar in DTYPES.items()
}


Captures = dict[str, ValueType | Refused]
"""The types of captured variables, by name."""


def describe(inputs: Sequence[object], captures: Mapping[str, object]) -> tuple[Signature, Captures]:
    """The signature of a call, and the types of the captured variables that its functions read.

    Raises InputError for no inputs or inputs of different lengths, UnsupportedError for inputs of a type that hetc does
    not compile, which Python may still run. A captured variable of such a type is only a matter of those who read it.
    """
    dimensions = {_common_length(inputs): 0}  # length -> number
    shapes: dict[str, tuple[int, ...]] = {}
    types: Captures = {}
    described = tuple(_describe_input(value, number) for number, value in enumerate(inputs))
    for name, value in captures.items():
        try:
            shapes[name] = shape_of(name, value)
        except UnsupportedError as error:
            types[name] = _refused(error)
            continue
        for size in shapes[name]:
            dimensions.setdefault(size, len(dimensions))
    for name, shape in shapes.items():
        try:
            types[name] = _describe_capture(name, captures[name], shape, dimensions)
        except UnsupportedError as error:
            types[name] = _refused(error)
    signature = Signature(
        described,
        container_of(inputs),
        # An index into a matrix runs over all its elements.
        wide=max(dimensions) > LONGEST or any(math.prod(shape) > INT32_MAX for shape in shapes.values()),
        empty=(dimensions[0],) if 0 in dimensions else (),
    )
    return signature, types


def object_columns(inputs: Sequence[object], layouts: Mapping[type, ClassLayout]) -> list[object]:
    """The inputs of a call, with lists of objects as the fields that are read of them.

    Raises UnsupportedError for objects that hetc does not compile.
    """
    from hetc.runtime.object_arrays import with_fields  # of arrays of objects

    return [
        with_fields(value, layouts, number, _describe_column)
        if isinstance(value, ObjectArray)
        else as_column(value, layouts, number, _describe_column)
        for number, value in enumerate(inputs)
    ]


def container_of(inputs: Sequence[object]) -> Container:
    """The container that a result comes back in: that of the inputs. Raises ForeignInputs for those to be read."""
    kinds = set(map(type, inputs))
    if np.ndarray in kinds and len(kinds) == 1:
        return Container.NDARRAY
    if not kinds <= KNOWN:
        refuse_foreign(inputs)
    if any(map(is_masked, inputs)):
        return Container.MASKED
    if any(isinstance(value, Array) for value in inputs):
        return Container.ARRAY
    if any(map(is_array, inputs)):
        return Container.NDARRAY
    return Container.TUPLE if all(map(_is_tuple, inputs)) else Container.LIST


def _is_tuple(value: object) -> bool:
    return type(value) is tuple or (
        isinstance(value, ObjectColumn | MixedColumn) and value.container is Container.TUPLE
    )


# --------------------------------------------------------------------------------------------------------------------
# Lengths
# --------------------------------------------------------------------------------------------------------------------


def _common_length(inputs: Sequence[object]) -> int:
    if not inputs:
        raise InputError("an array function needs at least one input", category=Category.COUNT)
    return common_length([_length(value, number) for number, value in enumerate(inputs)])


def common_length(lengths: Sequence[int]) -> int:
    """The number of elements that all inputs have. Raises InputError if they differ."""
    if lengths.count(lengths[0]) != len(lengths):
        stated = ", ".join(f"input {number} has {length}" for number, length in enumerate(lengths))
        raise InputError(
            f"the inputs have different lengths: {stated}",
            hint="each input gives one element a call",
            category=Category.LENGTHS,
        )
    return lengths[0]


def _length(value: object, number: int) -> int:
    if isinstance(value, Array) or is_array(value):
        if value.ndim != 1:
            raise UnsupportedError(
                f"input {number} is an array of {value.ndim} dimensions, whose elements only maps take",
                category=Category.INPUT,
            )
        return value.shape[0]
    if isinstance(value, list | tuple | range | ObjectColumn | MixedColumn):
        try:
            return len(cast("Sequence[object]", value))
        except OverflowError:
            raise UnsupportedError(
                f"input {number} is a range of more than 2**63 numbers", category=Category.INTEGER
            ) from None
    raise UnsupportedError(
        f"input {number} is {_article(type(value))}; hetc compiles for arrays, lists, tuples and ranges",
        category=Category.INPUT,
    )


# --------------------------------------------------------------------------------------------------------------------
# Inputs
# --------------------------------------------------------------------------------------------------------------------


def _describe_input(value: object, number: int) -> ValueType:
    if is_masked(value) and value.dtype in DTYPES:
        element = DTYPES[value.dtype]
        holes = bool(np.ma.getmaskarray(value).any())
        return ValueType(InputKind.ARRAY, UnionType((NoneType(), element)) if holes else element, dims=(0,))
    if isinstance(value, ObjectArray):
        if value.fields is None:
            raise UnsupportedError(f"input {number} is an array without objects", category=Category.INPUT)
        bounds = _bounds(value.element, value.fields.intervals)
        layout = "" if isinstance(value, MadeObjects) else value.layout
        return ValueType(InputKind.ARRAY, value.element, bounds=bounds, dims=(0,), resident=True, layout=layout)
    if isinstance(value, Array):
        return _describe_computed(value) or ValueType(InputKind.ARRAY, value.element, dims=(0,), resident=True)
    if is_array(value):
        found = _ARRAY_INPUTS.get(value.dtype) or _describe_structured(value)
        plain = type(value) in (np.ndarray, np.memmap) or (type(value) is np.recarray and value.dtype.names)
        if found is None or not plain:
            raise _unsupported_array(f"input {number}", value)
        return found if any(value.strides) else _describe_computed(value) or found
    if isinstance(value, range):
        return ValueType(InputKind.SEQUENCE, _INT, bounds=range_bounds(value, number), dims=(0,))
    if isinstance(value, ObjectColumn | MixedColumn):
        return ValueType(InputKind.ARRAY, value.element, bounds=_bounds(value.element, value.intervals), dims=(0,))
    elements = cast("Sequence[object]", value)
    element, bounds = _describe_elements(elements, f"input {number}")
    return ValueType(InputKind.ARRAY, element, bounds=bounds, dims=(0,))


def _describe_computed(value: object) -> ValueType | None:
    """The type of an input whose elements are computed, which no kernel reads from memory; None for any other."""
    match formula_of(value):
        case Constant(start) if start.dtype.kind in "biuf" and start.dtype.name != "float16":
            return ValueType(InputKind.SEQUENCE, DTYPES[start.dtype], dims=(0,), constant=True)
        case Progression(start) as found if found.is_integer:
            bounds = Bounds.around(*found.interval(length(value, 0)))
            unit = bool(found.step == 1)
            return ValueType(InputKind.SEQUENCE, DTYPES[start.dtype], bounds=bounds, dims=(0,), unit_step=unit)
        case Progression(start):
            return ValueType(InputKind.SEQUENCE, DTYPES[start.dtype], dims=(0,))
        case _:
            return None


def _describe_structured(array: AnyArray) -> ValueType | None:
    element = record_type(array.dtype, DTYPES)
    if element is None:
        return None
    return ValueType(InputKind.ARRAY, element, dims=(0,), strides=strides_of(array, element, DTYPES))


def range_bounds(value: range, number: int) -> Bounds:
    """The interval of a range's numbers; its step fits 64 bits too, so that a kernel can compute them."""
    low, high = (min(value[0], value[-1]), max(value[0], value[-1])) if value else (value.start, value.start)
    if low < -INT64_MAX - 1 or high > INT64_MAX or not -INT64_MAX - 1 <= value.step <= INT64_MAX:
        raise UnsupportedError(
            f"input {number} is a range of numbers that do not fit 64 bits", category=Category.INTEGER
        )
    return Bounds.around(low, high)


def _unsupported_array(what: str, value: AnyArray) -> UnsupportedError:
    if type(value) not in (np.ndarray, np.memmap):
        reason = f"is {_article(type(value))}, not a plain array"
    elif value.dtype.newbyteorder("=") in DTYPES:
        reason = f"has {value.dtype.str} elements, whose bytes are not in this machine's order"
    else:
        reason = f"has {value.dtype} elements; hetc compiles {', '.join(NUMPY_SCALARS)}"
    return UnsupportedError(f"{what} {reason}", category=Category.INPUT)


# --------------------------------------------------------------------------------------------------------------------
# Elements of lists and tuples
# --------------------------------------------------------------------------------------------------------------------


def _describe_elements(elements: Sequence[object], what: str) -> tuple[ElementType, Bounds | None]:
    """The element type of a list or tuple, and the interval of its integers if all its integers are Python's."""
    if not elements:
        return _EMPTY, None
    if isinstance(elements, Identities):
        return SCALAR_TYPES["i64"], None
    intervals: list[tuple[int, int]] = []
    if isinstance(elements, PackedNumbers):
        element: ElementType = packed_type(elements.packed, intervals)
    else:
        element = _describe_column(elements, what, intervals)
    return element, _bounds(element, intervals)


def _bounds(element: ElementType, intervals: Sequence[tuple[int, int]]) -> Bounds | None:
    """The interval of all integers of an element, if all of them are Python's."""
    integers = [leaf for leaf in leaves(without_identity(element)) if np.dtype(leaf.dtype).kind in "iu"]
    if not integers or has_union(element) or len(intervals) != len(integers):
        return None
    return Bounds.around(min(low for low, _ in intervals), max(high for _, high in intervals))


def _describe_column(column: Sequence[Any], what: str, intervals: list[tuple[int, int]]) -> ElementType:
    """The one type of all objects of `column`; adds the interval of each column of Python ints to `intervals`."""
    found = type_of_numbers(column, intervals)
    if found is not None:
        return found
    types = set(map(type, column))
    kind = types.pop()
    if not types:
        if kind is int:
            intervals.append(_interval(cast("Sequence[int]", column), what))
        if kind in SCALARS:
            return SCALARS[kind]
        if kind is tuple:
            return _describe_tuples(cast("Sequence[tuple[object, ...]]", column), what, intervals)
    types.add(kind)
    if types <= {*SCALARS, type(None)} and len(types) > 1:
        return _describe_mixed(column, types, what)
    for index, kind in enumerate(map(type, column)):
        if kind is not tuple and kind is not type(None) and kind not in SCALARS:
            raise UnsupportedError(
                f"element {index} of {what} is {_article(kind)}; hetc compiles numbers and tuples of numbers",
                category=Category.INPUT,
            )
    if types == {type(None)}:
        raise UnsupportedError(f"{what} holds nothing but None", category=Category.INPUT)
    kinds: list[type] = list(map(type, column))
    index = next(k for k, kind in enumerate(kinds) if (kind is tuple) != (kinds[0] is tuple))
    raise UnsupportedError(
        f"element {index} of {what} is {_article(kinds[index])}, but element 0 is {_article(kinds[0])}; "
        "hetc compiles for tuples, or for numbers and None",
        category=Category.MIXED,
    )


def _describe_mixed(column: Sequence[Any], types: Collection[type], what: str) -> UnionType:
    """The type of numbers of several types, and None."""
    if int in types:
        _interval([value for value in column if type(value) is int], what)
    kinds: set[ElementType] = {NoneType() if kind is type(None) else SCALARS[kind] for kind in types}
    if len(kinds) > MAX_ALTERNATIVES:
        raise UnsupportedError(
            f"the elements of {what} are of {len(kinds)} types; hetc compiles for {MAX_ALTERNATIVES}",
            category=Category.INPUT,
        )
    return UnionType(tuple(sorted(kinds, key=tag_of)))


def _describe_tuples(column: Sequence[tuple[object, ...]], what: str, intervals: list[tuple[int, int]]) -> TupleType:
    width = len(column[0])
    if width == 0 or set(map(len, column)) != {width}:
        index = next((i for i, value in enumerate(column) if len(value) != width), 0)
        raise UnsupportedError(
            f"element {index} of {what} is a tuple of {len(column[index])}, element 0 a tuple of {width}; "
            "hetc compiles for tuples of one length, at least 1",
            category=Category.MIXED,
        )
    return TupleType(
        tuple(
            _describe_column(list(map(itemgetter(place), column)), f"{what}, component {place}", intervals)
            for place in range(width)
        )
    )


def _interval(numbers: Sequence[int], what: str) -> tuple[int, int]:
    try:
        packed = np.fromiter(numbers, np.int64, len(numbers))
    except OverflowError:
        index = next(i for i, number in enumerate(numbers) if not -INT64_MAX - 1 <= number <= INT64_MAX)
        raise UnsupportedError(
            f"element {index} of {what} is an int that does not fit 64 bits", category=Category.INTEGER
        ) from None
    return int(packed.min()), int(packed.max())


# --------------------------------------------------------------------------------------------------------------------
# Captured variables
# --------------------------------------------------------------------------------------------------------------------


def _refused(error: UnsupportedError) -> Refused:
    category = Category.CAPTURED if error.category in (None, Category.INPUT) else error.category
    return Refused(error.reason, error.hint, category)


def shape_of(name: str, value: object) -> tuple[int, ...]:
    """The shape of a captured array, list or tuple; that of a number has no dimensions."""
    if isinstance(value, Array) or is_array(value):
        if value.ndim not in (1, 2, 3):
            raise UnsupportedError(
                f"captured variable {name!r} is an array of {value.ndim} dimensions; hetc takes 1 to 3",
                category=Category.CAPTURED,
            )
        return value.shape
    if isinstance(value, list | tuple | PackedNumbers):
        return (len(cast("Sequence[object]", value)),)
    return ()


def _describe_capture(name: str, value: object, shape: tuple[int, ...], dimensions: Mapping[int, int]) -> ValueType:
    what = f"captured variable {name!r}"
    dims = tuple(dimensions[size] for size in shape)
    if isinstance(value, NumberArray):
        return ValueType(InputKind.ARRAY, value.element, rank=len(shape), dims=dims, resident=True)
    if is_array(value):
        element = DTYPES.get(value.dtype.newbyteorder("="))
        if element is None or type(value) not in (np.ndarray, np.memmap):
            raise _unsupported_array(what, value)
        return ValueType(InputKind.ARRAY, element, rank=len(shape), dims=dims, strides=stride_of(value))
    if isinstance(value, list | tuple | PackedNumbers):
        element, bounds = _describe_elements(cast("Sequence[object]", value), what)
        if not isinstance(element, ScalarType):
            held = "tuples" if isinstance(element, TupleType) else "numbers of several types, or None"
            raise UnsupportedError(
                f"{what} holds {held}; hetc takes captured lists and tuples of numbers of one type",
                category=Category.CAPTURED,
            )
        return ValueType(InputKind.ARRAY, element, bounds=bounds, dims=dims)
    if type(value) is int:
        if not -INT64_MAX - 1 <= value <= INT64_MAX:
            raise UnsupportedError(f"{what} is an int that does not fit 64 bits", category=Category.INTEGER)
        return ValueType(
            InputKind.SCALAR, _INT, rank=0, bounds=Bounds.around(value, value), equals_dim=dimensions.get(value)
        )
    if value is None:
        return ValueType(InputKind.SCALAR, NoneType(), rank=0)
    element = SCALARS.get(type(value))
    if element is None:
        raise UnsupportedError(
            f"{what} is {_article(type(value))}; hetc takes numbers, arrays, lists and tuples",
            hint=_instead(value),
            category=Category.CAPTURED,
        )
    return ValueType(InputKind.SCALAR, element, rank=0, positive=is_positive(value))


def _instead(value: object) -> str | None:
    """What may be used instead of a captured value that no device has."""
    if isinstance(value, dict):
        return "use a list or an array whose indices are the keys, or look the values up before the call"
    return "use a tuple or a list" if isinstance(value, set | frozenset) else None


_POSITIVE_TYPES = {float, np.float32, np.float64}


def is_positive(value: object) -> bool:
    """Whether a captured number is a float that is at least `POSITIVE`; those of half precision are not asked.

    >>> is_positive(0.01), is_positive(0.0), is_positive(1)
    (True, False, False)
    """
    return type(value) in _POSITIVE_TYPES and bool(cast("float", value) >= POSITIVE)


def _article(kind: type) -> str:
    """How a message names a type: "an int", "a numpy.float16", "None"."""
    if kind is type(None):
        return "None"
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
