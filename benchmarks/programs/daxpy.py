"""daxpy over two sequences, which are computed and never stored: only the result moves."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Program

daxpy = hetc.map(lambda a, b: 2.5 * a + b)


def sample(size: int) -> tuple[Any, Any]:
    """Two sequences of float64."""
    return hetc.seq(0.5, 0.25, size), hetc.seq(1.0, 0.5, size)


def reference(x: Any, _: Any) -> Any:
    """The same in double precision: these numbers are exact."""
    i = np.arange(len(x))
    return 2.5 * (0.5 + 0.25 * i) + (1.0 + 0.5 * i)


def plan(_: Host, x: Any, __: Any) -> Plan:
    numbers = [np.float64(value) for value in (0.5, 0.25, 1.0, 0.5)]
    return Plan({}, {"out": ((len(x),), np.float64)}, [Step("daxpy", (len(x),), [*numbers, "out"])], ["out"])


def arrays(xp: Any) -> Any:
    def run(n):
        i = xp.arange(n)
        return 2.5 * (0.5 + 0.25 * i) + (1.0 + 0.5 * i)

    return run


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def run(n):
        out = np.empty(n)
        for i in nb.prange(n):
            out[i] = 2.5 * (0.5 + 0.25 * i) + (1.0 + 0.5 * i)
        return out

    return run


def cuda(cu: Any) -> Any:
    @cu.jit(fastmath=True)
    def kernel(out):
        i = cu.grid(1)
        if i < len(out):
            out[i] = 2.5 * (0.5 + 0.25 * i) + (1.0 + 0.5 * i)

    def run(n):
        out = cu.device_array(n, np.float64)
        kernel[(n + 255) // 256, 256](out)
        return out

    return run


PROGRAM = Program(
    "daxpy on sequences",
    16 << 20,
    64 << 20,
    # A portable array is read where it is; NumPy's array is what the other sides give.
    lambda x, y: np.asarray(daxpy(x, y)),
    sample,
    reference,
    lambda host: NativeProgram(host, "daxpy", plan),
    Peers(arrays, numba, cuda),
    peer_inputs=lambda x, _: (len(x),),
)
