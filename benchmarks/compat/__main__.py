"""Another project's functions through hetc: what is offloaded, what runs in Python and why, that nothing is wrong.

    python -m pip install --target out/numba numba
    PYTHONPATH=out/numba python -m benchmarks.compat            # writes docs/compat-numba.md

The functions are those that Numba's own tests compile: Numba ships them in its wheel, and they are imported from
there. Numba is no dependency of hetc.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import platform
import sys
import warnings
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.compat.discovery import find_functions
from benchmarks.compat.trials import Trial, trials
from hetc.runtime.devices import select

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compat-numba.md"


def main() -> int:
    """Try all functions; 1 if hetc gets one wrong, or Numba is not there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compat", description=__doc__)
    parser.add_argument("--device", default=None, help="a part of a device's name")
    parser.add_argument("--output", type=Path, default=PAGE, help="the page to write")
    parser.add_argument("--verbose", action="store_true", help="print each trial")
    arguments = parser.parse_args()
    if importlib.util.find_spec("numba") is None:
        print("Numba is not installed: python -m pip install --target out/numba numba, and PYTHONPATH=out/numba")
        return 1
    device = select(arguments.device)
    done: list[Trial] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for found in find_functions():
            for trial in trials(found, device):
                done.append(trial)
                if arguments.verbose:
                    kinds = ", ".join(trial.kinds)
                    print(f"{trial.path:<12} {found.module}.{found.path}({kinds}) {trial.reason}", flush=True)
    arguments.output.write_text(page(done, device.traits.family))
    wrong = [trial for trial in done if trial.path == "wrong"]
    for trial in wrong:
        print(
            f"wrong: {trial.found.module}.{trial.found.path}({', '.join(trial.kinds)}): {trial.reason}", file=sys.stderr
        )
    print(f"wrote {arguments.output}: {len(done)} trials, {len(wrong)} wrong")
    return 1 if wrong else 0


def page(done: list[Trial], device: str) -> str:
    """The page as Markdown."""
    paths = Counter(trial.path for trial in done)
    functions = {(trial.found.module, trial.found.path) for trial in done}
    numba, numpy = importlib.metadata.version("numba"), importlib.metadata.version("numpy")
    lines = [
        "# Another project's functions: Numba's tests through hetc",
        "",
        "Written by `python -m benchmarks.compat`, which imports the functions that Numba's own tests compile (nothing",
        "is copied), maps each over elements of every kind that CPython takes, mild ones and edges, and compares hetc",
        "with CPython: value, type, exception. A function is counted once for each kind of argument.",
        "",
        f"Numba {numba}, NumPy {numpy}, CPython {platform.python_version()}, device {device}.",
        "",
        "| | trials | share |",
        "|---|---:|---:|",
        *(f"| {text} | {paths[path]} | {paths[path] / max(len(done), 1):.0%} |" for path, text in _TEXTS.items()),
        f"| in all, of {len(functions)} functions | {len(done)} | |",
        "",
        "## Why Python runs",
        "",
        "| reason | trials |",
        "|---|---:|",
        *_reasons(done),
        "",
        "## By module",
        "",
        "| module of `numba.tests` | on the device | deoptimised | in Python | wrong |",
        "|---|---:|---:|---:|---:|",
        *_by_module(done),
    ]
    return "\n".join(lines) + "\n"


_RARE = 2
"""Reasons of so few trials are told together."""

_TEXTS = {
    "device": "on the device, whole",
    "deoptimised": "on the device, some elements by Python",
    "python": "in Python",
    "wrong": "wrong",
}


def _reasons(done: list[Trial]) -> list[str]:
    """The rows of the reasons, the most frequent first, those that are rare as one."""
    counts = Counter(trial.reason for trial in done if trial.path == "python")
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"| {reason} | {count} |" for reason, count in rows if count > _RARE]
    rare = [count for _, count in rows if count <= _RARE]
    return [*lines, f"| {len(rare)} other reasons | {sum(rare)} |"] if rare else lines


def _by_module(done: list[Trial]) -> list[str]:
    modules: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for trial in done:
        modules[trial.found.module][trial.path] += 1
    return [
        f"| `{module}` | " + " | ".join(str(counts[path]) for path in _TEXTS) + " |"
        for module, counts in sorted(modules.items())
    ]


if __name__ == "__main__":
    raise SystemExit(main())
