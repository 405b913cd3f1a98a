"""hetc against OpenCL written by hand and against its peers, in one process: ``python -m benchmarks.run``.

For each program: the time inside kernels by the device's own clock, the time from NumPy arrays to the result, the bytes
that move, the time to compile, and the error of every side against double precision. See README.md for how to read the
tables.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyopencl as cl

import hetc
from benchmarks.measure import Comparison, compare
from benchmarks.native.host import Host, milliseconds
from benchmarks.peers import PEERS, available
from benchmarks.programs import PROGRAMS, Program
from benchmarks.report import Outcome, PeerOutcome, as_json, describe, tables
from hetc.runtime.devices import Device, select

RESIDENT_LAUNCHES = 5
"""Launches over the same buffers at the start of each program, for the time without first touches of memory."""

MINIMUM_PAIRS = 3

FAST_TOLERANCE = 100
"""How much further off than exact ones results may be under `--fastmath`."""


class Measurement:
    """One program at one size on one device: both sides, and any number of peers."""

    def __init__(self, program: Program, host: Host, size: int, pairs: int, budget: float) -> None:
        self.program, self.host, self.size, self.pairs, self.budget = program, host, size, pairs, budget
        self.inputs = program.sample(size)
        self.native = program.native(host)
        self.reference = program.reference(*self.inputs)
        self.resident = self.native.start(*self.inputs)
        self.tolerance = program.tolerance * (FAST_TOLERANCE if host.fastmath else 1)

    def native_call(self) -> Any:
        """The hand-written program from NumPy arrays to its result."""
        call = self.native.start(*self.inputs)
        self.native.launch(call)
        return self.native.finish(call)

    def native_kernel(self) -> float:
        """Milliseconds in the hand-written kernels.

        In device memory of its own, a kernel runs slower right after copies that it waited for, by up to a fifth; the
        better time is the bar. In shared memory both sides have to be the first to touch their results.
        """
        with self.host.taking_times():
            if not self.host.shared:
                return milliseconds(self.native.launch(self.resident))
            call = self.native.start(*self.inputs)
            kernel = milliseconds(self.native.launch(call))
            self.native.finish(call)
            return kernel

    def resident_kernel(self) -> float:
        """The least milliseconds over buffers that have been written before."""
        with self.host.taking_times():
            return min(milliseconds(self.native.launch(self.resident)) for _ in range(RESIDENT_LAUNCHES))

    def hetc_call(self) -> Any:
        """hetc's result."""
        return self.program.function(*self.inputs)

    def hetc_kernel(self) -> float:
        """Milliseconds in hetc's kernels, launched at once: in parts they would share memory with copies."""
        with hetc.configure(overlap=False), hetc.profile() as profile:
            self.hetc_call()
        return profile.kernel_ns / 1e6

    def compare(self, ours: Callable[[], float], theirs: Callable[[], float]) -> Comparison:
        """As many pairs as were asked for, or as the budget has time for."""
        seconds = timed(lambda: (ours(), theirs()))[0] / 1e3
        pairs = max(min(MINIMUM_PAIRS, self.pairs), min(self.pairs, int(self.budget / max(seconds, 1e-9))))
        return compare(ours, theirs, pairs, warm_up=1)

    def outcome(self) -> Outcome:
        """Both sides, without peers."""
        with hetc.profile() as compiling:
            first, result = timed(self.hetc_call)
        error = self.program.wrong_by(result, self.reference)
        del result
        with hetc.profile() as moving:
            self.hetc_call()
        native_error = self.program.wrong_by(self.native_call(), self.reference)
        return Outcome(
            name=self.program.name,
            size=self.size,
            hetc_first_call=first,
            compile_ms=compiling.compile_ms,
            moved=moving.bytes_h2d + moving.bytes_d2h,
            hetc_error=error,
            native_error=native_error,
            tolerance=self.tolerance,
            resident=self.resident_kernel(),
            kernel=self.compare(self.hetc_kernel, self.native_kernel),
            end_to_end=self.compare(lambda: timed(self.hetc_call)[0], lambda: timed(self.native_call)[0]),
        )

    def peer(self, name: str) -> PeerOutcome | None:
        """A peer's times and hetc's in pairs; None where the program has no version for it."""
        prepared = PEERS[name][2](self.program.peers, self.program.peer_inputs(*self.inputs))
        if prepared is None:
            return None
        error = self.program.wrong_by(prepared.call(), self.reference)
        call = self.compare(lambda: timed(self.hetc_call)[0], lambda: timed(prepared.call)[0])
        kernel = None if prepared.kernel is None else self.compare(self.hetc_kernel, prepared.kernel)
        return PeerOutcome(name, call, kernel, error, self.tolerance)


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds of one call, and its result."""
    start = time.perf_counter()
    result = function()
    return (time.perf_counter() - start) * 1e3, result


@contextlib.contextmanager
def quiet() -> Any:
    """Without the warnings of peers: NumPy's of integers that wrap, Numba's of small grids."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def measure(program: Program, host: Host, peers: Sequence[str], options: argparse.Namespace) -> Outcome:
    """Check and measure one program and its peers. What fails in a peer is its cell, not the end of the run."""
    size = max(1, (program.gpu_size if host.gpu else program.size) // options.shrink)
    measurement = Measurement(program, host, size, options.repeat, options.budget)
    outcome = measurement.outcome()
    for name in peers:
        try:
            with quiet():
                found = measurement.peer(name)
        except Exception as error:  # noqa: BLE001 -- other packages raise whatever they like
            found = PeerOutcome(name, None, None, 0.0, program.tolerance, f"{type(error).__name__}: {error}")
            print(f"    {name}: {found.message}", file=sys.stderr)
        if found is not None:
            outcome.peers.append(found)
    return outcome


def measure_all(device: Device, options: argparse.Namespace, peers: Sequence[str]) -> tuple[list[Outcome], list[str]]:
    """All programs that were asked for; and the names of those that failed, which end nothing but themselves."""
    host = Host(device.handle, fastmath=options.fastmath)
    outcomes: list[Outcome] = []
    failed: list[str] = []
    # An error rather than a fallback: a time of Python's would not be hetc's.
    with hetc.configure(device=device, offload="always", fallback="error", cache=False, fastmath=options.fastmath):
        for program in PROGRAMS:
            if program.name in options.programs:
                started = time.perf_counter()
                try:
                    outcomes.append(measure(program, host, peers, options))
                except (hetc.HetcError, cl.Error, MemoryError) as error:
                    failed.append(program.name)
                    print(f"  {program.name}: {type(error).__name__}: {error}", file=sys.stderr)
                print(f"  {program.name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
                gc.collect()
    return outcomes, failed


def named(text: str) -> list[str]:
    """The programs whose names are those of a list with commas, or begin with them, in any spelling of spaces."""

    def plain(name: str) -> str:
        return name.lower().replace(" ", "").replace("-", "")

    found: list[str] = []
    for part in filter(None, map(plain, text.split(","))):
        matching = [program.name for program in PROGRAMS if plain(program.name).startswith(part)]
        if not matching:
            raise argparse.ArgumentTypeError(f"no program is called {part!r}; there are: {', '.join(NAMES)}")
        found += matching
    return found


NAMES = [program.name for program in PROGRAMS]


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description="hetc against hand-written OpenCL and against its peers."
    )
    parser.add_argument(
        "--device", help="a device's name or a part of it, 'cpu', 'gpu' or a number (default: the best)"
    )
    parser.add_argument(
        "--programs", type=named, default=NAMES, metavar="A,B", help="first letters do: " + ", ".join(NAMES)
    )
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="pairs of measurements (default: 15)")
    parser.add_argument(
        "--budget", type=float, default=2.0, metavar="S", help="seconds for the pairs of a comparison (default: 2)"
    )
    parser.add_argument(
        "--shrink", type=int, default=1, metavar="N", help="divide every size by a power of two, to try it"
    )
    parser.add_argument(
        "--fastmath", action="store_true", help="license approximations on both sides, with errors a hundredfold"
    )
    parser.add_argument("--no-peers", action="store_true", help="measure hetc and the hand-written kernels only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements there")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the tables there, as Markdown")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the ratios there, by matplotlib")
    options = parser.parse_args(argv)
    if options.repeat < 1:
        parser.error("--repeat is at least 1")
    if options.shrink < 1 or options.shrink & (options.shrink - 1):
        parser.error("--shrink is a power of two")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and say by the exit status whether every result was right."""
    options = arguments(argv)
    device = select(options.device)
    print(describe(device))
    peers = {} if options.no_peers else available(bool(device.handle.type & cl.device_type.GPU))
    outcomes, failed = measure_all(device, options, list(peers))
    text = tables(device, outcomes, peers)
    print(f"\n{text}")
    if options.json:
        options.json.write_text(as_json(device, outcomes, peers))
    if options.output:
        options.output.write_text(text)
    if options.plot:
        from benchmarks.plot import draw

        draw(outcomes, options.plot)
    wrong = [outcome.name for outcome in outcomes if not outcome.correct]
    if wrong:
        print(f"Wrong results: {', '.join(wrong)}", file=sys.stderr)
    if failed:
        print(f"Not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
