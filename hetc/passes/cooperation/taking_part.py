"""All work-items of a group take part in what comes before the end of a kernel, those without an element included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, gpu, memref, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import int_values
from hetc.analysis.kernels import is_pure, last_block
from hetc.analysis.speculative import INTEGER_DIVISIONS
from hetc.dataclass import dataclass
from hetc.dialects import guard, offload
from hetc.passes.coarsening.sharing import Sharing
from hetc.passes.cooperation.code import Code


def group_shape(kernel: gpu.FuncOp, launches: Sequence[offload.LaunchOp]) -> list[int] | None:
    """The sizes of the work-groups that a kernel is launched in; None if they differ, or use local memory already."""
    if not launches or any(isinstance(op, gpu.BarrierOp | memref.AllocaOp) for op in kernel.walk()):
        return None
    shapes = {
        (launch.group.value.data,) if launch.shape is None else tuple(int_values(launch.shape))
        for launch in launches
        if launch.tail.data in ("guard", "exact")
    }
    if len(shapes) != 1 or any(launch.tail.data not in ("guard", "exact") for launch in launches):
        return None
    (shape,) = shapes
    return list(shape) if shape[0] > 1 else None


@dataclass(frozen=True)
class TailTest:
    """The test around all that a kernel does: has the work-item an element? `indices` with what they must be below."""

    branch: scf.IfOp
    indices: Sequence[tuple[gpu.GlobalIdOp, SSAValue]]
    comparisons: frozenset[Operation]


@dataclass(frozen=True)
class Body:
    """What a kernel does, and the test around it, if there is one."""

    block: Block
    test: TailTest | None


def body_of(kernel: gpu.FuncOp) -> Body | None:
    """The body of a kernel; None where its last branch tests something else than indices."""
    block = last_block(kernel)
    if block is kernel.body.block:
        return Body(block, None)
    branch = block.parent_op()
    assert isinstance(branch, scf.IfOp)
    found: list[tuple[gpu.GlobalIdOp, SSAValue]] = []
    comparisons: set[Operation] = set()
    work = [branch.cond]
    while work:
        op = work.pop().owner
        match op:
            case arith.AndIOp():
                work += [op.rhs, op.lhs]
            case arith.CmpiOp() if (
                isinstance(op.lhs.owner, gpu.GlobalIdOp)
                and isinstance(op.rhs, BlockArgument)
                and op.predicate.value.data == _BELOW
            ):
                found.append((op.lhs.owner, op.rhs))
                comparisons.add(op)
            case _:
                # A branch of the program's own at the end of a kernel without a test.
                return Body(kernel.body.block, None) if not _is_tested(kernel) else None
    return Body(block, TailTest(branch, found, frozenset(comparisons)))


@dataclass(frozen=True)
class FirstLoop:
    """The first counted loop of a kernel, and what all work-items of a group may do before it."""

    body: Body
    test: TailTest
    loop: scf.ForOp
    sharing: Sharing


def first_loop(kernel: gpu.FuncOp) -> FirstLoop | None:
    """The loop that a group can do together: of a kernel with a test of one index, that has no local memory yet."""
    used = any(isinstance(op, gpu.BarrierOp | memref.AllocaOp) for op in kernel.walk())
    body = body_of(kernel)
    if "offload.elementwise" not in kernel.attributes or used or body is None or body.test is None:
        return None
    if len(body.test.indices) != 1:
        return None
    sharing = Sharing.of(kernel, frozenset({gpu.DimensionEnum.X}))
    for op in body.block.ops:
        if not may_take_part(op, sharing.stored, body.test):
            return None
        if isinstance(op, scf.ForOp):
            return FirstLoop(body, body.test, op, sharing)
        if any(isinstance(inner, scf.ForOp | scf.WhileOp) for inner in op.walk()):
            return None  # each work-item would do it again
    return None


def _is_tested(kernel: gpu.FuncOp) -> bool:
    """Whether a kernel compares the number of a work-item with an argument, as tests of the last group do."""
    return any(
        isinstance(op, arith.CmpiOp) and isinstance(op.lhs.owner, gpu.GlobalIdOp) and isinstance(op.rhs, BlockArgument)
        for op in kernel.body.block.ops
    )


def may_take_part(op: Operation, stored: Iterable[SSAValue], test: TailTest | None) -> bool:
    """Whether all work-items of a group can do an op: nobody leaves, and what is done twice is as if done once.

    Work-items without an element do what the last one does. They must not store, nor read what it stores at the end.
    """
    stored = set(stored)
    return all(_may(inner, stored, test) for inner in op.walk())


def _may(op: Operation, stored: set[SSAValue], test: TailTest | None) -> bool:
    match op:
        case guard.CheckOp():
            return op.stay is not None
        case memref.LoadOp():
            return test is None or op.memref not in stored
        case memref.StoreOp() | memref.AtomicRMWOp():
            return test is None
        case scf.YieldOp() | scf.ConditionOp() | gpu.GlobalIdOp() | gpu.ThreadIdOp() | gpu.BlockIdOp():
            return True
        case _:
            return bool(op.regions) or is_pure(op) or isinstance(op, INTEGER_DIVISIONS)


def take_part(body: Body, last: Operation) -> None:
    """Take everything up to an op out of the test around it.

    if (i < n) { before; last; after } -> j = min(i, n - 1); before; last; if (i < n) { after }, with j for i.
    """
    if body.test is None:
        return
    test = body.test
    for index, end in test.indices:
        code = Code(InsertPoint.after(index), index)
        final = code.compute(arith.SubiOp, end, 1)
        own = code.add(arith.MinUIOp(index.result, final), index.result.name_hint)
        kept = {own.owner, *test.comparisons}
        index.result.replace_uses_with_if(own, lambda use, kept=kept: use.operation not in kept)
    for op in list(body.block.ops):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(test.branch))
        if op is last:
            break


_BELOW = 6
"""The predicate of `arith.cmpi` for less, without signs."""
