"""A new pass is two files and a new dialect is two files: the ones that CONTRIBUTING.md shows, put where it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SHOWN = re.compile(r"^`([\w/.-]+)`:\n\n```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
BIN = Path(sys.executable).parent


@pytest.fixture(scope="session")
def shown(repository: Path) -> dict[str, str]:
    """The files that CONTRIBUTING.md shows, by path."""
    return dict(SHOWN.findall((repository / "CONTRIBUTING.md").read_text()))


def write(files: dict[str, str], root: Path) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def test_two_files_each(shown: dict[str, str]):
    folders = sorted(str(Path(path).parent) for path in shown if path.startswith(("hetc", "tests")))
    assert folders == ["hetc/dialects", "hetc/passes", "tests/filecheck/dialects", "tests/filecheck/passes"]


def test_new_files_in_hetc_are_found_and_their_tests_pass(shown: dict[str, str], repository: Path, tmp_path: Path):
    shutil.copytree(repository / "hetc", tmp_path / "hetc", ignore=shutil.ignore_patterns("__pycache__"))
    new = {path: text for path, text in shown.items() if path.startswith(("hetc", "tests"))}
    assert not any((repository / path).exists() for path in new)
    config = "tests/filecheck/lit.cfg.py"
    write(new | {config: (repository / config).read_text()}, tmp_path)
    result = subprocess.run(
        [BIN / "lit", "-v", str(tmp_path / "tests/filecheck")], capture_output=True, text=True, cwd=tmp_path
    )
    assert result.returncode == 0, result.stdout
    assert "Passed: 2" in result.stdout


def test_another_package_brings_its_own_by_entry_point(shown: dict[str, str], tmp_path: Path):
    new = {path.replace("hetc/", "plugin/", 1): text for path, text in shown.items() if path.startswith("hetc/")}
    new["plugin/__init__.py"] = ""
    new["plugin/universe.py"] = shown["plugin/universe.py"]
    new["plugin-1.dist-info/METADATA"] = "Metadata-Version: 2.1\nName: plugin\nVersion: 1\n"
    new["plugin-1.dist-info/entry_points.txt"] = "[xdsl.universe]\nplugin = plugin.universe:PLUGIN_UNIVERSE\n"
    write(new, tmp_path)
    (test,) = (path for path in shown if path.startswith("tests/filecheck/passes"))
    write({"case.mlir": shown[test]}, tmp_path)
    for driver in ("hetc-opt", "xdsl-opt"):
        result = subprocess.run(
            [BIN / driver, "case.mlir", "--split-input-file", "-p", Path(test).stem],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
        )
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("passes/odd_name.py", "", 'plugin.passes.odd_name must define a ModulePass with name = "odd-name"'),
        ("dialects/odd.py", "ODD = 1", "plugin.dialects.odd must define ODD, an xDSL Dialect"),
    ],
)
def test_a_file_that_breaks_its_promise_is_named(path: str, text: str, message: str, tmp_path: Path, monkeypatch):
    from hetc.tools.universe import UniverseError, universe_of

    write({"plugin/__init__.py": "", f"plugin/{path}": text}, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    universe = universe_of("plugin")
    (load,) = [*universe.all_passes.values(), *universe.all_dialects.values()]
    try:
        with pytest.raises(UniverseError, match=re.escape(message)):
            load()
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "plugin"]:
            del sys.modules[name]
