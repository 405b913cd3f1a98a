"""What a run of the benchmarks found, as a table and as JSON."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.measure import Comparison
from hetc.runtime.devices import Device


@dataclass(frozen=True)
class PeerOutcome:
    """hetc against a peer: whole calls, and kernels where the peer's show; `message` is why there are none."""

    name: str
    call: Comparison | None
    kernel: Comparison | None
    error: float
    tolerance: float
    message: str = ""

    @property
    def correct(self) -> bool:
        """Whether the peer gave the right result. NaN is never right."""
        return self.call is not None and self.error <= self.tolerance


@dataclass(frozen=True)
class Outcome:
    """What was measured for one program; all times in milliseconds. `moved` are bytes to and from the device."""

    name: str
    size: int
    kernel: Comparison
    end_to_end: Comparison
    resident: float
    hetc_first_call: float
    compile_ms: float
    moved: int
    hetc_error: float
    native_error: float
    tolerance: float
    peers: list[PeerOutcome] = field(default_factory=list)

    @property
    def correct(self) -> bool:
        """Whether both sides gave the right result. NaN is never right."""
        return self.hetc_error <= self.tolerance and self.native_error <= self.tolerance

    def best_peer(self, part: Callable[[PeerOutcome], Comparison | None]) -> Comparison | None:
        """hetc against the fastest of the peers that are right."""
        found = [pairs for peer in self.peers if peer.correct and (pairs := part(peer)) is not None]
        return max(found, key=lambda pairs: pairs.ratio, default=None)


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
    "compiled in",
    "MB moved",
    "error: hetc",
    "by hand",
)


def ratio(comparison: Comparison) -> str:
    """The median ratio and its spread."""
    low, high = comparison.spread
    return f"{comparison.ratio:.2f} ({low:.2f} to {high:.2f})"


def times(comparison: Comparison) -> tuple[str, str, str]:
    """Both sides' medians, and their ratio."""
    ours, theirs = (statistics.median(side) for side in (comparison.hetc, comparison.native))
    return f"{ours:.3f}", f"{theirs:.3f}", ratio(comparison)


def cells(outcome: Outcome) -> tuple[str, ...]:
    """An outcome as the cells of a table's row; times in milliseconds."""
    return (
        outcome.name,
        f"{outcome.size:,}",
        *times(outcome.kernel),
        *times(outcome.end_to_end),
        f"{outcome.resident:.3f}",
        f"{outcome.compile_ms:.0f}",
        f"{outcome.moved / 1e6:.1f}",
        f"{outcome.hetc_error:.1e}",
        f"{outcome.native_error:.1e}",
    )


def peer_cells(outcome: Outcome, names: Sequence[str], part: Callable[[PeerOutcome], Comparison | None]) -> list[str]:
    """A row of the table of peers: for each its time and hetc's over it."""
    found = {peer.name: peer for peer in outcome.peers}

    def cell(name: str) -> str:
        if name not in found:
            return "-"
        peer = found[name]
        if peer.message:
            return "error: " + peer.message.splitlines()[0].replace("|", "/")[:60]
        pairs = part(peer)
        if pairs is None:
            return "-"
        wrong = "" if peer.correct else f" (wrong by {peer.error:.0e})"
        return f"{statistics.median(pairs.native):.3f}, {ratio(pairs)}{wrong}"

    best = outcome.best_peer(part)
    return [outcome.name, *map(cell, names), "-" if best is None else f"{best.ratio:.2f}"]


def geometric_mean(ratios: Sequence[float]) -> float:
    """The geometric mean.

    >>> geometric_mean([0.5, 2.0])
    1.0
    """
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


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


def tables(device: Device, outcomes: Sequence[Outcome], peers: Mapping[str, str]) -> str:
    """All tables, as Markdown."""
    parts = [
        describe(device) + "".join(f", {name} {version}" for name, version in peers.items() if name != "NumPy"),
        "## hetc and OpenCL written by hand",
        markdown(HEADER, [cells(outcome) for outcome in outcomes]),
        "Times in milliseconds, medians of interleaved pairs; the spread has the middle 80 % of them.",
    ]
    views = [("From NumPy arrays to the result", whole_call)]
    if any(peer.kernel for outcome in outcomes for peer in outcome.peers):
        views.append(("On data that is on the device", kernel_only))
    for title, part in views if peers else []:
        rows = [peer_cells(outcome, list(peers), part) for outcome in outcomes]
        parts += [
            f"## hetc and its peers: {title[0].lower()}{title[1:]}",
            markdown(("program", *peers, "hetc over the best"), rows),
            "The peer's milliseconds, and hetc's over them.",
        ]
    rows = [goal.cells() for goal in goals(outcomes)]
    parts += ["## Goals", markdown(("goal", "mean: at most", "is", "none above", "largest", "met"), rows)]
    return "\n\n".join(parts) + "\n"


def whole_call(peer: PeerOutcome) -> Comparison | None:
    """The pairs of whole calls."""
    return peer.call


def kernel_only(peer: PeerOutcome) -> Comparison | None:
    """The pairs of kernels."""
    return peer.kernel


@dataclass(frozen=True)
class Goal:
    """A bound on the geometric mean of some ratios, and one on each of them."""

    what: str
    mean: float
    each: float
    ratios: Mapping[str, float]

    def cells(self) -> tuple[str, ...]:
        """The goal with its figures, as a row of a table."""
        if not self.ratios:
            return self.what, f"{self.mean:.2f}", "-", f"{self.each:.2f}", "-", "not measured"
        mean = geometric_mean(list(self.ratios.values()))
        worst = max(self.ratios, key=lambda name: self.ratios[name])
        met = mean <= self.mean and self.ratios[worst] <= self.each
        above = sum(value > self.each for value in self.ratios.values())
        verdict = "yes" if met else f"no ({above} of {len(self.ratios)} above)"
        return (
            self.what,
            f"{self.mean:.2f}",
            f"{mean:.2f}",
            f"{self.each:.2f}",
            f"{self.ratios[worst]:.2f} ({worst})",
            verdict,
        )


def goals(outcomes: Sequence[Outcome]) -> list[Goal]:
    """The goals, each with the ratios that it is about. A product of matrices belongs to a BLAS, and is left out."""
    by_peers = [outcome for outcome in outcomes if outcome.name != "matrix product"]

    def against(part: Callable[[PeerOutcome], Comparison | None]) -> dict[str, float]:
        return {outcome.name: best.ratio for outcome in by_peers if (best := outcome.best_peer(part)) is not None}

    found = [
        Goal("kernels over those by hand", 1.0, 1.15, {outcome.name: outcome.kernel.ratio for outcome in outcomes}),
        Goal("calls over those by hand", 1.0, 1.15, {outcome.name: outcome.end_to_end.ratio for outcome in outcomes}),
    ]
    kernels = against(kernel_only)
    call_bound = 0.4 if kernels else 0.5
    found.append(Goal("calls over the best peer's", call_bound, 1.0, against(whole_call)))
    if kernels:
        found.append(Goal("kernels over the best peer's", 0.7, 1.1, kernels))
    return found


def as_json(device: Device, outcomes: Sequence[Outcome], peers: Mapping[str, str]) -> str:
    """Everything measured, as JSON."""

    def pairs(comparison: Comparison | None, other: str) -> dict[str, object] | None:
        if comparison is None:
            return None
        return {
            "hetc_ms": comparison.hetc,
            f"{other}_ms": comparison.native,
            "ratio": comparison.ratio,
            "spread": comparison.spread,
        }

    programs = [
        {
            "name": outcome.name,
            "elements": outcome.size,
            "kernel": pairs(outcome.kernel, "native"),
            "end_to_end": pairs(outcome.end_to_end, "native"),
            "native_resident_kernel_ms": outcome.resident,
            "hetc_first_call_ms": outcome.hetc_first_call,
            "compile_ms": outcome.compile_ms,
            "bytes_moved": outcome.moved,
            "hetc_error": outcome.hetc_error,
            "native_error": outcome.native_error,
            "correct": outcome.correct,
            "peers": {
                peer.name: {
                    "end_to_end": pairs(peer.call, "peer"),
                    "kernel": pairs(peer.kernel, "peer"),
                    "error": peer.error,
                    "correct": peer.correct,
                    "message": peer.message,
                }
                for peer in outcome.peers
            },
        }
        for outcome in outcomes
    ]
    machine = {"machine": describe(device), "peers": dict(peers), "programs": programs}
    return json.dumps(machine, indent=2) + "\n"
