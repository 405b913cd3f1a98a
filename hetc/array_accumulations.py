"""Running totals along an axis of a portable array, and the place of the least or greatest of all elements.

Along an axis each work-item adds one row up, from its first element to its last, as NumPy does: what it rounds is
NumPy's, to the bit. All elements of an array of one dimension are one row, which is scanned in parallel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from hetc import settings
from hetc.api import ArrayFunction
from hetc.array_calls import ArrayCalls, new_arrays
from hetc.array_packing import run_loop
from hetc.arrays.numbers import NumberArray
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.calls import axes_of, cast_call
from hetc.frontends.skeleton.composition import Map, Reduce, Scan, Stages
from hetc.jobs import CallOptions
from hetc.runtime.devices import Device

ACCUMULATED = (np.add, np.multiply, np.maximum, np.minimum)


def accumulate(calls: ArrayCalls, device: Device, ufunc: np.ufunc, array: Any, axis: Any, dtype: Any) -> NumberArray:
    """`ufunc.accumulate`; without an axis, along all elements. Raises CompileError, DeviceError, GuardFailed."""
    if not isinstance(array, NumberArray) or ufunc not in ACCUMULATED or dtype is not None:
        raise UnsupportedError(f"{ufunc.__name__}.accumulate is not looked into")
    if axis is None:
        array, axis = array.reshape(-1), 0
    (dim,) = axes_of(axis, array.ndim, one=True)
    given, array = array.shape, _widened(calls, device, ufunc, array)
    if array.size == array.shape[dim]:
        with settings.configure(offload="always"):
            made = ArrayFunction((Scan(ufunc),), CallOptions(device, fallback="error"))(array.reshape(-1))
        return cast("NumberArray", made).reshape(given)
    rows = math.prod(given[:dim]), given[dim], math.prod(given[dim + 1 :])
    source = (array.copy() if array.is_view else array).reshape(rows)
    out = new_arrays(device)(rows, array.dtype)
    run_loop(_BODIES[ufunc](out, source, rows[1]), (range(rows[0]), range(rows[2])), device, calls.dispatcher)
    return out.reshape(given)


def _widened(calls: ArrayCalls, device: Device, ufunc: np.ufunc, array: NumberArray) -> NumberArray:
    """An array with elements of the dtype that NumPy adds them up in."""
    dtype = array.dtype
    wide = ufunc.accumulate(np.ones(1, dtype)).dtype
    if wide.kind not in "iuf" or wide.name == "float16":
        raise UnsupportedError(f"{ufunc.__name__}.accumulate of {dtype}")
    return array if wide == dtype else calls.run(cast_call(array, wide), device)


def _sums(out: Any, source: Any, count: int) -> Callable[..., None]:
    def sums(i: int, j: int) -> None:
        total = source[i, 0, j]
        out[i, 0, j] = total
        for k in range(1, count):
            total = total + source[i, k, j]
            out[i, k, j] = total

    return sums


def _products(out: Any, source: Any, count: int) -> Callable[..., None]:
    def products(i: int, j: int) -> None:
        total = source[i, 0, j]
        out[i, 0, j] = total
        for k in range(1, count):
            total = total * source[i, k, j]
            out[i, k, j] = total

    return products


def _greatest(out: Any, source: Any, count: int) -> Callable[..., None]:
    def greatest(i: int, j: int) -> None:
        total = source[i, 0, j]
        out[i, 0, j] = total
        for k in range(1, count):
            total = np.maximum(total, source[i, k, j])
            out[i, k, j] = total

    return greatest


def _least(out: Any, source: Any, count: int) -> Callable[..., None]:
    def least(i: int, j: int) -> None:
        total = source[i, 0, j]
        out[i, 0, j] = total
        for k in range(1, count):
            total = np.minimum(total, source[i, k, j])
            out[i, k, j] = total

    return least


_BODIES: dict[np.ufunc, Callable[..., Callable[..., None]]] = {
    np.add: _sums, np.multiply: _products, np.maximum: _greatest, np.minimum: _least,
}  # fmt: skip


def place_of(name: str, array: NumberArray, device: Device) -> np.intp:
    """`numpy.argmin` or `numpy.argmax` of all elements. Raises CompileError."""
    dtype = array.dtype
    if dtype.kind not in "iuf" or dtype.name == "float16":
        raise UnsupportedError(f"{name} of {dtype}")
    better = _first_least if name == "argmin" else _first_greatest
    stages: Stages = (Map(_with_place), Reduce(better, (dtype.type(0), -1)))
    with settings.configure(offload="always"):
        made: Any = ArrayFunction(stages, CallOptions(device, fallback="error"))(array.reshape(-1), range(array.size))
    return np.intp(made[1])


def _with_place(element: Any, place: int) -> tuple[Any, int]:
    return element, place


def _first_least(a: Any, b: Any) -> Any:
    """The first NaN if there is one, else the first of the least; a place below 0 stands for nothing."""
    if b[1] < 0:
        return a
    return b if a[1] < 0 or b[0] < a[0] or (b[0] != b[0] and a[0] == a[0]) else a


def _first_greatest(a: Any, b: Any) -> Any:
    if b[1] < 0:
        return a
    return b if a[1] < 0 or b[0] > a[0] or (b[0] != b[0] and a[0] == a[0]) else a
