"""What `hetc new` writes passes its own tests, in a package and in hetc itself; the tutorial runs as written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hetc.tools import cli
from tests.packages import BIN, ROOT, installed
from tests.tutorials import run_tutorial


def new(kind: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    cli.main(["new", kind, name])


def lit(folder: Path, environment: dict[str, str]) -> str:
    command = [BIN / "lit", "-v", *sorted(folder.rglob("*.mlir"))]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    new("package", "my-package", tmp_path, monkeypatch)
    package = tmp_path / "my-package"
    new("dialect", "my_dialect", package, monkeypatch)
    new("pass", "my-first-pass", package, monkeypatch)
    assert "Passed: 3" in lit(package / "tests/filecheck", installed(package, tmp_path / "site"))


def test_in_hetc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shutil.copytree(ROOT / "hetc", tmp_path / "hetc", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests/repo", tmp_path / "tests/repo", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    new("dialect", "brand_new", tmp_path, monkeypatch)
    new("pass", "brand-new-pass", tmp_path, monkeypatch)
    (tmp_path / "tests/filecheck/lit.cfg.py").write_text((ROOT / "tests/filecheck/lit.cfg.py").read_text())
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    assert "Passed: 3" in lit(tmp_path / "tests/filecheck", environment)
    # What hetc asks of its own: names, docstrings, a test for each op, attribute and message.
    command = [sys.executable, "-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider", "-k", "brand"]
    checks = [f"tests/repo/test_{name}.py" for name in ("coverage", "docstrings", "names")]
    result = subprocess.run([*command, *checks], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    assert re.search(r"^1\d passed", result.stdout, re.MULTILINE), result.stdout


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("pass", "inline", "there is a pass inline already"),
        ("dialect", "skel", "there is a dialect skel already"),
        ("pass", "Lower_It", "'Lower_It' is no name for a pass: lower-case letters and digits, in kebab-case"),
        (
            "dialect",
            "my-dialect",
            "'my-dialect' is no name for a dialect: lower-case letters and digits, in lower_case",
        ),
        ("pass", "my-pass", "there is no pyproject.toml in ."),
    ],
)
def test_what_cannot_be_written(
    kind: str, name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    with pytest.raises(SystemExit):
        new(kind, name, tmp_path, monkeypatch)
    assert capsys.readouterr().err.startswith(f"hetc: error: {message}")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    new("package", "mine", tmp_path, monkeypatch)
    new("pass", "a-pass", tmp_path / "mine", monkeypatch)
    (tmp_path / "mine/mine/passes/a_pass.py").unlink()
    with pytest.raises(SystemExit):
        new("pass", "a-pass", tmp_path / "mine", monkeypatch)
    assert "a-pass.mlir is there already" in capsys.readouterr().err
    assert not (tmp_path / "mine/mine/passes/a_pass.py").exists()


def test_the_first_tutorial_runs_as_written(tmp_path: Path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "hetc").write_text(f'#!/bin/sh\nexec {sys.executable} -m hetc "$@"\n')
    (programs / "hetc").chmod(0o755)
    path = os.pathsep.join([str(programs), str(BIN), os.environ["PATH"]])

    def install(package: Path) -> dict[str, str]:
        return installed(package, tmp_path / "site") | {"PATH": path}

    assert run_tutorial(tmp_path, os.environ | {"PYTHONPATH": str(ROOT), "PATH": path}, install) >= 10
