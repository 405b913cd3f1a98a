"""Functions with parallel loops, drawn at random, and a device of the mind that runs their loops on memory of its own.

The device makes each mistake about copies visible: while its copy of an array is the only right one, the host's is full
of `POISON`, and so is what it is given to overwrite.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

import hetc
from hetc.arrays.memory import DeviceCopy, HostArray, Memory
from hetc.arrays.numbers import NumberArray
from hetc.frontends.loops.rewrite import host_function
from hetc.loops import IndexSpace
from hetc.runtime.kept_arrays import KeptRegion
from hetc.transfers import Versions, current_arrays

POISON = -1e9
DEVICE = "the device"


@dataclass
class Copy(DeviceCopy):
    """Numbers on the device."""

    numbers: HostArray
    account: Account
    is_host: bool = False

    @property
    def place(self) -> str:
        return DEVICE

    def read(self, host: HostArray, start: int) -> None:
        host[...] = self.numbers[start : start + host.size]
        self.account.out += host.nbytes

    def put(self, place: int, number: HostArray) -> None:
        self.numbers[place] = number[0]

    def part(self, start: int, count: int, dtype: np.dtype[Any]) -> DeviceCopy:
        return Copy(self.numbers[start : start + count].copy(), self.account)


@dataclass
class Account:
    """The bytes that have moved, and how many loops have run on the device."""

    into: int = 0
    out: int = 0
    loops: int = 0
    devices: tuple[Hashable, ...] = field(default=(DEVICE,))

    def present(self, memory: Memory, *, whole: bool) -> HostArray:
        """The device's copy of a memory; one that is to be overwritten is not brought there."""
        copy = memory.copy_on(DEVICE)
        if copy is None:
            copy = Copy(np.full(memory.size, POISON, memory.dtype) if whole else memory.read().copy(), self)
            memory.keep(DEVICE, copy)
            self.into += 0 if whole else copy.numbers.nbytes
        assert isinstance(copy, Copy)
        return copy.numbers


def on_device(function: Callable[..., Any], account: Account) -> Callable[..., Any]:
    """A function whose parallel loops run on the device, as `hetc.jit` runs them."""
    versions = versions_of(function, account)
    return lambda *args: versions.call(args, {})


def versions_of(function: Callable[..., Any], account: Account) -> Versions:
    """The versions of such a function."""

    def run(number: int, space: IndexSpace, frame: FrameType | None) -> Any:
        arrays, loop = current_arrays(), host.loops[number]
        assert frame is not None
        if arrays is None or loop.body is None:
            if arrays is not None:
                arrays.bring_all()
            return _Run(space, ended=False)
        region = KeptRegion(arrays, number, loop.body.code.co_freevars)
        variables = {name: frame.f_locals[name] for name in loop.body.code.co_freevars if name in frame.f_locals}
        portable = region.enter(variables)
        if not region.separate([value for name, value in variables.items() if name not in portable]):
            region.names = ()
            portable = region.enter(variables)
            region.separate(variables.values())
        ran = _execute(loop.body.function, space, variables, portable, region, account)
        if not ran:
            arrays.bring_all()
        return _Run(space, ended=ran and len(space) > 0)

    host = host_function(function, run)
    return Versions(host, run)


def _execute(
    make: Callable[..., Any],
    space: IndexSpace,
    variables: dict[str, Any],
    portable: dict[str, NumberArray],
    region: KeptRegion,
    account: Account,
) -> bool:
    """Run all iterations, on the device's copies of kept arrays. Where one raises, nothing has happened."""
    whole = [array.owner for array in region.overwritten(space.ranges)]
    device: dict[int, tuple[NumberArray, HostArray]] = {}
    for array in portable.values():
        numbers = account.present(array.owner, whole=array.owner in whole)
        device[id(array)] = array, numbers
    before = {key: numbers.copy() for key, (_, numbers) in device.items()}
    plain = {name: value.copy() for name, value in variables.items() if isinstance(value, np.ndarray)}
    body = make({**variables, **{n: device[id(a)][1].reshape(a.shape) for n, a in portable.items()}}, globals())
    try:
        for point in space:
            body(*(point if isinstance(point, tuple) and body.__code__.co_argcount > 1 else (point,)))
    except Exception:  # noqa: BLE001 (whatever an iteration raises, Python raises again)
        for name, numbers in plain.items():
            if name not in portable:
                variables[name][...] = numbers
        for key, (array, numbers) in device.items():
            numbers[...] = before[key]
            if array.owner in whole and array.owner.is_on_host:
                array.owner.forget(DEVICE)
        return False
    account.loops += 1
    for key, (array, numbers) in device.items():
        if not np.array_equal(before[key], numbers):
            array.owner.written_on(DEVICE)
            array.owner._host[...] = POISON
    return True


class _Run:
    """What the host's loop goes through: nothing, if the device has run it."""

    fresh = False

    def __init__(self, space: IndexSpace, *, ended: bool) -> None:
        self.ended = ended
        self.points = iter(()) if ended or not len(space) else iter(space)
        self.last = list(space)[-1] if ended else None

    def __iter__(self) -> Any:
        return self.points


# ---------------------------------------------------------------------------------------------------------------------
# Programs
# ---------------------------------------------------------------------------------------------------------------------

KEPT: list[Any] = []


def helper(x: Any) -> None:
    """What a program calls, and a compiler does not look into."""
    x[0] = (x.sum() + 1) % 1000


def failing(x: Any) -> None:
    if x[0] % 2 < 1:
        raise ValueError("drawn")


NAMES = ("a", "b", "c", "d", "e")
_SIMPLE = (
    "s = (s + X[0]) % 1000",
    "s = (s + X.sum()) % 1000",
    "s = (s + float(X[1:3].max())) % 1000",
    "s = (s + np.dot(X[:4], Y[:4])) % 1000",
    "s = (s + sum(X.tolist())) % 1000",
    "X[k % 3] = s",
    "X[1:] += 1",
    "X += Y[: len(X)].sum()",
    "X.fill(s)",
    "X[...] = k",
    "np.add(X, 1, out=X)",
    "X = Y",
    "X = Y[1:]",
    "X = Y[::-1]",
    "X, Y = Y, X",
    "X = Y.copy()",
    "X = Y * 2 % 1000",
    "X = np.zeros(7)",
    "X = np.empty_like(Y); X[...] = s",
    "X = Y.reshape(-1)",
    "helper(X)",
    "failing(X)",
    "KEPT.append(X)",
    "if KEPT: X = KEPT[-1]",
    "if KEPT: KEPT[0][0] = 5",
    "t = (X, Y)\nt[0][2] = s",
    "f = lambda: X[0]\ns = (s + f()) % 1000",
    "row = X\nrow[1] = 3",
    "def g():\n    nonlocal X\n    X = Y\ng()",
    "try:\n    s += X[9]\nexcept IndexError as error:\n    s += 1\nelse:\n    X[1] = s",
    "s = (s + max(X)) % 1000",
    "s = s + (X[2] if s > 2 else Y[2])",
    "s = (s + len(X) + X.shape[0]) % 1000",
    "s = (s + m[k % 3, 1] + m[1:, 0].sum()) % 1000",
    "m[k % 3] = X[:4]",
    "row = m[1]\nrow[0] = s",
    "s = (s + sum(row[:2]) if row is not None else s) % 1000",
    "X = m[2]",
    "m = m.T.copy().T if s > 500 else m + 1",
    "m = np.eye(4)[1:]\nrow = m[0]\nrow[0] = s",
)
_LOOPS = (
    "X[i] = (Y[i] + 1) % 1000",
    "X[i] = i",
    "X[i] += 1",
    "X[i] = X[i] * 2 % 1000",
    "if i % 2: X[i] = Y[i]",
    "q = Y\n    X[i] = q[i] + 1",
    "X[i] = (Y[i] + Z[i]) % 1000\n    Y[i] = s",
    "if Y[i] > 3: continue\n    X[i] = 1",
    "for j in range(4): m[i % 3, j] += X[i]",
)
_GRIDS = (
    "for i, j in hetc.forall(3, 4):\n    m[i, j] = (m[i, j] + i * s) % 1000",
    "for i, j in hetc.forall(3, 4):\n    m[i, j] = X[0] + j",
    "for p in hetc.forall(*m.shape):\n    m[p] = s",
    "for i in hetc.forall(3):\n    r = m[i]\n    r[1] = X[2]",
    "for i in hetc.forall(len(m)):\n    X[i] = m[i, 0]",
)
_WHILE = "w = 0\nwhile X[0] < 500 and w < 3:\n    w += 1"


class Program:
    """The text of a function, drawn by a generator of random numbers."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.loops = 0
        lines = [
            "def program(a, b, c):",
            "    s, k, t, q, row = 1.0, 0, None, None, None",
            "    d, m = np.ones(7), np.ones((3, 4))",
        ]
        lines += ["    e = a"] if draw.random() < 0.5 else ["    e = np.arange(7.0)"]
        self.text = "\n".join([*lines, *self.block(1, draw.randint(4, 9)), f"    return {self.result()}"]) + "\n"

    def result(self) -> str:
        return self.draw.choice(["s", "a", "d", "(d, s)", "m", "row", "[e, s]", "None", "{'d': d}", "d[1:]"])

    def block(self, depth: int, count: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(depth)] or ["    " * depth + "pass"]

    def statement(self, depth: int) -> list[str]:
        draw, inner = self.draw, depth + 1
        kind = draw.random()
        if kind < 0.07:
            return self.indented(self.named(draw.choice(_GRIDS), draw.choice(NAMES), "a", "b"), depth)
        if kind < 0.4:
            x, y, z = (draw.choice(NAMES) for _ in range(3))
            body = self.named(draw.choice(_LOOPS), x, y, z)
            least = f"min(len({x}), len({y}), len({z}))" if draw.random() < 0.5 else f"len({x})"
            if least == f"len({x})" and any(f"{name}[i]" in body for name in (y, z) if name != x):
                least = f"min(len({x}), len({y}), len({z}))"
            return self.indented(f"for i in hetc.forall({least}):\n    {body}", depth)
        if kind < 0.75 or depth > 3:
            return self.indented(self.named(draw.choice(_SIMPLE), *(draw.choice(NAMES) for _ in range(3))), depth)
        block = self.block(inner, draw.randint(1, 4))
        pad = "    " * depth
        match draw.randint(0, 8):
            case 0:
                return [f"{pad}if s % 2 < 1:", *block, f"{pad}else:", *self.block(inner, 1)]
            case 1 | 2:
                jump = [f"{pad}    if s > {draw.randint(1, 900)}: {draw.choice(['break', 'continue'])}"]
                return [f"{pad}for k in range({draw.randint(0, 3)}):", *block, *jump, *self.block(inner, 1)]
            case 3:
                self.loops += 1
                head = self.named(_WHILE, draw.choice(NAMES), "", "").replace("w", f"w{self.loops}")
                return [*self.indented(head.replace(f"w{self.loops}hile", "while"), depth), *block]
            case 4:
                handler = draw.choice(["except ValueError:", "except Exception as error:", "finally:"])
                return [f"{pad}try:", *block, f"{pad}{handler}", *self.block(inner, 1)]
            case 5:
                return [f"{pad}with nullcontext():", *block]
            case 6:
                return [f"{pad}if s % 3 < 1:", *block, f"{pad}    return {self.result()}"]
            case 7:
                return [f"{pad}for v in {draw.choice(NAMES)}:", f"{pad}    s = (s + v) % 1000", *block]
            case _:
                return [f"{pad}try:", *block, f"{pad}    failing({draw.choice(NAMES)})", f"{pad}except ValueError:",
                        *self.block(inner, 1), f"{pad}finally:", *self.block(inner, 1)]  # fmt: skip

    def named(self, text: str, x: str, y: str, z: str) -> str:
        for letter, name in (("X", x), ("Y", y), ("Z", z)):
            text = text.replace(letter, name)
        return text

    def indented(self, text: str, depth: int) -> list[str]:
        return ["    " * depth + line for line in text.splitlines()]

    def function(self, number: int, names: dict[str, Any] | None = None) -> Callable[..., Any]:
        """The function, whose source can be found; `names` are what it knows."""
        filename = f"<program {number}>"
        linecache.cache[filename] = (len(self.text), None, self.text.splitlines(keepends=True), filename)
        scope: dict[str, Any] = dict(NAMESPACE if names is None else names)
        exec(compile(self.text, filename, "exec"), scope)
        return scope["program"]


def arguments(draw: random.Random) -> tuple[Any, ...]:
    """Three arrays, that may be one another, or overlap."""
    base = np.arange(20.0)
    shapes = [
        (base[:7].copy(), base[5:14].copy(), base[3:10].copy()),
        (base[:7], base[:7], base[9:16]),
        (base[:9], base[5:14], base[14:]),
        (base[:14:2], base[1:15:2], base[13:20]),
        (base[::-1][:8], np.arange(8), base[:7].copy()),
    ]
    found = list(draw.choice(shapes))
    draw.shuffle(found)
    return (*found, base)


NAMESPACE = {"np": np, "hetc": hetc, "nullcontext": nullcontext, "KEPT": KEPT, "helper": helper, "failing": failing}
