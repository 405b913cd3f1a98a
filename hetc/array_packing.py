"""Views of portable arrays on devices: their elements in a row, and stores to those that no loop stores to in place.

Both are loops over index spaces, as those of `hetc.forall`: where an element is follows from a view's steps.

    packed[i, j] = memory[first + i * down + j * right]

A store to a column, or with steps, goes through all elements: it makes the array anew, from the old one and what is
stored. So it needs no copy of the array to go back to, should a guard fail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hetc import settings
from hetc.array_calls import ArrayCalls, new_arrays
from hetc.arrays.geometry import in_few_dimensions, offset_of
from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.calls import ArrayCall
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import ForAll, Stages, functions
from hetc.jobs import Job
from hetc.runtime.describe_loop import describe_loop
from hetc.runtime.devices import Device

MAX_RANK = 3


def packed(array: NumberArray, device: Device, dispatcher: Dispatcher) -> NumberArray:
    """The elements of a view in memory of their own, row by row, put there by a device. Raises CompileError."""
    layout = in_few_dimensions(array.layout)
    # Dimensions that repeat elements are indexed like others; those above three are not.
    if layout.ndim > MAX_RANK or not layout.size:
        raise UnsupportedError(f"a view has {layout.ndim} dimensions; loops index up to {MAX_RANK}")
    shape = layout.shape or (1,)
    out = new_arrays(device)(shape, array.dtype)
    memory = NumberArray(array.owner, (array.owner.size,))
    steps = (*layout.strides, 0)[: len(shape)]
    run_loop(_packing(len(shape))(out, memory, offset_of(layout), *steps), tuple(map(range, shape)), device, dispatcher)
    return out.reshape(array.shape)


def _packing(rank: int) -> Callable[..., Callable[..., None]]:
    return (_packing_1, _packing_2, _packing_3)[rank - 1]


def _packing_1(out: Any, memory: Any, first: int, step: int) -> Callable[..., None]:
    def pack(i: int) -> None:
        out[i] = memory[first + i * step]

    return pack


def _packing_2(out: Any, memory: Any, first: int, down: int, right: int) -> Callable[..., None]:
    def pack(i: int, j: int) -> None:
        out[i, j] = memory[first + i * down + j * right]

    return pack


def _packing_3(out: Any, memory: Any, first: int, deep: int, down: int, right: int) -> Callable[..., None]:
    def pack(i: int, j: int, k: int) -> None:
        out[i, j, k] = memory[first + i * deep + j * down + k * right]

    return pack


@dataclass(frozen=True)
class Region:
    """Where a view is in the array that it is one of: in each dimension the first index, the step, and how many.

    `order` has the dimensions of the view in the order of the array's.
    """

    parts: tuple[tuple[int, int, int], ...]
    order: tuple[int, ...]

    @staticmethod
    def of(array: NumberArray) -> Region:
        """The region of a view. Raises UnsupportedError for one that is none, such as a diagonal."""
        frame, layout = array.whole.layout, array.layout
        offset, starts = offset_of(layout), list[int]()
        for stride in frame.strides:
            start, offset = divmod(offset, stride)
            starts.append(start)
        found: dict[int, int] = {}
        for dim, (size, stride) in enumerate(zip(layout.shape, layout.strides, strict=True)):
            if size > 1:
                fitting = [
                    k
                    for k, (inner, room) in enumerate(zip(frame.strides, frame.shape, strict=True))
                    if room > 1 and not stride % inner and 0 <= starts[k] + stride // inner * (size - 1) < room
                ]
                if not fitting or fitting[0] in found:
                    raise UnsupportedError("a view is no part of its array")
                found[fitting[0]] = dim
        parts = [(start, 1, 1) for start in starts]
        for k, dim in found.items():
            parts[k] = starts[k], layout.strides[dim] // frame.strides[k], layout.shape[dim]
        return Region(tuple(parts), tuple(found[k] for k in sorted(found)))


def store(array: NumberArray, device: Device, calls: ArrayCalls, fill: Callable[[NumberArray], ArrayCall]) -> None:
    """Store to a view what `fill` computes for an array of its shape. Raises CompileError, DeviceError, GuardFailed."""
    region = Region.of(array)
    whole = array.whole
    if whole.ndim > MAX_RANK:
        raise UnsupportedError(f"an array has {whole.ndim} dimensions; loops index up to {MAX_RANK}")
    make = new_arrays(device)
    parts = ((0, 1, 1),) * (MAX_RANK - len(region.parts)) + region.parts
    value = make(tuple(count for _, _, count in parts), array.dtype)
    # The value's dimensions of several elements, in the order of the view's; and those of one that the view has.
    counts = tuple(count for _, _, count in parts if count > 1)
    turned = value.reshape(counts or (1,))
    if counts:
        turned = turned.transpose([region.order.index(dim) for dim in sorted(region.order)])
    calls.run(fill(turned.reshape(array.shape or (1,))), device)
    frame = (1,) * (MAX_RANK - whole.ndim) + whole.shape
    old, out = whole.reshape(frame), make(frame, array.dtype)
    steps = [part[1] for part in parts]
    body = _storing(out, old, value, *parts) if all(step == 1 for step in steps) else _stepping(out, old, value, *parts)
    run_loop(body, tuple(map(range, frame)), device, calls.dispatcher)
    array.owner.take(out.owner)


Part = tuple[int, int, int]


def _storing(out: Any, old: Any, value: Any, deep: Part, down: Part, right: Part) -> Callable[..., None]:
    (first, _, planes), (top, _, rows), (left, _, columns) = deep, down, right

    def assign(i: int, j: int, k: int) -> None:
        if first <= i < first + planes and top <= j < top + rows and left <= k < left + columns:
            out[i, j, k] = value[i - first, j - top, k - left]
        else:
            out[i, j, k] = old[i, j, k]

    return assign


def _stepping(out: Any, old: Any, value: Any, deep: Part, down: Part, right: Part) -> Callable[..., None]:
    (first, inward, planes), (top, downward, rows), (left, sideward, columns) = deep, down, right

    def assign(i: int, j: int, k: int) -> None:
        p, q, r = (i - first) // inward, (j - top) // downward, (k - left) // sideward
        out[i, j, k] = old[i, j, k]
        if (
            0 <= p < planes and 0 <= q < rows and 0 <= r < columns
            and first + p * inward == i and top + q * downward == j and left + r * sideward == k
        ):  # fmt: skip
            out[i, j, k] = value[p, q, r]

    return assign


def run_loop(body: Callable[..., None], ranges: tuple[range, ...], device: Device, dispatcher: Dispatcher) -> None:
    """Run a loop that fills new arrays. Raises CompileError, DeviceError, GuardFailed."""
    current = settings.current()
    stages: Stages = (ForAll(body, yields=False),)
    resolution = resolve_program(functions(stages), stores=True)
    signature, captures = describe_loop(ranges, resolution.captures)
    job = Job(
        stages, ranges, ranges, signature, captures, resolution, device, current.debug, verify=current.verifies,
        fastmath=current.fastmath,
    )  # fmt: skip
    executable, _ = dispatcher.executable(job)
    executable.run(ranges, resolution.captures)
