"""File names against the names of passes, dialects and their classes; and what importing them costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.passes import ModulePass

from hetc.tools.universe import HETC_UNIVERSE

REPOSITORY = Path(__file__).resolve().parents[2]
PASSES = sorted(HETC_UNIVERSE.all_passes)
DIALECTS = sorted(HETC_UNIVERSE.all_dialects)


def test_every_file_is_found():
    assert PASSES == sorted(p.stem.replace("_", "-") for p in (REPOSITORY / "hetc/passes").glob("[!_]*.py"))
    assert DIALECTS == sorted(p.stem for p in (REPOSITORY / "hetc/dialects").glob("[!_]*.py"))
    assert PASSES
    assert DIALECTS


@pytest.mark.parametrize("name", PASSES)
def test_pass_class_is_named_after_its_file(name: str):
    found = HETC_UNIVERSE.all_passes[name]()
    assert found.__name__ == "".join(map(str.capitalize, name.split("-"))) + "Pass"


@pytest.mark.parametrize("name", PASSES)
def test_a_file_holds_one_pass(name: str):
    module = sys.modules[HETC_UNIVERSE.all_passes[name]().__module__]
    passes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, ModulePass) and value.__module__ == module.__name__
    ]
    assert len(passes) == 1


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_runs_without_options(name: str):
    assert isinstance(HETC_UNIVERSE.all_passes[name]()(), ModulePass)


@pytest.mark.parametrize("path", sorted((REPOSITORY / "hetc/passes").rglob("*.py")), ids=lambda p: p.stem)
def test_passes_meet_in_the_ir_alone(path: Path):
    """No pass imports another; what several share is in `hetc.analysis`, or in a folder beside them."""
    imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    modules = {f"hetc.passes.{name.replace('-', '_')}" for name in PASSES}
    found = {n.module for n in imports} | {f"{n.module}.{alias.name}" for n in imports for alias in n.names}
    assert sorted(name for name in found if name in modules) == []


@pytest.mark.parametrize("name", DIALECTS)
def test_dialect_is_named_after_its_file(name: str):
    dialect = HETC_UNIVERSE.all_dialects[name]()
    assert dialect.name == name
    assert {op.name.split(".")[0] for op in dialect.operations} <= {name}
    assert {attribute.name.split(".")[0] for attribute in dialect.attributes} <= {name}


@pytest.mark.parametrize("name", DIALECTS)
def test_class_names_say_what_they_are(name: str):
    dialect = HETC_UNIVERSE.all_dialects[name]()
    assert [op.__name__ for op in dialect.operations if not op.__name__.endswith("Op")] == []
    assert [a.__name__ for a in dialect.attributes if not a.__name__.endswith(("Type", "Attr"))] == []


@pytest.mark.parametrize(
    ("imported", "never"),
    [
        ("hetc", ("xdsl", "pyopencl")),
        ("hetc.runtime.devices, hetc.runtime.executor", ("xdsl",)),
        ("hetc.tools.universe", ("pyopencl", "hetc.driver", "hetc.dialects.skel", "hetc.passes.specialize")),
    ],
)
def test_imports_stay_light(imported: str, never: tuple[str, ...]):
    program = f"import sys, {imported}; print([m for m in {never!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
