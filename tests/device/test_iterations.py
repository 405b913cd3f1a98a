"""Iterations, against the same rounds one by one; the examples that iterate stencils."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetc
from examples import heat, life
from hetc.runtime.devices import Device


def four(w: Any) -> Any:
    return 0.25 * (w[-1, 0] + w[1, 0] + w[0, -1] + w[0, 1])


def test_rounds(device: Device) -> None:
    """Rounds of stencils and maps, on arrays, portable ones and lists; with stages around them."""
    image = np.random.default_rng(6).random((7, 9))
    step, double = hetc.stencil(four, 1, "wrap"), hetc.map(lambda x: 2 * x)
    pair = hetc.iterate(hetc.map(lambda a, b: (b, a + b)), times=10)
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        found = hetc.iterate(step, times=3)(image)
        assert type(found) is np.ndarray
        assert np.array_equal(found, step(step(step(image))))
        portable = hetc.iterate(step, times=3)(hetc.array(image))
        assert isinstance(portable, hetc.Array)
        assert np.array_equal(np.asarray(portable), found)
        assert hetc.iterate(double, times=0)([1, 2]) == [1, 2]
        assert hetc.map(lambda x: x + 1).iterate(double, times=2).map(lambda x: -x)([1, 2]) == [-8, -12]
        assert hetc.iterate(double, times=2).reduce(lambda p, q: p + q, 0)([1, 2, 3]) == 24
        assert pair([0], [1]) == ([55], [89])
        assert [part.tolist() for part in pair(np.zeros((1, 2), int), np.ones((1, 2), int))] == [[[55, 55]], [[89, 89]]]
        assert hetc.iterate(double, until=lambda new, old: new[0] > 9)([1]) == [16]
        with pytest.raises(ZeroDivisionError):
            hetc.iterate(hetc.map(lambda x: 6 // (x - 1)), times=3)([2])


def test_nothing_moves_between_rounds(device: Device) -> None:
    """One array in, one out, however many rounds there are."""
    image = np.random.default_rng(7).random((20, 30))
    with hetc.configure(device=device, offload="always", fallback="error"):
        with hetc.profile() as p:
            hetc.iterate(hetc.stencil(four), times=5)(image)
        assert p.bytes_h2d in (0, image.nbytes)
        assert p.bytes_d2h in (0, image.nbytes)


def test_mistakes() -> None:
    double = hetc.map(lambda x: 2 * x)
    for times, until in ((None, None), (1, lambda new, old: True)):
        with pytest.raises(hetc.InputError, match="`times` or `until`"):
            hetc.iterate(double, times, until)
    with pytest.raises(hetc.InputError, match="not negative"):
        hetc.iterate(double, -1)
    with pytest.raises(hetc.InputError, match="a reduction cannot be iterated"):
        hetc.iterate(double.reduce(lambda a, b: a + b, 0), 1)
    with pytest.raises(hetc.InputError, match="takes 1 arrays and makes 2"):
        hetc.iterate(hetc.map(lambda x: (x, x)), 2)([1, 2])


def test_examples(device: Device) -> None:
    """Heat is kept and spreads; a glider is one cell farther down and right after four generations."""
    with hetc.configure(device=device, offload="always", fallback="error"):
        plate, world = heat.plate(32), life.glider(9)
        assert heat.some_rounds(plate).sum() == pytest.approx(plate.sum())
        assert heat.settle(heat.plate(6)).std() < 1.0
        after = hetc.iterate(life.generation, times=4)(world)
        assert np.array_equal(after, np.roll(world, (1, 1), (0, 1)))
