"""The peers: NumPy and Numba on a CPU; CuPy, Numba's CUDA and JAX on a GPU. Each is measured where it can be imported.

A peer's program comes from a factory that is given the peer's module, so that nothing is imported before it is asked
for. Every peer takes plain NumPy arrays and gives plain NumPy arrays; on a GPU its kernels are timed apart, over data
that is there already.
"""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = Callable[..., Any]
Factory = Callable[[Any], Function]


@dataclass(frozen=True)
class Peers:
    """The same program for each peer.

    `arrays(xp)` works on whole arrays by the functions of `xp`, which is NumPy, CuPy or JAX's NumPy; `jax` is given
    the module where JAX needs something else, `numba` the module for loops in parallel, `cuda` the module
    `numba.cuda` for kernels, and its function works on arrays of the device. `compiled` is whether JAX can compile
    the function as a whole.
    """

    arrays: Factory | None = None
    numba: Factory | None = None
    cuda: Factory | None = None
    jax: Factory | None = None
    compiled: bool = True


@dataclass(frozen=True)
class Prepared:
    """A peer's program with its inputs at hand: a whole call, and the milliseconds of its kernels where they show."""

    call: Callable[[], Any]
    kernel: Callable[[], float] | None = None


def tuple_of(result: Any) -> tuple[Any, ...]:
    """One result or several, as a tuple."""
    return result if isinstance(result, tuple) else (result,)


def unpacked(results: Sequence[Any]) -> Any:
    """The only result, or all."""
    return results[0] if len(results) == 1 else tuple(results)


def each_array(inputs: Sequence[Any], convert: Function) -> list[Any]:
    """The inputs, with arrays converted; numbers stay."""
    return [convert(value) if isinstance(value, np.ndarray) else value for value in inputs]


def numpy_peer(peers: Peers, inputs: Sequence[Any]) -> Prepared | None:
    """NumPy, on whole arrays."""
    if peers.arrays is None:
        return None
    function = peers.arrays(np)
    return Prepared(lambda: function(*inputs))


def numba_peer(peers: Peers, inputs: Sequence[Any]) -> Prepared | None:
    """Numba, with parallel=True and fastmath=True; SVML is used if Numba finds it."""
    if peers.numba is None:
        return None
    function = peers.numba(importlib.import_module("numba"))
    return Prepared(lambda: function(*inputs))


def cupy_peer(peers: Peers, inputs: Sequence[Any]) -> Prepared | None:
    """CuPy, on whole arrays."""
    if peers.arrays is None:
        return None
    cupy = importlib.import_module("cupy")
    function = peers.arrays(cupy)
    resident = each_array(inputs, cupy.asarray)

    def call() -> Any:
        return unpacked([cupy.asnumpy(r) for r in tuple_of(function(*each_array(inputs, cupy.asarray)))])

    def kernel() -> float:
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        function(*resident)
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, end))

    return Prepared(call, kernel)


def cuda_peer(peers: Peers, inputs: Sequence[Any]) -> Prepared | None:
    """Numba's CUDA kernels, with fastmath=True."""
    if peers.cuda is None:
        return None
    cuda = importlib.import_module("numba.cuda")
    if not hasattr(np, "row_stack"):
        # numba-cuda 0.68 asks for a name that NumPy 2.5 has no more.
        np.row_stack = np.vstack  # pyright: ignore[reportAttributeAccessIssue]
    function = peers.cuda(cuda)
    resident = each_array(inputs, cuda.to_device)

    def host(value: Any) -> Any:
        return value.copy_to_host() if hasattr(value, "copy_to_host") else value

    def call() -> Any:
        return unpacked([host(r) for r in tuple_of(function(*each_array(inputs, cuda.to_device)))])

    def kernel() -> float:
        start, end = cuda.event(timing=True), cuda.event(timing=True)
        start.record()
        function(*resident)
        end.record()
        end.synchronize()
        return float(cuda.event_elapsed_time(start, end))

    return Prepared(call, kernel)


def jax_peer(peers: Peers, inputs: Sequence[Any]) -> Prepared | None:
    """JAX, compiled as a whole where that is possible, with the precision of the other sides."""
    if peers.jax is None and peers.arrays is None:
        return None
    # JAX would take most of the device's memory for itself when it starts.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    function = peers.jax(jax) if peers.jax else peers.arrays(jax.numpy) if peers.arrays else None
    if peers.compiled:
        constant = [i for i, value in enumerate(inputs) if not isinstance(value, np.ndarray)]
        function = jax.jit(function, static_argnums=constant)
    resident = each_array(inputs, jax.device_put)

    def call() -> Any:
        return unpacked([np.array(r) for r in tuple_of(function(*each_array(inputs, jax.device_put)))])

    def kernel() -> float:
        # JAX shows no device clock: from the call until all is done, over data that is there.
        start = time.perf_counter()
        jax.block_until_ready(function(*resident))
        return (time.perf_counter() - start) * 1e3

    return Prepared(call, kernel)


PEERS: dict[str, tuple[str, bool, Callable[[Peers, Sequence[Any]], Prepared | None]]] = {
    "NumPy": ("numpy", False, numpy_peer),
    "Numba": ("numba", False, numba_peer),
    "CuPy": ("cupy", True, cupy_peer),
    "numba-cuda": ("numba.cuda", True, cuda_peer),
    "JAX": ("jax", True, jax_peer),
}
"""The module that a peer needs, whether it is for GPUs, and what prepares its program."""


def available(gpu: bool) -> dict[str, str]:
    """The peers for that kind of device that can be imported, with their versions."""
    found: dict[str, str] = {}
    for name, (module, for_gpu, _) in PEERS.items():
        if for_gpu != gpu:
            continue
        try:
            importlib.import_module(module)
        except Exception:  # noqa: BLE001 -- a package that is broken is one that is not there
            continue
        found[name] = importlib.import_module(module.partition(".")[0]).__version__
    return found
