"""Fields that are written into structs as they are read."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from hetc import native
from hetc.abi import MarshalRecords, Member, Source
from hetc.field_reading import read_fields
from hetc.field_values import PackedNumbers
from hetc.records import ClassLayout
from hetc.runtime.records import dtype_of, marshaller
from hetc.structs import WANTED, Struct

FIELDS = ("mass", "key", "heavy", "size")
STEP = MarshalRecords(
    0,
    (
        Member("mass", Source(name="mass"), "float64", 0),
        Member("key", Source(name="key"), "int64", 8),
        Member("size", Source(name="size"), "float32", 16),
        Member("heavy", Source(name="heavy"), "bool", 20),
    ),
    24,
)


class Body:
    def __init__(self, k: int) -> None:
        self.mass, self.key, self.heavy, self.size = k / 4, k * k, k % 3 == 0, np.float32(k)


def read(objects: list[Any]) -> dict[str, Any]:
    _, columns = read_fields(objects, ClassLayout(Body, "Body", FIELDS, (), {}), "input 0")
    return dict(zip(FIELDS, columns, strict=True))


def marshalled(columns: dict[str, Any]) -> np.ndarray[Any, Any]:
    values = [columns[member.name] for member in STEP.members]
    return marshaller(STEP)([PackedNumbers(cast("Any", v)) if isinstance(v, np.ndarray) else v for v in values])


def note(cls: type, *fields: str) -> None:
    structs = (Struct(dtype_of(STEP), tuple((name, name) for name in fields)),) if fields else ()
    WANTED.note({(cls, FIELDS): structs})


@pytest.mark.parametrize("size", [0, 1, 2, 7, 255, 257])
def test_structs_have_the_numbers_of_the_objects(size: int) -> None:
    """Whether fields have been read into structs, some have, or none."""
    objects = [Body(k) for k in range(size)]
    expected = np.array([(b.mass, b.key, b.size, b.heavy) for b in objects], dtype_of(STEP))
    for fields in ((), FIELDS[:3], FIELDS[:1], FIELDS):
        note(Body, *fields)
        columns = read(objects)
        records = marshalled(columns)
        assert (records == expected).all()
        assert records.dtype.itemsize == 24
        if fields and size > 1 and native.compiled is not None:
            assert records is columns["mass"].base
            assert np.shares_memory(records, columns["mass"])
    note(Body)


def test_numbers_of_another_type_are_not_written_into_a_struct() -> None:
    """The columns are those that are read without structs, and what is made of them, too."""
    objects: list[Any] = [Body(k) for k in range(9)]
    note(Body, *FIELDS[:3])
    for change in (
        lambda: setattr(objects[0], "mass", 7),
        lambda: setattr(objects[5], "mass", True),
        lambda: setattr(objects[0], "heavy", 3),
        lambda: setattr(objects[4], "heavy", 2.5),
        lambda: setattr(objects[8], "key", 2**70),
        lambda: [setattr(one, "key", one.key > 9) for one in objects],
        lambda: [setattr(one, "key", 0.5) for one in objects],
        lambda: objects.insert(3, None),
    ):
        change()
        found = read(objects)
        note(Body)
        expected = read(objects)
        note(Body, *FIELDS[:3])
        listed, plain = ({name: values_of(column) for name, column in one.items()} for one in (found, expected))
        assert listed == plain
        assert [list(map(type, values)) for values in listed.values()] == [list(map(type, v)) for v in plain.values()]
    note(Body)


def values_of(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)
