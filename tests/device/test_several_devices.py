"""Calls on several devices: the results of one, in parts by what each has done before. Here there are two on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import several
from hetc.errors import DeviceError
from hetc.runtime.devices import Device, list_devices

DEVICES = list_devices()
pytestmark = pytest.mark.skipif(len(DEVICES) < 2, reason="there are no two devices")
SIZES = (0, 1, 7, 257, several.LEAST, 3 * several.LEAST + 5, 100_003)


def add(p: Any, q: Any) -> Any:
    return p + q


def matrix(p: Any, q: Any) -> Any:
    """x * q after x * p: associative, not commutative."""
    return p[0] * q[0] % 1009, (p[1] * q[0] + q[1]) % 1009


@pytest.fixture(autouse=True)
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(several, "MEASUREMENTS", several.Measurements())


def both(af: hetc.ArrayFunction, *inputs: Any) -> Any:
    """On all devices three times, as shares change, and the same on the first one."""
    with hetc.configure(offload="always", fallback="error"):
        expected = af.on(0)(*inputs)
        for _ in range(3):
            found = af.on("all")(*inputs)
            assert type(found) is type(expected)
            np.testing.assert_array_equal(found, expected)
            if isinstance(expected, np.ndarray):
                assert found.dtype == expected.dtype
    return found


@pytest.mark.parametrize("size", SIZES)
def test_results_are_those_of_one_device(size: int):
    x, k = np.arange(size, dtype=np.float32), np.arange(size)
    both(hetc.map(lambda a: a * 2 + 1), x)
    both(hetc.map(lambda a, b: (a + b, a)), x, k)
    both(hetc.map(lambda a: a + 1), x[::-1])
    both(hetc.filter(lambda a: a % 3 == 0), k)
    both(hetc.filter(lambda a, b: a % 3 == 0), k, x)
    both(hetc.map(lambda a: a % 5).reduce(add, 0), k)
    both(hetc.any(lambda a: a == 70_000), k)
    both(hetc.all(lambda a: a < 70_000), k)
    both(hetc.zip().reduce(matrix, (1, 0)), k % 7, k % 11)
    both(hetc.scan(add), k)
    both(hetc.map(lambda a: a * a), k.tolist())
    both(hetc.map(lambda a: a * a), range(size))
    both(hetc.map(lambda a: -a), tuple(k.tolist()))


def test_rows_and_portable_arrays():
    x = np.arange(60_000.0).reshape(20_000, 3)
    both(hetc.map(lambda row: row[0] + row[2]), x)
    with hetc.configure(offload="always"):
        found = hetc.map(lambda a: a + 1).on("all")(hetc.array(x[:, 0]))
    assert isinstance(found, hetc.Array)
    np.testing.assert_array_equal(np.asarray(found), x[:, 0] + 1)


def test_an_accumulator_of_another_type_stays_together():
    x = np.full(100_000, 0.1, np.float32)
    total = hetc.reduce(add, np.float64(0)).on("all")
    with hetc.configure(offload="always"):
        assert total(x) == total(x) == hetc.reduce(add, np.float64(0)).on(0)(x)


def test_what_is_not_divided_runs_on_the_first():
    x = np.arange(100_000)
    for af in (
        hetc.scan(add), hetc.sort(reverse=True), hetc.stencil(lambda w: w[-1] + w[1]), hetc.argmax(),
        hetc.gather([5, 3]), hetc.filter(lambda a: a < 3).reduce(add, 0), hetc.iterate(hetc.map(lambda a: a + 1), 2),
    ):  # fmt: skip
        both(af, x)


def test_exceptions_are_those_of_the_first_element():
    x = np.arange(100_000).tolist()
    x[70_000], x[99_000] = -1, -2

    def picky(a: int) -> int:
        if a < 0:
            raise ValueError(f"no {a}")
        return a

    af = hetc.map(picky).on("all")
    with hetc.configure(offload="always", fallback="silent"):
        for _ in range(3):
            with pytest.raises(ValueError, match="no -1"):
                af(x)


def test_shares_follow_what_is_measured():
    first, second = DEVICES[:2]
    known = several.Throughputs()
    assert known.shares([first, second]) == [0.5, 0.5]
    known.ran(first, 3000, 1.0)
    assert known.shares([first, second]) == [0.5, 0.5]
    known.ran(second, 1000, 1.0)
    assert known.shares([first, second]) == [0.75, 0.25]
    known.ran(second, 4000, 1.0)
    assert known.shares([first, second])[1] == 3250 / 6250
    for _ in range(30):
        known.ran(second, 1, 1.0)
    assert known.shares([first, second]) == [1.0, 0.0]
    known.calls = several.AGAIN - 1
    assert 0 < known.shares([first, second])[1] < 0.05
    known.lost.add(first)
    assert known.shares([first, second]) == [0.0, 1.0]


def test_a_device_that_fails_is_replaced(monkeypatch: pytest.MonkeyPatch):
    x = np.arange(100_000.0)
    af = hetc.map(lambda a: a + 3).on(DEVICES[:2])
    timed: Callable[..., Any] = several._Work.timed

    def broken(self: Any, part: several.PartOfCall, columns: Any) -> Any:
        if part.device is DEVICES[1]:
            raise DeviceError("it is lost")
        return timed(self, part, columns)

    monkeypatch.setattr(several._Work, "timed", broken)
    with hetc.configure(offload="always"):
        with pytest.warns(hetc.FallbackWarning, match="works in its place"):
            np.testing.assert_array_equal(af(x), x + 3)
        np.testing.assert_array_equal(af(x), x + 3)
    (known,) = several.MEASUREMENTS.kinds.values()
    assert known.lost == {DEVICES[1]}


def test_explained_and_profiled():
    x = np.arange(100_000.0)
    af = hetc.map(lambda a: a + 5).on("all")
    with hetc.configure(offload="always"), hetc.profile() as p:
        assert "evenly" in str(af.explain(x)).replace("\n    ", " ")
        af(x)
        af(x)
        af(x)
        assert "elements a second" in " ".join(str(af.explain(x)).split())
    parts = [event for event in p.events if event.name.startswith("a part on")]
    assert len(parts) >= 2
    assert {event.name for event in parts} == {f"a part on {device.name}" for device in DEVICES}
    assert "first device has all" in " ".join(str(hetc.scan(add).on("all").explain(x)).split())


def test_arguments(device: Device):
    af = hetc.map(abs)
    with pytest.raises(hetc.InputError, match="no device in the list"):
        af.on([])
    with pytest.raises(TypeError, match="a device is one of"):
        af.on([3.5])  # pyright: ignore[reportArgumentType]
    with pytest.raises(DeviceError):
        af.on(["no such device"])
    assert af.on([device, device]).call_options.devices == (device,)
    assert af.on("all").on(device).call_options.devices == ()
    with hetc.configure(offload="never"):
        assert af.on("all")([-1]) == [1]
