"""The parts of `hetc doctor` that a broken driver can take down, each in a process of its own.

``python -m hetc.tools.doctor_probe drivers`` prints the drivers, ``... devices`` what they offer, ``... test NUMBER``
runs programs on the device with that number in the list; all print JSON on the last line. Drivers that are loaded one
by one may hide others from the loader, so nothing else is done in that process.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

import numpy as np

import hetc
from hetc.runtime import devices, icd
from hetc.tools.facts import facts_of

SIZE = 10_007
"""Elements of a test: no multiple of a group's size."""


def look() -> dict[str, Any]:
    """The devices, those of no use, what is wrong with the one asked for, whether there is a folder for kernels."""
    found = [facts_of(device) for device in devices.list_devices()]
    unusable = list(map(str, devices.list_unusable()))
    unknown = _unknown_device()
    return {"devices": found, "unusable": unusable, "unknown_device": unknown, "kernel_cache": _kernel_cache()}


def _unknown_device() -> str:
    """What is wrong with the device that HETC_DEVICE names."""
    try:
        devices.select()
    except hetc.DeviceError as error:
        return str(error)
    return ""


def _kernel_cache() -> bool:
    try:
        from hetc.runtime.opencl import has_cache_folder
    except ImportError:
        return True
    return has_cache_folder()


def test(number: int) -> str:
    """Compile and run a map, a reduction and a loop; what is wrong with their results, or nothing."""
    device = devices.list_devices()[number]
    x = np.arange(SIZE, dtype=np.int32)
    expected, changed = 3 * x + 1, x.copy()
    with hetc.configure(device=device, offload="always", fallback="error", cache=False), hetc.profile() as p:
        mapped = _map(x)
        total = _total(x)
        _double(changed)
    if p.launches < 3 or p.in_python or p.deopts:
        return "the programs did not run on it"
    if not np.array_equal(mapped, expected) or mapped.dtype != expected.dtype:
        return "a map gave wrong numbers"
    if total != int(x.sum()):
        return "a reduction gave a wrong number"
    return "" if np.array_equal(changed, 2 * x) else "a loop stored wrong numbers"


def _affine(e: Any) -> Any:
    return 3 * e + 1


def _add(a: Any, b: Any) -> Any:
    return a + b


_map = hetc.map(_affine)
_total = hetc.reduce(_add, np.int32(0))


@hetc.jit
def _double(values: Any) -> None:
    for i in hetc.forall(len(values)):
        values[i] = 2 * values[i]


def main() -> None:
    """Print what was asked for."""
    match sys.argv[1:]:
        case ["drivers"]:
            result: object = [asdict(driver) for driver in icd.find_drivers()]
        case ["devices"]:
            result = look()
        case ["test", number]:
            result = test(int(number))
        case _:
            raise SystemExit("usage: python -m hetc.tools.doctor_probe drivers | devices | test NUMBER")
    print("\n" + json.dumps(result))


if __name__ == "__main__":
    main()
