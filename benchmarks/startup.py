"""What a program takes from its start to its end: ``python -m benchmarks.startup``.

A small program in processes of their own, by turns: with hetc and an empty cache on disk, with hetc and its kernel in
the cache, and with nothing but NumPy and pyopencl, whose own cache of binaries is warm for all. Each starts Python,
computes saxpy on a thousand elements, and ends. The ratios are to the last one, round by round.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import spread
from benchmarks.report import markdown
from hetc.runtime import icd
from hetc.runtime.devices import Device, select

WITH_HETC = """
import sys
import numpy as np
import hetc

hetc.configure(device=sys.argv[1], offload="always", fallback="error", cache_dir=sys.argv[2])
saxpy = hetc.map(lambda x, y: 2.5 * x + y)
x = np.arange(1000, dtype=np.float32)
assert saxpy(x, x)[-1] == 3.5 * 999
"""

BARE = """
import sys
import numpy as np
import pyopencl as cl

SOURCE = '''
__kernel void saxpy(__global const float *x, __global const float *y, __global float *out)
{ const size_t i = get_global_id(0); out[i] = 2.5f * x[i] + y[i]; }
'''
device = next(d for p in cl.get_platforms() for d in p.get_devices() if d.name.strip() == sys.argv[1])
context = cl.Context([device])
queue = cl.CommandQueue(context)
saxpy = cl.Kernel(cl.Program(context, SOURCE).build(), "saxpy")
x = np.arange(1000, dtype=np.float32)
out = np.empty_like(x)
a = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
b = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, out.nbytes)
saxpy(queue, out.shape, None, a, a, b)
cl.enqueue_copy(queue, out, b)
assert out[-1] == 3.5 * 999
"""


_NOT_PASSED_ON = ("HETC_CACHE", "PYTHONDONTWRITEBYTECODE")
"""A package that is installed is compiled to bytecode once; here that happens in the rounds that are not counted."""


class Programs:
    """The programs as files, and the folder that kernels are stored in."""

    def __init__(self, folder: Path, device: Device, drivers: dict[str, str]) -> None:
        self.folder, self.device = folder, device
        self.cache = folder / "cache"
        for name, text in (("hetc", WITH_HETC), ("bare", BARE)):
            (folder / f"program_{name}.py").write_text(text)
        environment = {name: value for name, value in os.environ.items() if name not in (*drivers, *_NOT_PASSED_ON)}
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
        self.environments = {"hetc": environment, "bare": environment | drivers}

    def seconds(self, name: str) -> float:
        """The time of a process that runs one of the programs to its end."""
        command = [
            sys.executable,
            "-W",
            "ignore",
            str(self.folder / f"program_{name}.py"),
            self.device.name,
            str(self.cache),
        ]
        start = time.perf_counter()
        subprocess.run(command, env=self.environments[name], check=True)
        return time.perf_counter() - start

    def rounds(self, repeat: int) -> Iterator[tuple[float, float, float]]:
        """An empty cache, a warm one, and none to be had."""
        self.seconds("bare")
        self.seconds("hetc")
        for number in range(repeat):
            shutil.rmtree(self.cache)
            empty = self.seconds("hetc")
            if number % 2:
                warm, bare = self.seconds("hetc"), self.seconds("bare")
            else:
                bare, warm = self.seconds("bare"), self.seconds("hetc")
            yield empty, warm, bare


def rows(found: list[tuple[float, float, float]]) -> Iterator[list[str]]:
    """Medians, and ratios with their spread."""
    bare = [one[2] for one in found]
    for number, name in enumerate(("hetc, empty cache", "hetc, warm cache", "pyopencl alone")):
        times = [one[number] for one in found]
        ratios = [time / other for time, other in zip(times, bare, strict=True)]
        low, high = spread(ratios)
        ratio = f"{statistics.median(ratios):.2f} ({low:.2f} to {high:.2f})"
        yield [name, f"{statistics.median(times) * 1e3:.0f}", ratio]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--device", help="which one, as in hetc.configure")
    parser.add_argument("--repeat", type=int, default=11)
    options = parser.parse_args()
    device, before = select(options.device), set(os.environ)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(icd.vendor_folder())  # drivers from PyPI, which hetc has to find for itself
        drivers = {name: value for name, value in os.environ.items() if name not in before}
        found = list(Programs(folder, device, drivers).rounds(options.repeat))
    print(f"{device.name} ({device.platform}), milliseconds a process\n")
    print(markdown(["program", "ms", "ratio (spread)"], list(rows(found))))


if __name__ == "__main__":
    main()
