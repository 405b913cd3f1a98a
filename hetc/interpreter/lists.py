"""Lists in the heap as values: before `lower-heap`, an op that changes a list changes it in place.

A list that is published is known by where it begins in `Published`, as if all of them lay one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from hetc.dataclass import dataclass
from hetc.dialects import heap
from hetc.interpreter.cases import Cases, Handlers, UndefinedError


@dataclass
class ListValue:
    """A list, with the payloads of each item. Programs with lists are run one case at a time."""

    items: list[tuple[Any, ...]]


@dataclass
class Published:
    """The lists that the host may look at, by where they begin."""

    lists: dict[int, ListValue] = field(default_factory=dict[int, ListValue])
    end: int = 0

    def add(self, value: ListValue) -> int:
        """Where a list begins. Empty ones begin where they cannot be mistaken for another."""
        begin, self.end = self.end, self.end + max(1, len(value.items))
        self.lists[begin] = value
        return begin


PUBLISHED = "published lists"
"""What the published lists are known by, beside the captured variables: a name that no variable has."""


def _item(c: Cases, values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(c.stored(c.get(value), "a list")[0] for value in values)


def _place(c: Cases, op: heap.LoadOp | heap.StoreOp) -> tuple[ListValue, int]:
    found: ListValue = c.get(op.list)
    place = int(c.demand(c.get(op.index), "an address")[0])
    if not 0 <= place < len(found.items):
        raise UndefinedError("an access outside a list")
    return found, place


def _new(c: Cases, op: heap.NewOp) -> None:
    if int(c.demand(c.get(op.room), "the room of a list")[0]) < 0:
        raise UndefinedError("a list has room for less than nothing")
    c.values[op.result] = ListValue([])


def _append(c: Cases, op: heap.AppendOp) -> None:
    grown: ListValue = c.get(op.list)
    grown.items.append(_item(c, op.item))
    c.values[op.result] = grown


def _load(c: Cases, op: heap.LoadOp) -> None:
    found, place = _place(c, op)
    for result, payload in zip(op.item, found.items[place], strict=True):
        c.set(result, np.atleast_1d(payload))


def _store(c: Cases, op: heap.StoreOp) -> None:
    found, place = _place(c, op)
    found.items[place] = _item(c, op.item)


def _length(c: Cases, op: heap.LengthOp) -> None:
    c.set(op.result, np.full(1, len(c.get(op.list).items)))


def _publish(c: Cases, op: heap.PublishOp) -> None:
    value: ListValue = c.get(op.list)
    published: Published = c.captured[PUBLISHED]
    c.set(op.begin, np.full(1, published.add(value)))
    c.set(op.length, np.full(1, len(value.items)))


HANDLERS: Handlers = {
    heap.NewOp: _new,
    heap.AppendOp: _append,
    heap.LoadOp: _load,
    heap.StoreOp: _store,
    heap.LengthOp: _length,
    heap.PublishOp: _publish,
}
