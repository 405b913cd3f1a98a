"""`hetc-opt`: its input, locations and pipelines, and one clear line for each mistake."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hetc import driver
from hetc.tools.device_traits import DEVICE_TRAITS

SAXPY = ("examples/saxpy.py:saxpy", "--args", "f32[?], f32[?]")
PROGRAMS = [
    SAXPY,
    ("examples/dot.py:dot", "--args", "f32[?], f32[?]"),
    ("examples/black_scholes.py:black_scholes", "--args", "f32[?], f32[?], f32[?]"),
    ("examples/mandelbrot.py:mandelbrot", "--args", "range"),
    ("examples/matrix_product_2x2.py:matrix_product", "--args", "float[?], float[?]"),
    ("examples/nbody.py:nbody", "--args", "f32[?], f32[?], f32[?]"),
]
HetcOpt = Callable[..., str]


# --- Input -----------------------------------------------------------------------------------------------------------


def test_python_in_level_0_out(hetc_opt: HetcOpt):
    level0 = hetc_opt(*SAXPY)
    assert "skel.map" in level0
    assert 'loc("examples/saxpy.py":14:' in level0


def test_a_plain_function_stands_for_a_map(hetc_opt: HetcOpt, tmp_path: Path):
    path = tmp_path / "plain.py"
    path.write_text("import hetc\n\ndef double(x):\n    return x + x\n\nmapped = hetc.map(double)\n")
    plain = hetc_opt(f"{path}:double", "--args", "f32[?]")
    assert "skel.map" in plain
    mapped = hetc_opt(f"{path}:mapped", "--args", "f32[?]")
    assert plain.partition("skel.map")[2] == mapped.partition("skel.map")[2]


def test_what_the_file_prints_is_not_ir(hetc_opt: HetcOpt, tmp_path: Path):
    path = tmp_path / "talks.py"
    path.write_text("print('hello')\ndef same(x):\n    return x\n")
    assert "hello" not in hetc_opt(f"{path}:same", "--args", "f32[?]")


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input(hetc_opt: HetcOpt, arguments: tuple[str, ...]):
    assert "func.func @f()" in hetc_opt(*arguments, stdin="func.func @f() { func.return }")


# --- Locations -------------------------------------------------------------------------------------------------------


def test_locations_of_the_input_are_kept(hetc_opt: HetcOpt):
    level0 = hetc_opt(*SAXPY)
    assert hetc_opt(stdin=level0) == level0
    assert "loc(" not in hetc_opt("--no-locations", stdin=level0)


def test_no_locations_where_there_are_none(hetc_opt: HetcOpt):
    without, both = "func.func @f() { func.return }", 'func.func @f() { func.return loc("a.py":1:1) }'
    assert "loc(" not in hetc_opt(stdin=without)
    first, second = hetc_opt("--split-input-file", stdin=f"{both}\n// -----\n{without}").split("// -----")
    assert 'loc("a.py":1:1)' in first
    assert "loc(" not in second


# --- Pipelines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0])
@pytest.mark.parametrize("device", ["intel-cpu", "gpu"])
def test_pass_by_pass_through_text_gives_what_one_step_gives(hetc_opt: HetcOpt, program: tuple[str, ...], device: str):
    text = hetc_opt(*program)
    for spec in driver.pipeline(DEVICE_TRAITS[device]):
        text = hetc_opt("-p", spec, stdin=text)
    assert hetc_opt("-t", "opencl", stdin=text) == hetc_opt(*program, "-t", "opencl", "--device-traits", device)


def test_default_stands_for_the_pipeline(hetc_opt: HetcOpt):
    level0 = hetc_opt(*SAXPY)
    level3 = hetc_opt("-p", "default", stdin=level0)
    assert "offload." in level3
    assert level3 == hetc_opt(*SAXPY, "-p", "default")
    assert "skel.map" in hetc_opt(*SAXPY, "-p", "canonicalize")


def test_the_device_decides(hetc_opt: HetcOpt):
    cpu, gpu = (hetc_opt(*SAXPY, "-t", "opencl", "--device-traits", family) for family in ("intel-cpu", "gpu"))
    assert "__kernel" in cpu
    assert cpu != gpu


def test_xdsl_options_work(hetc_opt: HetcOpt):
    text = "func.func @f() { func.return }"
    assert '"func.func"' in hetc_opt("--print-op-generic", stdin=text)
    assert "not defined: [%x]" in hetc_opt("--parsing-diagnostics", stdin="func.func @f() { func.return %x : i1 }")


# --- Mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-p", "inlin"), "no pass 'inlin'; did you mean 'inline'?"),
        (("-p", "zzzzzz"), r"no pass 'zzzzzz'; --list-passes lists all \d+"),
        (
            ("-p", "inline{no-such-option=1}"),
            "pass inline{no-such-option=1}: no option 'no-such-option'; there is: none",
        ),
        (("-p", "batch{devise=gpu}"), "pass batch{devise=.gpu.}: no option 'devise'; .*"),
        (
            ("-p", "outline-kernels{lvels=3}"),
            "pass outline-kernels{lvels=3}: no option 'lvels'; did you mean 'levels'.",
        ),
        (("-t", "opencll"), "no target 'opencll'; did you mean 'opencl'?"),
        (("-t", "mlir{a=1}"), "target mlir{a=1}: .*"),
        (("-f", "pyy"), "no frontend 'pyy'; did you mean 'py'?"),
        (("-f", "py{a=1}"), "frontend py{a=1}: .*"),
        (("--device-traits", "toaster"), ".*--device-traits: invalid choice: 'toaster' .*"),
        (("--no-such-option",), "unrecognized arguments: --no-such-option"),
        (("examples/saxpy.py",), 'name a function of the file: examples/saxpy.py:NAME --args "f32[?]"'),
        (("examples/saxpy.py:saxpy",), "examples/saxpy.py:saxpy needs the types of its inputs, such as --args .*"),
        (("--args", "f32[?]"), "--args goes with Python input: FILE.py:NAME"),
        (("pyproject.toml",), "pyproject.toml is not named .py or .mlir, .*"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_command_line_is_one_line(fails: Callable[..., str], arguments: tuple[str, ...], message: str):
    said = fails(2, *arguments)
    pattern = re.sub(r"(?<!\.\*)[\[\]{}?()]", lambda bracket: "\\" + bracket[0], message)
    assert re.fullmatch(f"hetc-opt: error: {pattern}", said), said


@pytest.mark.parametrize("option", ["-p", "-t", "-f"])
def test_a_malformed_option_is_shown(fails: Callable[..., str], option: str):
    said = fails(2, option, "mlir{a")
    assert said.startswith("hetc-opt: error: malformed ")
    assert "mlir{a\n" in said
    assert "^" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.mlir",), "missing.mlir: No such file or directory"),
        (("missing.py:f", "--args", "f32[?]"), "missing.py: No such file or directory"),
        (("examples",), "examples: Is a directory"),
        (
            ("examples/saxpy.py:saxpi", "--args", "f32[?]"),
            "examples/saxpy.py: no array function 'saxpi'; did you mean 'saxpy'?",
        ),
        (
            ("examples/saxpy.py:hetc", "--args", "f32[?]"),
            "hetc in examples/saxpy.py is a module, where an array function such as hetc.map(f) is needed",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_missing_input_is_one_line(fails: Callable[..., str], arguments: tuple[str, ...], message: str):
    assert fails(1, *arguments) == f"hetc-opt: error: {message}"


def test_wrong_number_of_inputs(fails: Callable[..., str]):
    said = fails(1, "examples/saxpy.py:saxpy", "--args", "f32[?]")
    assert re.match(r"HETC0003: examples/saxpy.py:14:18: <lambda> takes 2 arguments, but", said)


def test_a_malformed_signature_has_a_caret(fails: Callable[..., str]):
    said = fails(1, "examples/saxpy.py:saxpy", "--args", "f32[?], f23[?]")
    assert said.split("\n") == [
        "hetc-opt: error: unknown element type 'f23'; did you mean 'f32'?",
        "    f32[?], f23[?]",
        "            ^^^",
    ]


def test_any_text_in_the_options_of_python_input(fails: Callable[..., str]):
    assert "expected a length or '?', found '\"'" in fails(1, *SAXPY[:2], 'f32["?]')
    assert "no array function 'a\"b'" in fails(1, 'examples/saxpy.py:a"b', *SAXPY[1:])


def test_malformed_ir_has_a_place_and_a_caret(fails: Callable[..., str]):
    said = fails(1, stdin="func.func @f(%x: i32) {\n  %y = arith.addi %x, %x : i33\n  func.return\n}\n")
    first, source, caret = said.split("\n")
    assert re.match(r"stdin:2:19: error: operand is used with type i33", first)
    assert source == "  %y = arith.addi %x, %x : i33"
    assert source[caret.index("^")] == "%"


def test_malformed_ir_that_xdsl_has_no_place_for(fails: Callable[..., str]):
    said = fails(1, stdin="func.func @f() { ^0: func.return }")
    assert said == "hetc-opt: error: stdin: malformed IR: Invalid Block name format `0`."


def test_invalid_ir_has_a_place_and_a_caret(fails: Callable[..., str]):
    first, source, caret = fails(1, stdin="func.func @f(%x: f32) -> i32 {\n  func.return %x : f32\n}\n").split("\n")
    assert re.fullmatch(r"stdin:2:3: error: Expected arguments .* expected \[i32\], got \[f32\]", first)
    assert source == "  func.return %x : f32"
    assert caret == "  ^^^^^^^^^^^"


def test_places_count_from_the_top_of_a_split_file(fails: Callable[..., str]):
    valid, invalid = "func.func @f() { func.return }", "func.func @f() -> i32 {\n  func.return\n}"
    said = fails(1, "--split-input-file", stdin=f"{valid}\n// -----\n{invalid}")
    assert said.startswith("stdin:4:3: error: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"skel.mop"() : () -> ()', "no operation 'skel.mop'; did you mean 'skel.map'?"),
        ('"skell.map"() : () -> ()', "no dialect 'skell'; did you mean 'skel'?"),
        ('"zzzz.map"() : () -> ()', r"no dialect 'zzzz'; --list-dialects lists all \d+"),
        ("func.func @f(%x: !skel.sequenc) { func.return }", "no type or attribute .*; did you mean 'skel.sequence'?"),
    ],
)
def test_a_name_that_no_dialect_has(fails: Callable[..., str], text: str, said: str):
    first = fails(1, stdin=text).split("\n")[0]
    assert re.search(f"is not registered: {said.replace('?', '[?]')}$", first), first


@pytest.mark.parametrize(
    ("text", "place", "marked"),
    [
        ("func.func @f(%count: i1) -> i1 {\n  func.return %cont : i1\n}", "2:15", "%cont"),
        ("func.func @f(%x: i1) { func.return }\n// -----\nfunc.func @g() {\n func.return %y : i1 }", "4:14", "%y"),
        ("func.func @f(%x: i1) {\n  %y = arith.adi %x, %x : i1\n func.return }", "2:8", "arith.adi"),
        ("func.func @f(%x: !skel.sequenc) { func.return }", "1:19", "skel.sequenc"),
        ('"skel.mop"() : () -> ()', "1:2", "skel.mop"),
    ],
)
def test_what_is_wrong_is_underlined(fails: Callable[..., str], text: str, place: str, marked: str):
    said = fails(1, "--split-input-file", stdin=text)
    first, line, carets = said.splitlines()[:3]
    assert first.startswith(f"stdin:{place}: error: ")
    assert line[carets.index("^") :][: carets.count("^")] == marked
    assert marked != "%cont" or first.endswith("not defined: [%cont]; did you mean '%count'?")


def test_bytes_that_are_not_text(fails: Callable[..., str], tmp_path: Path):
    path = tmp_path / "bytes.mlir"
    path.write_bytes(b"a\xff")
    assert fails(1, str(path)) == f"hetc-opt: error: {path} is not UTF-8 text: invalid start byte at byte 1"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("def f(x:\n    return x\n", 1, "SyntaxError: '(' was never closed"),
        ("x = 1\ny = x / 0\n", 2, "running this file raises ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", 2, "running this file raises SystemExit: 3"),
        (
            "import no_such_module\n",
            1,
            "running this file raises ModuleNotFoundError: No module named 'no_such_module'",
        ),
    ],
)
def test_a_broken_python_file_is_shown_with_its_line(
    fails: Callable[..., str], tmp_path: Path, source: str, line: int, message: str
):
    path = tmp_path / "broken.py"
    path.write_text(source)
    first, excerpt, caret = fails(1, f"{path}:f", "--args", "f32[?]").split("\n")
    assert re.fullmatch(rf"{re.escape(str(path))}:{line}:\d+: {re.escape(message)}", first)
    assert excerpt.strip() == source.split("\n")[line - 1].strip()
    assert "^" in caret


def test_an_unsupported_construct_is_shown_with_its_line(fails: Callable[..., str], tmp_path: Path):
    path = tmp_path / "unsupported.py"
    path.write_text("def f(x):\n    return {x: 1}\n")
    first, excerpt, caret = fails(1, f"{path}:f", "--args", "f32[?]").split("\n")[:3]
    assert first.startswith(f"HETC0001: {path}:2:12: ")
    assert excerpt.strip() == "return {x: 1}"
    assert "^" in caret
