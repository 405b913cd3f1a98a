"""Arrays that stay on a device with memory of its own between the loops of a function: what moves, and the results."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.errors import DeviceError
from hetc.runtime import kept_arrays
from hetc.runtime.devices import Device
from hetc.runtime.executor import Executable
from tests.device.conftest import assert_same
from tests.device.looping import check_loops

FLAGS = 64
"""The guards' flags and the totals of sums that come back after a loop, in bytes, at most."""


def moved(gpu: Device, function: Callable[..., Any], make: Callable[[], tuple[Any, ...]], **options: Any) -> Any:
    """What a call moves, once the function has given what Python gives."""
    expected, arguments = make(), make()
    assert isinstance(function, FunctionType)
    jitted = hetc.jit(function)
    with hetc.configure(device=gpu, offload="always", fallback="error", **options), hetc.profile() as p:
        found = jitted(*arguments)
    assert_same((found, arguments), (function(*expected), expected), 0, 0.0)
    assert p.deopts == 0
    return p


def bytes_of(*arrays: Any) -> int:
    return sum(array.nbytes for array in arrays)


def kmeans(px: Any, py: Any, cx: Any, cy: Any, labels: Any, rounds: int) -> int:
    n, k, used = len(px), len(cx), 0
    for _ in range(rounds):
        changed = 0
        for i in hetc.forall(n):
            best, least = 0, 1e300
            for c in range(k):
                d = (px[i] - cx[c]) ** 2 + (py[i] - cy[c]) ** 2
                if d < least:
                    best, least = c, d
            if labels[i] != best:
                changed += 1
            labels[i] = best
        for q in hetc.forall(k):
            sx, sy, m = 0.0, 0.0, 0
            for j in range(n):
                if labels[j] == q:
                    sx, sy, m = sx + px[j], sy + py[j], m + 1
            if m > 0:
                cx[q] = sx / m
                cy[q] = sy / m
        used += 1
        if changed < 0:
            break
    return used


def nbody(x: Any, y: Any, vx: Any, vy: Any, mass: Any, steps: int) -> None:
    n = len(x)
    for _ in range(steps):
        for i in hetc.forall(n):
            ax, ay = 0.0, 0.0
            for j in range(n):
                dx, dy = x[j] - x[i], y[j] - y[i]
                r = math.sqrt(dx * dx + dy * dy + 0.01)
                ax += mass[j] * dx / (r * r * r)
                ay += mass[j] * dy / (r * r * r)
            vx[i] += 0.01 * ax
            vy[i] += 0.01 * ay
        for i in hetc.forall(n):
            x[i] += 0.01 * vx[i]
            y[i] += 0.01 * vy[i]


def pagerank(starts: Any, sources: Any, degrees: Any, rank: Any, rounds: int) -> Any:
    n = len(rank)
    new = np.empty_like(rank)
    for _ in range(rounds):
        for i in hetc.forall(n):
            s = 0.0
            for e in range(starts[i], starts[i + 1]):
                s += rank[sources[e]] / degrees[sources[e]]
            new[i] = 0.15 / n + 0.85 * s
        rank, new = new, rank
    return rank


def points(rounds: int) -> tuple[Any, ...]:
    draw = np.random.default_rng(1)
    px, py = draw.normal(size=(2, 257))
    return px, py, px[:4].copy(), py[:4].copy(), np.zeros(257, np.int64), rounds


def bodies(steps: int) -> tuple[Any, ...]:
    draw = np.random.default_rng(2)
    x, y, vx, vy = draw.normal(size=(4, 31))
    return x, y, vx, vy, draw.uniform(1, 2, 31), steps


def links(rounds: int) -> tuple[Any, ...]:
    draw = np.random.default_rng(3)
    degrees = draw.integers(1, 5, 255)
    starts = np.concatenate([[0], np.cumsum(draw.integers(1, 6, 255))])
    return starts, draw.integers(0, 255, int(starts[-1])), degrees, np.full(255, 1 / 255), rounds


@pytest.mark.parametrize(
    ("function", "make", "rounds", "inputs", "results"),
    [(kmeans, points, 10, 5, (2, 3, 4)), (nbody, bodies, 20, 5, (0, 1, 2, 3)), (pagerank, links, 10, 4, (3,))],
)
def test_each_byte_moves_once(
    gpu: Device, function: Any, make: Any, rounds: int, inputs: int, results: tuple[int, ...]
) -> None:
    """Each input once in, each result once out, whatever the number of rounds; without the pass in each round."""
    arguments = make(rounds)
    once_in, once_out = bytes_of(*arguments[:inputs]), bytes_of(*(arguments[k] for k in results))
    for count in (rounds, 2):
        p = moved(gpu, function, lambda count=count: make(count))
        assert p.bytes_h2d == once_in
        assert once_out <= p.bytes_d2h <= once_out + FLAGS * p.launches
    off = moved(gpu, function, lambda: make(rounds), transfer_elimination=False)
    assert off.bytes_h2d >= rounds * once_in
    assert off.bytes_d2h >= rounds * bytes_of(arguments[results[-1]])


def everything(x: Any, y: Any, n: int, keep: list[Any]) -> Any:
    """Regions, and between them all kinds of looks of the host."""
    s, t, z = 0.0, np.zeros(len(x)), np.empty_like(x)
    for k in range(n):
        for i in hetc.forall(len(x)):
            x[i] = x[i] * 0.5 + k
        for i in hetc.forall(len(z)):
            z[i] = x[i] + t[i]
        if k == 1:
            t[:] = z
            t[::2] += 1
        elif k == 2:
            keep.append(z)
            keep[0][:] = np.abs(keep[0])
        y = y[::-1]
        for i in hetc.forall(len(y)):
            y[i] += z[i]
        try:
            s += y[0] if k else float(y.sum())
            for i in hetc.forall(len(t)):
                t[i] = 8.0 // (3.0 - k + i)
        except ZeroDivisionError:
            s += float(t.sum())
        if k == 4:
            return y, s
        z, t = t, z
    return t


def arguments(layout: str, size: int, rounds: int) -> tuple[Any, ...]:
    """The arguments of `everything`, whose arrays lie in memory in some way."""
    base = np.linspace(-3, 3, 3 * size + 1)
    x, y = {
        "apart": (base[:size].copy(), base[size : 2 * size].copy()),
        "side by side": (base[:size], base[size : 2 * size]),
        "one": (base[:size], base[:size]),
        "overlapping": (base[:size], base[1 : size + 1]),
        "strided": (base[: 2 * size : 2], base[1::3][:size]),
    }[layout]
    return x, y, rounds, []


def test_the_host_sees_what_the_device_did(gpu: Device) -> None:
    """Over sizes, strides, arrays that are one or overlap, early returns and exceptions: as Python."""
    for size in (1, 7, 255, 257):
        for rounds in (1, 5):
            for layout in ("apart", "side by side", "one", "overlapping", "strided"):
                make = functools.partial(arguments, layout, size, rounds)
                check_loops(gpu, everything, make, fallbacks=None, deopts=None)
    check_loops(gpu, everything, lambda: (np.zeros(0), np.zeros(0), 0, []))


def test_an_exception_leaves_all_arrays_up_to_date(gpu: Device) -> None:
    """Whether it comes from a loop, of which the iterations before have run, or from the host."""

    def divide(x: Any, y: Any, where: int) -> None:
        for i in hetc.forall(len(x)):
            y[i] = x[i] + 1
        if where == 0:
            raise ValueError(str(len(x)))
        for i in hetc.forall(len(x)):
            x[i] = 100 // y[i]
        y[where] = x[0]

    for where, value, error in ((0, 1, ValueError), (500, 1, IndexError), (3, -1, RuntimeWarning)):
        arguments, expected = (np.arange(7) + 1, np.zeros(7, int)), (np.arange(7) + 1, np.zeros(7, int))
        arguments[0][4] = expected[0][4] = value
        with hetc.configure(device=gpu, offload="always", fallback="error"), pytest.raises(error) as found:
            hetc.jit(divide)(*arguments, where)
        with pytest.raises(error) as wanted:
            divide(*expected, where)
        assert str(found.value) == str(wanted.value)
        assert_same(arguments, expected, 0, 0.0)


def test_nothing_changes_where_memory_is_shared(device: Device) -> None:
    """There the function runs as it is, without questions."""

    def twice(x: Any) -> None:
        for i in hetc.forall(len(x)):
            x[i] = 2 * x[i]
        x[0] = 5

    jitted = hetc.jit(twice)
    x = np.arange(257.0)
    with hetc.configure(device=device, offload="always", fallback="error"), hetc.profile() as p:
        jitted(x)
    shared = device.traits.shared_memory
    assert (p.bytes_h2d, p.bytes_d2h) == ((0, 0) if shared else (x.nbytes, x.nbytes))
    assert (jitted._versions is None) == shared


def test_explain_says_what_is_copied_and_why(device: Device, gpu: Device) -> None:
    jitted, arguments = hetc.jit(pagerank), links(2)
    with hetc.configure(device=gpu, offload="always"):
        text = " ".join(str(jitted.explain(*arguments)).split())
        host = jitted.lower(*arguments).host
    head, line = pagerank.__code__.co_firstlineno, "line {}, {}: {} {}"
    for offset, place, array, what in (
        (4, "loop", "starts", "copied to the device where it is not there: on some paths the device has a right copy"),
        (4, "loop", "new", "not copied to the device: the region overwrites all of it"),
        (4, "loop", "new", f"not copied back yet: until the return in line {head + 10}"),
        (4, "loop", "sources", "not copied back: the region does not write it"),
        (10, "return", "rank", "copied back: the device may have written it since"),
    ):
        assert line.format(head + offset, place, array, what) in text
    assert 'offload.alias "new" "rank"' in host
    assert 'overwrites ["new"]' in host
    with hetc.configure(device=device, offload="always"):
        same = str(jitted.explain(*arguments)).endswith("nothing is copied: the device shares the host's memory")
        assert same == device.traits.shared_memory
    with hetc.configure(device=gpu, offload="always", transfer_elimination=False):
        assert "transfer_elimination=False" in str(jitted.explain(*arguments))


def two_copies(x: Any) -> Any:
    height, width = x.shape
    a, b = np.empty_like(x), np.empty_like(x)
    for i, j in hetc.forall(height, width):
        a[i, j] = b[i, j] = x[i, j]
    for i, j in hetc.forall(height, width):
        b[i, j] = a[i, j] + b[i, j]
    return b


def test_arrays_that_one_statement_stores_to_as_a_whole(gpu: Device) -> None:
    x = np.arange(35.0).reshape(5, 7)
    p = moved(gpu, two_copies, lambda: (x.copy(),))
    assert p.bytes_h2d <= x.nbytes + FLAGS
    assert p.bytes_d2h <= x.nbytes + FLAGS


def rounds_of_new_arrays(x: Any, rounds: int) -> Any:
    last = x
    for _ in range(rounds):
        new = np.empty_like(x)
        for i in hetc.forall(len(new)):
            new[i] = last[i] + 1
        last = new
    return last


def test_arrays_are_given_up_where_there_are_too_many(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bounded number is kept; and where the device has no memory for more, only those that a loop uses."""
    most, sizes = kept_arrays.MOST, list[int]()
    monkeypatch.setattr(kept_arrays.Kept, "is_reachable", lambda _: True)  # others are given up anyway
    enter = kept_arrays.KeptRegion.enter

    def counting(region: Any, variables: Any) -> Any:
        found = enter(region, variables)
        sizes.append(len(region.arrays.entries))
        return found

    monkeypatch.setattr(kept_arrays.KeptRegion, "enter", counting)
    moved(gpu, rounds_of_new_arrays, lambda: (np.arange(7.0), most + 9))
    assert max(sizes) == most
    run, refused = Executable.run, list[int]()

    def refusing(executable: Any, *arguments: Any) -> Any:
        if len(sizes) > 5 and not refused:
            refused.append(len(sizes))
            raise DeviceError("out of memory")
        return run(executable, *arguments)

    sizes.clear()
    monkeypatch.setattr(Executable, "run", refusing)
    moved(gpu, rounds_of_new_arrays, lambda: (np.arange(7.0), 9))
    assert refused
    assert sizes[6] < sizes[4]


def test_what_has_been_launched_does_not_run_twice(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that refuses after a launch may have changed an array in place."""
    run, launched = Executable.run, list[bool]()

    def failing(executable: Any, *arguments: Any) -> Any:
        def late(call: Any) -> None:
            raise MemoryError("none left")

        if len(launched) == 2:
            monkeypatch.setattr(executable, "_actions", (*executable._actions, late))
        try:
            return run(executable, *arguments)
        except DeviceError as error:
            launched.append(error.launched)
            raise
        finally:
            launched.append(True)

    def twice(x: Any, y: Any) -> None:
        for i in hetc.forall(len(x)):
            x[i] += 1
        for i in hetc.forall(len(y)):
            y[i] += 1
        for i in hetc.forall(len(y)):
            y[i] += 1

    monkeypatch.setattr(Executable, "run", failing)
    with hetc.configure(device=gpu, offload="always", fallback="error"), pytest.raises(DeviceError, match="none left"):
        hetc.jit(twice)(np.arange(7.0), np.arange(7.0))
    assert len(launched) == 4, "the third run fails, and is the last one"
    assert launched[2]


def test_python_takes_turns(gpu: Device) -> None:
    """Where it is estimated to be faster, some loops run in Python, and find what the device has done."""
    x, y, vx, vy, mass, steps = bodies(6)
    expected = bodies(6)
    nbody(*expected)
    jitted = hetc.jit(nbody)
    with hetc.configure(device=gpu, offload="auto", threshold=0.0):
        jitted(x, y, vx, vy, mass, steps)
    assert_same((x, y, vx, vy, mass, steps), expected, 0, 0.0)
