"""What a run of the benchmarks found, as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.measure import Comparison
from hetc.runtime.devices import Device


@dataclass(frozen=True)
class Outcome:
    """What was measured for one program; all times in milliseconds."""

    name: str
    size: int
    kernel: Comparison
    end_to_end: Comparison
    resident: float
    hetc_first_call: float
    hetc_error: float
    native_error: float
    tolerance: float

    @property
    def correct(self) -> bool:
        """Whether both sides gave the right result. NaN is never right."""
        return self.hetc_error <= self.tolerance and self.native_error <= self.tolerance


HEADER = (
    "program",
    "elements",
    "kernel: hetc",
    "by hand",
    "ratio (spread)",
    "call: hetc",
    "by hand",
    "ratio (spread)",
    "resident",
    "error: hetc",
    "by hand",
)


def cells(outcome: Outcome) -> tuple[str, ...]:
    """An outcome as the cells of a table's row; times in milliseconds."""

    def times(comparison: Comparison) -> tuple[str, str, str]:
        low, high = comparison.spread
        return (
            f"{statistics.median(comparison.hetc):.3f}",
            f"{statistics.median(comparison.native):.3f}",
            f"{comparison.ratio:.2f} ({low:.2f} to {high:.2f})",
        )

    return (
        outcome.name,
        f"{outcome.size:,}",
        *times(outcome.kernel),
        *times(outcome.end_to_end),
        f"{outcome.resident:.3f}",
        f"{outcome.hetc_error:.1e}",
        f"{outcome.native_error:.1e}",
    )


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that reads well as plain text too."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(row: Sequence[str]) -> str:
        padded = (
            f"{cell:{'<' if i == 0 else '>'}{width}}" for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    rule = [f"{'-' * (width - (i > 0))}{':' * (i > 0)}" for i, width in enumerate(widths)]
    return "\n".join(map(line, [header, rule, *rows]))


def describe(device: Device) -> str:
    """The device and the software around it, in a line."""
    return (
        f"{device.name} ({device.platform}, {device.version}); {os.cpu_count()} processors; "
        f"Python {platform.python_version()}, NumPy {np.__version__}"
    )


def as_json(device: Device, outcomes: Sequence[Outcome]) -> str:
    """Everything measured, as JSON."""

    def pairs(comparison: Comparison) -> dict[str, object]:
        return {
            "hetc_ms": comparison.hetc,
            "native_ms": comparison.native,
            "ratio": comparison.ratio,
            "spread": comparison.spread,
        }

    programs = [
        {
            "name": outcome.name,
            "elements": outcome.size,
            "kernel": pairs(outcome.kernel),
            "end_to_end": pairs(outcome.end_to_end),
            "native_resident_kernel_ms": outcome.resident,
            "hetc_first_call_ms": outcome.hetc_first_call,
            "hetc_error": outcome.hetc_error,
            "native_error": outcome.native_error,
            "correct": outcome.correct,
        }
        for outcome in outcomes
    ]
    return json.dumps({"machine": describe(device), "programs": programs}, indent=2) + "\n"
