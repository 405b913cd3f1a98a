"""Which devices there are, and which one is chosen."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from hetc.abi import DeviceTraits
from hetc.errors import DeviceError
from hetc.runtime import devices
from hetc.runtime.devices import Device, list_devices, select
from hetc.runtime.unusable import problem_of


def fake(name: str, platform: str, family: str) -> Device:
    kind = "gpu" if family == "gpu" else "cpu"
    traits = DeviceTraits(family=family)
    return Device(name, platform, "OpenCL 3.0", "1", kind, 2**34, False, traits, SimpleNamespace())


H100 = fake("NVIDIA H100 80GB HBM3", "NVIDIA CUDA", "gpu")
INTEL = fake("Intel(R) Xeon(R) Processor", "Intel(R) OpenCL", "intel-cpu")
POCL = fake("pthread-Intel(R) Xeon(R) Processor", "Portable Computing Language", "pocl")


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "list_devices", lambda: (H100, INTEL, POCL))
    monkeypatch.delenv("HETC_DEVICE", raising=False)


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (None, H100),
        ("", H100),
        ("gpu", H100),
        ("cpu", INTEL),
        ("0", H100),
        ("2", POCL),
        ("nvidia", H100),
        ("h100", H100),
        ("Intel", INTEL),
        ("PoCL", POCL),
        ("portable", POCL),
        ("pthread-intel", POCL),
        (POCL, POCL),
    ],
)
def test_select(spec: str | Device | None, expected: Device) -> None:
    assert select(spec) is expected


@pytest.mark.usefixtures("three")
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETC_DEVICE", "pocl")
    assert select(None) is POCL
    assert select("cpu") is INTEL
    monkeypatch.setenv("HETC_DEVICE", "zx81")
    with pytest.raises(DeviceError, match=r"'zx81' \(from HETC_DEVICE\)"):
        select(None)


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("spec", ["zx81", "3"])
def test_an_unknown_device_lists_those_there_are(spec: str) -> None:
    with pytest.raises(DeviceError) as failed:
        select(spec)
    assert spec in failed.value.reason
    assert "0: NVIDIA H100 80GB HBM3 (NVIDIA CUDA); 1: Intel(R) Xeon(R)" in str(failed.value)


def test_a_vendors_word_does_not_find_pocl_on_its_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "list_devices", lambda: (POCL,))
    with pytest.raises(DeviceError):
        select("intel")


def test_without_any_device_the_command_to_install_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "list_devices", lambda: ())
    for spec in (None, "gpu", "0"):
        with pytest.raises(DeviceError) as failed:
            select(spec)
        assert failed.value.hint == "pip install 'hetc[cpu]'"


def test_without_pyopencl_there_is_no_device() -> None:
    program = (
        "import sys; sys.modules['pyopencl'] = None\n"
        "from hetc.runtime.devices import list_devices, select\n"
        "assert list_devices() == ()\n"
        "try: select()\n"
        "except Exception as error: print(error)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "HETC0030: there is no OpenCL device on this machine\n  hint: pip install 'hetc[cpu]'\n"


def test_devices_are_the_same_objects_each_time() -> None:
    assert list_devices() is list_devices()


@pytest.mark.skipif(not list_devices(), reason="there is no OpenCL device")
def test_a_device_opens_once() -> None:
    device = list_devices()[0]
    assert device.queue is device.queue
    assert device.context is device.context
    assert device.pool is device.pool
    assert device.global_memory > 0
    assert device.traits.compute_units > 0


def test_best_devices_come_first() -> None:
    families = [device.traits.family for device in list_devices()]
    assert families == sorted(families, key=("gpu", "intel-cpu", "pocl", "cpu").index)


def test_repr() -> None:
    assert repr(H100) == "<hetc device: NVIDIA H100 80GB HBM3 (NVIDIA CUDA, gpu, 16 GiB)>"


def test_a_simulator_is_never_the_automatic_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = fake("Oclgrind Simulator", "Oclgrind", "gpu")
    monkeypatch.setattr(devices, "_devices", lambda: iter([simulator, POCL, H100, INTEL]))
    assert devices._find_devices.__wrapped__() == (H100, INTEL, POCL, simulator)


class Handle:
    """A device as pyopencl has it, of which nothing but its names are asked."""

    def __init__(self, version: str) -> None:
        self.name, self.version, self.platform = "pthread-AMD EPYC ", version, SimpleNamespace(name="PoCL")


UNKNOWN = Handle("OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic ")
KNOWN = Handle("OpenCL 1.2 pocl HSTR: pthread-x86_64-pc-linux-gnu-znver3")


@pytest.fixture
def handles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_handles", lambda: (UNKNOWN, KNOWN))
    monkeypatch.setattr(devices, "_describe", lambda handle: POCL)


@pytest.mark.usefixtures("handles")
def test_a_device_that_compiles_nothing_is_left_out() -> None:
    assert devices._devices() == [POCL]
    (left_out,) = devices.list_unusable()
    assert str(left_out) == (
        "pthread-AMD EPYC (PoCL) is of no use: it does not know this processor, and so compiles nothing"
    )


@pytest.mark.usefixtures("handles")
@pytest.mark.parametrize("there", [(), (INTEL,)], ids=["no other", "another"])
def test_who_asks_for_it_is_told_why(monkeypatch: pytest.MonkeyPatch, there: tuple[Device, ...]) -> None:
    monkeypatch.setattr(devices, "list_devices", lambda: there)
    with pytest.raises(DeviceError, match=r"(?s)pthread-AMD EPYC \(PoCL\) is of no use: it does not know") as failed:
        select("pocl")
    assert there or failed.value.hint == devices.INSTALL_COMMAND


@pytest.mark.parametrize("target", ["x86_64-pc-linux-gnu-skylake", "aarch64-unknown-linux-gnu-generic", ""])
def test_any_other_device_is_used(target: str) -> None:
    assert problem_of(f"OpenCL 3.0 PoCL HSTR: pthread-{target}") == ""
    assert problem_of(f"OpenCL 3.0 {target}") == ""
