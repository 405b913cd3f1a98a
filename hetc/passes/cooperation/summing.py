"""The kernel in which a group adds up the terms of a loop for one element, in whatever order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, gpu, math, memref, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, UnitAttr, UnknownLoc, i1, i8, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.analysis.attributes import known_integer, number_attribute
from hetc.analysis.fast_math import FastMathFlag, may
from hetc.analysis.float_intervals import is_float_type
from hetc.analysis.kernels import ELEMENT
from hetc.dataclass import dataclass
from hetc.dialects import offload
from hetc.passes.coarsening.lanes import X
from hetc.passes.cooperation.code import Code, Kind, number_bytes
from hetc.passes.cooperation.recurrences import only_computes
from hetc.passes.cooperation.spreading import around_op
from hetc.passes.cooperation.taking_part import Body, TailTest, first_loop

LANES = 128
"""Work-items of a group."""

UNROLLED = 4


@dataclass
class GroupSum:
    """A kernel, and its loop that sums up."""

    kernel: gpu.FuncOp
    body: Body
    test: TailTest
    loop: scf.ForOp

    rows = 1
    lanes = LANES

    @staticmethod
    def of(kernel: gpu.FuncOp, memory: int) -> GroupSum | None:
        """How a group is to sum up for a kernel; None if the order matters, or nothing is gained."""
        found = first_loop(kernel)
        if found is None:
            return None
        sums = [value for value in found.loop.results if is_number(value.type)]
        fits = sum(number_bytes(value.type) for value in sums) * LANES <= memory
        summed = fits and _sums_up(found.loop, found.sharing.stored)
        return GroupSum(kernel, found.body, found.test, found.loop) if summed else None

    def kernel_of(self, name: str) -> gpu.FuncOp:
        """The kernel; which element is its first is its last argument."""
        old = self.kernel.body.block
        block = Block(arg_types=[*old.arg_types, offload.INDEX])
        for argument, new in zip(old.args, block.args, strict=False):
            new.name_hint = argument.name_hint
        block.args[-1].name_hint = "first"
        code = Code(block, self.loop)
        self._all(code, dict(zip(old.args, block.args, strict=False)), block.args[-1])
        code.put(gpu.ReturnOp([]))
        for op in block.walk():
            if isinstance(op.location, UnknownLoc):
                op.location = self.kernel.location
        function = gpu.FuncOp(name, (block.arg_types, []), Region(block), kernel=True)
        function.location = self.kernel.location
        function.attributes |= {**self.kernel.attributes, "sym_name": function.sym_name}
        return function

    def _all(self, code: Code, values: dict[SSAValue, SSAValue], first: SSAValue) -> None:
        """The body: what is before the loop, by all; the loop's rounds, in turn; the tree; what follows, by one."""
        loop = self.loop
        arrays = [self._array(code, value) for value in loop.results]
        ((global_id, _),) = self.test.indices
        lane = code.add(gpu.ThreadIdOp(gpu.DimensionAttr(X)), "lane")
        group = code.add(gpu.BlockIdOp(gpu.DimensionAttr(X)), "group")
        index = code.add(arith.AddiOp(first, group), global_id.result.name_hint)
        values[global_id.result] = index
        assert isinstance(index.owner, Operation)
        index.owner.attributes[ELEMENT] = UnitAttr()
        around = {global_id, self.test.branch, *self.test.comparisons}
        before, after = around_op(self.body.block, loop)
        for op in [*(one for one in self.kernel.body.block.ops if one not in around), *before]:
            if not isinstance(op, gpu.ReturnOp):
                _copy(code, op, values)
        for array, own in zip(arrays, self._own_sums(code, values, lane), strict=True):
            code.store(code.add(arith.ExtUIOp(own, i8)) if own.type == i1 else own, array, lane)
        self._tree(code, arrays, lane)
        rest = Code(Block(), self.test.branch)
        zero = rest.constant(0)
        for result, init, array, step in zip(loop.results, loop.iter_args, arrays, self._steps, strict=True):
            total = rest.add(memref.LoadOp.get(array, [zero]))
            total = rest.add(arith.TruncIOp(total, i1)) if result.type == i1 else total
            values[result] = rest.add(_combined(step, values.get(init, init), total), result.name_hint)
        for op in after:
            _copy(rest, op, values)
        one = code.add(arith.CmpiOp(lane, code.constant(0), "eq"))
        assert isinstance(rest.point, Block)
        code.put(scf.IfOp(one, [], Region(rest.point)))

    @property
    def _steps(self) -> list[Operation]:
        end = self.loop.body.block.last_op
        assert end is not None
        return [value.owner for value in end.operands if isinstance(value.owner, Operation)]

    def _own_sums(self, code: Code, values: dict[SSAValue, SSAValue], lane: SSAValue) -> Sequence[SSAValue]:
        """What a work-item's own rounds come to: of those that are left by the others, in steps of a group."""
        loop = self.loop
        low, high = (values.get(bound, bound) for bound in (loop.lb, loop.ub))
        greater = arith.MaxUIOp if isinstance(low.type, IndexType) else arith.MaxSIOp
        count = code.cast(code.compute(arith.SubiOp, code.add(greater(high, low)), low), offload.INDEX)
        old = loop.body.block
        neutral = [code.add(arith.ConstantOp(_neutral(step))) for step in self._steps]
        block = Block(arg_types=[offload.INDEX, *(value.type for value in neutral)])
        block.args[0].name_hint = "round"
        for new, argument in zip(block.args[1:], old.args[1:], strict=True):
            new.name_hint = argument.name_hint
        inside, kind = Code(block, loop), low.type
        assert isinstance(kind, Kind)
        variable = inside.advance(low, inside.cast(block.args[0], kind))
        variable.name_hint = old.args[0].name_hint
        copies = {**values, **dict(zip(old.args, [variable, *block.args[1:]], strict=True))}
        for op in old.ops:
            _copy(inside, op, copies)
        rounds = code.loop((lane, count, code.constant(LANES)), neutral, block)
        rounds.attributes |= {**loop.attributes, offload.UNROLL: IntegerAttr(UNROLLED, i64)}
        return rounds.results

    def _tree(self, code: Code, arrays: Sequence[SSAValue], lane: SSAValue) -> None:
        """The sums of all work-items, in the first place of each array."""
        stride = LANES // 2
        while stride:
            code.barrier()
            inside = Code(Block(), self.loop)
            other = inside.compute(arith.AddiOp, lane, stride)
            for array, step in zip(arrays, self._steps, strict=True):
                left, right = (inside.add(memref.LoadOp.get(array, [place])) for place in (lane, other))
                inside.store(inside.add(_combined(step, left, right)), array, lane)
            inside.put(scf.YieldOp())
            assert isinstance(inside.point, Block)
            some = code.add(arith.CmpiOp(lane, code.constant(stride), "ult"))
            code.put(scf.IfOp(some, [], Region(inside.point)))
            stride //= 2

    @staticmethod
    def _array(code: Code, value: SSAValue) -> SSAValue:
        element: Attribute = i8 if value.type == i1 else value.type
        name = value.name_hint or "sums"
        return code.add(memref.AllocaOp.get(element, shape=[LANES], memory_space=offload.LOCAL), f"{name}_sums")


def is_number(type_: Attribute) -> bool:
    """Whether sums of a type have an array."""
    return is_float_type(type_) or isinstance(type_, IntegerType)


def _sums_up(loop: scf.ForOp, stored: frozenset[SSAValue]) -> bool:
    """Whether all that a loop carries are sums whose terms may be added up in any order, and there are many."""
    low, high = known_integer(loop.lb), known_integer(loop.ub)
    few = low is not None and high is not None and high - low < LANES
    block = loop.body.block
    end = block.last_op
    if few or end is None or known_integer(loop.step) != 1 or not loop.iter_args:
        return False
    steps = [value.owner for value in end.operands]
    summed = zip(block.args[1:], end.operands, strict=True)
    if not all(_is_sum(argument, value, end) for argument, value in summed):
        return False
    return all(op is end or op in steps or only_computes(op, stored) for op in block.ops)


def _is_sum(argument: SSAValue, value: SSAValue, end: Operation) -> bool:
    """argument + term, of which nobody sees what it comes to before the loop's end."""
    step = value.owner
    if not argument.has_one_use() or not value.has_one_use() or not is_number(argument.type):
        return False
    if not isinstance(step, Operation) or step.parent is not end.parent or argument not in step.operands:
        return False
    match step:
        case math.FmaOp():
            return step.c is argument and may(step, FastMathFlag.REASSOC)
        case arith.AddfOp():
            return may(step, FastMathFlag.REASSOC)
        case arith.AddiOp():
            return True
        case arith.AndIOp():
            return argument.type == i1
        case _:
            return False


def _combined(step: Operation, left: SSAValue, right: SSAValue) -> Operation:
    """What two partial sums come to. Those of integers may wrap where the whole sum does not."""
    match step:
        case math.FmaOp() | arith.AddfOp():
            return arith.AddfOp(left, right, step.fastmath)
        case arith.AndIOp():
            return arith.AndIOp(left, right)
        case _:
            return arith.AddiOp(left, right)


def _neutral(step: Operation) -> FloatAttr | IntegerAttr:
    """What adds nothing: of floats -0.0, for 0.0 would change a -0.0."""
    type_ = step.results[0].type
    return number_attribute(-0.0 if is_float_type(type_) else int(isinstance(step, arith.AndIOp)), type_)


def _copy(code: Code, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
    copies = code.copy(op, values)
    for copy in copies:
        if isinstance(copy.owner, arith.AddiOp) and isinstance(op, arith.AddiOp) and _carries(op):
            copy.owner.overflow_flags = arith.IntegerOverflowAttr("none")
    values.update(zip(op.results, copies, strict=True))


def _carries(op: arith.AddiOp) -> bool:
    """Whether a sum is one of those that a loop carries: the parts of it may wrap."""
    block = op.parent
    around = None if block is None else block.parent_op()
    return isinstance(around, scf.ForOp) and any(operand in around.body.block.args[1:] for operand in op.operands)
