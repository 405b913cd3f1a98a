"""Run the gallery on this machine's device, and draw the pictures: `python -m examples.gallery [FOLDER] [NAME...]`."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

import hetc
from examples.gallery import GALLERY

FOLDER = Path(__file__).parents[2] / "docs" / "pictures" / "gallery"

WIDE = ("nbody", "heat", "epidemics", "filters")
"""Those whose pictures stand side by side."""


def draw(name: str, folder: Path) -> Path:
    """Run a program at full size, and save its picture."""
    module = importlib.import_module(f"examples.gallery.{name}")
    start = time.perf_counter()
    with hetc.configure(offload="always", fallback="error"):
        result = module.compute(GALLERY[name][1])
    print(f"{name:13} {time.perf_counter() - start:6.2f} s, compiling included", flush=True)
    figure = Figure(figsize=(8, 2.6) if name in WIDE else (4.8, 4), layout="none")
    module.picture(figure, result)
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=80, metadata={"Software": ""})
    return path


def main(arguments: list[str]) -> None:
    """Draw the pictures with these names, or all."""
    matplotlib.use("agg")
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in arguments[1:] or GALLERY:
        draw(name, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
