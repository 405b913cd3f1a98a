"""check-floats: kernels that are debugged find out where floats are first no numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from xdsl.context import Context
from xdsl.dialects import arith, func, llvm, math
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects.builtin import AnyFloat, ComplexType, FloatAttr, FunctionType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.entry import entry_function
from hetc.dialects import guard, skel
from hetc.dialects.special import SPECIAL


@dataclass(frozen=True)
class CheckFloatsPass(ModulePass):
    """Ask, at each operation on floats, whether it makes a NaN or an infinity of numbers.

    Needs: no boxes, calls inlined; a module that looks for warnings (`guard.warns`), else nothing is asked. Leaves: a
    `guard.warn` after each operation that can do so.

    1. y = f(a, b) -> y = f(a, b); warn(y is finite, or a or b is not). What an operand is already is nothing new: so
       one NaN is told of once, where it comes from, and not in all that it spreads to.
    2. Where only is to be found out whether there is anything (`guard.warns` is "any") -> warn(y is finite), which is
       cheaper, and enough as long as all are.
    3. Comparisons, choices, negations, minima and maxima, and roundings to whole numbers make nothing new. Conversions
       to a narrower type may overflow.
    4. The operator of a reduction or scan is left alone: its results are no elements.
    5. An entry function whose result is of no interest (`skel.dropped`) returns nothing from now on: the result has
       kept alive what is asked. So a loop that sums up is asked about its terms, as one that stores to arrays is.

    An operator of Python may be several operations here, of which one overflows on purpose. So what is found is where
    to look: the elements in question are run on level 0, operator by operator (`hetc.analysis.float_origins`).

    Cost: linear in the ops. The idea is that of FPChecker (Laguna, ASE 2019), which instruments LLVM IR so, and of the
    exception flags of IEEE 754 (2019, section 7), which devices do not show.
    """

    name = "check-floats"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        wanted = guard.warns(op)
        if wanted is None:
            return
        for inner in [found for found in op.walk() if _may_spoil(found) and not _is_operator(found)]:
            _ask(inner, each=wanted is guard.Warns.EACH)
        entry = entry_function(op)
        if entry is not None and "skel.dropped" in entry.attributes:
            _drop_result(entry)


_MAKE_NOTHING = frozenset(
    {"math.absf", "math.copysign", "math.ceil", "math.floor", "math.trunc", "math.round", "math.roundeven"}
)
_ARITHMETIC = (
    arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, llvm.FRemOp, arith.TruncFOp, arith.SIToFPOp,
    arith.UIToFPOp, complex_dialect.AddOp, complex_dialect.SubOp, complex_dialect.MulOp, complex_dialect.DivOp,
)  # fmt: skip
_FUNCTIONS = (*math.Math.operations, *SPECIAL.operations)


def _may_spoil(op: Operation) -> bool:
    """Whether an op can make a NaN or an infinity of numbers."""
    if isinstance(op, arith.SIToFPOp | arith.UIToFPOp):
        result = op.results[0].type
        return isinstance(result, AnyFloat) and result.bitwidth < 32  # others hold any integer of 64 bits
    known = isinstance(op, (*_ARITHMETIC, *_FUNCTIONS)) and op.name not in _MAKE_NOTHING
    return known and any(isinstance(result.type, AnyFloat | ComplexType) for result in op.results)


def _is_operator(op: Operation) -> bool:
    """Whether an op belongs to the operator of a reduction, a scan or a scatter."""
    region = op.parent_region()
    while region is not None:
        owner = region.parent
        if isinstance(owner, skel.ReduceOp | skel.ScanOp | skel.ScatterOp) and region is owner.combine:
            return True
        region = None if owner is None else owner.parent_region()
    return False


def _drop_result(entry: func.FuncOp) -> None:
    """Let a function return nothing, and its loop yield nothing."""
    block = entry.body.block
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    end.operands = []
    for op in reversed(list(block.ops)):
        if any(result.uses for result in op.results):
            continue
        if isinstance(op, skel.ZipOp):
            Rewriter.erase_op(op)
        elif isinstance(op, skel.ForallOp):
            last = op.body.block.last_op
            assert last is not None
            last.operands = []
            loop = skel.ForallOp(op.sequences, [], op.detach_region(op.body))
            loop.location = op.location
            Rewriter.insert_op(loop, InsertPoint.before(op))
            Rewriter.erase_op(op)
    entry.function_type = FunctionType.from_lists(list(entry.function_type.inputs), [])
    del entry.attributes["skel.dropped"]


def _ask(op: Operation, *, each: bool) -> None:
    """Warn after an op, unless its results are numbers or its operands are none."""
    if any(_is_no_number(operand) for operand in op.operands):
        return
    asked = _Questions(op)
    finite = asked.all_finite(op.results)
    if each and (known := asked.all_finite(op.operands)) is not None:
        assert finite is not None
        true = asked.add(arith.ConstantOp.from_int_and_width(1, 1))
        unknown = asked.add(arith.XOrIOp(known, true))
        finite = asked.add(arith.OrIOp(finite, unknown))
    assert finite is not None
    asked.insert(guard.WarnOp(finite, "a NaN or an infinity is made of numbers"))


def _is_no_number(value: SSAValue) -> bool:
    """Whether a value is a constant NaN or infinity."""
    constant = value.owner
    return (
        isinstance(constant, arith.ConstantOp)
        and isinstance(constant.value, FloatAttr)
        and not isfinite(constant.value.value.data)
    )


class _Questions:
    """Ops that are appended after another one, with its location."""

    def __init__(self, op: Operation) -> None:
        self.last = self.op = op

    def insert(self, op: Operation) -> None:
        """Append an op."""
        op.location = self.op.location
        Rewriter.insert_op(op, InsertPoint.after(self.last))
        self.last = op

    def add(self, op: Operation) -> SSAValue:
        """Append an op for its one result."""
        self.insert(op)
        return op.results[0]

    def all_finite(self, values: Sequence[SSAValue]) -> SSAValue | None:
        """Whether all floats among some values are finite; None if there are none that may not be."""
        known: SSAValue | None = None
        for part in self._parts(values):
            size = self.add(math.AbsFOp(part))
            assert isinstance(part.type, AnyFloat)
            limit = self.add(arith.ConstantOp(FloatAttr(float("inf"), part.type)))
            finite = self.add(arith.CmpfOp(size, limit, "olt"))
            known = finite if known is None else self.add(arith.AndIOp(known, finite))
        return known

    def _parts(self, values: Sequence[SSAValue]) -> Iterator[SSAValue]:
        """The floats among some values, each once; of complex numbers, both parts. Constants are numbers."""
        for value in dict.fromkeys(values):
            if isinstance(value.owner, arith.ConstantOp | complex_dialect.ConstantOp):
                continue
            if isinstance(value.type, AnyFloat):
                yield value
            elif isinstance(value.type, ComplexType):
                yield self.add(complex_dialect.ReOp(value))
                yield self.add(complex_dialect.ImOp(value))
