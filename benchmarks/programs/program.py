"""What a program of the comparison is: the sides, and the data and check that they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers

Array = NDArray[Any]


def largest_error(result: Any, expected: Any) -> float:
    """The largest error of any component, relative to the component's largest value."""

    def components(value: Any) -> list[Array]:
        return [np.atleast_1d(np.asarray(part)) for part in (value if isinstance(value, tuple) else (value,))]

    pairs = zip(components(result), components(expected), strict=True)
    return max(float(np.abs(a.astype(np.float64) - b).max() / np.abs(b).max()) for a, b in pairs)


def differing_points(result: Any, expected: Any) -> float:
    """The share of points that differ."""
    return float(np.mean(np.asarray(result) != np.asarray(expected)))


@dataclass(frozen=True)
class Program:
    """One program of the comparison.

    `sample(size)` are the inputs of hetc and of the hand-written program; `peer_inputs` makes them into those of the
    peers. `part(result)` is what `reference` computes in double precision, all or some of the elements, and
    `error(part(result), reference(...))` a number that has to be at most `tolerance` on every side.
    """

    name: str
    size: int
    gpu_size: int
    function: Callable[..., Any]
    sample: Callable[[int], tuple[Any, ...]]
    reference: Callable[..., Any]
    native: Callable[[Host], NativeProgram]
    peers: Peers
    peer_inputs: Callable[..., tuple[Any, ...]] = lambda *inputs: inputs
    part: Callable[[Any], Any] = lambda result: result
    error: Callable[[Any, Any], float] = largest_error
    tolerance: float = 1e-5

    def wrong_by(self, result: Any, reference: Any) -> float:
        """The error of a result."""
        return self.error(self.part(result), reference)


def elementwise(
    kernel: str, outputs: int = 1, numbers: Sequence[np.generic] = (), names: str = "abcdefgh"
) -> Callable[[Host], NativeProgram]:
    """A hand-written kernel with a work-item an element: it takes the inputs, then `numbers`, then float32 outputs.

    On a GPU the kernel of the same name with a 4 at its end has a work-item for each four elements.
    """

    def plan(host: Host, *inputs: Array) -> Plan:
        n = len(inputs[0])
        given = dict(zip(names, inputs, strict=False))
        made = {f"out{i}": ((n,), np.float32) for i in range(outputs)}
        four = host.gpu and n % 4 == 0
        step = Step(f"{kernel}4" if four else kernel, (n // 4 if four else n,), [*given, *numbers, *made])
        return Plan(given, made, [step], list(made))

    return lambda host: NativeProgram(host, kernel, plan)


def floats(size: int, count: int, seed: int = 0) -> tuple[NDArray[np.float32], ...]:
    """Arrays of numbers between 0 and 1."""
    generator = np.random.default_rng(seed)
    return tuple(generator.random(size, dtype=np.float32) for _ in range(count))


def side(size: int) -> int:
    """The side of a square with `size` points."""
    return int(size**0.5 + 0.5)
