"""What the kernels of reductions, scans and filters share: an operator, and runs of consecutive elements.

Work-item i takes elements [i * run, (i + 1) * run), cut off at the end; no run is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, ub
from xdsl.dialects.complex import ConstantOp as ComplexConstantOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.analysis.costs import is_light
from hetc.dataclass import dataclass
from hetc.dialects import guard, skel
from hetc.passes.outlining.host import HostPlan
from hetc.passes.outlining.kernel import Kernel

Elements = Callable[[SSAValue], list[SSAValue]]
"""From an index to the numbers of the element there, appended to the current block."""


@dataclass(frozen=True)
class Operator:
    """An associative operator on two partial results, what it starts from, if anything, and the op that it is of."""

    source: Operation
    combine: Region
    inits: Sequence[SSAValue] = ()

    @property
    def types(self) -> Sequence[Attribute]:
        """The types of the numbers of a partial result."""
        types = self.combine.block.arg_types
        return types[: len(types) // 2]

    def beginning(self, kernel: Kernel) -> list[SSAValue]:
        """The initial value, in a kernel."""
        return [kernel.add(starting_value(init).clone()).results[0] for init in self.inits]


@dataclass(frozen=True)
class Strips:
    """Runs for work-items that a compiler makes no vectors of: at most so many, and each in some strands.

    In the lanes of a vector, work-items that go through runs gather their elements, which costs more than the vector
    gains where an element is a few operations. A work-item alone waits for each result before it combines the next; in
    strands, equal parts of its run, it has several under way. Sums of floats are more exact with
    more and shorter runs; each costs Intel's runtime some 0.1 us. So there are as many only if they are long: few
    elements are taken in runs of `LONG`, or in 32 times fewer. A filter of 16 Ki float32 takes 0.44 of the time then,
    of 64 Ki 0.65, of 256 Ki 0.90, a scan 0.62, 0.85 and 0.99 (Intel's runtime, 2 cores with AVX-512).
    """

    limit: int
    strands: int

    @staticmethod
    def of(limit: int, strands: int, *bodies: Block) -> Strips | None:
        """Strips, if the device wants any and all that is done with an element is light."""
        return Strips(limit, strands) if limit and all(map(is_light, bodies)) else None

    def run_length(self, plan: HostPlan, length: SSAValue) -> SSAValue:
        """How many elements a run has."""
        long = plan.add(arith.MinUIOp(share(plan, length, max(1, self.limit // 32)), plan.constant(LONG))).result
        return _skewed(plan, plan.add(arith.MaxUIOp(share(plan, length, self.limit), long)).result)


LONG = 2048
"""Elements of a run that takes a work-item long, whose own cost does not matter then. With 4096, the scan of a million
float32 was off by more than a ten-thousandth."""


SKEW = 16
"""Elements that a run is longer than it has to be.

Work-items that go through runs in step, in the lanes of a vector, would else read and write at distances that are
powers of two where the data are, which all fall into one set of a CPU's cache: the scan of 16 Mi float32 takes 105 ms
then, and so 44 ms (Intel's runtime, 2 cores with AVX-512).
"""


def run_length(plan: HostPlan, length: SSAValue, limit: int) -> SSAValue:
    """How many elements a run has, so that there are at most `limit` runs."""
    return _skewed(plan, share(plan, length, limit))


def _skewed(plan: HostPlan, run: SSAValue) -> SSAValue:
    return plan.add(arith.AddiOp(run, plan.constant(SKEW))).result


def share(plan: HostPlan, length: SSAValue, limit: int) -> SSAValue:
    """An even share of so many elements for each of `limit`; at least one."""
    run = plan.add(arith.CeilDivUIOp(length, plan.constant(limit))).result
    return plan.add(arith.MaxUIOp(run, plan.constant(1))).result


def run_bounds(
    kernel: Kernel, index: SSAValue, length: SSAValue, run: SSAValue, runs: int = 1
) -> tuple[SSAValue, SSAValue]:
    """The first element of a run, and the first that is not one of it, or of so many runs from it on, any more."""
    total, size = kernel.parameter(length, "length"), kernel.parameter(run, "run")
    start = kernel.add(arith.MuliOp(index, size)).result
    if runs > 1:
        size = kernel.add(arith.MuliOp(size, kernel.constant(runs))).result
    return start, kernel.add(arith.MinUIOp(kernel.add(arith.AddiOp(start, size)).result, total)).result


def loads(kernel: Kernel, buffers: Sequence[SSAValue]) -> Elements:
    """The elements of partial results in buffers."""
    sources = [kernel.parameter(buffer, f"partial{k}") for k, buffer in enumerate(buffers)]
    return lambda index: [kernel.load(source, index) for source in sources]


def starting_value(init: SSAValue) -> Operation:
    """The constant or captured number that a reduction starts from; for an alternative that it is not, poison."""
    while isinstance(init.owner, guard.FactOp):
        init = init.owner.operand
    assert isinstance(init.owner, arith.ConstantOp | ComplexConstantOp | ub.PoisonOp | skel.CapturedOp | skel.SizeOp)
    return init.owner
