"""narrow-addresses: indices into memory are computed as wide as an index is."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from hetc.analysis.attributes import known_integer
from hetc.analysis.walking import kernels_in
from hetc.dialects.offload import INDEX
from hetc.passes.conversion.dead_code import erase_dead
from hetc.passes.conversion.insertion import insert

_HOMOMORPHIC = (arith.AddiOp, arith.SubiOp, arith.MuliOp)


@dataclass(frozen=True)
class NarrowAddressesPass(ModulePass):
    """Compute indices in `index` instead of 64 bits, where that is narrower.

    Needs: kernels whose guards are lowered: what an index is computed from no longer tells what a guard is about.
    Leaves: the same indices; the wide integers that are used otherwise stay.

    In modules of kernels with an index of 32 bits:

    1. index_cast(op(x, y)) -> op(index_cast x, index_cast y) for additions, subtractions and products, as far as there
       are such: all of them commute with the reduction modulo 2**32, so no range has to be known.
    2. index_cast(index_cast x) -> x.

    Ops stand where the wide ones stood, so what was computed before a loop still is.

    64-bit products are several instructions on a GPU, and NVIDIA's compiler does not narrow them itself: a product of
    matrices takes 0.66 of the time, a Hilbert matrix with four rows a work-item 0.68, the five-point stencil 0.97 alone
    and 0.92 with four rows (H200). Cost: linear.
    """

    name = "narrow-addresses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for module in op.ops:
            bits = module.attributes.get("offload.index_bits")
            if isinstance(module, gpu.ModuleOp) and isinstance(bits, IntegerAttr) and bits.value.data == 32:
                for kernel in kernels_in(module):
                    _narrow(kernel)


def _narrow(kernel: gpu.FuncOp) -> None:
    narrowing = _Narrowing()
    for op in [inner for inner in kernel.walk() if isinstance(inner, arith.IndexCastOp)]:
        if isinstance(op.result.type, IndexType) and _is_computed(op.input):
            op.result.replace_all_uses_with(narrowing.narrow(op.input))
    erase_dead(kernel, *_HOMOMORPHIC, arith.IndexCastOp, arith.ExtSIOp, arith.ConstantOp)


def _is_computed(value: SSAValue) -> bool:
    """Whether a wide integer is one that an index can be computed without."""
    owner = value.owner
    if value.type != i64:
        return False
    return isinstance(owner, _HOMOMORPHIC) or (isinstance(owner, arith.IndexCastOp) and owner.input.type == INDEX)


@dataclass
class _Narrowing:
    """The indices that stand for wide integers of a kernel."""

    narrow_of: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def narrow(self, value: SSAValue) -> SSAValue:
        """A value modulo the width of an index."""
        if value not in self.narrow_of:
            self.narrow_of[value] = self._made(value)
        return self.narrow_of[value]

    def _made(self, value: SSAValue) -> SSAValue:
        op = value.owner
        if isinstance(op, arith.IndexCastOp) and op.input.type == INDEX:
            return op.input
        if isinstance(op, arith.AddiOp) and (number := known_integer(op.rhs)) is not None and -(2**31) < number < 0:
            # An index has no sign.
            return self._insert(arith.SubiOp(self.narrow(op.lhs), self._constant(-number, op)), value)
        if isinstance(op, _HOMOMORPHIC):
            return self._insert(type(op)(self.narrow(op.lhs), self.narrow(op.rhs)), value)
        number = known_integer(value)
        if number is not None and 0 <= number < 2**31 and isinstance(op, Operation):
            return self._constant(number, op)
        if isinstance(op, arith.ExtSIOp) and op.input.type != INDEX:
            return self._insert(arith.IndexCastOp(op.input, INDEX), value)
        return self._insert(arith.IndexCastOp(value, INDEX), value)

    def _constant(self, number: int, before: Operation) -> SSAValue:
        constant = arith.ConstantOp(IntegerAttr(number, INDEX))
        insert([constant], InsertPoint.before(before), before)
        return constant.result

    def _insert(self, new: Operation, value: SSAValue) -> SSAValue:
        """An op right behind what computes a value."""
        owner = value.owner
        if isinstance(owner, Block):
            first = owner.first_op
            assert first is not None
            insert([new], InsertPoint.before(first), first)
        else:
            insert([new], InsertPoint.after(owner), owner)
        if new.results[0].name_hint is None and isinstance(owner, Operation) and not isinstance(new, arith.IndexCastOp):
            new.results[0].name_hint = value.name_hint
        return new.results[0]
