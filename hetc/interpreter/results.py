"""The elements of a call's result, put together from the columns of numbers that a module returns."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from hetc.abi import tag_of
from hetc.analysis.source_types import from_ir, leaf_types, scalar_from_ir
from hetc.dialects import dyn, heap, obj
from hetc.interpreter.cases import Array, UndefinedError, python_value
from hetc.interpreter.comparison import Record
from hetc.interpreter.lists import Published


def elements(
    columns: Sequence[Array], element: Attribute, published: Published, failed: Container[int] = ()
) -> list[Any]:
    """Columns of payloads as Python elements, tuples where the element type is one.

    Behind where a list begins and how long it is may stand the arrays with the items of all lists of its type. What has
    failed a guard has no element.
    """
    drained = len(columns) > len(leaf_types(element))
    readers = _Readers(iter(columns), published, drained=drained)
    read = readers.of(element)
    return [None if row in failed else read(row) for row in range(len(columns[0]))]


Reader = Callable[[int], Any]
"""Gives the element of a row."""


class _Readers:
    """Makes of columns, from left to right, what reads an element of a row."""

    def __init__(self, columns: Iterator[Array], published: Published, *, drained: bool) -> None:
        self.columns = columns
        self.published = published
        self.drained = drained

    def of(self, element: Attribute) -> Reader:
        """What reads elements of a type."""
        match element:
            case TupleType():
                items = [self.of(item) for item in element.types.data]
                return lambda row: tuple(item(row) for item in items)
            case obj.ListType():
                items = [self.of(item) for item in element.types]
                return lambda row: [item(row) for item in items]
            case obj.UnionType():
                return self._union(element)
            case obj.ObjectType():
                fields = [(name, self.of(item)) for name, item in zip(element.fields, element.types, strict=True)]
                return lambda row: Record(tuple((name, item(row)) for name, item in fields))
            case dyn.NoneType():
                return lambda row: None
            case heap.ListType():
                return self._list(element)
            case _:
                column, dtype = next(self.columns), dtype_of_leaf(element)
                return lambda row: python_value(column[row].astype(dtype), element)

    def _union(self, element: obj.UnionType) -> Reader:
        tags = next(self.columns)
        alternatives = {tag_of(from_ir(item)): self.of(item) for item in element.alternatives}

        def read(row: int) -> Any:
            tag = int(tags[row])
            if tag not in alternatives:
                raise UndefinedError(f"a union has no alternative with the tag {tag}")
            return alternatives[tag](row)

        return read

    def _list(self, element: heap.ListType) -> Reader:
        begins, lengths = next(self.columns), next(self.columns)
        if self.drained:
            arrays = [next(self.columns) for _ in element.payloads]
            item = _Readers(iter(arrays), self.published, drained=True).of(element.item)
            return lambda row: [item(begins[row] + place) for place in range(lengths[row])]

        def read(row: int) -> Any:
            if not lengths[row]:
                return []
            items = self.published.lists[int(begins[row])].items
            columns: list[Array] = [np.array(column) for column in zip(*items, strict=True)]
            item = _Readers(iter(columns), self.published, drained=False).of(element.item)
            return [item(place) for place in range(len(items))]

        return read


def dtype_of_leaf(leaf: Attribute) -> np.dtype[Any]:
    """The NumPy type of a number's payload."""
    dtype = np.dtype(scalar_from_ir(leaf).dtype)
    return np.dtype(f"i{dtype.itemsize}") if dtype.kind == "u" else dtype
