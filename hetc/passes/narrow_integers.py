"""narrow-integers: 64-bit integers whose ranges fit 32 bits are computed in 32 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.attributes import known_integer
from hetc.analysis.intervals import Interval
from hetc.analysis.ranges import Ranges
from hetc.analysis.walking import kernels_in, walk
from hetc.passes.conversion.dead_code import erase_dead

INT32 = Interval.of_width(32)

_BINARY = (
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.DivSIOp, arith.RemSIOp, arith.MinSIOp, arith.MaxSIOp, arith.AndIOp,
    arith.OrIOp, arith.XOrIOp,
)  # fmt: skip
_SIGNED_PREDICATES = range(6)  # eq ne slt sle sgt sge


@dataclass(frozen=True)
class NarrowIntegersPass(ModulePass):
    """Compute Python integers in 32 bits where nobody can tell.

    Needs: kernels outlined, facts still there (before `lower-guards`).
    Leaves: the same values; `i64` remains where a range does not fit, and at the edges (parameters, results).

    1. Compute the ranges (`hetc.analysis.ranges`).
    2. A loop's counter and the values that a loop or branch carries become `i32` if all they can be fits.
    3. An operator becomes one on `i32` if its operands and its result fit: op(x, y) -> extsi(op(trunci x, trunci y)).
       For `andi` the result is enough: a mask may fit where what it cuts does not, and halves are cut apart.
    4. trunci(extsi x) -> x, sitofp(extsi x) -> sitofp x, index_cast(extsi x) -> index_cast x.
    5. Unless `addresses=false`: where only the low half of a sum, difference, product or mask is used, or of what a
       branch gives, it is computed of low halves, whatever the ranges: trunci(op(x, y)) -> op(trunci x, trunci y). So
       is a count that a loop carries in 32 bits, and that a branch in it adds to (Monte Carlo on an H200: 0.93).

    64-bit division is slow everywhere, on a GPU all 64-bit arithmetic is. With `addresses=false` a loop's counter, and
    what indices are computed from, stay wide: Intel's runtime vectorises 32-bit indices badly. Measured on the
    Mandelbrot set: kernel time 1.14 of hand-written OpenCL with 64-bit `%` and `//`, 1.01 with narrow ones (Intel's
    runtime, 2 cores); on an H100 1.12 with a 64-bit counter and 0.99 with a narrow one. Cost: that of `fold-ranges`.
    """

    name = "narrow-integers"
    addresses: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_in(op)
        ranges = {kernel: Ranges(kernel) for kernel in kernels}
        for kernel, known in ranges.items():
            narrowing = _Narrowing(known, frozenset[SSAValue]() if self.addresses else addressing(kernel))
            for inner in walk(kernel):
                narrowing.narrow(inner)
            _cancel_casts(kernel)
            if self.addresses:
                _use_low_halves(kernel)
                _cancel_casts(kernel)
            erase_dead(kernel, arith.ExtSIOp, arith.TruncIOp, arith.IndexCastOp, arith.ConstantOp)


@dataclass
class _Narrowing:
    """Narrows the ops of one kernel, by ranges that hold for the values before and after."""

    ranges: Ranges
    kept: frozenset[SSAValue]

    def fits(self, *values: SSAValue) -> bool:
        """Whether these are 64-bit integers that fit 32 bits."""
        return all(value.type == i64 and self.ranges.get(value) in INT32 for value in values)

    def narrows(self, *values: SSAValue) -> bool:
        """Whether these fit, and may be held in 32 bits."""
        return self.fits(*values) and not any(value in self.kept for value in values)

    def narrow(self, op: Operation) -> None:
        """Narrow one op, if all that it touches fits."""
        match op:
            case arith.CmpiOp() if op.predicate.value.data in _SIGNED_PREDICATES and self._narrows_comparison(op):
                new = arith.CmpiOp(_low(op.lhs, op), _low(op.rhs, op), op.predicate.value.data)
                new.location = op.location
                Rewriter.replace_op(op, new)
            case arith.SelectOp() if self.fits(op.lhs, op.rhs) and self.narrows(op.result):
                self._replace(op, arith.SelectOp(op.cond, _low(op.lhs, op), _low(op.rhs, op)))
            case _ if isinstance(op, _BINARY) and self.fits(op.lhs, op.rhs) and self.narrows(op.result):
                self._replace(op, type(op)(_low(op.lhs, op), _low(op.rhs, op)))
            case arith.AndIOp() if self.narrows(op.result):
                self._replace(op, arith.AndIOp(_low(op.lhs, op), _low(op.rhs, op)))
            case scf.ForOp():
                self._narrow_for(op)
            case scf.WhileOp():
                self._narrow_while(op)
            case scf.IfOp():
                terminators = [region.block.last_op for region in op.regions if region.blocks]
                for position, result in enumerate(op.results):
                    if self.narrows(result):
                        self._carry(op, position, [], [], terminators)
            case _:
                pass

    def _narrows_comparison(self, op: arith.CmpiOp) -> bool:
        """A comparison has no wide result, but of two values that stay wide it may as well stay wide itself."""
        return self.fits(op.lhs, op.rhs) and (self.narrows(op.lhs) or self.narrows(op.rhs))

    def _replace(self, op: Operation, new: Operation) -> None:
        """A narrow op in place of a wide one; its users see the wide value."""
        wide = arith.ExtSIOp(new.results[0], i64)
        for inserted in (new, wide):
            inserted.location = op.location
        new.results[0].name_hint = op.results[0].name_hint
        self.ranges.intervals[wide.result] = self.ranges.get(op.results[0])
        Rewriter.replace_op(op, [new, wide], [wide.result])

    def _narrow_for(self, op: scf.ForOp) -> None:
        block = op.body.block
        for position, argument in enumerate(block.args[1:]):
            if self.narrows(argument, op.results[position]):
                self._carry(op, position, [3 + position], [argument], [block.last_op])
        last = self.ranges.get(op.ub) + self.ranges.get(op.step) - Interval(1, 1)
        if op.lb.type == i64 and self.narrows(op.lb, op.ub, op.step, block.args[0]) and last in INT32:
            for index in range(3):
                op.operands[index] = _low(op.operands[index], op)
            self._narrow_argument(block.args[0])

    def _narrow_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        if tuple(condition.args) != tuple(before.args):
            return
        for position in range(len(before.args)):
            if not self.narrows(before.args[position], after.args[position], op.results[position]):
                continue
            self._carry(op, position, [position], [after.args[position]], [after.last_op])
            wide = self._narrow_argument(before.args[position])
            condition.operands[1 + position] = before.args[position]
            if not wide.result.uses:
                Rewriter.erase_op(wide)

    def _carry(
        self,
        op: Operation,
        position: int,
        operands: Sequence[int],
        arguments: Sequence[SSAValue],
        terminators: Sequence[Operation | None],
    ) -> None:
        """Carry one value of a loop or branch in 32 bits."""
        for index in operands:
            op.operands[index] = _low(op.operands[index], op)
        for argument in arguments:
            self._narrow_argument(argument)
        for terminator in terminators:
            assert terminator is not None
            terminator.operands[position] = _low(terminator.operands[position], terminator)
        result = op.results[position]
        interval = self.ranges.get(result)
        new = Rewriter.replace_value_with_new_type(result, i32)
        self._widened(new, interval, InsertPoint.after(op), op)

    def _narrow_argument(self, argument: SSAValue) -> arith.ExtSIOp:
        """A block argument becomes narrow; its users see the wide value."""
        block = argument.owner
        assert isinstance(block, Block)
        interval = self.ranges.get(argument)
        new = Rewriter.replace_value_with_new_type(argument, i32)
        first = block.first_op
        assert first is not None
        return self._widened(new, interval, InsertPoint.before(first), first)

    def _widened(self, value: SSAValue, interval: Interval, point: InsertPoint, source: Operation) -> arith.ExtSIOp:
        wide = arith.ExtSIOp(value, i64)
        wide.location = source.location
        value.replace_uses_with_if(wide.result, lambda use: use.operation is not wide)
        Rewriter.insert_op(wide, point)
        self.ranges.intervals[wide.result] = interval
        return wide


def addressing(kernel: gpu.FuncOp) -> frozenset[SSAValue]:
    """The loop counters of a kernel, and the values that its indices are computed from."""
    found: set[SSAValue] = set()
    work = [op.input for op in kernel.walk() if isinstance(op, arith.IndexCastOp) and op.input.type == i64]
    for op in kernel.walk():
        if isinstance(op, scf.ForOp):
            found |= {op.lb, op.ub, op.step, op.body.block.args[0]}
    while work:
        value = work.pop()
        if value in found or value.type != i64:
            continue
        found.add(value)
        work += carried_from(value) if isinstance(value.owner, Block) else _sources(value, value.owner)
    return frozenset(found)


def _sources(value: SSAValue, op: Operation) -> list[SSAValue]:
    """What a result is computed from, through branches and loops too."""
    ends = [region.block.last_op for region in op.regions if region.blocks]
    index = op.results.index(value)
    passed = [end.operands[index] for end in ends if isinstance(end, scf.YieldOp) and index < len(end.operands)]
    return [*op.operands, *passed]


def carried_from(argument: SSAValue) -> list[SSAValue]:
    """What a loop's argument carries: initial values and those of the iterations before."""
    block = argument.owner
    assert isinstance(block, Block)
    parent = block.parent_op()
    if not isinstance(parent, scf.ForOp | scf.WhileOp):
        return []
    ends = [region.block.last_op for region in parent.regions]
    return [*parent.operands, *(operand for end in ends if end is not None for operand in end.operands)]


def _low(value: SSAValue, user: Operation) -> SSAValue:
    """The low half of a value, before the op that uses it."""
    if isinstance(wide := value.owner, arith.ExtSIOp) and wide.input.type == i32:
        return wide.input
    low: Operation
    if (constant := known_integer(value)) is not None:
        low = arith.ConstantOp(IntegerAttr(constant, i32, truncate_bits=True))
    elif isinstance(cast := value.owner, arith.IndexCastOp):
        low = arith.IndexCastOp(cast.input, i32)
    else:
        low = arith.TruncIOp(value, i32)
    low.location = user.location
    low.results[0].name_hint = value.name_hint
    Rewriter.insert_op(low, InsertPoint.before(user))
    return low.results[0]


def _cancel_casts(kernel: gpu.FuncOp) -> None:
    """Casts of a widened value start from the narrow one."""
    for op in walk(kernel):
        if not isinstance(op, arith.TruncIOp | arith.SIToFPOp | arith.IndexCastOp):
            continue
        wide = op.operands[0].owner
        if not isinstance(wide, arith.ExtSIOp) or wide.input.type != i32:
            continue
        if isinstance(op, arith.TruncIOp) and op.result.type == i32:
            op.result.replace_all_uses_with(wide.input)
        elif not isinstance(op, arith.TruncIOp):
            op.operands[0] = wide.input


_LOW_HALVES = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp)
"""Of these the low half hangs on the low halves of the operands alone: they commute with the reduction modulo 2**32."""


def _use_low_halves(kernel: gpu.FuncOp) -> None:
    """Compute what only the low half is used of in 32 bits, from the ends of the kernel to its start."""
    work = [op for op in walk(kernel) if isinstance(op, arith.TruncIOp)]
    while work:
        cut = work.pop()
        wide = cut.input
        if cut.result.type != i32 or wide.type != i64 or not wide.has_one_use() or isinstance(wide.owner, Block):
            continue
        source = wide.owner
        if isinstance(source, _LOW_HALVES):
            left, right = (_low(operand, source) for operand in source.operands)
            low = type(source)(left, right)
            low.location = source.location
            low.results[0].name_hint = source.results[0].name_hint
            Rewriter.insert_op(low, InsertPoint.before(source))
            cut.result.replace_all_uses_with(low.results[0])
            Rewriter.erase_op(cut)
            Rewriter.erase_op(source)
            work += [half.owner for half in (left, right) if isinstance(half.owner, arith.TruncIOp)]
        elif isinstance(source, scf.IfOp):
            position = source.results.index(wide)
            for region in source.regions:
                end = region.block.last_op
                assert end is not None
                half = _low(end.operands[position], end)
                end.operands[position] = half
                work += [half.owner] if isinstance(half.owner, arith.TruncIOp) else []
            narrow = Rewriter.replace_value_with_new_type(wide, i32)
            cut.result.replace_all_uses_with(narrow)
            Rewriter.erase_op(cut)
