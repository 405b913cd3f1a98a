"""version-lengths: where 64-bit integers would fit 32 bits if arrays were short, a kernel of its own for short ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, ModuleOp, StringAttr, SymbolRefAttr, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.intervals import Interval
from hetc.analysis.kernels import MOST
from hetc.analysis.ranges import Ranges
from hetc.analysis.walking import host_ops, kernels_in
from hetc.dialects import guard, offload
from hetc.passes.conversion.insertion import insert
from hetc.passes.cooperation.code import Code

BOUNDS = (1 << 20, 1 << 15, 1 << 14)
"""Lengths that are tried, the longest first. Squares of sums of two indices fit 32 bits up to 2**14, products 2**15."""

_INT32 = Interval.of_width(32)

_DEAR = arith.DivSIOp | arith.RemSIOp | arith.SIToFPOp
"""What takes several instructions on a GPU where integers have 64 bits: so do the products that it is done to."""


@dataclass(frozen=True)
class VersionLengthsPass(ModulePass):
    """Give kernels in which loops divide or convert wide integers a version for arrays that are short.

    Needs: kernels outlined, facts still there (before `narrow-integers`). Leaves: for such a kernel one more,
    `<name>_short`, in which lengths and indices are known to be small, and the launches of both: one has all points.

    1. Ask for which of the integers that loops divide, take remainders of or convert to floats the ranges do not fit 32
       bits (`hetc.analysis.ranges`).
    2. Ask again with the facts about lengths, and about indices that the launch makes, bounded by 2**20, by 2**15 and
       by 2**14; take the longest bound with which fewest do not fit.
    3. Copy the kernel with these facts. The host launches the copy if all these lengths are no larger than the bound,
       and none of the indices reaches it, and else the kernel that there was:

           launch @f over n                      launch @f_short over n box few
                                       ->        launch @f over n box many             // n of one, none of the other

    `narrow-integers` does the rest. `offload.most` on the copy tells how many points it has at most: what is for more
    of them need not be made of it.

    Refused are launches of several dimensions or over a part of an index space, indices that may be negative, and plans
    that copy results out, whose copies `overlap-copies` does together with one kernel.

    On a GPU a 64-bit product, quotient or conversion is several instructions. Measured on an NVIDIA H200, sums of 5,500
    terms u[j] / ((i + j) * (i + j + 1) // 2 + i + 1) for each of 5,500 i: 0.88 of the time in order, 0.72 in any order.
    By Intel's runtime on 2 cores with AVX-512, 2,000 of them: 0.45.
    Cost: that of `fold-ranges` for each bound. Sources: Byler, Davies, Huson, Leasure, Wolfe, "Multiple version loops",
    ICPP 1987; Stephenson, Babb, Amarasinghe, "Bitwidth analysis with application to silicon compilation", PLDI 2000.
    """

    name = "version-lengths"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(isinstance(inner, offload.CopyOutOp) for inner in op.walk()):
            return
        drained = {inner.kernel for inner in host_ops(op) if isinstance(inner, offload.DrainOp)}
        launches = [inner for inner in host_ops(op) if isinstance(inner, offload.LaunchOp)]
        for kernel in kernels_in(op):
            calls = [launch for launch in launches if launch.kernel_name == kernel.sym_name.data]
            if len(calls) != 1 or calls[0].box or calls[0].kernel in drained:
                continue
            if "offload.elementwise" in kernel.attributes and MOST not in kernel.attributes:
                _version(kernel, calls[0])


def _version(kernel: gpu.FuncOp, launch: offload.LaunchOp) -> None:
    before = _wide(kernel)
    facts = _Facts.of(kernel)
    if not before or not facts:
        return
    found: tuple[int, int, gpu.FuncOp] | None = None
    for bound in BOUNDS:
        short = _shortened(kernel, bound)
        left = _wide(short)
        if left < before and (found is None or left < found[0]):
            found = left, bound, short
    if found is None:
        return
    _, bound, short = found
    name = f"{kernel.sym_name.data}_short"
    short.attributes |= {"sym_name": StringAttr(name), MOST: IntegerAttr(bound, i64)}
    block = kernel.parent_block()
    assert block is not None
    block.insert_op_after(short, kernel)
    _launch_either(launch, short, facts, bound)


def _wide(kernel: gpu.FuncOp) -> int:
    """How many dear ops there are in a kernel's loops on integers that do not fit 32 bits."""
    dear = [op for op in kernel.walk() if isinstance(op, _DEAR) and op.operands[0].type == i64 and _is_in_loop(op)]
    if not dear:
        return 0
    ranges = Ranges(kernel)
    return sum(not all(ranges.get(operand) in _INT32 for operand in op.operands) for op in dear)


def _is_in_loop(op: Operation) -> bool:
    around = op.parent_op()
    while around is not None and not isinstance(around, scf.ForOp | scf.WhileOp):
        around = around.parent_op()
    return around is not None


@dataclass(frozen=True)
class _Facts:
    """Where the arguments of a kernel are that facts in it are about: lengths, and where its indices start."""

    lengths: tuple[int, ...]
    starts: tuple[int, ...]

    def __bool__(self) -> bool:
        return bool(self.lengths or self.starts)

    @staticmethod
    def of(kernel: gpu.FuncOp) -> _Facts:
        """Those of a kernel."""
        lengths, starts = set[int](), set[int]()
        for _, length, start in _bounded(kernel):
            if length is not None:
                lengths.add(length.index)
            if start is not None:
                starts.add(start.index)
        return _Facts(tuple(sorted(lengths)), tuple(sorted(starts)))


def _bounded(kernel: gpu.FuncOp) -> Iterator[tuple[guard.FactOp, BlockArgument | None, BlockArgument | None]]:
    """The facts about a length, with its parameter, and about an index, with the parameter that it starts from."""
    for fact in kernel.walk():
        if not isinstance(fact, guard.FactOp) or fact.low.value.data < 0:
            continue
        source = fact.operand.owner
        if isinstance(source, arith.IndexCastOp) and _is_parameter(source.input, kernel):
            assert isinstance(source.input, BlockArgument)
            if isinstance(source.input.type, IndexType):
                yield fact, source.input, None
        elif isinstance(source, arith.AddiOp) and _is_parameter(source.lhs, kernel) and _is_index(source.rhs):
            assert isinstance(source.lhs, BlockArgument)
            yield fact, None, source.lhs


def _is_parameter(value: SSAValue, kernel: gpu.FuncOp) -> bool:
    return isinstance(value, BlockArgument) and value.owner is kernel.body.block


def _is_index(value: SSAValue) -> bool:
    """Whether a value is the index of a work-item."""
    cast = value.owner
    return isinstance(cast, arith.IndexCastOp) and isinstance(cast.input.owner, gpu.GlobalIdOp)


def _shortened(kernel: gpu.FuncOp, bound: int) -> gpu.FuncOp:
    """The kernel with smaller facts."""
    copy = kernel.clone()
    for fact, length, _ in list(_bounded(copy)):
        high = bound if length is not None else bound - 1
        if fact.low.value.data <= high < fact.high.value.data:
            fact.properties["high"] = IntegerAttr(high, i64)
    _keep_names_and_places(kernel, copy)
    return copy


def _keep_names_and_places(old: gpu.FuncOp, new: gpu.FuncOp) -> None:
    for one, other in zip(old.walk(), new.walk(), strict=True):
        other.location = one.location
        pairs = dict[SSAValue, SSAValue](zip(one.results, other.results, strict=True))
        for region, copied in zip(one.regions, other.regions, strict=True):
            for block, twin in zip(region.blocks, copied.blocks, strict=True):
                pairs |= dict(zip(block.args, twin.args, strict=True))
        for value, twin in pairs.items():
            twin.name_hint = value.name_hint


def _launch_either(launch: offload.LaunchOp, short: gpu.FuncOp, facts: _Facts, bound: int) -> None:
    """Launch the version for short arrays if all are, else the launch's own; the other one has no points."""
    code = Code(InsertPoint.before(launch), launch)
    ends = [code.compute(arith.AddiOp, _as_index(code, launch.arguments[k]), launch.extent) for k in facts.starts]
    lengths = [launch.arguments[k] for k in facts.lengths]
    longest, *others = ends + lengths
    for other in others:
        if other is not longest:
            longest = code.add(arith.MaxUIOp(longest, other))
    is_long = code.compute(arith.MinUIOp, code.compute(arith.DivUIOp, longest, bound + 1), 1)
    many = code.compute(arith.MuliOp, launch.extent, is_long)
    few = code.compute(arith.SubiOp, launch.extent, many)
    *outer, _ = launch.kernel.nested_references.data
    symbol = SymbolRefAttr(launch.kernel.root_reference, [*outer, short.sym_name])
    for kernel, points in ((symbol, few), (launch.kernel, many)):
        new = offload.LaunchOp(
            kernel, launch.extent, list(launch.arguments), launch.group.value.data, launch.tail.data, box=[points]
        )
        if launch.tail.data == "guard":
            new.properties["shape"] = DenseArrayBase.from_list(i64, [launch.group.value.data])
        insert([new], InsertPoint.before(launch), launch)
    Rewriter.erase_op(launch)


def _as_index(code: Code, value: SSAValue) -> SSAValue:
    return code.cast(value, offload.INDEX)
