"""How work-groups are laid over the work-items of a launch in several dimensions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from hetc import abi
from hetc.runtime.call import Action, Call
from hetc.runtime.opencl import cl
from hetc.runtime.row_parts import Part


def prepare_box(step: abi.Launch, kernel: cl.Kernel, queue: cl.CommandQueue) -> Action:
    """What launches a kernel for the indices of a box; an empty one has none."""
    set_args = cast("Callable[..., None]", kernel.set_args)
    launch, arguments = cl.enqueue_nd_range_kernel, step.arguments

    def run(call: Call) -> None:
        found = parts_of_box(step, call.values)
        if found:
            set_args(*[call.values[register] for register in arguments])
        for part, local, offset in found:
            call.kernels.append(launch(queue, kernel, part, local, offset))

    return run


def parts_of_box(step: abi.Launch, values: Sequence[Any], layout: abi.Layout = ()) -> list[Part]:
    """What is launched for the indices of a step's box."""
    sizes, shape = [cast("int", values[register]) for register in step.box], step.shape
    if min(sizes) <= 0:
        return []
    first = [cast("int", values[register]) for register in step.start] or [0] * len(sizes)
    if len(layout) > 1:
        return list(parts(sizes, first, 0, layout))
    if not shape:
        return list(parts(sizes, first, layout[0] if layout else step.group))
    return [(tuple(-(-size // side) * side for size, side in zip(sizes, shape, strict=True)), shape, tuple(first))]


def parts(sizes: Sequence[int], first: Sequence[int], group: int, block: Sequence[int] = ()) -> Iterator[Part]:
    """A box as launches of whole groups, and then what is left: rows of x, filled with neighbouring rows; or blocks.

    >>> list(parts([5, 3], [1, 0], 4))
    [((4, 3), (4, 1), (1, 0)), ((1, 3), (1, 1), (5, 0))]
    >>> list(parts([2, 3], [0, 0], 4))
    [((2, 2), (2, 2), (0, 0)), ((2, 1), (2, 1), (0, 2))]
    >>> list(parts([2, 5], [0, 0], 0, [4, 4]))
    [((2, 4), (2, 4), (0, 0)), ((2, 1), (2, 1), (0, 4))]
    """
    room, axes = max(group, 1), list[list[tuple[int, int, int]]]()
    for axis, (size, start) in enumerate(zip(sizes, first, strict=True)):
        side = min(size, block[axis] if block else room)
        room = max(room // side, 1)
        rest = size % side
        whole = (size - rest, side, start)
        axes.append([whole, (rest, rest, start + size - rest)] if rest else [whole])
    for chosen in itertools.product(*axes):
        yield tuple(c[0] for c in chosen), tuple(c[1] for c in chosen), tuple(c[2] for c in chosen)
