"""Launches of several dimensions: how work-groups are laid over the box of indices that a launch runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from hetc import abi
from hetc.runtime.call import Action, Call
from hetc.runtime.opencl import cl

Part = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""A launch: its sizes, those of a group, and where it starts."""


def prepare_box(step: abi.Launch, kernel: cl.Kernel, queue: cl.CommandQueue) -> Action:
    """What launches a kernel for the indices of a box; an empty one has none."""
    set_args = cast("Callable[..., None]", kernel.set_args)
    launch = cl.enqueue_nd_range_kernel
    box, start, arguments, group, shape = step.box, step.start, step.arguments, step.group, step.shape

    def run(call: Call) -> None:
        values = call.values
        sizes = [cast("int", values[register]) for register in box]
        if min(sizes) <= 0:
            return
        first = [cast("int", values[register]) for register in start] or [0] * len(sizes)
        set_args(*[values[register] for register in arguments])
        if shape:
            rounded = tuple(-(-size // side) * side for size, side in zip(sizes, shape, strict=True))
            call.kernels.append(launch(queue, kernel, rounded, shape, tuple(first)))
            return
        for part, local, offset in parts(sizes, first, group):
            call.kernels.append(launch(queue, kernel, part, local, offset))

    return run


def parts(sizes: Sequence[int], first: Sequence[int], group: int) -> Iterator[Part]:
    """A box as launches of whole groups: rows of x, filled with neighbouring rows, and then what is left.

    >>> list(parts([5, 3], [1, 0], 4))
    [((4, 3), (4, 1), (1, 0)), ((1, 3), (1, 1), (5, 0))]
    >>> list(parts([2, 3], [0, 0], 4))
    [((2, 2), (2, 2), (0, 0)), ((2, 1), (2, 1), (0, 2))]
    """
    room, axes = max(group, 1), list[list[tuple[int, int, int]]]()
    for size, start in zip(sizes, first, strict=True):
        side = min(size, room)
        room = max(room // side, 1)
        rest = size % side
        whole = (size - rest, side, start)
        axes.append([whole, (rest, rest, start + size - rest)] if rest else [whole])
    for chosen in itertools.product(*axes):
        yield tuple(c[0] for c in chosen), tuple(c[1] for c in chosen), tuple(c[2] for c in chosen)
