"""Functions that call array functions and each other, drawn at random, on the device of the mind of `host_programs`.

What such a call gives is on the device alone until the host looks: its place on the host is full of `POISON`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import hetc
from hetc.arrays.memory import Memory
from hetc.arrays.numbers import NumberArray
from hetc.dispatch import LeftDevice
from hetc.loops import HostCode, SkeletonCode
from tests.unit import host_programs
from tests.unit.host_programs import DEVICE, KEPT, NAMESPACE, POISON, Account, Copy, Program


class Skeleton(SkeletonCode):
    """An array function of the mind: `function` of whole arrays."""

    def __init__(self, function: Callable[..., Any], account: Account, captured: Callable[[], Any] | None) -> None:
        self.function = function
        self.account = account
        self.captured = captured
        self.calls = 0

    @property
    def gives_number(self) -> bool:
        return self.function is _total

    def __call__(self, *inputs: Any) -> Any:
        return self.function(*map(np.asarray, inputs), *self.captures())

    def captures(self) -> tuple[Any, ...]:
        return () if self.captured is None else (self.captured(),)

    def on_device_alone(self, given: tuple[Any, ...], inputs: tuple[Any, ...], separate: Any) -> Any:
        """On the device's copies; now and then it turns out that Python is to run it."""
        self.calls += 1
        if self.calls % 5 == 0:
            raise LeftDevice
        captured = self.captures()
        separate(captured)
        assert len(given) == len(inputs)
        found: Any = self.function(*map(self.numbers, given), *captured)
        self.account.loops += 1
        if not isinstance(found, np.ndarray):
            return found
        memory = Memory(found.size, found.dtype)
        memory.place()[...] = POISON
        memory.keep(DEVICE, Copy(found.reshape(-1).copy(), self.account))
        return NumberArray(memory, found.shape)

    def numbers(self, value: Any) -> Any:
        if not isinstance(value, NumberArray):
            return value
        return self.account.present(value.owner, whole=False).reshape(value.shape)


class Callee(HostCode):
    """A function with parallel loops, as `hetc.jit` makes one; without an account it is Python's."""

    def __init__(self, function: Callable[..., Any], account: Account | None) -> None:
        super().__init__(function)  # type: ignore[arg-type]
        self.versions = None if account is None else host_programs.versions_of(function, account)

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments) if self.versions is None else self.versions.call(arguments, {})

    def taken_apart(self) -> Any:
        return None if self.versions is None else self.versions.host

    def called_by(self, arrays: Any, arguments: tuple[Any, ...]) -> Any:
        assert self.versions is not None
        return self.versions.call(arguments, {}, arrays)


def _double(x: Any) -> Any:
    return x * 2 % 1000


def _sum(x: Any, y: Any) -> Any:
    return (x[: len(y)] + y[: len(x)]) % 1000


def _total(x: Any) -> Any:
    return x.sum() % 1000


def _pair(x: Any) -> Any:
    return (x + 1, x + 2)


def _plus(x: Any, captured: Any) -> Any:
    return (x + captured[0]) % 1000


def step(x: Any, y: Any) -> None:
    for i in hetc.forall(min(len(x), len(y))):
        x[i] = (y[i] + 1) % 1000


def fresh(x: Any) -> Any:
    y = np.empty_like(x)
    for i in hetc.forall(len(y)):
        y[i] = (x[i] + 3) % 1000
    return y


def either(x: Any, y: Any, s: Any) -> Any:
    for i in hetc.forall(len(x)):
        x[i] = i
    if s % 2 < 1:
        return x
    return y[1:]


def held(x: Any) -> Any:
    for i in hetc.forall(len(x)):
        x[i] += 1
    KEPT.append(x)
    if KEPT[0][0] > 3:
        KEPT[0][1] = 4
    return x


def looking(x: Any) -> float:
    if x[0] > 400:
        x[1:] += 1
    for i in hetc.forall(len(x)):
        x[i] = (x[i] + 1) % 1000
    return x[0] + x.sum() % 7


def deep(x: Any, y: Any) -> Any:
    step(x, y)
    z = double(x)
    step(z, x)
    return z


def double(x: Any) -> Any:  # stands for the array function where the programs run in Python
    return _double(x)


def failing_inside(x: Any, y: Any) -> None:
    step(x, y)
    for i in hetc.forall(len(y)):
        y[i] += 1
    if y[0] % 3 < 1:
        raise ValueError("inside")


_CALLS = (
    "X = double(Y)",
    "X = added(Y, Z)",
    "X = double(added(Y, Y))",
    "s = (s + total(X)) % 1000",
    "s = (s + total(double(X)) + X[0]) % 1000",
    "X = double(Y) + Y",
    "X[k % 3] = total(Y)",
    "t = pair(X)\nt[0][1] = s",
    "X = pair(Y)[0]",
    "X = plus(Y)",
    "X = double(Y[1:])",
    "if total(X) > 500: X = double(X)",
    "X = Y = double(Z)",
    "double(X).fill(1)",
    "step(X, Y)",
    "step(X, X)",
    "X = fresh(Y)",
    "s = (s + fresh(X)[0]) % 1000",
    "X = either(Y, Z, s)",
    "s = either(X, Y, s)[0] + X[0]",
    "X = held(Y)",
    "s = (s + looking(X)) % 1000",
    "s = looking(X)",
    "X = deep(Y, Z)",
    "failing_inside(X, Y)",
    "f = double\nX = f(Y)",
)


class CallingProgram(Program):
    """A program in which every third statement or so is a call."""

    def statement(self, depth: int) -> list[str]:
        draw = self.draw
        if draw.random() < 0.35:
            names = [draw.choice(host_programs.NAMES) for _ in range(3)]
            return self.indented(self.named(draw.choice(_CALLS), *names), depth)
        return super().statement(depth)

    def both(self, number: int, account: Account) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """The function on the device, and in Python."""
        made: list[Callable[..., Any]] = []
        for chosen in (account, None):
            scope = {**NAMESPACE, **_namespace(account, chosen)}
            made.append(self.function(number, scope))
        return host_programs.on_device(made[0], account), made[1]


def _namespace(account: Account, chosen: Account | None) -> dict[str, Any]:
    def captured() -> Any:
        return KEPT[-1] if KEPT else np.ones(1)

    plain = {"double": (_double, None), "added": (_sum, None), "total": (_total, None), "pair": (_pair, None),
             "plus": (_plus, captured)}  # fmt: skip
    found: dict[str, Any] = {name: Skeleton(function, account, other) for name, (function, other) in plain.items()}
    for function in (step, fresh, either, held, looking, failing_inside, deep):
        copied = type(function)(function.__code__, {**globals(), **found}, function.__name__)
        found[function.__name__] = Callee(copied, chosen)
    return found


def drawn(number: int) -> CallingProgram:
    return CallingProgram(random.Random(number))
