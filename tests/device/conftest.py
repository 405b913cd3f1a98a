"""Device tests run on every OpenCL device there is."""

from __future__ import annotations

import pytest

from hetc.runtime.devices import Device, list_devices


@pytest.fixture(params=list_devices() or [None], ids=lambda device: device.traits.family if device else "none")
def device(request: pytest.FixtureRequest) -> Device:
    if request.param is None:
        pytest.skip("there is no OpenCL device: pip install 'hetc[cpu]'")
    return request.param
