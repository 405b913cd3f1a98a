"""`hetc devices`, as a table and as JSON, and what it says where there is none."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from hetc.runtime import devices
from hetc.tools import cli


def test_devices_as_a_table(capsys: pytest.CaptureFixture[str]):
    cli.main(["devices"])
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split("  ")[0] == "name"
    for column in ("platform", "version", "memory", "fp64", "fp16", "int64 atomics", "shared memory"):
        assert column in header
    assert [row.startswith(d.name) for row, d in zip(rows, devices.list_devices(), strict=True)] == [True] * len(rows)


def test_devices_as_json(capsys: pytest.CaptureFixture[str]):
    cli.main(["devices", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [d["name"] for d in found] == [d.name for d in devices.list_devices()]
    assert all(isinstance(d["fp64"], bool) and d["memory"] > 2**20 for d in found)


def test_no_device(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(devices, "list_devices", tuple)
    with pytest.raises(SystemExit) as caught:
        cli.main(["devices"])
    assert caught.value.code == 1
    said = capsys.readouterr().err
    assert "no OpenCL device found" in said
    assert "pip install 'hetc[cpu]'" in said


def test_version(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"hetc {version('hetc')}\n"


PROGRAM = """
import sys, helper
import hetc
with hetc.configure(offload="never"):
    print(hetc.map(lambda x: x + 1)([1, 2]), sys.argv[1:], helper.SAID)
raise SystemExit(int(sys.argv[1]))
"""


def test_trace_runs_a_program_and_writes_what_happened(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("SAID = 'found'")
    trace, plot = tmp_path / "new" / "out.json", tmp_path / "out.svg"
    files = ["-o", str(trace), "--plot", str(plot)]
    cli.main(["trace", *files, str(tmp_path / "program.py"), "0", "-o"])
    out = capsys.readouterr().out
    assert out.startswith("[2, 3] ['0', '-o'] found\n")
    assert "Python  all elements" in out
    assert out.endswith(f"wrote {trace}\nwrote {plot}\n")
    assert {"ph", "name"} <= json.loads(trace.read_text())["traceEvents"][-1].keys()
    trace.unlink()
    with pytest.raises(SystemExit) as caught:
        cli.main(["trace", *files, str(tmp_path / "program.py"), "3"])
    assert caught.value.code == 3
    assert trace.exists()
    with pytest.raises(SystemExit):
        cli.main(["trace", str(tmp_path / "missing.py")])
    assert "there is no file" in capsys.readouterr().err
