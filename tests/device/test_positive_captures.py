"""Captured floats that are known to be positive: guards go, and come back when the number is another one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.abi import POSITIVE
from hetc.runtime.devices import Device

Agree = Callable[..., Any]

SIZES = (0, 1, 7, 255, 257)
softening: Any = 0.01


def weight(x: Any) -> Any:
    squared = x * x + softening
    return 1.0 / (squared * math.sqrt(squared))


@hetc.jit
def weights(x: Any, y: Any, eps: Any) -> None:
    for i in hetc.forall(len(x)):
        squared = x[i] * x[i] + eps
        y[i] = 1.0 / (squared * math.sqrt(squared))


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_numbers_of_all_sizes_and_signs(agree: Agree, monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    for value in (0.01, POSITIVE, math.nextafter(POSITIVE, 0), 1e30, math.inf):
        monkeypatch.setattr(f"{__name__}.softening", kind(value))
        for size in SIZES:
            agree(hetc.map(weight), [k * 0.5 + 0.5 for k in range(size)])
    monkeypatch.setattr(f"{__name__}.softening", kind(math.nan))
    assert all(map(math.isnan, hetc.map(weight)([0.0, 1.0])))


@pytest.mark.parametrize("value", [0.0, -0.0, -1.0, 1e-320])
def test_python_raises_once_the_number_is_another_one(
    device: Device, monkeypatch: pytest.MonkeyPatch, value: float
) -> None:
    numbers = [0.0, 1.0, 2.0]
    af = hetc.map(weight)
    with hetc.configure(device=device, offload="always", fallback="error"):
        before = af(numbers)
        monkeypatch.setattr(f"{__name__}.softening", value)
        with pytest.raises((ValueError, ZeroDivisionError)) as found:
            af(numbers)
        monkeypatch.setattr(f"{__name__}.softening", 0.01)
        assert af(numbers) == before
    monkeypatch.setattr(f"{__name__}.softening", value)
    with pytest.raises(found.type) as expected:
        list(map(weight, numbers))
    assert str(found.value) == str(expected.value)


def test_arrays_that_are_called_again_are_looked_at_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.array([0.0, 1.0])
    af = hetc.map(lambda v: 1.0 / (float(v) * float(v) + softening))
    with hetc.configure(device=device, offload="always", fallback="error"):
        for value in (0.5, 0.25, 0.0, 0.5):
            monkeypatch.setattr(f"{__name__}.softening", value)
            if value:
                assert af(x).tolist() == [1.0 / value, 1.0 / (1.0 + value)]
            else:
                with pytest.raises(ZeroDivisionError):
                    af(x)


def test_loops(device: Device) -> None:
    x, y = np.arange(257.0), np.zeros(257)
    with hetc.configure(device=device, offload="always", fallback="error"):
        for eps in (0.01, 1.0, 0.5):
            weights(x, y, eps)
            assert y.tolist() == [1.0 / ((v * v + eps) * math.sqrt(v * v + eps)) for v in x.tolist()]
        with np.errstate(divide="ignore"), hetc.configure(fallback="silent"):
            weights(x, y, 0.0)
        assert y[0] == np.inf


def test_no_guard_is_left_where_the_number_is_positive(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    af = hetc.map(weight).on(device)
    assert "would raise" not in af.lower([0.5, 1.0]).opencl()
    monkeypatch.setattr(f"{__name__}.softening", 0.0)
    assert "would raise" in af.lower([0.5, 1.0]).opencl()
