"""Typical devices, for tools that compile without one."""

from __future__ import annotations

from hetc.abi import DeviceTraits

DEVICE_TRAITS = {
    "intel-cpu": DeviceTraits("intel-cpu", compute_units=4, max_group_size=8192),
    "pocl": DeviceTraits("pocl", compute_units=4, max_group_size=4096),
    "cpu": DeviceTraits("cpu", compute_units=4, max_group_size=1024),
    "gpu": DeviceTraits("gpu", shared_memory=False, compute_units=64, max_group_size=1024, local_memory=48 << 10),
}
"""What `--device-traits` names: a typical device of each family, the same on every machine, so that tests can be."""
