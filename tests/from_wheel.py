"""The paths of newcomers as the documentation writes them, in a fresh environment with hetc from a built wheel.

    python -m tests.from_wheel [FOLDER]

What is built and installed stays in the folder, if one is given. It takes some minutes and downloads hetc's
dependencies; `tests/repo/test_scaffold.py` and `test_plugins.py` run most of the same text on what is checked out.

1. docs/start.md: install, `hetc doctor`, every example of the page; a mistake, what its message says, and the remedy.
2. docs/tutorial/your-first-pass.md: every file is written, every command run, the pass is in the OpenCL that is made.
3. A dialect, by `hetc new dialect`, with its tests.
4. examples/plugins, installed from their own folders: their tests pass, and plain `xdsl-opt` reads their dialects.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.packages import ROOT
from tests.tutorials import run_tutorial

TESTERS = ("lit", "filecheck", "pytest")
"""What tests of packages need besides hetc; the tutorials name them."""


@dataclass(frozen=True)
class Fresh:
    """An environment of its own, in a folder that no checkout is in."""

    folder: Path

    @property
    def bin(self) -> Path:
        """Its programs."""
        return self.folder / "venv/bin"

    def environment(self) -> dict[str, str]:
        """What a shell in which it is active has, without what would lead to the checkout."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
        return kept | {"PATH": os.pathsep.join([str(self.bin), os.environ["PATH"]])}

    def run(self, *command: str | Path, folder: Path | None = None) -> str:
        """What a command prints. Raises RuntimeError if it fails."""
        print("$", *(part.name if isinstance(part, Path) else part for part in command), flush=True)
        result = subprocess.run(
            [str(part) for part in command],
            capture_output=True, text=True, cwd=folder or self.folder, env=self.environment(),
        )  # fmt: skip
        if result.returncode:
            raise RuntimeError(f"{command} failed:\n{result.stdout}{result.stderr}")
        return result.stdout


def made(folder: Path) -> Fresh:
    """A fresh environment with hetc from a wheel that is built now."""
    fresh = Fresh(folder)
    fresh.run(sys.executable, "-m", "venv", folder / "venv")
    python = fresh.bin / "python"
    source = folder / "source"  # building leaves files behind
    for name in ("hetc", "native"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    fresh.run(python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder / "dist", source)
    (wheel,) = (folder / "dist").glob("hetc-*.whl")
    fresh.run(python, "-m", "pip", "install", "-q", f"{wheel}[cpu,plot]", *TESTERS)
    place = fresh.run(python, "-c", "import hetc; print(hetc.__file__)")
    assert str(folder) in place, place
    return fresh


def start(fresh: Fresh) -> None:
    """docs/start.md, whose examples are a doctest; a mistake and what its message says; a picture."""
    (fresh.folder / "start.md").write_text((ROOT / "docs/start.md").read_text())
    assert "device" in fresh.run("hetc", "doctor")
    fresh.run(fresh.bin / "python", "-m", "doctest", "-o", "ELLIPSIS", "start.md")
    program = fresh.folder / "first.py"
    program.write_text(FIRST)
    said = fresh.run(fresh.bin / "python", program)
    remedy = re.search(r"write (hetc\.prange\(.*\))$", said, re.MULTILINE)
    assert remedy is not None, said
    program.write_text(FIRST.replace("hetc.forall(1, len(a))", remedy[1]))  # what the message says, and nothing else
    assert fresh.run(fresh.bin / "python", program) == "[0. 1. 1. 1. 1.]\n"
    assert (fresh.folder / "picture.svg").read_text().startswith("<")
    (fresh.folder / "scale.py").write_text("def scale(x):\n    return 2.0 * x + 1.0\n")
    assert "device" in fresh.run("hetc", "explain", "scale.py:scale", "--args", "f32[?]")


FIRST = """\
import hetc
import numpy as np


@hetc.jit(fallback="error")
def differences(x, a):
    for i in hetc.forall(1, len(a)):
        a[i] = x[i] - x[i - 1]


hetc.configure(offload="always")
a = np.zeros(5)
try:
    with hetc.profile() as p:
        differences(np.arange(5.0), a)
    p.plot("picture.svg")
    print(a)
except hetc.CompileError as error:
    print(error)
"""


def engineer(fresh: Fresh) -> None:
    """The tutorial of a pass as it is written, in this environment; then a dialect."""
    folder = fresh.folder / "work"
    folder.mkdir()

    def install(package: Path) -> None:
        fresh.run("pip", "install", "-q", "--editable", ".", folder=package)

    commands = run_tutorial(folder, fresh.environment(), install)
    assert commands >= 10
    package = folder / "tidy-numbers"
    fresh.run("hetc", "new", "dialect", "tidy_words", folder=package)
    assert "Passed: 3" in fresh.run("lit", "-v", "tests/filecheck", folder=package)
    (dialect,) = (path for path in (package / "tests/filecheck/dialects").glob("tidy_words.mlir"))
    assert "tidy_words." in fresh.run("xdsl-opt", dialect)


def plugins(fresh: Fresh) -> None:
    """Each example of a package that extends hetc, copied, installed and tested."""
    for plugin in sorted((ROOT / "examples/plugins").glob("*/pyproject.toml")):
        folder = fresh.folder / "plugins" / plugin.parent.name
        fresh.run("cp", "-r", plugin.parent, folder.parent if folder.parent.exists() else _created(folder.parent))
        fresh.run("pip", "install", "-q", "--editable", ".", folder=folder)
        assert re.search(r"Passed: +\d", fresh.run("lit", "-v", "tests/filecheck", folder=folder))
        for test in sorted((folder / "tests/filecheck/dialects").glob("*[!d].mlir")):
            assert f"{test.stem}." in fresh.run("xdsl-opt", test)
        fresh.run("pytest", "-q", "-p", "no:cacheprovider", "tests", "--ignore=tests/filecheck", folder=folder)


def _created(folder: Path) -> Path:
    folder.mkdir()
    return folder


def main() -> None:
    """Run all of it, and say what is being done."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary).resolve()
        folder.mkdir(exist_ok=True)
        fresh = made(folder)
        for path in (start, engineer, plugins):
            path(fresh)
        print("all of it runs as written")


if __name__ == "__main__":
    main()
