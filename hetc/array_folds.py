"""Folds of long axes on devices in two steps, as near to each other in memory as work-items are to run.

    sum of axis 1 of (n, m)     ->     of axis 1 of (n, m / 16, 16), then of axis 1 of (n, 16)
    sum of axis 0 of (n, m)     ->     of axis 1 of (n / 8, 8, m), then of axis 0 of (n / 8, m)

In the first step, neighbouring work-items read neighbouring elements, and one of them few rows (partial sums: Harris,
Optimizing parallel reduction in CUDA, 2007). The array is seen in another shape for that; nothing is moved. Only whole
arrays are, whose lengths can be divided so; others are folded in one step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hetc.array_calls import ArrayCalls
from hetc.arrays.numbers import NumberArray
from hetc.frontends.array_code.calls import ArrayCall, fold_call
from hetc.runtime.devices import Device

LEAST = 2**16
"""Elements from which on a fold has two steps."""
WIDTHS = {True: (16, 8), False: (32, 16)}
"""The neighbouring elements of an axis that are parted, on devices that share the host's memory, and on others."""
HEIGHTS = {True: (8, 10, 7, 6, 5, 4), False: (64, 50, 32, 25, 16, 10, 8)}
"""The rows of an axis that are put together first."""
TILE = (64, 16)
"""Rows that are put together first, and how long they are, where all elements are folded."""
_AGAIN = {"sum": "sum", "prod": "prod", "min": "min", "max": "max", "any": "any", "all": "all", "mean": "sum"}
"""What folds the parts of a fold."""


def fold(
    calls: ArrayCalls, device: Device, name: str, array: Any, args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """What a fold comes to, in two steps if that is better. Raises CompileError, DeviceError, GuardFailed."""
    call = fold_call(name, array, args, options)
    if not isinstance(array, NumberArray) or call.axes is None or array.size < LEAST:
        return calls.run(call, device)
    parts = _parts(call, device) if call.name in _AGAIN and not array.is_view else None
    if parts is None or array.dtype.name == "float16":
        return calls.run(call, device)
    again = _AGAIN[call.name]
    whole = call.operands[0].reshape(parts)
    first = calls.run(ArrayCall(f"np.{again}(x0, axis=(1,){call.dtype_text})", (whole,)), device)
    before, count, after = call.axes
    if before == after == 1:
        return calls.run(ArrayCall(f"np.{again}(x0, axis=(0,))", (first.reshape(-1),), call.shape), device)
    second = first.reshape((before, first.size // (before * after), after))
    text = f"np.{again}(x0, axis=(1,){call.dtype_text})"
    if call.name == "mean":
        return calls.run(ArrayCall(f"{text} / x1", (second, float(count)), call.shape), device)
    return calls.run(ArrayCall(text, (second,), call.shape), device)


def _parts(call: ArrayCall, device: Device) -> tuple[int, ...] | None:
    """The shape whose second dimension is folded first, if there is one."""
    assert call.axes is not None
    before, count, after = call.axes
    if before == after == 1:  # sums of all elements are as fast in one step
        rows, width = TILE
        tiled = call.name in ("min", "max") and not count % (rows * width)
        return (count // (rows * width), rows, width) if tiled else None
    if after == 1:
        width = next((w for w in WIDTHS[device.shared_memory] if not count % w and count >= 4 * w), None)
        return None if width is None else (before, count // width, width)
    height = next((h for h in HEIGHTS[device.shared_memory] if not count % h and count >= 4 * h), None)
    return None if height is None else (before * (count // height), height, after)
