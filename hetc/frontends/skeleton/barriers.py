"""Gathers, scatters and partitions by their sequential Python meaning: what they make of all elements at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, cast

from hetc.containers import elements_of
from hetc.diagnostics import Category
from hetc.errors import InputError
from hetc.frontends.skeleton.composition import Gather, Partition, Scatter

Row = tuple[Any, ...]


def after_barrier(stage: Gather | Scatter | Partition, rows: Sequence[Row], zero: object) -> Sequence[Row]:
    """The elements after a stage that needs all elements before it gives one; `zero` is of the type that they have."""
    __tracebackhide__ = True  # an index may be out of range
    if isinstance(stage, Partition):
        classes = [stage.function(*row) for row in rows]
        order = sorted(range(len(rows)), key=classes.__getitem__)
        return [rows[k][stage.dropped :] for k in order]
    if isinstance(stage, Gather):
        indices: Iterable[int] = elements_of(stage.indices)
        return [rows[k] for k in indices]
    return [(item,) for item in _scattered(stage, [row[0] for row in rows], zero)]


def _scattered(stage: Scatter, elements: Sequence[Any], zero: object) -> list[Any]:
    __tracebackhide__ = True  # a key may be out of range
    keys: Sequence[Any] = elements if stage.keys is None else list(elements_of(stage.keys))
    values: Sequence[Any] = [1] * len(elements) if stage.keys is None else elements
    if len(keys) != len(values):
        raise InputError(
            f"there are {len(keys)} keys for {len(values)} elements",
            hint="each element needs a key",
            category=Category.LENGTHS,
        )
    init: Any = (_zero_like(values[0]) if values else zero) if stage.init is None else stage.init
    items, places = [init] * stage.size, range(stage.size)
    taken: set[int] = set()
    for key, value in zip(keys, values, strict=True):
        if stage.combine is not None:
            items[key] = stage.combine(items[key], value)
            continue
        items[key] = value
        place = places[index(key)]
        if place in taken:
            raise InputError(
                f"two elements have the key {place}",
                hint="say with combine= what is made of them; combine=lambda old, new: new keeps the last",
                category=Category.INPUT,
            )
        taken.add(place)
    return items


def _zero_like(value: Any) -> Any:
    """The zero of a number's type; for a tuple, that of each item's."""
    return tuple(map(_zero_like, cast("Row", value))) if type(value) is tuple else type(value)()
