"""What `hetc devices` and `hetc doctor` say about a device."""

from __future__ import annotations

from hetc.runtime.devices import Device


def facts_of(device: Device) -> dict[str, str | int | bool]:
    """What the list says about a device; `memory` is in bytes."""
    return {
        "name": device.name,
        "kind": device.kind,
        "platform": device.platform,
        "version": device.version,
        "memory": device.global_memory,
        "fp64": device.fp64,
        "fp16": device.fp16,
        "int64_atomics": device.int64_atomics,
        "shared_memory": device.shared_memory,
    }
