"""How fast arrays are copied to and from a device with memory of its own: ``python -m benchmarks.transfers``.

In GB/s, for each size: by the driver from and to ordinary arrays, from and to pinned memory, and staged; out of the
device also into a new array, whose pages nobody has touched, and into the memory of a result that is gone, as calls of
hetc do. The share is that of staged copies in the speed of pinned memory. At the end the same by whole calls of hetc.

On a device that shares the host's memory nothing is copied; with ``--force`` it is treated as if it had memory of its
own, to see that all works.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import hetc
from benchmarks.devices import copying_device
from benchmarks.report import describe, markdown
from hetc.arrays.result_memory import empty_result
from hetc.runtime.buffers import pinned_array
from hetc.runtime.copies import download, upload
from hetc.runtime.devices import Device

SIZES = (16, 64, 256)
"""MiB."""


def gigabytes(size: int, copy: Callable[[], object], repeat: int) -> float:
    """The median speed of a copy of so many bytes."""
    copy()
    times: list[float] = []
    for _ in range(repeat):
        start = time.perf_counter()
        copy()
        times.append(time.perf_counter() - start)
    return size / statistics.median(times) / 1e9


class Copies:
    """The copies of one size, each as a function that ends when the device has done."""

    def __init__(self, device: Device, size: int) -> None:
        self.device = device
        self.source = np.random.default_rng(0).integers(0, 256, size, np.uint8)
        self.target = np.zeros(size, np.uint8)
        self.pinned = pinned_array(device.context, device.queue, size, self.source.dtype)
        self.pinned[:] = self.source
        self.buffer = device.pool.allocate(size)

    def into(self, source: Any, *, staging: bool) -> Callable[[], object]:
        """To the device."""

        def copy() -> None:
            with hetc.configure(staging=staging):
                kept = upload(self.device, self.buffer, source)
            self.device.queue.finish()
            del kept

        return copy

    def out(self, target: Callable[[], Any], *, staging: bool) -> Callable[[], object]:
        """From the device."""

        def copy() -> None:
            with hetc.configure(staging=staging):
                download(self.device, target(), self.buffer, wait=True)

        return copy

    def check(self) -> None:
        """Raises AssertionError if staged copies do not bring back what went in."""
        self.target[:] = 0
        self.into(self.source, staging=True)()
        self.out(lambda: self.target, staging=True)()
        np.testing.assert_array_equal(self.target, self.source)

    def rows(self, repeat: int) -> list[list[str]]:
        """A row for each direction."""
        size = self.source.nbytes

        def speed(copy: Callable[[], object]) -> float:
            return gigabytes(size, copy, repeat)

        def new() -> Any:
            return np.empty(size, np.uint8)

        into = [
            speed(self.into(self.source, staging=False)),
            speed(self.into(self.pinned, staging=False)),
            speed(self.into(self.source, staging=True)),
        ]
        out = [
            speed(self.out(lambda: self.target, staging=False)),
            speed(self.out(lambda: self.pinned, staging=False)),
            speed(self.out(lambda: self.target, staging=True)),
        ]
        fresh = [speed(self.out(new, staging=False)), speed(self.out(new, staging=True))]
        again = speed(self.out(lambda: empty_result(size, np.uint8), staging=True))
        one = "{:.1f}".format
        label = f"{size // 2**20} MiB"
        return [
            [f"{label} in", *map(one, into), f"{into[2] / into[1]:.2f}", "", "", ""],
            [f"{label} out", *map(one, out), f"{out[2] / out[1]:.2f}", *map(one, (*fresh, again))],
        ]


def calls(device: Device, size: int, repeat: int) -> list[list[str]]:
    """saxpy from NumPy arrays to a new one: milliseconds, and the bytes that move in a second."""
    saxpy = hetc.map(lambda x, y: np.float32(2.5) * x + y)
    x, y = (np.random.default_rng(seed).random(size // 4, np.float32) for seed in (1, 2))
    rows: list[list[str]] = []
    for name, settings in {
        "the driver, new memory": {"staging": False, "result_memory": 0},
        "the driver": {"staging": False},
        "staged, new memory": {"result_memory": 0},
        "staged": {},
    }.items():
        with hetc.configure(device=device, offload="always", fallback="error", **settings):
            speed = gigabytes(3 * x.nbytes, lambda: saxpy(x, y), repeat)
        rows.append([name, f"{3 * x.nbytes / speed / 1e6:.1f}", f"{speed:.1f}"])
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transfers", description=__doc__.partition("\n")[0])
    parser.add_argument("--device", help="a device's name or a part of it (default: the best)")
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="copies a measurement (default: 7)")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), metavar="A,B", help="MiB (default: %(default)s)")
    parser.add_argument("--force", action="store_true", help="copy on a device that shares the host's memory, too")
    options = parser.parse_args(argv)
    device = copying_device(options.device, force=options.force)
    print(describe(device))
    if device.shared_memory:
        print("The device shares the host's memory: nothing is copied.")
        return 0
    rows: list[list[str]] = []
    sizes = [int(size) * 2**20 for size in options.sizes.split(",")]
    for size in sizes:
        copies = Copies(device, size)
        copies.check()
        rows += copies.rows(options.repeat)
    columns = ["GB/s", "driver", "pinned", "staged", "share", "driver, new", "staged, new", "staged, used again"]
    print(f"\n{markdown(columns, rows)}")
    print(f"\n{markdown(['saxpy', 'ms', 'GB/s'], calls(device, max(sizes), options.repeat))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
