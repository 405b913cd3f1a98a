"""How long the compiler takes, stage by stage: ``python -m benchmarks.compile_time``.

From a Python function to the text of its OpenCL kernels and the plan that runs them, for the programs of the other
benchmark, with xDSL already imported. No device is needed, nor used: what the device's own compiler takes is another
matter. Medians over fresh compilations in one process; and, in the last row, the first compilation of a process, where
Python itself and the tables of the compiler are cold.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.programs import ARRAY_PROGRAMS, Program
from benchmarks.report import markdown
from hetc import driver
from hetc.abi import DeviceTraits, Package
from hetc.api import ArrayFunction
from hetc.frontends.python.closure import resolve
from hetc.frontends.skeleton.composition import functions
from hetc.runtime.describe import describe

RESOLVE = "resolve"
"""The stage before the driver's own: what the names in the functions mean, and the types of their values."""

SAMPLE_SIZE = 8192
"""Elements of the inputs that a program is compiled for: as many as N-body has bodies, for equal lengths are used."""


def traits_of(family: str) -> DeviceTraits:
    """A device of that family as the compiler sees it."""
    return DeviceTraits(family, shared_memory=family != "gpu")


def request(function: ArrayFunction, inputs: Sequence[Any], traits: DeviceTraits) -> driver.Request:
    """What a call of `function` asks of the compiler."""
    resolution = resolve(functions(function.stages))
    signature, captures = describe(inputs, resolution.captures)
    name = driver.entry_name(function.stages)
    return driver.Request(function.stages, signature, captures, resolution, traits, name)


def stage_milliseconds(program: Program, traits: DeviceTraits) -> dict[str, float]:
    """One compilation: the time of each stage, those of the same name added up, in order."""
    inputs = program.sample(SAMPLE_SIZE)
    start = time.perf_counter()
    asked = request(program.function, inputs, traits)
    stages = {RESOLVE: (time.perf_counter() - start) * 1e3}
    package: Package = driver.compile(asked)
    for stage, seconds in package.pass_seconds:
        stages[stage] = stages.get(stage, 0.0) + seconds * 1e3
    return stages


def median_stages(program: Program, traits: DeviceTraits, repeat: int) -> dict[str, float]:
    """The median time of each stage over `repeat` compilations after a first one, and "total", the median sum."""
    stage_milliseconds(program, traits)
    runs = [stage_milliseconds(program, traits) for _ in range(repeat)]
    medians = {stage: statistics.median(run[stage] for run in runs) for stage in runs[0]}
    return medians | {"total": statistics.median(sum(run.values()) for run in runs)}


def first_compilation(program: Program, family: str) -> float:
    """Milliseconds of the first compilation of a process, the median of three processes."""
    command = [sys.executable, "-m", "benchmarks.compile_time", "--family", family, "--first", program.name]
    return statistics.median(
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(3)
    )


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = [program.name for program in ARRAY_PROGRAMS]
    families = list(driver.DEVICE_CHOICES)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compile_time", description="Compile times by stage.")
    parser.add_argument(
        "--family",
        choices=families,
        default=families[0],
        metavar="NAME",
        help=f"the kind of device to compile for: {', '.join(families)} (default: {families[0]})",
    )
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="compilations a program (default: 15)")
    parser.add_argument(
        "--first", choices=names, metavar="NAME", help="compile this program once and print the milliseconds only"
    )
    options = parser.parse_args(argv)
    if options.repeat < 1:
        parser.error("--repeat is at least 1")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table of stages and programs."""
    options = arguments(argv)
    traits = traits_of(options.family)
    if options.first:
        (program,) = (program for program in ARRAY_PROGRAMS if program.name == options.first)
        print(sum(stage_milliseconds(program, traits).values()))
        return 0
    columns = [median_stages(program, traits, options.repeat) for program in ARRAY_PROGRAMS]
    firsts = [first_compilation(program, options.family) for program in ARRAY_PROGRAMS]
    rows = [[stage, *(f"{column[stage]:.1f}" for column in columns)] for stage in columns[0]]
    rows.append(["first of a process", *(f"{first:.1f}" for first in firsts)])
    print(f"Compilation for {options.family}, milliseconds, medians of {options.repeat}\n")
    print(markdown(["stage", *(program.name for program in ARRAY_PROGRAMS)], rows))
    median = statistics.median(column["total"] for column in columns)
    print(f"\nMedian over the programs: {median:.1f} ms; first of a process: {statistics.median(firsts):.1f} ms.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
