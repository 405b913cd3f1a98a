"""`hetc-opt` for people who look at passes: named pipelines, the IR on the way, times, lists, and crashes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from hetc import driver
from hetc.tools import opt_main
from hetc.tools.device_traits import DEVICE_TRAITS

SAXPY = ("examples/saxpy.py:saxpy", "--args", "f32[?], f32[?]", "--no-locations")
HetcOpt = Callable[..., str]


@dataclass(frozen=True)
class CrashPass(ModulePass):
    """Has a bug, or with `refuses` a reason."""

    name = "crash"
    refuses: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            assert isinstance(function, FuncOp)
            function.sym_name = type(function.sym_name)("half_done")
        if self.refuses:
            raise PassFailedException("not this one")
        raise KeyError("a bug")


@dataclass(frozen=True)
class BreakPass(ModulePass):
    """Leaves a function whose type is not that of what it returns."""

    name = "break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.walk()):
            if isinstance(function, ReturnOp):
                function.operands = []


@pytest.fixture
def odd_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register passes that do not work."""
    original = opt_main.HetcOpt.register_all_passes

    def register(tool: opt_main.HetcOpt) -> None:
        original(tool)
        tool.register_pass("crash", lambda: CrashPass)
        tool.register_pass("break", lambda: BreakPass)

    monkeypatch.setattr(opt_main.HetcOpt, "register_all_passes", register)


RETURNS = "func.func @f(%x: i32) -> i32 { func.return %x : i32 }"


# --- Pipelines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["intel-cpu", "gpu"])
def test_the_levels_are_the_default_pipeline(hetc_opt: HetcOpt, device: str):
    options = (*SAXPY, "--device-traits", device)
    assert hetc_opt(*options, "-p", "level-1,level-2,level-3") == hetc_opt(*options, "-p", "default")


@pytest.mark.parametrize(
    ("pipeline", "same"),
    [
        ("default{until=flatten-tuples}", "specialize,inline,flatten-tuples"),
        ("level-1,default{from=inline until=inline}", "specialize,inline"),
        ("default{until=canonicalize},dce", "level-1,inline,flatten-tuples,box-elimination,canonicalize,dce"),
    ],
)
def test_a_part_of_a_pipeline(hetc_opt: HetcOpt, pipeline: str, same: str):
    assert hetc_opt(*SAXPY, "-p", pipeline) == hetc_opt(*SAXPY, "-p", same)


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("default{til=cse}", "pipeline default: no option 'til'; did you mean 'until'?"),
        ("level-2{until=inlin}", "pipeline level-2{until=inlin}: no pass 'inlin'; did you mean 'inline'?"),
        ("level-1{from=cse}", "pipeline level-1{from=cse}: no pass 'cse'; there is: specialize"),
        ("default{from=cse until=specialize}", "pipeline default{from=cse until=specialize}: no pass 'specialize'.*"),
        ("defaul", "no pass 'defaul'; did you mean 'default'?"),
    ],
)
def test_a_wrong_pipeline_is_one_line(fails: Callable[..., str], pipeline: str, message: str):
    said = fails(2, *SAXPY, "-p", pipeline)
    pattern = re.sub(r"[{}?]", lambda bracket: "\\" + bracket[0], message)
    assert re.fullmatch(f"hetc-opt: error: {pattern}", said), said


# --- Looking ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def on_the_way(hetc_opt_streams: Callable[..., tuple[str, str]]) -> Callable[..., list[tuple[str, str]]]:
    """A function that runs `hetc-opt` and returns the titles and texts that it prints on the way."""

    def run(*arguments: str, stdin: str = "") -> list[tuple[str, str]]:
        _, errors = hetc_opt_streams(*arguments, stdin=stdin)
        parts = re.split(r"^// -----// IR (.*) //----- //\n", errors, flags=re.MULTILINE)
        assert parts[0] == ""
        return list(zip(parts[1::2], parts[2::2], strict=True))

    return run


def test_the_ir_before_and_after(on_the_way: Callable[..., list[tuple[str, str]]], hetc_opt: HetcOpt):
    options = (*SAXPY, "-p", "specialize,inline,cse")
    shown = on_the_way(*options, "--print-ir-before", "inline", "--print-ir-after", "specialize,cse")
    assert [title for title, _ in shown] == ["after specialize", "before inline", "after cse"]
    assert shown[0][1] == shown[1][1] == hetc_opt(*SAXPY, "-p", "specialize").replace("}\n\n", "}\n")
    every = on_the_way(*options, "--print-ir-before-all", "--print-ir-after-all")
    assert [title for title, _ in every] == [
        f"{when} {name}" for name in ("specialize", "inline", "cse") for when in ("before", "after")
    ]
    assert on_the_way(*options, "--print-between-passes")[0] == ("after specialize", shown[0][1])


def test_only_what_changed(on_the_way: Callable[..., list[tuple[str, str]]]):
    text = "func.func @f(%x: i32) -> i32 {\n  %y = arith.constant 1 : i32\n  func.return %x : i32\n}"
    shown = on_the_way("-p", "inline,dce,canonicalize", "--print-ir-after-change", stdin=text)
    assert [title for title, _ in shown] == ["after inline: no change", "after dce", "after canonicalize: no change"]
    ((_, unchanged), (_, changed), _) = on_the_way("-p", "inline,dce,canonicalize", "--print-ir-diff", stdin=text)
    assert unchanged == ""
    assert [line for line in changed.splitlines() if line.startswith(("+", "-"))] == [
        "-    %y = arith.constant 1 : i32"
    ]


def test_locations_on_the_way_are_those_of_the_output(on_the_way: Callable[..., list[tuple[str, str]]]):
    options = ("-p", "inline", "--print-ir-before-all")
    ((_, with_locations),) = on_the_way(*SAXPY[:3], "-p", "cse", "--print-ir-after-all")
    assert "loc(" in with_locations
    ((_, without),) = on_the_way(*options, stdin=RETURNS)
    assert "loc(" not in without
    ((_, asked),) = on_the_way(*options, "--debug-locations", stdin=RETURNS)
    assert "loc(unknown)" in asked


def test_a_pass_to_print_that_is_not_there(fails: Callable[..., str]):
    said = fails(2, "--print-ir-after", "inlin", stdin=RETURNS)
    assert said == "hetc-opt: error: no pass 'inlin'; did you mean 'inline'?"


def test_times_are_a_tree(hetc_opt_streams: Callable[..., tuple[str, str]]):
    _, errors = hetc_opt_streams(*SAXPY, "-p", "level-1,inline", "-t", "mlir", "--time-passes")
    header, *lines = errors.splitlines()
    assert header.split() == ["ms", "share"]
    rows = [re.fullmatch(r" *([\d.]+) +(\d+)%  ( *)(\S+)", line) for line in lines]
    tree = [(len(row[3]) // 2, row[4]) for row in rows if row is not None and row[4] != "rest"]
    assert tree == [
        (0, "hetc-opt"), (1, "parse"), (1, "passes"),
        (2, "level-1"), (3, "specialize"), (2, "inline"), (2, "verify"), (1, "print"),
    ]  # fmt: skip
    assert all(rows)


def test_colours(hetc_opt: HetcOpt, tmp_path: Path):
    assert "\x1b[" not in hetc_opt(stdin=RETURNS)  # no terminal
    assert "\x1b[" in hetc_opt("--color", "always", stdin=RETURNS)
    hetc_opt("-o", str(tmp_path / "out.mlir"), stdin=RETURNS)
    assert (tmp_path / "out.mlir").read_text() == hetc_opt(stdin=RETURNS)


# --- Lists -----------------------------------------------------------------------------------------------------------


def test_lists(printed: Callable[..., str]):
    passes = printed("--list-passes")
    assert re.search(r"^  narrow-integers\{addresses\}\n +Compute Python integers in 32 bits", passes, re.MULTILINE)
    assert passes.index("hetc:") < passes.index("xdsl:")
    assert "A Pass is a named rewrite pass" not in passes  # what a pass without a docstring inherits
    dialects = printed("--list-dialects")
    assert re.search(r"^  skel +The `skel` dialect: parallel skeletons", dialects, re.MULTILINE)
    pipelines = printed("--list-pipelines", "--device-traits", "gpu")
    named = re.findall(r"^  ([\w-]+)$", pipelines, re.MULTILINE)
    assert named == [spec.name for _, spec in driver.passes_by_level(DEVICE_TRAITS["gpu"])]


@pytest.fixture
def printed(repository: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A function that runs `hetc-opt`, which leaves with status 0, and returns its output."""

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as caught:
            opt_main.main(arguments)
        assert caught.value.code == 0
        return capsys.readouterr().out

    return run


# --- Failures --------------------------------------------------------------------------------------------------------


def command_in(text: str) -> list[str]:
    """The command that a message gives to run a pass again."""
    (command,) = re.findall(r"to run the pass that failed again: hetc-opt (.*)", text)
    return shlex.split(command)


@pytest.mark.usefixtures("odd_passes")
def test_a_crash_leaves_what_made_it(hetc_opt: HetcOpt):
    with pytest.raises(KeyError) as caught:
        hetc_opt("-p", "canonicalize,crash,cse", stdin=RETURNS)
    command = command_in("\n".join(caught.value.__notes__))
    text = Path(command[0]).read_text()
    assert text.startswith("// RUN: hetc-opt %s -p crash\n/// KeyError: 'a bug'\n")
    assert "@f" in text  # as it was before the pass began
    with pytest.raises(KeyError):
        hetc_opt(*command)
    Path(command[0]).unlink()


@pytest.mark.usefixtures("odd_passes")
def test_a_refusal_leaves_a_file_only_if_asked(fails: Callable[..., str], tmp_path: Path):
    refuse = ("-p", "crash{refuses=true}")
    assert fails(1, *refuse, stdin=RETURNS) == "hetc-opt: error: not this one"
    path = tmp_path / "a reproducer.mlir"
    first, again = fails(1, *refuse, "--crash-reproducer", str(path), stdin=RETURNS).split("\n")
    assert first == "hetc-opt: error: not this one"
    assert fails(1, *command_in(again)) == first


@pytest.mark.usefixtures("odd_passes")
def test_a_pass_that_leaves_invalid_ir_is_named(fails: Callable[..., str], tmp_path: Path):
    path = tmp_path / "reproducer.mlir"
    options = ("-p", "canonicalize,break,crash", "--crash-reproducer", str(path))
    first, op, again = fails(1, *options, stdin=RETURNS).split("\n")
    assert first.startswith("hetc-opt: error: after the pass break: Expected arguments ")
    assert op == '    "func.return"() : () -> ()'
    assert command_in(again) == [str(path), "-p", "break"]


@pytest.mark.usefixtures("odd_passes")
def test_without_verifying_each_pass_the_last_is_verified(fails: Callable[..., str]):
    said = fails(1, "-p", "break,inline", "--no-verify-each", stdin=RETURNS)
    assert said.startswith("hetc-opt: error: after the pass inline: Expected arguments ")
