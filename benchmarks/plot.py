"""The ratios of a run as a picture: bars on a logarithmic scale, with the spread. Needs matplotlib."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import Outcome


def draw(outcomes: Sequence[Outcome], path: Path) -> None:
    """hetc's time over the hand-written kernel's, and over the best peer's call, for each program."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    sides = {
        "kernel, over the one by hand": {outcome.name: outcome.kernel for outcome in outcomes},
        "call, over the best peer's": {outcome.name: outcome.best_peer(lambda peer: peer.call) for outcome in outcomes},
    }
    figure, axes = pyplot.subplots(figsize=(max(6, 1 + 0.6 * len(outcomes)), 4.5), layout="constrained")
    for number, (label, found) in enumerate(sides.items()):
        shown = [(i, pairs) for i, pairs in enumerate(found.values()) if pairs is not None]
        if not shown:
            continue
        ratios = [pairs.ratio for _, pairs in shown]
        spreads = [pairs.spread for _, pairs in shown]
        below = [max(0.0, value - low) for value, (low, _) in zip(ratios, spreads, strict=True)]
        above = [max(0.0, high - value) for value, (_, high) in zip(ratios, spreads, strict=True)]
        places = [i + 0.4 * number - 0.2 for i, _ in shown]
        axes.bar(places, ratios, 0.38, yerr=[below, above], label=label)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_ylabel("hetc's time over the other's")
    axes.set_xticks(range(len(outcomes)), [outcome.name for outcome in outcomes], rotation=60, ha="right")
    axes.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
