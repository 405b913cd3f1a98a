"""Which dimensions of a launch the values of a kernel depend on: what does not depend on one is the same along it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from xdsl.dialects import gpu, memref, scf
from xdsl.ir import Block, Operation, SSAValue

from hetc.analysis.kernels import is_pure
from hetc.analysis.speculative import INTEGER_DIVISIONS
from hetc.dataclass import dataclass
from hetc.dialects import guard

Dimensions = frozenset[gpu.DimensionEnum]
NONE: Dimensions = frozenset()


def changes_memory(op: Operation) -> bool:
    """Whether an op, or one inside of it, does what each work-item has to do for itself."""
    return any(
        not isinstance(inner, memref.LoadOp | scf.YieldOp | gpu.GlobalIdOp)
        and not inner.regions
        and not _has_no_effect(inner)
        for inner in op.walk()
    )


@dataclass
class Sharing:
    """The dimensions, of some, that each value of a kernel depends on."""

    dimensions: Dimensions
    stored: frozenset[SSAValue]
    found: dict[SSAValue, Dimensions] = field(default_factory=dict[SSAValue, Dimensions])

    @staticmethod
    def of(kernel: gpu.FuncOp, dimensions: Dimensions) -> Sharing:
        """Compute them. Memory that the kernel writes is taken to be different for each work-item."""
        written = [op for op in kernel.walk() if isinstance(op, memref.StoreOp | memref.AtomicRMWOp)]
        sharing = Sharing(dimensions, frozenset(op.memref for op in written))
        sharing._block(kernel.body.block)
        return sharing

    def __getitem__(self, value: SSAValue) -> Dimensions:
        return self.found.get(value, NONE)

    def joined(self, values: Iterable[SSAValue]) -> Dimensions:
        """What any of these depends on."""
        return NONE.union(*map(self.__getitem__, values))

    def of_op(self, op: Operation) -> Dimensions:
        """What an op depends on, with all that is inside of it."""
        if changes_memory(op):
            return self.dimensions
        inner = [operand for one in op.walk() for operand in one.operands]
        loads = [one for one in op.walk() if isinstance(one, memref.LoadOp) and one.memref in self.stored]
        return self.dimensions if loads else self.joined(inner)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case gpu.GlobalIdOp() | gpu.ThreadIdOp():
                    self.found[op.result] = self.dimensions & {op.dimension.data}
                case gpu.BlockIdOp():
                    self.found[op.result] = NONE
                case scf.ForOp():
                    self._loop(op)
                case scf.IfOp():
                    self._branch(op)
                case _:
                    depends = self.of_op(op)
                    self.found.update(dict.fromkeys(op.results, depends))

    def _branch(self, op: scf.IfOp) -> None:
        blocks = [region.block for region in op.regions if region.blocks]
        for block in blocks:
            self._block(block)
        if self[op.cond]:
            self.found.update(dict.fromkeys(op.results, self.of_op(op)))
            return
        ends = [end for block in blocks if (end := block.last_op) is not None]
        for position, result in enumerate(op.results):
            self.found[result] = self.joined(end.operands[position] for end in ends)

    def _loop(self, op: scf.ForOp) -> None:
        variable, *carried = op.body.block.args
        bounds = self.joined((op.lb, op.ub, op.step))
        self.found[variable] = bounds
        for argument, init in zip(carried, op.iter_args, strict=True):
            self.found[argument] = bounds | self[init]
        end = op.body.block.last_op
        assert end is not None
        while True:
            self._block(op.body.block)
            before = [self[argument] for argument in carried]
            after = [known | self[given] for known, given in zip(before, end.operands, strict=True)]
            self.found.update(zip([*carried, *op.results], [*after, *after], strict=True))
            if after == before:
                return


def loads_in_loops(kernel: gpu.FuncOp, sharing: Sharing) -> list[Dimensions]:
    """What each load in a loop of a kernel depends on."""
    loops = [op for op in kernel.walk() if isinstance(op, scf.ForOp)]
    return [sharing[op.res] for loop in loops for op in loop.walk() if isinstance(op, memref.LoadOp)]


def is_uniform(op: scf.ForOp | scf.IfOp, sharing: Sharing) -> bool:
    """Whether all work-items that are joined run a loop equally often, or take the same side of a branch."""
    decides = (op.cond,) if isinstance(op, scf.IfOp) else (op.lb, op.ub, op.step)
    return not sharing.joined(decides)


def can_be_joined(op: Operation, sharing: Sharing) -> bool:
    """Whether work-items can do an op together: nobody leaves, or runs a loop more often than the others."""
    match op:
        case scf.ForOp():
            return is_uniform(op, sharing)
        case scf.IfOp():
            return is_uniform(op, sharing) or not any(isinstance(one, scf.ForOp) for one in op.walk())
        case guard.CheckOp():
            return op.stay is not None
        case memref.AtomicRMWOp():
            return not op.result.uses
        case memref.LoadOp() | memref.StoreOp() | gpu.GlobalIdOp() | gpu.ReturnOp() | scf.YieldOp():
            return True
        case _:
            return not op.regions and _has_no_effect(op)


def _has_no_effect(op: Operation) -> bool:
    return is_pure(op) or isinstance(op, INTEGER_DIVISIONS)
