"""Data larger than the memory that a call may take: ``python -m benchmarks.large``.

A map, a reduction, a scan, a filter and a stencil of two dimensions run on `--size` MiB under a `memory_limit`, from
memory and from a file by `numpy.memmap`. Each result must be equal to that of the same call without the limit, and the
buffers of a call, as a profile counts them, must be within it. Exit status 1 if one is not.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import hetc
from benchmarks.devices import copying_device
from benchmarks.report import describe, markdown
from hetc.runtime.devices import Device
from hetc.settings import bytes_of

MIB = 2**20
CHUNK = 64 * MIB
"""Elements that are compared at a time."""


@dataclass(frozen=True)
class Work:
    """An array function, and what makes its input of so many bytes."""

    name: str
    function: Any
    data: Callable[[int], Any]


def integers(size: int) -> Any:
    """Numbers whose sums fit 64 bits."""
    return np.arange(size // 8, dtype=np.int64)


def image(size: int) -> Any:
    """A picture with more rows than columns."""
    width = max(1, int((size // 4) ** 0.5) // 2)
    height = size // 4 // width
    rows = np.arange(height, dtype=np.float32)[:, None] % 251
    return rows + np.arange(width, dtype=np.float32) % 13


WORKS = (
    Work("map", hetc.map(lambda x: 3 * x + 1), integers),
    Work("reduce", hetc.reduce(lambda p, q: p + q, 0), integers),
    Work("scan", hetc.scan(lambda p, q: p + q), integers),
    Work("filter", hetc.filter(lambda x: x % 3 == 1), integers),
    Work("stencil", hetc.stencil(lambda w: 0.25 * (w[-1, 0] + w[1, 0] + w[0, -1] + w[0, 1]), 1, "wrap"), image),
)


def equal(one: Any, other: Any) -> bool:
    """Whether two results are the same to the bit."""
    if not isinstance(one, np.ndarray):
        return type(one) is type(other) and bool(one == other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    a, b = one.reshape(-1), other.reshape(-1)
    with concurrent.futures.ThreadPoolExecutor() as threads:
        parts = threads.map(lambda k: bool(np.array_equal(a[k : k + CHUNK], b[k : k + CHUNK])), range(0, len(a), CHUNK))
        return all(parts)


@dataclass(frozen=True)
class Outcome:
    """What a call under the limit came to."""

    name: str
    size: int
    seconds: float
    unlimited: float
    batches: int
    peak: int
    right: bool


def timed(function: Any, data: Any, device: Device, **settings: Any) -> tuple[Any, float, Any]:
    """A call's result, seconds, and profile."""
    with hetc.configure(device=device, offload="always", fallback="error", **settings), hetc.profile() as profile:
        start = time.perf_counter()
        found = function(data)
        return found, time.perf_counter() - start, profile


def outcomes(device: Device, size: int, file_size: int, limit: int, folder: Path) -> Iterator[Outcome]:
    """All calls, from memory and from files."""
    for work in WORKS:
        data = work.data(size)
        expected, unlimited, whole = timed(work.function, data, device)
        assert not whole.batches, "without the limit, the call is not divided"
        found, seconds, profile = timed(work.function, data, device, memory_limit=limit)
        right = equal(found, expected)
        yield Outcome(work.name, data.nbytes, seconds, unlimited, profile.batches, profile.peak_device_memory, right)
        del found, expected, data
        part = work.data(file_size)
        path = folder / "data.bin"
        part.tofile(path)
        mapped = np.memmap(path, part.dtype, "r", shape=part.shape)
        expected, unlimited, _ = timed(work.function, part, device)
        del part
        found, seconds, profile = timed(work.function, mapped, device, memory_limit=limit)
        right = equal(np.asarray(found) if isinstance(found, np.ndarray) else found, expected)
        name = f"{work.name}, from a file"
        yield Outcome(name, mapped.nbytes, seconds, unlimited, profile.batches, profile.peak_device_memory, right)
        del found, expected, mapped
        path.unlink()


def main(argv: Sequence[str] | None = None) -> int:
    """Run, compare and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__.partition("\n")[0])
    parser.add_argument("--device", help="a device's name or a part of it (default: the best)")
    parser.add_argument("--size", type=float, default=8192, metavar="MIB", help="of data in memory (default: 8192)")
    parser.add_argument("--file-size", type=float, default=3072, metavar="MIB", help="of a file (default: 3072)")
    parser.add_argument("--limit", default="2GB", help="memory_limit (default: %(default)s)")
    parser.add_argument("--folder", help="for the file (default: the system's for temporary files)")
    parser.add_argument("--force", action="store_true", help="copy on a device that shares the host's memory, too")
    options = parser.parse_args(argv)
    device = copying_device(options.device, force=options.force)
    limit = bytes_of("limit", options.limit)
    assert limit is not None
    print(describe(device), flush=True)
    print(f"memory_limit={options.limit}\n", flush=True)
    rows: list[list[str]] = []
    wrong = False
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        sizes = int(options.size * MIB), int(options.file_size * MIB)
        for found in outcomes(device, *sizes, limit, Path(folder)):
            within = found.peak <= limit
            wrong |= not (found.right and within and found.batches > 1)
            rows.append([
                found.name, f"{found.size / MIB:,.0f}", str(found.batches), f"{found.peak / MIB:,.1f}",
                f"{found.seconds:.2f}", f"{found.unlimited:.2f}", "equal" if found.right else "DIFFERENT",
            ])  # fmt: skip
            print("; ".join(rows[-1]), file=sys.stderr, flush=True)
    print(markdown(["skeleton", "MiB", "batches", "peak, MiB", "s", "s without the limit", "result"], rows))
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
