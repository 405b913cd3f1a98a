"""Devices that drivers offer and that compile nothing, told from what they say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hetc.dataclass import dataclass

if TYPE_CHECKING:
    from hetc.runtime.opencl import cl

_POCL = "pocl hstr: "
"""What stands before the processor for which PoCL compiles, in CL_DEVICE_VERSION, in small letters."""


@dataclass(frozen=True)
class Unusable:
    """A device that is left out of the list, and why."""

    name: str
    platform: str
    problem: str

    def __str__(self) -> str:
        return f"{self.name} ({self.platform}) is of no use: {self.problem}"


def unusable(handle: cl.Device) -> Unusable | None:
    """What is wrong with a device whose compiler takes no program; None for any other."""
    problem = problem_of(handle.version)
    return Unusable(handle.name.strip(), handle.platform.name.strip(), problem) if problem else None


def problem_of(version: str) -> str:
    """Why a device with this CL_DEVICE_VERSION compiles nothing; empty for one that does.

    PoCL passes LLVM's name of the processor on to Clang. A processor that is newer than its LLVM is "generic", which
    Clang does not take for one of x86, so that no program is built (PoCL's issue 1049). PoCL 3.1 names another one.

    >>> problem_of("OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic")
    'it does not know this processor, and so compiles nothing'
    >>> problem_of("OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-skylake-avx512")
    ''
    """
    _, _, target = version.strip().lower().partition(_POCL)
    unknown = "x86_64" in target and target.endswith("-generic")
    return "it does not know this processor, and so compiles nothing" if unknown else ""
