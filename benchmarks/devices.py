"""The devices that benchmarks of copies run on."""

from __future__ import annotations

import dataclasses

from hetc.runtime.devices import Device, select


def copying_device(name: str | None, *, force: bool) -> Device:
    """The device of that name, or the best; with `force`, as one that copies although it shares the host's memory."""
    device = select(name)
    if not device.shared_memory or not force:
        return device
    traits = dataclasses.replace(device.traits, family="gpu", shared_memory=False)
    return dataclasses.replace(device, traits=traits)
