"""Regions that leave everything on the device are not waited for; what comes after them finds what they have done."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime import device_steps
from hetc.runtime.devices import Device
from tests.device.conftest import assert_same

half = hetc.map(lambda v: 0.5 * v + 1)


def rounds(x: Any, y: Any, n: int) -> Any:
    for k in range(n):
        for i in hetc.forall(len(y)):
            y[i] = 2 * x[i] + k
        x[:] = k  # what the region reads has been read
        x = half(y)
        for i in hetc.forall(len(x)):
            x[i] = x[i] * 0.25
        if k % 3 == 2:
            y[0] = x[-1]
    return x


def checking(x: Any, y: Any) -> None:
    for i in hetc.forall(len(x)):
        y[i] = x[i] + x[int(x[i])]


def summing(x: Any, y: Any) -> Any:
    s = 0.0
    for i in hetc.forall(len(x)):
        y[i] = x[i]
        s += x[i]
    return s


@pytest.mark.parametrize("size", [1, 255, 70000])
def test_what_comes_after_a_region_finds_what_it_has_done(
    gpu: Device,
    size: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone_on: list[int] = []
    go_on = device_steps.Preparation.go_on

    def counting(steps: Any, call: Any) -> None:
        gone_on.append(size)
        go_on(steps, call)

    monkeypatch.setattr(device_steps.Preparation, "go_on", counting)

    @hetc.jit
    def again(x: Any, y: Any, n: int) -> Any:  # compiled here, so that its steps are counted
        for _ in range(n):
            for i in hetc.forall(len(y)):
                y[i] = 3 * x[i] + size
            for i in hetc.forall(len(x)):
                x[i] = y[i] / 3
        return x

    expected = np.linspace(0, 1, size), np.zeros(size)
    found = expected[0].copy(), expected[1].copy()
    with hetc.configure(offload="never"):
        wanted = rounds(*expected, 7), again(*expected, 3)
    with hetc.configure(device=gpu, offload="always", fallback="error"):
        got = hetc.jit(rounds)(*found, 7), again(*found, 3)
    assert_same((got, found), (wanted, expected), 0, 0.0)
    assert len(gone_on) >= 6


def test_explain_says_why_the_host_waits(gpu: Device) -> None:
    x, y = np.zeros(7), np.zeros(7)
    with hetc.configure(device=gpu, offload="always"):
        told = [str(hetc.jit(f).explain(x, y, *rest)) for f, rest in ((rounds, (1,)), (checking, ()), (summing, ()))]
    free, guarded, sums = (" ".join(text.split()) for text in told)
    assert free.count("the host goes on at once: nothing comes back, and no guard is left") == 2
    assert "the host waits for the device: a guard may fail, and then Python runs something" in guarded
    assert "the host waits for the device: something comes back" in sums


def test_a_guard_that_fails_is_found_before_the_host_goes_on(gpu: Device) -> None:
    x, y = np.array([0.0, 2.0, 9.0]), np.zeros(3)
    with hetc.configure(device=gpu, offload="always"), pytest.raises(IndexError):
        hetc.jit(checking)(x, y)
    assert y.tolist() == [0.0, 11.0, 0.0]
