"""`hetc doctor`: is everything there that hetc needs, does each device compute what it should, and what mends it.

All that touches a driver happens in other processes (`doctor_probe`), with a time limit: a driver that crashes or
never answers is a line of the report.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import hetc
from hetc import native
from hetc.runtime import devices, icd

PACKAGES = ("numpy", "xdsl", "pyopencl", "platformdirs")
"""What hetc cannot do without."""
RUNTIMES = ("intel-opencl-rt", "intel-cmplr-lib-rt", "pocl-binary-distribution")
"""Drivers that pip installs."""
SLOWER_WITHOUT_C = "not built: lists of Python objects, and large arrays on GPUs, take longer"

SECONDS = 120.0
"""How long a probe may take. A first kernel of a slow device takes seconds, a machine that is busy some more."""

_ONE_BY_ONE = "unset OCL_ICD_VENDORS, or take the files out of /etc/OpenCL/vendors, one after the other"


@dataclass(frozen=True)
class Problem:
    """Something that is not as it should be, and the command, or the step, that mends it."""

    what: str
    repair: str


@dataclass(frozen=True)
class Examined:
    """A device and what came of its self-test: `failure` is empty if it passed. `facts` are those of `hetc devices`."""

    facts: Mapping[str, Any]
    failure: str
    seconds: float


@dataclass
class Report:
    """What the doctor found. `versions` are None for packages that are not installed."""

    versions: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    drivers: list[icd.Driver] = field(default_factory=list[icd.Driver])
    devices: list[Examined] = field(default_factory=list[Examined])
    problems: list[Problem] = field(default_factory=list[Problem])

    @property
    def works(self) -> bool:
        """Whether some device can be used."""
        return any(not device.failure for device in self.devices)

    def json(self) -> str:
        """The report for programs."""
        return json.dumps({"works": self.works, **asdict(self)}, indent=2)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def examine(seconds: float = SECONDS) -> Report:
    """Look at the installation and try each device; no probe takes longer than `seconds`."""
    report = Report(versions=_versions())
    missing = [name for name in PACKAGES if report.versions[name] is None]
    if missing:
        names = " and ".join(missing)
        report.problems.append(Problem(f"{names} {_is(missing)} not installed", f"pip install {' '.join(missing)}"))
        return report
    drivers, failure = _probe(("drivers",), seconds)
    if failure:
        report.problems.append(Problem(f"loading the drivers {failure}: one of them is broken", _ONE_BY_ONE))
    else:
        report.drivers += [icd.Driver(**driver) for driver in drivers]
    found, failure = _probe(("devices",), seconds)
    if failure:
        report.problems.append(Problem(f"looking for devices {failure}: a driver is broken", _ONE_BY_ONE))
        return report
    report.problems += _problems(found, report.drivers)
    for number, facts in enumerate(found["devices"]):
        start = time.perf_counter()
        wrong, failure = _probe(("test", str(number)), seconds)
        tested = Examined(facts, failure or wrong, time.perf_counter() - start)
        report.devices.append(tested)
        if tested.failure:
            report.problems.append(
                Problem(
                    f"the self-test of {facts['name']} ({facts['platform']}): {tested.failure}",
                    "update its driver, or choose another device with HETC_DEVICE",
                )
            )
    return report


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {
        "hetc": hetc.__version__,
        "hetc's C code": "built" if native.compiled is not None else SLOWER_WITHOUT_C,
        "Python": platform.python_version(),
    }
    for name in (*PACKAGES, *RUNTIMES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def _problems(found: Mapping[str, Any], drivers: Sequence[icd.Driver]) -> Iterator[Problem]:
    for driver in drivers:
        intel = driver.library.endswith(icd.INTEL_DRIVER) and "pip" in driver.origin
        if driver.problem and intel:
            yield Problem(f"Intel's driver does not load: {driver.problem}", f"pip install {icd.INTEL_PACKAGES}")
        elif driver.problem and not found["devices"]:
            what = f"{driver.library}, which {driver.origin} names, is of no use: {driver.problem}"
            yield Problem(what, "install that driver again, or remove the file that names it")
    for unusable in found["unusable"]:
        yield Problem(unusable, f"install a newer version of its driver, or use another one: {devices.INSTALL_COMMAND}")
    if not found["devices"]:
        yield Problem("there is no OpenCL device", devices.INSTALL_COMMAND)
    elif found["unknown_device"]:
        yield Problem(found["unknown_device"], "unset HETC_DEVICE, or set it to one of those")
    if not found["kernel_cache"]:
        yield Problem(
            "the user's cache folder cannot be written to, so kernels are built again in each process",
            "set XDG_CACHE_HOME to a folder that can",
        )


def _probe(arguments: Sequence[str], seconds: float) -> tuple[Any, str]:
    """What a probe printed, or how it failed."""
    command = [sys.executable, "-m", "hetc.tools.doctor_probe", *arguments]
    try:
        run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return None, f"took longer than {seconds:.0f} s"
    if run.returncode < 0:
        return None, f"crashed ({signal.Signals(-run.returncode).name})"
    lines = run.stdout.strip().splitlines()
    if run.returncode or not lines:
        said = run.stderr.strip().splitlines()
        return None, f"failed: {said[-1] if said else f'status {run.returncode}'}"
    return json.loads(lines[-1]), ""


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _lines(report: Report) -> Iterator[str]:
    width = max(map(len, report.versions))
    yield "versions"
    for name, version in report.versions.items():
        yield f"  {name.ljust(width)}  {version or '-'}"
    yield "drivers"
    for driver in report.drivers:
        yield f"  {driver.library}"
        yield f"    named by {driver.origin}; {driver.problem or 'loads'}"
    if not report.drivers:
        yield "  none"
    yield "devices"
    for device in report.devices:
        state = f"FAILED: {device.failure}" if device.failure else f"works (self-test in {device.seconds:.1f} s)"
        yield f"  {device.facts['name']} ({device.facts['platform']}, {device.facts['version']})"
        yield f"    {state}"
    if not report.devices:
        yield "  none"
    if not report.problems:
        yield "no problem found"
        return
    yield "problems"
    for problem in report.problems:
        yield f"  {problem.what}"
        yield f"    to mend it: {problem.repair}"
