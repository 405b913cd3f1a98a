"""lit's format that runs commands in forks: what they read, write and come to is what a shell makes of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hetc.tools import lit_format

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

ADD = """// CHECK: arith.addi
func.func @add(%a: i32) -> i32 {
  %sum = arith.addi %a, %a : i32
  func.return %sum : i32
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "add.mlir").write_text(ADD)
    (tmp_path / "wrong.mlir").write_text(ADD.replace("CHECK: arith.addi", "CHECK: arith.muli"))
    (tmp_path / "invalid.mlir").write_text(f"// CHECK: add.mlir\n{ADD.replace(': i32', ': i33')}")
    return tmp_path / "add.mlir"


def outcome(line: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
    pipeline = lit_format._pipeline(line)
    assert pipeline is not None
    return lit_format.run(pipeline, dict(os.environ) if environment is None else environment)


def test_pipelines(file: Path) -> None:
    assert outcome(f"hetc-opt {file} | hetc-opt | filecheck {file}") == (0, "")
    status, said = outcome(f"hetc-opt {file} | filecheck {file.with_name('wrong.mlir')}")
    assert status == 1
    assert "arith.muli" in said


def test_any_failure_is_one(file: Path) -> None:
    """Not only that of the last command."""
    (wrong := file.with_name("empty.mlir")).write_text("// CHECK-NOT: nothing\n")
    status, said = outcome(f"hetc-opt {wrong.with_name('none.mlir')} | filecheck {wrong} --allow-empty")
    assert status
    assert "none.mlir" in said


def test_failures_that_are_wanted(file: Path) -> None:
    missing = file.with_name("none.mlir")
    assert outcome(f"not hetc-opt {missing}")[0] == 0
    assert outcome(f"not hetc-opt {file}")[0] == 1
    (expected := file.with_name("expected")).write_text("// CHECK: none.mlir\n")
    assert outcome(f"not hetc-opt {missing} 2>&1 | filecheck {expected}")[0] == 0
    assert outcome(f"not hetc-opt {missing} | filecheck {expected}")[0] == 1


def test_quotes_are_those_of_a_shell() -> None:
    assert lit_format._pipeline("hetc-opt 'a b.mlir' -p 'x{y=z}' 2>&1 | filecheck a") == [
        (["hetc-opt", "a b.mlir", "-p", "x{y=z}"], True),
        (["filecheck", "a"], False),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "hetc-opt a > b",
        "hetc-opt a && hetc-opt b",
        "hetc-run a | filecheck a",
        "hetc-opt a; filecheck a",
        "cat a",
        "not a",
    ],
)
def test_other_lines_are_left_to_the_shell(line: str) -> None:
    assert lit_format._pipeline(line) is None


def test_a_command_that_dies_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises() -> None:
        raise ValueError("no such luck")

    def dies() -> None:
        os.kill(os.getpid(), 9)

    def speaks() -> None:
        print(os.environ["WORD"], end="")

    monkeypatch.setattr(lit_format, "known_mains", lambda: {"raises": raises, "dies": dies, "speaks": speaks})
    status, said = outcome("raises")
    assert status == 1
    assert "ValueError: no such luck" in said
    assert outcome("dies")[0] == -9
    assert outcome("speaks", {"WORD": "now"}) == (0, "now")
