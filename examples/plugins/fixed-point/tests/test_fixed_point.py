"""Fixed-point products on devices are those of Python."""

from __future__ import annotations

import numpy as np
import pytest
from fixed_point import from_float, multiply, to_float

import hetc
from hetc.runtime.devices import list_devices

DEVICES = list_devices()
LOW, HIGH = -(2**31), 2**31 - 1


def blend(a, b):
    return multiply(a, b) if a > b else multiply(b, b)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.traits.family)
@pytest.mark.parametrize("size", [1, 7, 255, 257])
@pytest.mark.parametrize("function", [multiply, blend])
def test_products(device, size, function):
    random = np.random.default_rng(size)
    x, y = (random.integers(LOW, HIGH, 2 * size, dtype=np.int32)[::2] for _ in range(2))
    x[0], y[0] = LOW, LOW
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as profile:
        result = hetc.map(function)(x, y)
    assert result.dtype == np.int32
    assert result.tolist() == [function(a, b) for a, b in zip(x, y, strict=True)]
    assert profile.launches > 0
    assert profile.deopts == 0


def test_what_products_mean():
    assert to_float(multiply(from_float(1.5), from_float(-2.0))) == -3.0
    assert multiply(from_float(30000.0), from_float(30000.0)) == HIGH
    assert multiply(from_float(-30000.0), from_float(30000.0)) == LOW


def test_other_types_run_in_python():
    with hetc.configure(offload="always"), pytest.warns(hetc.FallbackWarning, match="elements of arrays of int32"):
        assert hetc.map(multiply)([from_float(0.5)], [3 << 16]) == [3 << 15]
    assert to_float(from_float(1.5)) == 1.5
