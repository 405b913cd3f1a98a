"""The work-items of a group: from barrier to barrier one after the other, loops with barriers round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import gpu, scf
from xdsl.ir import Block, Operation

from hetc.interpreter.cases import Cases, NoRoom, NotInterpretedError, Stopped, UndefinedError
from hetc.interpreter.program import Program


@dataclass
class Group:
    """Work-items by their numbers, as far as they have not left; `element` computes the number of what they compute."""

    program: Program
    running: dict[int, Cases]
    element: Operation | None = None

    def run(self, block: Block) -> None:
        """Run a block up to its terminator: that of a kernel, or of a loop around a barrier."""
        together: list[Operation] = []
        for op in block.ops:
            if not any(isinstance(inner, gpu.BarrierOp) for inner in op.walk()):
                together.append(op)
                continue
            self._run_each([one for one in together if not isinstance(one, scf.YieldOp)])
            together = []
            if isinstance(op, scf.ForOp):
                self._run_rounds(op)
            elif not isinstance(op, gpu.BarrierOp):
                raise NotInterpretedError("a barrier is in the kernel, or in counted loops alone")
        self._run_each([one for one in together if not isinstance(one, scf.YieldOp)])

    def _run_each(self, ops: Sequence[Operation]) -> None:
        for number, cases in list(self.running.items()):
            try:
                cases.run_ops(ops)
            except NoRoom:
                del self.running[number]
            except Stopped:
                self.program.failed.setdefault(self._element(number, cases), cases.failed[0])
                del self.running[number]

    def _element(self, number: int, cases: Cases) -> int:
        known = self.element is not None and self.element.results[0] in cases.values
        return int(cases.get(self.element.results[0]).data[0]) if known and self.element is not None else number

    def _run_rounds(self, loop: scf.ForOp) -> None:
        """A loop that all run equally often: else some would wait forever."""
        bounds = {
            tuple(int(cases.demand(cases.get(bound), "a loop")[0]) for bound in (loop.lb, loop.ub, loop.step))
            for cases in self.running.values()
        }
        if not bounds:
            return
        if len(bounds) > 1:
            raise UndefinedError("work-items of a group run a loop with a barrier unequally often")
        ((low, high, step),) = bounds
        if step <= 0:
            raise UndefinedError("scf.for counts up")
        variable, *carried = loop.body.block.args
        end = loop.body.block.last_op
        assert end is not None
        passed = loop.iter_args
        for index in range(low, high, step):
            for cases in self.running.values():
                values = [cases.get(value) for value in passed]
                cases.values.update(zip(carried, values, strict=True))
                cases.values[variable] = cases.plain(np.full(1, index, np.int64))
            self.run(loop.body.block)
            passed = end.operands
        for cases in self.running.values():
            cases.values.update(zip(loop.results, [cases.get(value) for value in passed], strict=True))
