"""Random programs over portable arrays on three devices at once, beside the same programs over NumPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from tests.device.conftest import discrete

STEPS = 40
SIZES = (1, 7, 257)

advance = hetc.map(lambda x: 0.5 * x + 1.0)
add = hetc.map(lambda x, y: x + y)
total = hetc.map(lambda x: int(x) % 7).reduce(lambda p, q: p + q, 0)


@hetc.jit
def bump(y: Any, x: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = y[i] + x[i]


@hetc.jit
def divide(y: Any, x: Any) -> None:
    for i in hetc.forall(len(y)):
        y[i] = 64 // int(x[i]) + y[i]


class Program:
    """Pairs of a portable array and NumPy's, views of them among these, changed in the same way."""

    def __init__(self, seed: int, size: int, devices: list[Any]) -> None:
        self.rng = np.random.default_rng(seed)
        self.size = size
        self.devices = devices
        first = self.rng.integers(-5, 5, size).astype(np.float64)
        self.pairs: list[tuple[Any, Any]] = [(hetc.array(first), first.copy()) for _ in range(2)]

    def step(self) -> str:
        """One random operation; its name."""
        name = str(self.rng.choice([name for name in vars(Program) if name.startswith("do_")]))
        k, other = (int(i) for i in self.rng.integers(0, len(self.pairs), 2))
        with hetc.configure(device=self.devices[self.rng.integers(len(self.devices))]):
            getattr(self, name)(*self.pairs[k], *self.pairs[other])
        del self.pairs[: max(0, len(self.pairs) - 8)]
        return name

    def keep(self, found: Any, expected: Any) -> None:
        assert isinstance(found, hetc.Array)
        self.pairs.append((found, expected))

    def do_map(self, a: Any, x: Any, b: Any, y: Any) -> None:
        self.keep(advance(a), 0.5 * x + 1.0)

    def do_zip(self, a: Any, x: Any, b: Any, y: Any) -> None:
        if len(x) == len(y):
            self.keep(add(a, b), x + y)
            self.keep(add(a, y), x + y)

    def do_reduce(self, a: Any, x: Any, b: Any, y: Any) -> None:
        assert total(a) == sum(int(v) % 7 for v in x)

    def do_numpy(self, a: Any, x: Any, b: Any, y: Any) -> None:
        if len(x) == len(y):
            self.keep(a - b, x - y)
        a += 1
        x += 1
        self.keep(np.maximum(a, 2.0), np.maximum(x, 2.0))

    def do_view(self, a: Any, x: Any, b: Any, y: Any) -> None:
        start, stop = sorted(int(i) for i in self.rng.integers(0, self.size + 1, 2))
        step = int(self.rng.choice([1, 1, 2, -1, -3]))
        part = slice(start, stop)
        if len(x[part][::step]):
            self.keep(a[part][::step], x[part][::step])

    def do_copy(self, a: Any, x: Any, b: Any, y: Any) -> None:
        self.keep(a.copy(), x.copy())

    def do_store(self, a: Any, x: Any, b: Any, y: Any) -> None:
        place, value = int(self.rng.integers(len(x))), float(self.rng.integers(9))
        a[place] = value
        x[place] = value
        if len(x) == len(y):
            a[:] = b
            x[:] = y

    def do_loop(self, a: Any, x: Any, b: Any, y: Any) -> None:
        if len(x) == len(y):
            self.run_loop(bump, a, x, b, y)

    def do_loop_that_may_fail(self, a: Any, x: Any, b: Any, y: Any) -> None:
        if len(x) == len(y):
            self.run_loop(divide, a, x, b, y)

    def run_loop(self, loop: Any, a: Any, x: Any, b: Any, y: Any) -> None:
        errors: list[type[Exception] | None] = []
        for arguments in ((a, b), (x, y)):
            with hetc.configure(offload="never" if arguments[0] is x else "always", fallback="silent"):
                try:
                    loop(*arguments)
                    errors.append(None)
                except ZeroDivisionError as error:
                    errors.append(type(error))
        assert errors[0] is errors[1]

    def do_look(self, a: Any, x: Any, b: Any, y: Any) -> None:
        place = int(self.rng.integers(len(x)))
        assert a[place] == x[place]

    def check(self) -> None:
        """All arrays hold what NumPy's do."""
        for a, x in self.pairs:
            np.testing.assert_array_equal(np.asarray(a), x)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", SIZES)
def test_random_programs(device: Device, seed: int, size: int) -> None:
    program = Program(seed, size, [device, discrete(device, 1), discrete(device, 2)])
    done: list[str] = []
    with hetc.configure(fallback="error", verify=True), np.errstate(all="ignore"):
        for k in range(STEPS):
            done.append(program.step())
            if k % 10 == seed % 10:
                program.check()
        program.check()
    assert len(set(done)) > 5
