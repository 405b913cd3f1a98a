"""The fields of many objects: all that a program reads of them, in one pass if the compiled loops are there.

Otherwise, and where they find what is not plain, block by block in Python, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter, countOf
from typing import Any

import numpy as np

from hetc import native
from hetc.diagnostics import Category
from hetc.errors import UnsupportedError
from hetc.field_values import BLOCK, FieldValues, packed_in
from hetc.native import AnyVector
from hetc.numbering import shared_objects
from hetc.records import ClassLayout, check_methods, missing_attribute, other_class
from hetc.structs import WANTED

Values = AnyVector | list[Any] | UnsupportedError
"""The values of a field, packed or not, or why it is not read."""


def read_fields(elements: Sequence[Any], layout: ClassLayout, what: str) -> tuple[AnyVector | None, list[Values]]:
    """The places of the objects, if there is None among them, and the values of each field.

    Raises UnsupportedError for an element of another class, and for an object that hides a method.
    """
    count = len(elements)
    found = _of_shared(elements, layout, what)
    found = found or _in_one_pass(elements, layout, what) or _by_blocks(elements, layout, what)
    if len(elements) != count:  # another thread, or an object that was freed
        raise UnsupportedError(f"{what} has changed its length while it was read", category=Category.INPUT)
    return found


def _of_shared(elements: Sequence[Any], layout: ClassLayout, what: str) -> tuple[AnyVector | None, list[Values]] | None:
    """The same where most objects stand in several places: each object is read once. None where they do not.

    None also where something is not plain: messages tell the place in the list.
    """
    # Numbering in Python takes longer than reading a field there.
    shared = None if native.compiled is None else shared_objects(elements)
    if shared is None:
        return None
    objects, places = shared
    try:
        _, columns = _in_one_pass(objects, layout, what) or _by_blocks(objects, layout, what)
    except UnsupportedError:
        return None
    present = np.flatnonzero(places >= 0)
    if len(present) == len(places):
        present = None
    else:
        places = places[present]
    repeated: list[Values] = []
    for column in columns:
        if isinstance(column, UnsupportedError):
            return None
        repeated.append(column[places] if isinstance(column, np.ndarray) else [column[k] for k in places.tolist()])
    return present, repeated


def _in_one_pass(
    elements: Sequence[Any], layout: ClassLayout, what: str
) -> tuple[AnyVector | None, list[Values]] | None:
    """The same by the compiled loops; None without them, and if something is not plain."""
    if native.compiled is None:
        return None
    # Memory that is not written to takes none.
    places, count = np.empty(len(elements), np.int64), len(elements)
    in_structs = WANTED.buffers(layout.cls, layout.fields, count)
    buffers = [in_structs[f] if f in in_structs else np.empty(count, np.int64) for f in layout.fields]
    found = native.compiled.read_fields(elements, layout.cls, layout.methods, layout.fields, places, tuple(buffers))
    if found is None:
        return None
    count, has_holes, columns = found
    values: list[Values] = []
    for name, buffer, column in zip(layout.fields, buffers, columns, strict=True):
        match column:
            case str(letter):
                values.append(packed_in(buffer, letter, count))
            case int(index):
                values.append(missing_attribute(index, name, what))
            case _:
                values.append(column)
    return places[:count] if has_holes else None, values


def _by_blocks(elements: Sequence[Any], layout: ClassLayout, what: str) -> tuple[AnyVector | None, list[Values]]:
    count = len(elements)
    columns: list[FieldValues | UnsupportedError] = [FieldValues(count) for _ in layout.fields]
    places: list[int] | None = None
    for start in range(0, count, BLOCK):
        block = elements[start : min(start + BLOCK, count)]
        if countOf(map(type, block), layout.cls) != len(block):
            if set(map(type, block)) - {layout.cls, type(None)}:
                raise other_class([element for element in elements if element is not None], layout.cls, what)
            places = list(range(start)) if places is None else places
        if places is not None:
            places += [start + place for place, element in enumerate(block) if element is not None]
            block = [element for element in block if element is not None]
        check_methods(block, layout, what)
        for number, (name, values) in enumerate(zip(layout.fields, columns, strict=True)):
            if isinstance(values, FieldValues):
                try:
                    values.extend(list(map(attrgetter(name), block)))
                except AttributeError:
                    holes = (e is not None and not hasattr(e, name) for e in elements)
                    index = next(place for place, hole in enumerate(holes) if hole)
                    columns[number] = missing_attribute(index, name, what)
    present = None if places is None else np.array(places, np.int64)
    return present, [values.result() if isinstance(values, FieldValues) else values for values in columns]
