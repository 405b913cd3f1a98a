"""`hetc run` on devices: functions, and modules of every level with data that fits them or does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hetc.runtime.devices import Device
from hetc.tools import opt_main, run_main
from hetc.tools.device_traits import DEVICE_TRAITS

PROGRAM = """\
import hetc

gain = 2.5

def scaled(x, y): return gain * x + y

def reciprocal(n): return 1 // n

def numbers(n): return [float(k) for k in range(n)]

@hetc.jit
def shift(x, by):
    for i in hetc.forall(len(x)):
        x[i] += by
"""
Run = Callable[..., str]


@pytest.fixture
def run(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs `hetc-run` on the device and returns what it prints."""
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> str:
        run_main.main([*arguments, "--device", device.traits.family if device.kind == "gpu" else device.platform])
        return capsys.readouterr().out.rstrip("\n")

    return call


@pytest.fixture
def fails(run: Run, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs `hetc-run`, which has to fail, and returns what it says."""

    def call(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            run(*arguments)
        return capsys.readouterr().err.rstrip("\n").removeprefix("hetc run: error: ")

    return call


@pytest.fixture
def lowered(tmp_path: Path, device: Device, capsys: pytest.CaptureFixture[str]) -> Callable[[str, str, str], str]:
    """A function that writes a module, lowered by a pipeline, to a file, and returns its name."""

    def call(name: str, types: str, pipeline: str) -> str:
        traits = device.traits.family
        assert traits in DEVICE_TRAITS
        opt_main.main(
            [f"program.py:{name}", "--args", types, "-p", pipeline, "-o", "m.mlir", "--device-traits", traits]
        )
        return "m.mlir"

    return call


@pytest.mark.parametrize("size", [1, 7, 255, 257])
def test_a_function_on_files(run: Run, size: int, tmp_path: Path):
    x = np.arange(2 * size, dtype=np.float32)[::2]
    np.save("x.npy", x)
    assert run("program.py:scaled", "x.npy", f"f32[{size}]", "-o", "out.npy") == "wrote out.npy"
    y = np.random.default_rng(0).uniform(0, 1, size).astype(np.float32)
    assert np.array_equal(np.load("out.npy"), np.float32(2.5) * x + y)


def test_a_function_with_a_loop_shows_what_it_has_changed(run: Run):
    assert run("program.py:shift", "i32[3]", "7", "--low", "1", "--high", "2") == "array([8, 8, 8], dtype=int32)"


def test_data_from_the_program_itself(run: Run):
    assert run("program.py:scaled", "=numbers(3)", "[1, 1, 1]") == "[1.0, 3.5, 6.0]"


def test_a_function_that_python_finishes(run: Run, fails: Run):
    assert run("program.py:reciprocal", "[1, 2, -1]") == "[1, 0, -1]"
    assert "ZeroDivisionError" in fails("program.py:reciprocal", "[1, 0]")


@pytest.mark.parametrize("pipeline", ["", "level-1", "level-1,level-2", "default"])
@pytest.mark.parametrize("size", [1, 7, 257])
def test_a_module_of_each_level(run: Run, lowered: Callable[..., str], pipeline: str, size: int):
    module = lowered("scaled", "f32[?], f32[?]", pipeline)
    data = (f"f32[{size}]", f"f32[{size}]")
    run(module, *data, "--capture", "gain=2.5", "-o", "module.npy")
    run("program.py:scaled", *data, "-o", "function.npy")
    assert np.array_equal(np.load("module.npy"), np.load("function.npy"))


@pytest.mark.parametrize("pipeline", ["", "level-1,level-2", "default"])
def test_a_guard_that_fails_is_an_error(run: Run, fails: Run, lowered: Callable[..., str], pipeline: str):
    module = lowered("reciprocal", "int[?]", pipeline)
    assert run(module, "[3, -1]") == "[0, -1]"
    said = fails(module, "[3, 0]")
    assert re.fullmatch(r"a guard failed on the device, .*: zero_division: integer division by zero", said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (("f64[3]", "f32[3]", "gain=2.5"), "input 0: the module takes elements of type f32, not array of f64"),
        (
            ("f32[3]", "[1.0, 2.0, 3.0]", "gain=2.5"),
            "input 1: the module takes elements of type f32, not array of float",
        ),
        (("f32[3]", "range(3)", "gain=2.5"), "input 1: the module takes elements of type f32, not sequence of int"),
        (("f32[3]", "f32[3]", "gain=2"), "captured gain: the module takes .*, which the data is not"),
        (("f32[3]", "f32[3]", "other=2"), "the module reads the captured variable gain; give it with --capture .*"),
    ],
)
def test_data_that_a_module_was_not_made_for(fails: Run, lowered: Callable[..., str], data: tuple[str, ...], said: str):
    *inputs, capture = data
    module = lowered("scaled", "f32[?], f32[?]", "default")
    assert re.fullmatch(said, fails(module, *inputs, "--capture", capture))


def test_facts_that_a_module_takes_for_granted(run: Run, fails: Run):
    """Without its guards, the module is right for small integers alone."""
    opt_main.main(["program.py:reciprocal", "--args", "range", "-p", "default", "-o", "m.mlir"])
    assert "integer division by zero" in fails("m.mlir", "range(5)")
    assert run("m.mlir", "range(1, 4)") == "[1, 0, 0]"
    assert "takes for granted that its integers lie in [0, 2147483647]" in fails("m.mlir", "range(-3, 3)")
