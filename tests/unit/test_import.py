"""`import hetc` is light: what takes long to import, or is for few programs, is imported when it is needed."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import hetc
from hetc.runtime import devices

LIBRARY = "cmath, copy, dataclasses, pathlib, threading, zlib"
"""What of the standard library `import hetc` brings, beside what NumPy does."""

DEVICE = (
    LIBRARY + ", ctypes, importlib.metadata, importlib.util, platformdirs, pyopencl, pyopencl.cache, site, tempfile"
)
"""And what finding a device and building a program do."""

STORED = DEVICE + ", hashlib, json, logging"
"""And what finding a stored kernel does."""

ON_DEMAND = (
    "array_functions", "batching", "choice", "element_loop", "explanation", "frontends.loops",
    "frontends.python.identity_use", "frontends.python.object_tables", "frontends.skeleton.indexed",
    "frontends.skeleton.ordering", "futures", "grids", "iteration", "jit_function", "markup", "order_codes", "parallel",
    "pipelines", "portable", "runtime.batches", "runtime.box_steps", "runtime.heap_launches", "runtime.in_parts",
    "runtime.loop_objects", "runtime.residence", "runtime.write_back", "several", "sorting", "storage.host_plan_keys",
    "timeline.layout", "timeline.page", "timeline.picture", "timeline.summary", "timeline.trace", "transfers",
    "windows",
)  # fmt: skip
"""Modules of hetc's that neither `import hetc` needs nor the call of a map whose kernel is stored."""

COMPILER = ("backends", "dialects", "driver", "interpreter", "passes", "tools")

ON_DEVICE = ("runtime.executor", "runtime.host_steps", "runtime.icd", "runtime.opencl", "storage.files", "storage.keys")

CALL = "hetc.map(lambda x: x + 1)(numpy.arange(9))"


def modules_after(program: str, folder: Path) -> list[str]:
    """What a fresh interpreter imports for a program, beside NumPy."""
    file = folder / "program.py"
    file.write_text(
        f"import sys, numpy\nbefore = {{*sys.modules}}\n{program}\nprint(*sorted({{*sys.modules}} - before))\n"
    )
    return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True).stdout.split()


def libraries(modules: list[str]) -> set[str]:
    """The top-level modules among some that are neither hetc's, nor private, nor parts of NumPy."""
    found = {name.partition(".")[0] for name in modules}
    return {name for name in found if not name.startswith(("_", "hetc", "numpy"))}


def within(modules: list[str], names: tuple[str, ...]) -> list[str]:
    """Which modules of hetc are among those named, or below them."""
    return [module for module in modules if any(f"{module}.".startswith(f"hetc.{name}.") for name in names)]


@pytest.mark.parametrize(
    "then",
    [
        "import hetc",
        "import hetc; hetc.map(lambda x: x + 1).reduce(lambda a, b: a + b, 0)",
        f"import hetc; hetc.configure(offload='never'); {CALL}",
    ],
    ids=["import", "composition", "call-in-python"],
)
def test_import_brings_little(then: str, tmp_path: Path) -> None:
    modules = modules_after(then, tmp_path)
    assert libraries(modules) <= libraries(modules_after(f"import {LIBRARY}", tmp_path))
    assert not within(modules, (*ON_DEMAND, *COMPILER, *ON_DEVICE))


@pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")
def test_a_stored_kernel_brings_little_more(tmp_path: Path) -> None:
    settings = f"offload='always', fallback='error', cache=True, cache_dir={str(tmp_path / 'cache')!r}"
    program = f"import hetc; hetc.configure({settings}); {CALL}"
    assert within(modules_after(program, tmp_path), COMPILER)
    modules = modules_after(program, tmp_path)
    assert within(modules, ON_DEVICE)
    assert libraries(modules) <= libraries(modules_after(f"import {STORED}", tmp_path))
    assert not within(modules, (*ON_DEMAND, *COMPILER))


def test_what_is_imported_on_demand_is_there(tmp_path: Path) -> None:
    program = """
import hetc
assert {*hetc.__all__} <= {*dir(hetc)}
from hetc import *
for name in hetc.__all__:
    assert globals()[name] is getattr(hetc, name)
try:
    hetc.nothing
except AttributeError as error:
    assert str(error) == "module 'hetc' has no attribute 'nothing'"
"""
    assert "hetc.pipelines" in modules_after(program, tmp_path)


def test_no_module_takes_the_place_of_what_is_exported():
    """Importing `hetc.x` binds the name `x` in hetc."""
    assert not {module.name for module in pkgutil.iter_modules(hetc.__path__)} & {*hetc.__all__}
