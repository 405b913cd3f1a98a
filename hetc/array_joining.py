"""`numpy.concatenate` and `numpy.stack` of portable arrays: a new array on the device, to parts of which they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from hetc.array_calls import ArrayCalls, new_arrays
from hetc.arrays.numbers import NumberArray
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.calls import store_call
from hetc.runtime.devices import Device


def concatenate(calls: ArrayCalls, device: Device, given: Any, axis: int = 0) -> NumberArray:
    """Arrays after each other along an axis that there is. Raises CompileError, DeviceError, GuardFailed."""
    arrays = _arrays(given)
    rank = arrays[0].ndim
    if not rank or type(axis) is not int or not -rank <= axis < rank or any(array.ndim != rank for array in arrays):
        raise UnsupportedError("the arrays do not go together along such an axis")
    dim = axis % rank
    others = {array.shape[:dim] + array.shape[dim + 1 :] for array in arrays}
    if len(others) != 1 or any(array.shape[dim] == 1 for array in arrays):
        raise UnsupportedError("the arrays do not go together, or one is a single row")
    dtype = np.result_type(*(array.dtype for array in arrays))
    count = sum(array.shape[dim] for array in arrays)
    out = new_arrays(device)((*arrays[0].shape[:dim], count, *arrays[0].shape[dim + 1 :]), dtype)
    first = 0
    for array in arrays:
        part = out.part((slice(None),) * dim + (slice(first, first + array.shape[dim]),))
        calls.run(store_call(part, array), device)
        first += array.shape[dim]
    return out


def _arrays(given: Any) -> Sequence[NumberArray]:
    if not isinstance(given, list | tuple) or not given:
        raise UnsupportedError("no list of arrays is given")
    for array in cast("Sequence[Any]", given):
        if not isinstance(array, NumberArray | np.ndarray) or not array.size:
            raise UnsupportedError("what is put together are no arrays, or empty ones")
    return cast("Sequence[NumberArray]", given)
