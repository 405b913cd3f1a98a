"""Stencils, against what Python and NumPy make of the same windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import assert_same_outcome, outcome

BOUNDARIES = ["clamp", "wrap", "mirror", "reflect", "constant"]
PADS: dict[str, str] = {"clamp": "edge", "wrap": "wrap", "mirror": "reflect", "reflect": "symmetric"}
"""What NumPy's pad calls them."""
WEIGHTS = np.array([0.25, 0.5, 0.125])


def check(
    device: Device, af: hetc.ArrayFunction, *inputs: Any, deopts: int | None = 0, fallbacks: int = 0, rtol: float = 0.0
) -> None:
    """The composition gives on the device what it gives in Python: result, type, or exception."""
    with hetc.configure(offload="never"):
        expected = outcome(lambda: af(*inputs))
    fallback = "silent" if fallbacks else "error"
    with hetc.configure(device=device, offload="always", fallback=fallback, verify=True), hetc.profile() as p:
        found = outcome(lambda: af(*inputs))
    assert_same_outcome(found, expected, 0, rtol)
    assert deopts in (None, p.deopts)
    assert p.fallbacks == fallbacks


def line(w: Any) -> Any:
    return 2 * w[-3] + w[0] - w[2]


def plane(w: Any) -> Any:
    return 0.2 * (w[0, 0] + w[-1, 0] + w[1, 0] + w[0, -2] + w[0, 1])


def space(w: Any) -> Any:
    return w[0, 0, 0] + 2 * w[-1, 0, 0] + 3 * w[0, 2, 0] + 5 * w[0, 0, -1] + 7 * w[1, 1, 1]


def weighted(w: Any) -> Any:
    """A loop over offsets, and captured weights."""
    total = 0.0
    for d in range(-1, 2):
        for e in (-1, 0, 1):
            total += WEIGHTS[d + 1] * w[d, e]
    return total


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_boundaries(device: Device, boundary: str) -> None:
    """Each boundary in one to three dimensions, on arrays that are shorter than a window, and longer than a group."""
    stencil = hetc.stencil(line, 3, boundary, value=7)
    for n in (1, 7, 255, 257):
        check(device, stencil, np.arange(n, dtype=np.float32))
        check(device, stencil, np.arange(2 * n, dtype=np.int16)[::2])
    for shape in ((1, 1), (2, 1), (7, 255), (257, 3)):
        check(device, hetc.stencil(plane, (1, 2), boundary, value=7), np.random.default_rng(1).random(shape))
    for shape in ((1, 1, 1), (3, 4, 5), (2, 9, 33)):
        check(device, hetc.stencil(space, 2, boundary, value=7), np.random.default_rng(2).random(shape))


def test_empty_arrays(device: Device) -> None:
    """They keep their shape, and have the dtype that the results would have had."""
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        for shape in ((0, 3), (3, 0)):
            result = hetc.stencil(plane, 2)(np.zeros(shape, np.float32))
            assert (result.shape, result.dtype) == (shape, np.float32)
        after_a_map = hetc.map(abs).stencil(line, 3, "constant")
        for nothing in ([], (), np.zeros(0)):
            assert len(hetc.stencil(line, 3, "constant")(nothing)) == len(after_a_map(nothing)) == 0
        assert hetc.stencil(line, 3).reduce(max, 5)([]) == 5


@pytest.mark.parametrize("boundary", list(PADS))
def test_boundaries_are_numpys(boundary: str) -> None:
    """What lies beyond the ends is what NumPy pads with."""
    x = np.arange(5)
    padded = np.pad(x, 3, mode=PADS[boundary])
    for d in range(-3, 4):
        assert hetc.stencil(lambda w, d=d: w[d], 3, boundary)(x).tolist() == padded[3 + d : 8 + d].tolist()


def add(p: Any, q: Any) -> Any:
    return p + q


def _cases() -> dict[str, tuple[hetc.ArrayFunction, tuple[Any, ...]]]:
    a, b = np.random.default_rng(3).random((2, 6, 9))
    two = hetc.stencil(lambda v, w: (v[-1, 0] + w[0, 1], v[0, 0] * w[0, 0]), 1, "mirror")
    step = hetc.stencil(lambda w: w[1] - w[0])
    return {
        "weights": (hetc.stencil(weighted), (a,)),
        "two inputs and results": (two, (a, b)),
        "odd strides": (hetc.stencil(weighted), (np.repeat(a, 2, 0)[::-2, ::2],)),
        "a map before": (hetc.map(lambda x: x * x).stencil(weighted), (a,)),
        "a map after": (hetc.stencil(weighted).map(lambda x: x * 2), (a,)),
        "zipped": (hetc.zip().then(two), (a, b)),
        "one after the other": (two.stencil(lambda v, w: v[0, 1] - w[0, 0]), (a, b)),
        "a sum": (step.reduce(add, 0), ([1, 2, 5],)),
        "a map and a maximum": (hetc.stencil(weighted).map(lambda x: -x).reduce(max, -9.0), (a,)),
        "a scan": (step.scan(add), ([1, 2, 5],)),
        "a filter": (step.filter(lambda x: x > 0), (np.arange(9) ** 2 % 7,)),
        "a filter before": (hetc.filter(lambda x: x > 2).stencil(lambda w: w[1] - w[0]), (np.arange(9) ** 2 % 7,)),
        "a tuple": (hetc.stencil(lambda w: w[-1]), ((1, 2, 3),)),
        "a range": (hetc.stencil(lambda w: w[-1], 1, "wrap"), (range(5),)),
        "complex numbers": (hetc.stencil(lambda w: w[-1] * w[0], 1, "constant"), (np.arange(5) * 1j,)),
        "half precision": (hetc.stencil(lambda w: w[-1] + w[0], 1, "constant", 2), (np.arange(5, dtype=np.float16),)),
        "truth values": (hetc.stencil(lambda w: w[0] and not w[1]), (np.array([True, False, True]),)),
        "no radius": (hetc.stencil(lambda w: w[0] + 1, 0), ([1, 2],)),
        "a constant after a map": (hetc.map(abs).stencil(weighted, 1, "constant", 2), (a,)),
        "scalars of NumPy": (hetc.stencil(lambda w: w[1] + w[-1], 1, "constant", 3), ([np.float32(1), np.float32(2)],)),
        "NaN beyond the ends": (hetc.stencil(lambda w: w[-1], 1, "constant", np.nan), ([1.0, 2.0],)),
    }


@pytest.mark.parametrize("name", list(_cases()))
def test_compositions(device: Device, name: str) -> None:
    af, inputs = _cases()[name]
    check(device, af, *inputs, rtol=1e-12)


def test_portable_planes(device: Device) -> None:
    """What a stencil makes of a portable array is one, of its shape, and feeds the next."""
    image = np.random.default_rng(5).random((6, 9))
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        stencil = hetc.stencil(plane, 2, "wrap")
        found = stencil(stencil(hetc.array(image)))
        assert isinstance(found, hetc.Array)
        assert np.array_equal(np.asarray(found), stencil(stencil(image)))
        doubled = hetc.map(lambda x: 2 * x).then(stencil)
        assert np.array_equal(np.asarray(doubled(hetc.array(image))), doubled(image))


def test_deoptimisation(device: Device) -> None:
    """Where an element raises or leaves 64 bits, Python runs it; the exception is its own."""
    quotient, product = hetc.stencil(lambda w: 10 // w[-1]), hetc.stencil(lambda w: w[-1] * w[0])
    check(device, quotient, np.arange(1, 700), deopts=None)
    check(device, quotient, [3, 0, 1], deopts=None)
    check(device, product, [2**40, 2**30] * 400, deopts=None)
    check(device, hetc.stencil(lambda w: 1 // w[0, 1], 1), np.arange(12).reshape(3, 4), deopts=None)
    offsets = np.array([0, 1, 2, 0])
    check(device, hetc.stencil(lambda w: w[offsets[w[0]]], 1), [0, 1, 2, 3], deopts=None)


def test_mistakes(device: Device) -> None:
    """Offsets outside of the window, and wrong numbers of them, are told as Python tells them."""
    check(device, hetc.stencil(lambda w: w[2]), [1, 2], fallbacks=1)
    check(device, hetc.stencil(lambda w: w[0, 0]), [1, 2], fallbacks=1)
    with hetc.configure(device=device, offload="always"):
        with pytest.raises(hetc.InputError, match="radii for 2 dimensions, and the array has 1"):
            hetc.stencil(plane, (1, 2))([1, 2])
        with pytest.raises(hetc.InputError, match="different shapes"):
            hetc.stencil(lambda v, w: v[0] + w[0])([1, 2], [1, 2, 3])
        with pytest.raises(hetc.InputError, match="300 does not fit an array of uint8"):
            hetc.stencil(lambda w: w[0], 1, "constant", 300)(np.zeros(3, np.uint8))
    with pytest.raises(hetc.InputError, match="there is no boundary 'zero'"):
        hetc.stencil(plane, 1, "zero")
    with pytest.raises(hetc.InputError, match="not negative"):
        hetc.stencil(plane, -1)


def test_automatic_choice() -> None:
    """Calls that start in Python give the same, and explain where they run."""
    image = np.random.default_rng(4).random((40, 50))
    stencil = hetc.stencil(plane, (1, 2), "wrap")
    with hetc.configure(offload="never"):
        expected = stencil(image)
    for threshold in (0.0, 100.0):
        with hetc.configure(offload="auto", threshold=threshold):
            for _ in range(3):
                assert np.array_equal(stencil(image), expected)
            assert "40" not in str(stencil.explain(image)).splitlines()[0]
