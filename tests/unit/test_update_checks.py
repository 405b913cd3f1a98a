"""`hetc-update-checks`: the lines that it writes pass, stay as they are, and fail when the output changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hetc.tools import update_checks

TEST = """\
// RUN: hetc-opt %s --split-input-file -p canonicalize | filecheck %s

/// A constant is folded.
func.func @fold() -> i32 {
  %0 = arith.constant 2 : i32
  %1 = arith.addi %0, %0 : i32
  func.return %1 : i32
}
// CHECK-LABEL: @fold
// CHECK:         something else

// -----

/// Names, regions, blocks, brackets.
func.func @choose(%c: i1, %x: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %t = arith.addf %x, %x : f32
    scf.yield %t : f32
  } else {
    scf.yield %x : f32
  }
  "test.op"(%r) {a = [[1, 2]], b = {c = {d}}} : (f32) -> ()
  func.return %r : f32
}
"""
BIN = Path(sys.executable).parent


@pytest.fixture
def test_file(tmp_path: Path) -> Path:
    path = tmp_path / "test.mlir"
    path.write_text(TEST.replace("-p canonicalize", "--allow-unregistered-dialect -p canonicalize"))
    return path


def passes(path: Path, text: str | None = None) -> bool:
    """Whether filecheck accepts the output, or another text, under the file's directives."""
    printed = text or update_checks.run(
        [["hetc-opt", "%s", "--split-input-file", "--allow-unregistered-dialect", "-p", "canonicalize"]], path
    )
    return subprocess.run([BIN / "filecheck", path], input=printed, text=True, capture_output=True).returncode == 0


def test_what_is_written_passes(test_file: Path, capsys: pytest.CaptureFixture[str]):
    assert not passes(test_file)
    with pytest.raises(SystemExit):
        update_checks.main([str(test_file)])
    shown = capsys.readouterr().out
    assert "-// CHECK:         something else" in shown
    assert "+// CHECK-LABEL: @choose" in shown
    assert "something else" in test_file.read_text()
    update_checks.main(["--write", str(test_file)])
    text = test_file.read_text()
    assert text.count("// -----") == 1
    assert text.count("///") == TEST.count("///")
    assert "// CHECK-SAME:    (%[[C:.*]]: i1, %[[X:.*]]: f32) -> f32 {" in text
    assert passes(test_file)
    update_checks.main([str(test_file)])  # nothing changes any more
    assert test_file.read_text() == text


def test_what_is_written_fails_on_other_output(test_file: Path):
    update_checks.main(["--write", str(test_file)])
    printed = update_checks.run([["hetc-opt", "%s", "--split-input-file", "--allow-unregistered-dialect"]], test_file)
    assert not passes(test_file, printed)


def test_names_of_values_may_change(test_file: Path):
    update_checks.main(["--write", str(test_file)])
    text = test_file.read_text()
    directives = [line for line in text.split("\n") if line.startswith("// CHECK")]
    renamed = text.replace("%t ", "%other ").replace("%t :", "%other :")
    assert renamed != text
    test_file.write_text(renamed)
    assert passes(test_file)
    assert [line for line in renamed.split("\n") if line.startswith("// CHECK")] == directives


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f() { func.return }\n", "has 0 RUN lines"),
        ("// RUN: hetc-opt %s\n", "the RUN line does not end with '| filecheck %s'"),
        ("// RUN: hetc-opt %s -p no-such-pass | filecheck %s\n", "exits with 2:\nhetc-opt: error: no pass"),
        (
            "// RUN: hetc-opt %s | filecheck %s\n// -----\nfunc.func @f() { func.return }\n",
            "has 2 cases, but the command prints 1",
        ),
    ],
)
def test_a_file_that_is_no_such_test(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "test.mlir"
    path.write_text(text)
    with pytest.raises(SystemExit):
        update_checks.main(["--write", str(path)])
    assert message in capsys.readouterr().err
    assert path.read_text() == text
