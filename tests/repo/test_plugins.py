"""The packages in `examples/plugins`, found by their entry points as if they were installed: their own tests pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packages import BIN, installed

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = sorted(path.parent for path in (ROOT / "examples" / "plugins").glob("*/pyproject.toml"))


def run(command: list[str | Path], environment: dict[str, str], folder: Path) -> str:
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_the_tests_of_a_plugin_pass(plugin: Path, tmp_path: Path):
    environment = installed(plugin, tmp_path)
    assert "Passed: " in run([BIN / "lit", "-v", plugin / "tests/filecheck"], environment, tmp_path)
    options = ["-q", "-p", "no:cacheprovider", "--doctest-modules", "--import-mode=importlib", "-c", os.devnull]
    options.append(f"--ignore={plugin / 'tests/filecheck'}")
    tests = [plugin / "tests", plugin / plugin.name.replace("-", "_")]
    said = run([sys.executable, "-m", "pytest", *options, *tests], environment, tmp_path)
    assert "passed" in said
    assert "skipped" not in said


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_xdsl_sees_the_dialects_of_a_plugin(plugin: Path, tmp_path: Path):
    environment = installed(plugin, tmp_path)
    for test in sorted((plugin / "tests/filecheck/dialects").glob("*[!d].mlir")):
        assert f"{test.stem}." in run([BIN / "xdsl-opt", test], environment, tmp_path)


@pytest.fixture
def fixed_point(tmp_path: Path) -> dict[str, str]:
    """The environment in which the example of the tutorials is installed."""
    (plugin,) = (plugin for plugin in PLUGINS if plugin.name == "fixed-point")
    (tmp_path / "scale.py").write_text(
        "from fixed_point import multiply\n\ndef square(x):\n    return multiply(x, x)\n"
    )
    return installed(plugin, tmp_path / "site")


def test_an_intrinsic_and_a_placed_pass_are_in_every_tool(fixed_point: dict[str, str], tmp_path: Path):
    opt = [BIN / "hetc-opt", "scale.py:square", "--args", "i32[?]"]
    assert "fixed.mul" in run([*opt, "-p", "level-1"], fixed_point, tmp_path)
    assert "fixed.mul" not in run([*opt, "-p", "default"], fixed_point, tmp_path)
    pipeline = run([BIN / "hetc-opt", "--list-pipelines"], fixed_point, tmp_path).split()
    assert pipeline[pipeline.index("lower-fixed") - 1] == "fuse-skeletons"
    assert "max(" in run([*opt, "-t", "opencl"], fixed_point, tmp_path)
    checked = run(
        [sys.executable, "-m", "hetc", "run", "scale.py:square", "i32[9]", "--high", "2147483647", "--check-passes"],
        fixed_point,
        tmp_path,
    )
    assert "lower-fixed" in checked
    assert "the interpreter does not know fixed.from_bits" in checked
    assert "WRONG" not in checked


def test_a_wrong_place_is_said(fixed_point: dict[str, str], tmp_path: Path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from hetc.extensions import Extension, PlacedPass\n"
        "EXTENSION = Extension(passes=[PlacedPass('lower-fixed', after='no-such-pass')])\n"
    )
    folder = tmp_path / "site" / "wrong-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[hetc.extensions]\nwrong = wrong:EXTENSION\n")
    environment = fixed_point | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{fixed_point['PYTHONPATH']}"}
    command = [BIN / "hetc-opt", "scale.py:square", "--args", "i32[?]", "-t", "opencl"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    said = "hetc-opt: error: HETC0041: an extension places lower-fixed after no-such-pass, which is no pass here\n"
    assert (result.returncode, result.stderr.partition("  hint: ")[0]) == (1, said)
    assert "hetc-opt --list-pipelines shows the places" in result.stderr
