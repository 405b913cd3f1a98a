"""The work-items of a group, side by side: each op for all of them, loops with barriers round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.dialects import gpu, scf
from xdsl.ir import Block, Operation

from hetc.interpreter.cases import Array, Cases, NotInterpretedError, Stopped, UndefinedError
from hetc.interpreter.program import Program
from hetc.interpreter.races import Accesses


def waiting(kernel: Operation) -> frozenset[Operation]:
    """The ops of a kernel in which a work-item waits for the others of its group."""
    found: set[Operation] = set()
    for op in kernel.walk():
        if isinstance(op, gpu.BarrierOp):
            outer: Operation | None = op
            while outer is not None and outer is not kernel:
                found.add(outer)
                outer = outer.parent_op()
    return frozenset(found)


@dataclass
class Group:
    """Work-items by their numbers; `element` computes the number of what they compute, and in `waits` they wait."""

    program: Program
    numbers: Sequence[int]
    cases: Cases
    waits: frozenset[Operation] = frozenset()
    element: Operation | None = None

    def run(self, block: Block) -> None:
        """Run a kernel, until its end or until no work-item is left."""
        try:
            self._run(block)
        except Stopped:
            self._note(np.zeros(len(self.numbers), bool))

    def _run(self, block: Block) -> None:
        """Run a block up to its terminator: that of a kernel, or of a loop around a barrier."""
        for op in block.ops:
            if isinstance(op, scf.YieldOp):
                continue
            before = self.cases.alive
            if op not in self.waits:
                self.cases.run_ops((op,))
            elif isinstance(op, scf.ForOp):
                self._run_rounds(op)
            elif isinstance(op, gpu.BarrierOp):
                cast("Accesses", self.cases.captured["accesses"]).barrier()
            else:
                raise NotInterpretedError("a barrier is in the kernel, or in counted loops alone")
            if self.cases.alive is not before:
                self._note(self.cases.alive)

    def _note(self, alive: Array) -> None:
        """Which elements have failed, of the work-items that have left."""
        for place in np.flatnonzero(~alive):
            if self.cases.failed[place]:
                self.program.failed.setdefault(self._element(int(place)), self.cases.failed[place])

    def _element(self, place: int) -> int:
        known = self.element is not None and self.element.results[0] in self.cases.values
        if known and self.element is not None:
            return int(self.cases.get(self.element.results[0]).data[place])
        return self.numbers[place]

    def _run_rounds(self, loop: scf.ForOp) -> None:
        """A loop that all run equally often: else some would wait forever."""
        cases = self.cases
        if not cases.alive.any():
            raise Stopped
        numbers = [cases.demand(cases.get(bound), "a loop")[cases.alive] for bound in (loop.lb, loop.ub, loop.step)]
        if any(np.any(bound != bound[0]) for bound in numbers):
            raise UndefinedError("work-items of a group run a loop with a barrier unequally often")
        low, high, step = (int(bound[0]) for bound in numbers)
        kind = numbers[0].dtype
        if step <= 0:
            raise UndefinedError("scf.for counts up")
        variable, *carried = loop.body.block.args
        end = loop.body.block.last_op
        assert end is not None
        passed = loop.iter_args
        for index in range(low, high, step):
            cases.values.update(zip(carried, [cases.get(value) for value in passed], strict=True))
            cases.values[variable] = cases.plain(np.full(cases.count, index, kind))
            self._run(loop.body.block)
            passed = end.operands
        cases.values.update(zip(loop.results, [cases.get(value) for value in passed], strict=True))
