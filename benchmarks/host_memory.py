"""What moves and what is taken where little has to: ``python -m benchmarks.host_memory``.

On a device that shares the host's memory, saxpy on two arrays of `--size` MiB to a new one copies nothing, and takes
at most `WITHIN` times the host's memory at its peak that NumPy's ``np.add(a * x, y)`` takes: each runs in a process of
its own, whose peak the system tells. On a device with memory of its own, or one taken as such, the Hilbert matrix and
daxpy over two ranges bring nothing there. Exit status 1 if one of these is not so.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

import hetc
from benchmarks.devices import copying_device
from benchmarks.report import describe, markdown
from hetc.runtime.devices import select

MIB = 2**20
WITHIN = 1.05
A = np.float32(2.5)
saxpy = hetc.map(lambda x, y: A * x + y)
daxpy = hetc.map(lambda x, y: 2.5 * x + y)


def peak(side: str, size: int, name: str | None) -> None:
    """Run one side of saxpy, and print the bytes that it has copied and the process's peak, in KiB."""
    n = size * MIB // 4
    x, y = np.ones(n, np.float32), np.ones(n, np.float32)
    copied = 0
    if side == "numpy":
        found = np.add(A * x, y)
    else:
        with hetc.configure(device=select(name), offload="always", fallback="error"), hetc.profile() as profile:
            found = saxpy(x, y)
        copied = profile.bytes_h2d + profile.bytes_d2h
    assert bool((found[:: n // 7 + 1] == 3.5).all())
    print(copied, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def side_of(side: str, size: int, name: str | None) -> tuple[int, float]:
    """The bytes that one side copies, and its peak in MiB."""
    command = [sys.executable, "-m", "benchmarks.host_memory", "--side", side, "--size", str(size)]
    command += [] if name is None else ["--device", name]
    copied, kib = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(copied), int(kib) / 1024


def brought(name: str | None, n: int) -> dict[str, int]:
    """The bytes that programs on ranges bring to a device with memory of its own."""
    device = copying_device(name, force=True)
    width = np.int64(n)
    hilbert = hetc.map(lambda k: 1 / (k // width + k % width + 1))
    found: dict[str, int] = {}
    for what, function, inputs in (
        ("Hilbert matrix", hilbert, (range(n * n),)),
        ("daxpy over two ranges", daxpy, (range(n * n), range(0, 2 * n * n, 2))),
    ):
        with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as profile:
            function(*inputs)
        found[what] = profile.bytes_h2d
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.host_memory", description=__doc__.partition("\n")[0])
    parser.add_argument("--device", help="a device's name or a part of it (default: the best)")
    parser.add_argument("--size", type=int, default=256, metavar="MIB", help="of an array (default: 256)")
    parser.add_argument("--side", choices=("numpy", "hetc"), help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.side is not None:
        peak(options.side, options.size, options.device)
        return 0
    device, right = select(options.device), True
    print(describe(device), flush=True)
    if device.shared_memory:
        (_, numpy), (copied, ours) = (side_of(side, options.size, options.device) for side in ("numpy", "hetc"))
        right = copied == 0 and ours <= WITHIN * numpy
        row = [f"saxpy, three arrays of {options.size} MiB", str(copied), f"{ours:.0f}", f"{numpy:.0f}"]
        print(markdown(["program", "bytes copied", "peak, MiB", "NumPy's", "ratio"], [[*row, f"{ours / numpy:.2f}"]]))
        print()
    moved = brought(options.device, 1024)
    print(markdown(["program", "bytes brought to the device"], [[name, str(size)] for name, size in moved.items()]))
    return int(not right or any(moved.values()))


if __name__ == "__main__":
    sys.exit(main())
