"""`hetc doctor`: what it says of machines in any state, and that no driver takes it down."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
from typing import Any

import pytest

import hetc
from hetc.runtime import devices, icd
from hetc.tools import cli, doctor, doctor_probe

FACTS = {"name": "A", "kind": "gpu", "platform": "P", "version": "OpenCL 3.0"}
FOUND = {"devices": [FACTS], "unusable": [], "unknown_device": "", "kernel_cache": True}
DRIVER = {"library": "libA.so", "origin": "/etc/OpenCL/vendors/a.icd", "problem": ""}


def answers(monkeypatch: pytest.MonkeyPatch, **said: Any) -> None:
    """Let the probes say this; an exception or a status is how one ends, a string what it writes as its error."""

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        answer = said[command[3]]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, int):
            return subprocess.CompletedProcess(command, answer, "", "Traceback\nOSError: no")
        return subprocess.CompletedProcess(command, 0, f"a driver's chatter\n{json.dumps(answer)}\n", "")

    monkeypatch.setattr(subprocess, "run", run)


def test_a_machine_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, drivers=[DRIVER], devices=FOUND, test="")
    report = doctor.examine()
    assert report.works
    assert "no problem found" in str(report)
    assert "A (P, OpenCL 3.0)\n    works" in str(report)
    assert report.versions["hetc"] == hetc.__version__


@pytest.mark.parametrize(
    ("said", "what", "repair"),
    [
        ({"devices": {**FOUND, "devices": []}}, "no OpenCL device", devices.INSTALL_COMMAND),
        (
            {"devices": {**FOUND, "unusable": ["A (P) is of no use: it compiles nothing"]}},
            r"A \(P\) is of no use: it compiles nothing",
            devices.INSTALL_COMMAND,
        ),
        ({"devices": {**FOUND, "unknown_device": "no OpenCL device matches 'x'"}}, "matches 'x'", "HETC_DEVICE"),
        ({"devices": {**FOUND, "kernel_cache": False}}, "cannot be written to", "XDG_CACHE_HOME"),
        ({"devices": -11}, r"crashed \(SIGSEGV\)", "OCL_ICD_VENDORS"),
        ({"devices": 1}, "failed: OSError: no", "OCL_ICD_VENDORS"),
        ({"devices": subprocess.TimeoutExpired("x", 5)}, "took longer than 5 s", "OCL_ICD_VENDORS"),
        ({"drivers": -6}, r"loading the drivers crashed \(SIGABRT\)", "OCL_ICD_VENDORS"),
        ({"test": "a map gave wrong numbers"}, "self-test of A .*wrong numbers", "driver"),
        ({"test": -11}, "self-test of A .*SIGSEGV", "driver"),
        (
            {"drivers": [{**DRIVER, "library": "/x/libintelocl.so", "origin": "pip's", "problem": "no libimf"}]},
            "Intel's driver does not load: no libimf",
            icd.INTEL_PACKAGES,
        ),
        (
            {"drivers": [{**DRIVER, "problem": "no such file"}], "devices": {**FOUND, "devices": []}},
            "libA.so, which /etc/OpenCL/vendors/a.icd names, is of no use",
            "remove the file",
        ),
    ],
)
def test_each_problem_has_its_repair(
    monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], what: str, repair: str
) -> None:
    answers(monkeypatch, **({"drivers": [DRIVER], "devices": FOUND, "test": ""} | said))
    report = doctor.examine(5)
    problem = report.problems[0]
    assert re.search(what, problem.what)
    assert repair in problem.repair
    assert problem.what in str(report)
    assert problem.repair in str(report)


def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    version = importlib.metadata.version

    def without_pyopencl(name: str) -> str:
        if name == "pyopencl":
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(importlib.metadata, "version", without_pyopencl)
    report = doctor.examine()
    assert [(problem.what, problem.repair) for problem in report.problems] == [
        ("pyopencl is not installed", "pip install pyopencl")
    ]
    assert not report.works


@pytest.mark.parametrize("arguments", [["doctor"], ["doctor", "--json"]])
def test_the_status_is_for_scripts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    answers(monkeypatch, drivers=[], devices={**FOUND, "devices": [FACTS, FACTS]}, test="")
    cli.main(arguments)
    printed = capsys.readouterr().out
    answers(monkeypatch, drivers=[], devices=FOUND, test=-9)
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 1
    failed = capsys.readouterr().out
    if arguments[-1] == "--json":
        assert (json.loads(printed)["works"], json.loads(failed)["works"]) == (True, False)
        assert json.loads(failed)["devices"][0]["failure"] == "crashed (SIGKILL)"
    else:
        assert "FAILED: crashed (SIGKILL)" in failed


def test_what_is_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The probes themselves, on this machine: in this process, but for the drivers, which would stay loaded."""
    found = doctor_probe.look()
    assert [facts["name"] for facts in found["devices"]] == [device.name for device in devices.list_devices()]
    for number in range(len(found["devices"])):
        assert doctor_probe.test(number) == ""
    monkeypatch.setenv("HETC_DEVICE", "no such device")
    assert not found["devices"] or "no such device" in doctor_probe.look()["unknown_device"]
    monkeypatch.setattr("sys.argv", ["doctor_probe"])
    with pytest.raises(SystemExit, match="usage"):
        doctor_probe.main()


def test_the_drivers_of_this_machine() -> None:
    drivers, failure = doctor._probe(("drivers",), 300)
    assert not failure
    assert all(set(driver) == {"library", "origin", "problem"} for driver in drivers)
    if icd.intel_driver() is not None:
        assert any(not driver["problem"] and icd.INTEL_DRIVER in driver["library"] for driver in drivers)
