"""How work-groups are laid over the work-items of a launch in one dimension."""

from __future__ import annotations

from hetc import abi

Part = tuple[tuple[int, ...], tuple[int, ...] | None, tuple[int, ...] | None]
"""A launch: its sizes, those of a group, and where it starts; None for the device's choice, and for zero."""


def parts_in_row(step: abi.Launch, first: int, size: int, layout: abi.Layout = ()) -> list[Part]:
    """What is launched for so many work-items of a step without a box, from number `first` on.

    >>> parts_in_row(abi.Launch("k", 0, (), group=4, tail="split"), 0, 10)
    [((8,), (4,), None), ((2,), None, (8,))]
    >>> parts_in_row(abi.Launch("k", 0, (), group=4, tail="guard"), 8, 10)
    [((12,), (4,), (8,))]
    >>> parts_in_row(abi.Launch("k", 0, (), group=4, tail="split"), 0, 10, (5,))
    [((10,), (5,), None)]

    The groups are those of the step, if no other layout is asked for.
    """
    if size <= 0:
        return []
    group, tail = layout[0] if layout else step.group, step.tail
    local, offset = (group,) if group else None, (first,) if first else None
    rest = size % group if group and tail != "exact" else 0
    if not rest:
        return [((size,), local, offset)]
    whole = size - rest
    if tail == "guard":
        return [((whole + group,), local, offset)]
    end: Part = (rest,), (1,) if tail == "single" else None, (first + whole,)
    return [((whole,), local, offset), end] if whole else [end]
