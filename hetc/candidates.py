"""The devices that a call's is chosen from, with offload="auto" and where none was asked for."""

from __future__ import annotations

import functools
import os
from typing import cast

from hetc.runtime import devices
from hetc.runtime.devices import Device
from hetc.settings import Settings

LEAST_KINDS = 2
"""Candidates of which there is something to choose."""


def candidates(settings: Settings) -> tuple[Device, ...]:
    """The devices that a call's is chosen from: none where one was asked for. Raises DeviceError.

    Looks for devices, which loads their drivers.
    """
    if settings.device is not None or os.environ.get(devices.VARIABLE, "").strip():
        return ()
    if settings.candidates is not None:
        return _named(cast("tuple[str | Device, ...]", settings.candidates))
    return _best_of_each_kind()


@functools.lru_cache(maxsize=16)
def _named(specs: tuple[str | Device, ...]) -> tuple[Device, ...]:
    return tuple(dict.fromkeys(map(devices.select, specs)))


@functools.cache
def _best_of_each_kind() -> tuple[Device, ...]:
    """The first GPU and the first CPU device: two that share a processor are no choice. Simulators are none."""
    found: dict[str, Device] = {}
    for device in devices.list_devices():
        if not devices.is_simulator(device):
            found.setdefault(device.kind, device)
    return tuple(found.values())
