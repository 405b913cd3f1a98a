"""Showing the OpenCL loader every driver there is, those that pip installed included.

An OpenCL loader finds drivers ("installable client drivers", ICDs) by the `.icd` files of one *vendor folder*, each
naming a shared library; OCL_ICD_VENDORS names another folder instead of the system's. Some drivers need help:

* Intel's CPU runtime (package `intel-opencl-rt`) puts `libintelocl.so` into `<prefix>/lib`, but its own `.icd` file
  holds the path of the machine that built the package.
* PoCL (`pyopencl[pocl]`) needs none: the loader inside pyopencl's wheels also looks into pyopencl's own folder,
  which hetc leaves alone, since a second entry would make a second platform.

* NVIDIA's, in a container, is often there without the host's `.icd` file; its library has one name everywhere.

So while the loader looks, which it does once in a process, `vendor_folder` points it at a temporary folder holding
Intel's driver, the system's drivers and those the user's OCL_ICD_VENDORS names. The variable is put back right after,
so that child processes do not inherit a folder that is gone, and every process has a folder of its own.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import site
import sys
import tempfile
import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hetc.dataclass import dataclass
from hetc.diagnostics import Category

_VARIABLE = "OCL_ICD_VENDORS"
INTEL_DRIVER = "libintelocl.so"
INTEL_PACKAGES = "intel-opencl-rt intel-cmplr-lib-rt tbb"
NVIDIA_DRIVER = "libnvidia-opencl.so.1"
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")

# It is meant for trying out FPGA designs, and would look like a second, very slow CPU.
_FPGA_EMULATOR = "libintelocl_emu"

# What `libintelocl.so` links to, in the order of their own dependencies. The driver finds them beside itself (its
# RUNPATH is $ORIGIN); where they lie under another prefix, they have to be in the process before it.
_INTEL_LIBRARIES = ("libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so", "libtbb.so.12")


@dataclass(frozen=True)
class Driver:
    """A driver's library, what names it, and why it is of no use; an empty `problem` says that it loads."""

    library: str
    origin: str
    problem: str = ""


@contextmanager
def vendor_folder() -> Generator[None]:
    """Inside the block, a loader that is asked for platforms for the first time in this process sees all drivers."""
    user = os.environ.get(_VARIABLE)
    entries = collect_entries(user, intel_driver())
    with tempfile.TemporaryDirectory(prefix="hetc-vendors-") as folder:
        for number, library in enumerate(entries):
            Path(folder, f"{number:02}.icd").write_text(library + "\n")
        os.environ[_VARIABLE] = folder
        try:
            yield
        finally:
            if user is None:
                del os.environ[_VARIABLE]
            else:
                os.environ[_VARIABLE] = user


def collect_entries(user: str | None, intel: Path | None) -> tuple[str, ...]:
    """The libraries to name in the vendor folder, each once.

    First what the user's OCL_ICD_VENDORS names, then the environment's and the system's own; then Intel's driver
    `intel` and NVIDIA's, unless a usable one is among them already: two versions of one driver in a process share
    their libraries by name. The loader passes over a library that does not exist.
    """
    found: dict[str, str] = {}
    for entry, _ in _named_entries(user):
        path = Path(entry)
        if path.name.startswith(_FPGA_EMULATOR) or (path.is_absolute() and not path.exists()):
            continue
        if path.name.startswith(INTEL_DRIVER) and _load_error(entry) is not None:
            continue
        found.setdefault(str(path.resolve()) if path.is_absolute() else entry, entry)
    if intel is not None and not any(Path(entry).name.startswith(INTEL_DRIVER) for entry in found.values()):
        found[str(intel)] = str(intel)
    if not any(Path(entry).name.startswith("libnvidia-opencl") for entry in found.values()):
        found[NVIDIA_DRIVER] = NVIDIA_DRIVER
    return tuple(found.values())


def find_drivers() -> tuple[Driver, ...]:
    """Every driver that something names, of use or not, in the order of `collect_entries`. Loads them all.

    NVIDIA's, which needs no file that names it, is among them only if it loads.
    """
    found = [Driver(entry, origin, _problem(entry)) for entry, origin in _named_entries(os.environ.get(_VARIABLE))]
    intel = _pip_driver()
    if intel is not None:
        found.append(intel)
    if _load_error(NVIDIA_DRIVER) is None:
        found.append(Driver(NVIDIA_DRIVER, "the name that NVIDIA gives it"))
    return tuple(found)


def _problem(entry: str) -> str:
    if Path(entry).name.startswith(_FPGA_EMULATOR):
        return "an emulator of FPGAs, which hetc leaves out"
    if Path(entry).is_absolute() and not Path(entry).exists():
        return "there is no such file"
    return _load_error(entry) or ""


def intel_driver() -> Path | None:
    """Intel's CPU driver as pip installed it, if it is there and loads; warns if it is there and does not load."""
    driver = _pip_driver()
    if driver is None:
        return None
    if driver.problem:
        warnings.warn(
            f"{Category.DRIVER.code}: Intel's OpenCL runtime is installed but does not load ({driver.problem}); "
            f"pip install {INTEL_PACKAGES}",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return Path(driver.library)


def _pip_driver() -> Driver | None:
    driver = next((path for path in _candidates(INTEL_DRIVER) if path.is_file()), None)
    if driver is None:
        return None
    error = _load_error(str(driver))
    if error is not None:
        for library in _INTEL_LIBRARIES:
            for path in _candidates(library):
                if path.is_file() and _load_error(str(path)) is None:
                    break
        error = _load_error(str(driver))
    return Driver(str(driver), "pip's package intel-opencl-rt", error or "")


def _candidates(library: str) -> Iterator[Path]:
    """Where pip may have put a library, likeliest first."""
    prefixes = [sys.prefix, site.getuserbase(), sys.base_prefix]
    for prefix in dict.fromkeys(prefixes):
        yield Path(prefix, "lib", library)
    # `pip install --target` and other layouts: the packages' own lists of files know.
    import importlib.metadata

    for package in INTEL_PACKAGES.split():
        try:
            files = importlib.metadata.files(package) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        yield from (Path(str(file.locate())).resolve() for file in files if file.name == library)


def _load_error(library: str) -> str | None:
    """Load a library for the whole process, as the loader would; the reason if that fails."""
    try:
        ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        return str(error)
    return None


def _environment_vendors() -> Path:
    """The vendor folder of this Python's environment: conda's packages (and Intel's, for conda alone) use it."""
    return Path(sys.prefix, "etc", "OpenCL", "vendors")


def _named_entries(user: str | None) -> Iterator[tuple[str, str]]:
    """The libraries that files and the user's OCL_ICD_VENDORS name, each with what names it."""
    yield from _user_entries(user)
    yield from _folder_entries(_environment_vendors())
    yield from _folder_entries(SYSTEM_VENDORS)


def _user_entries(value: str | None) -> Iterable[tuple[str, str]]:
    """What an OCL_ICD_VENDORS that the user set names, by ocl-icd's rules: a folder, an `.icd` file, or a library."""
    if not value:
        return ()
    if Path(value).is_dir():
        return _folder_entries(Path(value))
    if not value.endswith(".icd"):
        return ((value, _VARIABLE),)
    path = Path(value) if Path(value).exists() else SYSTEM_VENDORS / value
    return _file_entries(path)


def _folder_entries(folder: Path) -> Iterator[tuple[str, str]]:
    spec = importlib.util.find_spec("pyopencl")
    origin = spec.origin if spec is not None else None
    if origin is not None and folder.exists() and folder.resolve() == Path(origin).resolve().parent / ".libs":
        return
    for path in sorted(folder.glob("*.icd")):
        yield from _file_entries(path)


def _file_entries(path: Path) -> Iterator[tuple[str, str]]:
    """The library that an `.icd` file names on its first line. A file that cannot be read names none."""
    try:
        lines = path.read_text().split("\n")
    except (OSError, UnicodeDecodeError):
        return
    if lines[0].strip():
        yield lines[0].strip(), str(path)
