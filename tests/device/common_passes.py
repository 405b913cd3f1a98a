"""Passes that devices have in common, of a program that is compiled for each of them: they are run for the first.

A test is run for one device after the other, and the first half of the pipeline is told nothing of the device; of two
devices that are taken for GPUs, none of it may be. A pass makes the same of the same module, so what it has made for
one device is what the next one goes on from. Where the pipelines part, each device has its own passes. The frontend
reads the program for each.

Compilations that somebody watches, module by module, are left as they are.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.passes import ModulePass

from hetc import dispatch, driver
from hetc.abi import Package
from hetc.analysis.verification import Verifier

KEPT = 64
"""Programs whose modules are kept: more than most tests compile."""

Levels = Iterator[tuple[str, ModuleOp]]
Facts = tuple[Any, ...]


@dataclass
class Made:
    """What a pipeline has made of a program: copies of the module behind some of its passes, by their number."""

    passes: tuple[ModulePass, ...]
    verified: bool
    modules: dict[int, ModuleOp] = field(default_factory=dict[int, ModuleOp])

    def common(self, passes: tuple[ModulePass, ...]) -> int:
        """The most passes that another pipeline begins with, too, and behind which there is a module; or 0."""
        return max((n for n in self.modules if passes[:n] == self.passes[:n]), default=0)


class CommonPasses:
    """`driver.compile` and `driver.levels`, for calls that are compiled for one device after the other."""

    def __init__(self) -> None:
        self._compile, self._levels = driver.compile, driver.levels
        self._made: dict[Facts, Made] = {}
        self._unwatched = threading.local()
        self.left_out = 0
        """How many passes have not been run again."""

    def compile(self, request: driver.Request, watch: driver.Watch | None = None) -> Package:
        """As ever; a call is compiled by `dispatch`, which looks at no module on the way."""
        self._unwatched.now = getattr(watch, "__module__", None) == dispatch.__name__
        try:
            return self._compile(request, watch)
        finally:
            self._unwatched.now = False

    def levels(self, request: driver.Request, clock: driver.Clock | None = None) -> Levels:
        """The same stages; where a pass is left out, the module is one from further on."""
        levels = self._levels(request, clock)
        if not getattr(self._unwatched, "now", False):
            return levels
        return self._shortened(request, levels, clock)

    def _shortened(self, request: driver.Request, levels: Levels, clock: driver.Clock | None) -> Levels:
        _, module = first = next(levels)
        yield first
        passes = driver._pass_objects(driver.pipeline(request.traits, checks=request.checks))
        facts = facts_of(module)
        made = self._made.get(facts)
        if made is None or made.verified < request.verify or not (done := made.common(passes)):
            yield from self._kept(levels, facts, Made(passes, request.verify), request.traits.family == "gpu")
            return
        self.left_out += done
        module = made.modules[done].clone()
        for pass_ in passes[:done]:
            if clock is not None:
                clock(pass_.name, 0.0)
            yield pass_.name, module
        yield from driver.later_levels(module, passes[done:], Verifier() if request.verify else None, clock)

    def _kept(self, levels: Levels, facts: Facts, made: Made, whole: bool) -> Levels:
        """Keep a copy of the module before the passes that are told of the device; with `whole`, of the last one."""
        kernels = [pass_.name for pass_ in made.passes].index(KERNELS)
        for number, (stage, module) in enumerate(levels, start=1):
            if number == kernels or (whole and number == len(made.passes)):
                made.modules[number] = module.clone()
            yield stage, module
        while len(self._made) >= KEPT:
            del self._made[next(iter(self._made))]
        self._made[facts] = made


KERNELS = next(name for name, level in driver.LEVEL_STARTS.items() if level == 3)
"""The first pass that is told of the device's sizes."""


def facts_of(module: ModuleOp) -> Facts:
    """All that there is in a module, so that two with the same facts are the same to every pass.

    The places in the source and the names of values are among it, since they end up in messages and kernels.
    """
    facts: list[Any] = []
    numbers: dict[SSAValue, int] = {}

    def define(value: SSAValue) -> None:
        numbers[value] = len(numbers)
        facts.extend((value.type, value.name_hint))

    def region_of(region: Region) -> None:
        blocks = list(region.blocks)
        for block in blocks:
            for argument in block.args:
                define(argument)
                facts.append(argument.location)
        for block in blocks:
            facts.append(len(block.args))
            for op in block.ops:
                op_of(op, blocks)

    def op_of(op: Operation, blocks: list[Any]) -> None:
        facts.extend((type(op), op.location, *op.attributes.items(), *op.properties.items()))
        facts.append(tuple(numbers[operand] for operand in op.operands))
        facts.append(tuple(blocks.index(successor) for successor in op.successors))
        for result in op.results:
            define(result)
        facts.append(len(op.regions))
        for region in op.regions:
            region_of(region)

    op_of(module, [])
    return tuple(facts)
