"""Under Oclgrind, if it is there: kernels of examples and gallery are clean, and one that is not is found out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.under_oclgrind import complaints, driver, programs

needs_oclgrind = pytest.mark.skipif(driver() is None, reason="there is no Oclgrind: make oclgrind")

OUTSIDE = """
import numpy, pyopencl
(platform,) = [p for p in pyopencl.get_platforms() if p.name == "Oclgrind"]
context = pyopencl.Context(platform.get_devices())
source = "__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }"
kernel = pyopencl.Kernel(pyopencl.Program(context, source).build(), "k")
queue = pyopencl.CommandQueue(context)
kernel(queue, (5,), None, pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 16))
queue.finish()
"""


def test_all_examples_are_run(repository: Path) -> None:
    examples = {path.stem for path in repository.glob("examples/*.py")} - {"__init__", "demo", "picture"}
    gallery = {f"gallery.{path.stem}" for path in repository.glob("examples/gallery/[a-z]*.py")}
    names = {name for name, _, _ in programs()}
    assert {name if name in gallery else name.partition(".")[0] for name in names} == examples | gallery


@needs_oclgrind
def test_kernels_are_clean() -> None:
    assert {name: text for name, text in complaints([]).items() if text.strip()} == {}


@needs_oclgrind
def test_an_access_outside_is_found(tmp_path: Path) -> None:
    (tmp_path / "oclgrind.icd").write_text(f"{driver()}\n")
    environment = {**os.environ, "OCL_ICD_VENDORS": str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", OUTSIDE], env=environment, capture_output=True, text=True)
    assert "Invalid write of size 4 at global memory address" in found.stderr
