"""Which of two devices runs a call, and which is faster: ``python -m benchmarks.device_choice``.

Each function runs on each device alone, and then with both as candidates under ``offload="auto"``, size after size, as
often as a kernel takes to pay. What ran the last calls is read where the choice is made, since a profile would make a
GPU wait for the times of its commands. A choice counts as wrong if most of the last calls ran on a device that takes a
fifth longer than the other.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import hetc
from benchmarks.devices import copying_device
from hetc.candidates import candidates
from hetc.choice import Choice
from hetc.jit_function import JitFunction
from hetc.runtime.devices import Device, select
from hetc.settings import Settings

SIZES = {1_000: 1500, 100_000: 600, 8_000_000: 120}
"""Elements, and calls."""
LAST = 20
"""So many calls are looked at, the last ones."""
LONGER = 1.2
ROUNDS = 40
"""Of the loops that the arrays stay on a device for."""

Call = Callable[[], Any]


@hetc.jit
def rounds(x: Any, y: Any) -> None:
    """Two loops in a loop of the host, whose arrays may stay on a device."""
    for _ in range(ROUNDS):
        for i in hetc.forall(len(x)):
            y[i] = x[i] * 0.5 + 1.0
        for i in hetc.forall(len(x)):
            x[i] = y[i] - 0.25


@hetc.jit
def statements(x: Any, y: Any) -> Any:
    """NumPy statements."""
    z = (x * y + np.sqrt(x)) * (x - y * 0.25) + x / (y + 2.0)
    return (z - y * 0.5) * (z + x)


def programs() -> dict[str, tuple[Any, int]]:
    """Functions, and how many inputs they have."""
    return {
        "saxpy": (hetc.map(lambda x, y: np.float32(2.0) * x + y), 2),
        "sin, exp, log, sqrt": (hetc.map(lambda x: np.sqrt(np.exp(np.sin(x)) + np.log(x + np.float32(1.0)))), 1),
        "dot product": (hetc.map(lambda x, y: x * y).reduce(lambda a, b: a + b, np.float32(0.0)), 2),
        "NumPy statements": (statements, 2),
        f"{ROUNDS} rounds of two loops": (rounds, 2),
    }


class Chosen:
    """Where calls run, in order."""

    def __init__(self, devices: Sequence[Device], names: Sequence[str]) -> None:
        self.places: list[str] = []
        ran, in_python = Choice.ran, Choice.ran_in_python

        def note(choice: Choice, size: int, seconds: float | None) -> None:
            self.places.append(names[devices.index(choice.device)] if choice.device in devices else "elsewhere")
            ran(choice, size, seconds)

        def note_python(choice: Choice, seconds: float) -> None:
            self.places.append("Python")
            in_python(choice, seconds)

        Choice.ran, Choice.ran_in_python = note, note_python


def milliseconds(call: Call, budget: float) -> float:
    """What a call takes, the median of as many as a time holds."""
    for _ in range(3):
        call()
    taken: list[float] = []
    end = time.perf_counter() + budget
    while len(taken) < 3 or (time.perf_counter() < end and len(taken) < 200):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return 1e3 * statistics.median(taken)


def rows(devices: Sequence[Device], budget: float, only: str, more: int) -> Iterator[tuple[str, ...]]:
    """A row for each function and size."""
    names = names_of(devices)
    chosen = Chosen(devices, names)
    for name, (function, count) in programs().items():
        if only not in name:
            continue
        for size, usual in SIZES.items():
            calls = usual * more
            inputs = [np.arange(size, dtype=np.float32) % 100 + 1 for _ in range(count)]
            called = hetc.jit(function.function) if isinstance(function, JitFunction) else function
            call = functools.partial(called, *inputs)  # nothing has been found out yet of a function under `hetc.jit`
            alone: list[float] = []
            for device in devices:
                with hetc.configure(device=device, offload="always"):
                    alone.append(milliseconds(call, budget))
            del chosen.places[:]
            begun = time.perf_counter()
            with hetc.configure(candidates=list(devices), offload="auto", fallback="silent"):
                for _ in range(calls // ROUNDS + 4 if function is rounds else calls):
                    call()
            seconds = time.perf_counter() - begun
            last = Counter(chosen.places[-LAST * (2 * ROUNDS if function is rounds else 1) :])
            most = last.most_common(1)[0][0] if last else "Python"
            times = dict(zip(names, alone, strict=True))
            right = most == "Python" or times[most] <= LONGER * min(alone)
            where = ", ".join(f"{number} {place}" for place, number in last.most_common())
            moves = sum(one != other for one, other in itertools.pairwise(chosen.places))
            yield (
                name, f"{size:,}", *(f"{each:.2f}" for each in alone), where or "NumPy or Python",
                "" if right else "wrong", str(moves), f"{seconds:.2f}",
            )  # fmt: skip


def names_of(devices: Sequence[Device]) -> list[str]:
    """Short names, which differ."""
    return [f"{device.traits.family} {number}" for number, device in enumerate(devices)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", nargs=2, metavar="NAME", help="the candidates, instead of the best of each kind")
    parser.add_argument("--copying", action="store_true", help="the first device as one with memory of its own")
    parser.add_argument("--budget", type=float, default=0.2, help="seconds for each function on each device")
    parser.add_argument("--times", type=int, default=1, help="so many times as many calls")
    parser.add_argument("--only", default="", help="functions whose names have this in them")
    options = parser.parse_args()
    devices = list(map(select, options.devices)) if options.devices else list(candidates(Settings()))
    if options.copying:
        devices[0] = copying_device(devices[0].name, force=True)
    print("\n".join(f"{name}: {device}" for name, device in zip(names_of(devices), devices, strict=True)))
    print("function | elements | ms on each alone | last calls | | moves | seconds of all calls")
    for row in rows(devices, options.budget, options.only, options.times):
        print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
