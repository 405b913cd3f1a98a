"""Write the pictures of pages in the documents: `python docs/screenshots.py`, with Playwright and a Chromium.

They are `docs/pictures/explain.png`, the page of `hetc explain` for `examples/mandelbrot.py` with a line chosen, and
`docs/pictures/profile.png`, a profile as a notebook shows it. Both are of the machine that this runs on, so
that they differ from one to the next; a test takes them, too, and looks at what is on them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import hetc

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def inverse(x: float) -> float:
    """A function with a guard, for the profile: it fails for 0, and Python runs what is around it."""
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0.0


def profiled(mandelbrot: hetc.ArrayFunction) -> hetc.Profile:
    """A few calls of kernels that there are already."""
    inverses = hetc.map(inverse)
    numbers = [0.5 * k for k in range(20_000)]
    with hetc.configure(offload="always"):
        for _ in range(2):
            with hetc.profile() as seen:
                mandelbrot(range(200_000))
                inverses(numbers)
                inverses(numbers[1:])
    return seen


def main() -> None:
    """Write both pictures, in a browser of its own."""
    os.chdir(ROOT)  # files are shown by their names from here
    sys.path.insert(0, str(ROOT))
    api: Any = import_module("playwright.sync_api")
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        take(browser, PICTURES)
        browser.close()


def take(browser: Any, folder: Path) -> None:
    """Write both pictures into a folder."""
    mandelbrot: hetc.ArrayFunction = import_module("examples.mandelbrot").mandelbrot
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        page = browser.new_page(viewport={"width": 1400, "height": 820}, color_scheme="light")
        explained = Path(temporary) / "explain.html"
        mandelbrot.explain(range(100)).save(explained)
        page.goto(explained.as_uri())
        page.locator(".source .line", has_text="zr, zi = zr * zr").click()
        page.screenshot(path=folder / "explain.png")
        shown = Path(temporary) / "profile.html"
        shown.write_text(f"<!doctype html><body style='font: 13px sans-serif'>{profiled(mandelbrot)._repr_html_()}")
        page.goto(shown.as_uri())
        page.screenshot(path=folder / "profile.png", full_page=True)
        page.close()


if __name__ == "__main__":
    main()
