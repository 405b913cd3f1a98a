"""Every OpenCL driver is shown to the loader, each once, without help from the user."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from hetc.runtime import icd
from hetc.runtime.icd import NVIDIA_DRIVER, collect_entries

pyopencl = pytest.importorskip("pyopencl")


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty vendor folder in place of the system's, and no other."""
    folder = tmp_path / "system"
    folder.mkdir()
    monkeypatch.setattr(icd, "SYSTEM_VENDORS", folder)
    monkeypatch.setattr(icd, "_environment_vendors", lambda: tmp_path / "environment")
    return folder


def library(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.touch()
    return path


def test_the_systems_drivers_stay(system: Path, tmp_path: Path) -> None:
    driver = library(tmp_path, "libdriver.so")
    (system / "a.icd").write_text(f"{driver}\n")
    (system / "b.icd").write_text("libbyname.so.1")
    assert collect_entries(None, None) == (str(driver), "libbyname.so.1", NVIDIA_DRIVER)


def test_intels_driver_is_added_once(system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(icd, "_load_error", lambda name: None)
    intel = library(tmp_path, "libintelocl.so")
    assert collect_entries(None, intel) == (str(intel), NVIDIA_DRIVER)
    theirs = library(tmp_path / "theirs", "libintelocl.so")
    (system / "intel.icd").write_text(f"{theirs}\n")
    assert collect_entries(None, intel) == (str(theirs), NVIDIA_DRIVER)


def test_an_entry_with_a_wrong_path_is_no_entry(system: Path, tmp_path: Path) -> None:
    intel = library(tmp_path, "libintelocl.so")
    (system / "intel.icd").write_text("/opt/not/there/libintelocl.so\n")
    (system / "empty.icd").write_text("\n")
    (system / "binary.icd").write_bytes(b"\xff\xfe")
    assert collect_entries(None, intel) == (str(intel), NVIDIA_DRIVER)


def test_the_fpga_emulator_is_left_out(system: Path, tmp_path: Path) -> None:
    (system / "fpga.icd").write_text(f"{library(tmp_path, 'libintelocl_emu.so')}\n")
    assert collect_entries(None, None) == (NVIDIA_DRIVER,)


def test_nvidias_driver_is_added_once(system: Path) -> None:
    (system / "nvidia.icd").write_text("libnvidia-opencl.so.1\n")
    assert collect_entries(None, None) == ("libnvidia-opencl.so.1",)


@pytest.mark.parametrize("form", ["folder", "file", "library"])
def test_the_users_choice_is_shown_too(system: Path, tmp_path: Path, form: str) -> None:
    (system / "a.icd").write_text("libsystem.so\n")
    driver = library(tmp_path, "libdriver.so")
    folder = tmp_path / "user"
    folder.mkdir()
    (folder / "user.icd").write_text(f"{driver}\n")
    choice = {"folder": folder, "file": folder / "user.icd", "library": driver}[form]
    assert collect_entries(str(choice), None) == (str(driver), "libsystem.so", NVIDIA_DRIVER)
    # The same driver twice, by another name, is still one.
    (tmp_path / "link.so").symlink_to(driver)
    (system / "b.icd").write_text(f"{tmp_path / 'link.so'}\n")
    assert collect_entries(str(choice), None) == (str(driver), "libsystem.so", NVIDIA_DRIVER)


def test_pyopencls_own_folder_is_left_to_its_loader(system: Path) -> None:
    assert collect_entries(str(Path(pyopencl.__file__).parent / ".libs"), None) == (NVIDIA_DRIVER,)


def test_the_variable_is_put_back_and_the_folder_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in ("/somewhere", None):
        if before is None:
            monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
        else:
            monkeypatch.setenv("OCL_ICD_VENDORS", before)
        with icd.vendor_folder():
            folder = Path(os.environ["OCL_ICD_VENDORS"])
            assert list(folder.glob("*.icd"))
        assert not folder.exists()
        assert os.environ.get("OCL_ICD_VENDORS") == before


def test_a_driver_that_does_not_load_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library(tmp_path / "lib", "libintelocl.so")  # an empty file is no library
    monkeypatch.setattr(icd.sys, "prefix", str(tmp_path))
    with pytest.warns(RuntimeWarning, match="pip install intel-opencl-rt intel-cmplr-lib-rt tbb"):
        assert icd.intel_driver() is None


@pytest.mark.skipif(icd.intel_driver() is None, reason="intel-opencl-rt is not installed")
@pytest.mark.parametrize("choice", [None, "folder", "file"])
def test_a_fresh_process_sees_each_platform_once(tmp_path: Path, choice: str | None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OCL_ICD_VENDORS"}
    if choice is not None:
        (tmp_path / "intel.icd").write_text(f"{icd.intel_driver()}\n")
        environment["OCL_ICD_VENDORS"] = str(tmp_path if choice == "folder" else tmp_path / "intel.icd")
    program = (
        "from hetc.runtime import devices\n"
        "for device in devices._handles(): print(device.platform.name, device.driver_version, sep='|')"
    )
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found = [line.split("|") for line in result.stdout.splitlines()]
    assert [platform for platform, _ in found].count("Intel(R) OpenCL") == 1
    pocl = [driver.partition("-")[0] for platform, driver in found if platform == "Portable Computing Language"]
    assert len(set(pocl)) == len(pocl)  # the system may have another version
    if (Path(pyopencl.__file__).parent / ".libs" / "pocl.icd").exists():
        assert metadata.version("pocl-binary-distribution") in pocl
    assert result.stderr == ""
