"""The benchmarks' runner from end to end on every device, at sizes at which times say nothing."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pyopencl as cl
import pytest

from benchmarks import elimination, guards, objects, run
from benchmarks.native.host import Host
from benchmarks.peers import numpy_peer
from benchmarks.programs import PROGRAMS, Program
from hetc.errors import DeviceError
from hetc.runtime.devices import Device, list_devices

VECTORS_OF_16 = ("inclusive scan", "matrix product")
"""Programs whose kernels for a CPU have `float16`.

PoCL 3.0 on an AMD EPYC sums these wrongly in one, and ends the process in the other ("LLVM ERROR: Do not know how to
scalarize this operator's operand").
"""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_kernels_by_hand_are_right(device: Device, program: Program) -> None:
    inputs = program.sample(max(256, program.size // 256))
    reference = program.reference(*inputs)
    host = Host(device.handle)
    wide = program.name in VECTORS_OF_16 and device.traits.family == "pocl"
    for host.gpu in (True,) if wide else (False, True):  # those for a GPU are right on any device
        native = program.native(host)
        call = native.start(*inputs)
        native.launch(call)
        assert program.wrong_by(native.finish(call), reference) <= program.tolerance
    whole_arrays = numpy_peer(program.peers, program.peer_inputs(*inputs))
    if whole_arrays is not None:
        assert program.wrong_by(whole_arrays.call(), reference) <= program.tolerance


def test_the_runner_reports_all_sides(device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = str(list_devices().index(device))
    files = ["--json", str(tmp_path / "run.json"), "--output", str(tmp_path / "run.md")]
    status = run.main(["--device", index, "--programs", "saxpy,dot", "--shrink", "1024", "--repeat", "2", *files])
    assert status == 0
    assert "| saxpy " in capsys.readouterr().out
    assert "## Goals" in (tmp_path / "run.md").read_text()
    programs = json.loads((tmp_path / "run.json").read_text())["programs"]
    assert [program["name"] for program in programs] == ["saxpy", "dot product"]
    assert all(program["correct"] and len(program["kernel"]["hetc_ms"]) == 2 for program in programs)
    assert all("NumPy" in program["peers"] for program in programs if not device.handle.type & cl.device_type.GPU)


def test_a_program_that_fails_is_not_the_end(
    device: Device, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*inputs: object) -> None:
        raise DeviceError("no room")

    monkeypatch.setattr(run, "PROGRAMS", (dataclasses.replace(PROGRAMS[0], function=fails),))
    index = str(list_devices().index(device))
    assert run.main(["--device", index, "--programs", "saxpy", "--shrink", "1024", "--repeat", "1"]) == 1
    assert "Not measured: saxpy" in capsys.readouterr().err


def test_the_cost_of_guards(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    index = str(list_devices().index(device))
    names = ["saxpy", "discounted", "distance"]
    assert guards.main(["--device", index, "--programs", *names, "--shrink", "4096", "--repeat", "2"]) == 0
    lines = {line.split("|")[1].strip(): line for line in capsys.readouterr().out.splitlines() if "|" in line}
    assert "none" in lines["saxpy"]
    assert "none" in lines["distance"]
    assert "3 domain, 2 zero_division" in lines["discounted"]
    assert "1 domain" in lines["one fails"]


def test_programs_with_objects(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    index = str(list_devices().index(device))
    assert objects.main(["--device", index, "--shrink", "1024", "--repeat", "1"]) == 0
    assert capsys.readouterr().out.count("K-means") == 1


def test_transfer_elimination(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    """Most of the bytes of ten and more rounds are saved, and results are equal."""
    index = str(list_devices().index(device))
    assert elimination.main(["--device", index, "--force", "--size", "4096", "--pairs", "1"]) == 0
    lines = {
        line.split("|")[1].strip(): line.split("|") for line in capsys.readouterr().out.splitlines() if "|" in line
    }
    assert [float(lines[name][6].strip(" %")) > 80 for name in elimination.PROGRAMS] == [True] * 3
