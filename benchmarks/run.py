"""hetc against OpenCL written by hand, on the same device and data: ``python -m benchmarks.run``.

For each program: the time inside kernels by the device's own clock, the time from NumPy arrays to the result, and the
error of both sides against double precision. See README.md for how to read the table.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hetc
from benchmarks.measure import compare
from benchmarks.native.host import Host, milliseconds
from benchmarks.programs import PROGRAMS, Program
from benchmarks.report import HEADER, Outcome, as_json, cells, describe, markdown
from hetc.runtime.devices import select

RESIDENT_LAUNCHES = 5
"""Launches over the same buffers at the start of each program, for the time without first touches of memory."""


def measure(program: Program, host: Host, size: int, pairs: int) -> Outcome:
    """Check and measure one program at one size."""
    inputs = program.sample(size)
    native_inputs = program.native_inputs(*inputs)
    native = program.native(host)

    def native_call() -> tuple[Any, float]:
        call = native.start(*native_inputs)
        kernel = milliseconds(native.launch(call))
        return native.finish(call), kernel

    def native_kernel() -> float:
        # In device memory of its own, a kernel runs slower right after copies that it waited for, by up to a fifth;
        # the better time is the bar. In shared memory both sides have to be the first to touch their results.
        return native_call()[1] if host.shared else milliseconds(native.launch(resident))

    def hetc_kernel() -> float:
        with hetc.profile() as profile:
            program.function(*inputs)
        return profile.kernel_ns / 1e6

    first, result = timed(lambda: program.function(*inputs))
    native_result, _ = native_call()
    reference = program.reference(*inputs)
    resident = native.start(*native_inputs)
    return Outcome(
        name=program.name,
        size=size,
        hetc_first_call=first,
        hetc_error=program.error(result, reference),
        native_error=program.error(native_result, reference),
        tolerance=program.tolerance,
        resident=min(milliseconds(native.launch(resident)) for _ in range(RESIDENT_LAUNCHES)),
        kernel=compare(hetc_kernel, native_kernel, pairs),
        end_to_end=compare(lambda: timed(lambda: program.function(*inputs))[0], lambda: timed(native_call)[0], pairs),
    )


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds of one call, and its result."""
    start = time.perf_counter()
    result = function()
    return (time.perf_counter() - start) * 1e3, result


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = [program.name for program in PROGRAMS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="hetc against hand-written OpenCL.")
    parser.add_argument(
        "--device", help="a device's name or a part of it, 'cpu', 'gpu' or a number (default: the best)"
    )
    parser.add_argument("--programs", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="pairs of measurements (default: 15)")
    parser.add_argument(
        "--shrink", type=int, default=1, metavar="N", help="divide every size by a power of two, to try it"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements there")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there")
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
    host = Host(device.handle)
    print(describe(device))
    outcomes: list[Outcome] = []
    # An error rather than a fallback: a time of Python's would not be hetc's.
    with hetc.configure(device=device, offload="always", fallback="error"):
        for program in PROGRAMS:
            if program.name in options.programs:
                print(f"  {program.name} ...", file=sys.stderr, flush=True)
                outcomes.append(measure(program, host, program.size // options.shrink, options.repeat))
    text = markdown(HEADER, [cells(outcome) for outcome in outcomes])
    print(f"\n{text}\n\nTimes in milliseconds, medians of {options.repeat} pairs.")
    if options.json:
        options.json.write_text(as_json(device, outcomes))
    if options.markdown:
        options.markdown.write_text(f"{describe(device)}\n\n{text}\n")
    wrong = [outcome.name for outcome in outcomes if not outcome.correct]
    if wrong:
        print(f"Wrong results: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
