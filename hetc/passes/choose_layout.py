"""choose-layout: whether fields of structured arrays are read where they lie, or from copies that are contiguous."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from hetc.analysis.entry import argument_facts, entry_function
from hetc.dialects import offload, skel
from hetc.passes.conversion.insertion import insert

IN_PLACE = "aos"
"""What a caller may ask for in all arrays of a call; the other is "soa"."""

_OWN = gpu.GlobalIdOp | gpu.BlockIdOp | gpu.ThreadIdOp | memref.LoadOp
Accesses = memref.LoadOp | memref.StoreOp | memref.AtomicRMWOp


@dataclass(frozen=True)
class ChooseLayoutPass(ModulePass):
    """Read the fields of structured arrays in place, as array of structs, or copy each into an array of its own.

    Needs: an `offload` plan with its kernels, in which a buffer has one index (after `outline-kernels`), for a device
    that addresses host memory.
    Leaves: the same plan. A `marshal` of numbers that stand a stride apart says whether they are read in place, with
    the reason; where they are, kernels multiply their indices by the stride.

    1. The candidates are the arrays of which marshalling knows a stride (`skel.strides` of an argument, `stride` of
       a captured array).
    2. An array that a kernel stores to is copied: what lies between its numbers is nothing that a kernel writes.
    3. An array that all work-items read in loops, at the same places, is copied: it is read often, and from a
       contiguous array whole vectors at once.
    4. Any other is read in place. Each work-item reads its own numbers, once or so, or numbers at places that are data:
       then the fields of one record share cache lines.

    Measured on Intel's CPU runtime and PoCL, 2 cores, records of 2, 4 and 8 doubles: at random places, an array of
    structs is 1.2 to 6 times as fast as a struct of arrays once these leave the caches, and as fast before. Read in a
    row it takes 0.9 to 3 times as long, which is less than the copies take. `skel.layout` of the entry function
    overrides 3 and 4. Cost: linear.

    Fields as strided arrays, not C structs: no device has to agree with the host on a struct's layout, and packed,
    overlapping and padded records are all the same.
    """

    name = "choose-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        asked = entry.attributes.get("skel.layout")
        kernels = {f.sym_name.data: f for f in op.walk() if isinstance(f, gpu.FuncOp)}
        strides = dict(_strides(op))
        for marshal in [inner for inner in entry.body.block.ops if isinstance(inner, offload.MarshalOp)]:
            stride = strides.get(_name_of(marshal.operand), 0)
            accesses = _accesses(marshal, kernels)
            if stride < 2 or accesses is None:
                continue
            reason = _reason_to_copy(accesses, asked)
            if reason is None:
                marshal.properties["stride"] = IntegerAttr(stride, i64)
                reason = _reason_to_stay(accesses, asked)
                for access in accesses:
                    _scale(access, stride)
            marshal.properties["reason"] = StringAttr(reason)


def _strides(module: ModuleOp) -> Iterator[tuple[int | str, int]]:
    """The strides that marshalling knows, of arguments of the entry function and of captured arrays."""
    entry = entry_function(module)
    assert entry is not None
    for number, facts in enumerate(argument_facts(entry)):
        if len(facts.strides) == 1:
            yield number, facts.strides[0]
    for declared in module.ops:
        if isinstance(declared, skel.CaptureOp) and declared.stride is not None:
            yield declared.sym_name.data, declared.stride.value.data


def _name_of(array: SSAValue) -> int | str:
    return array.index if isinstance(array, BlockArgument) else skel.captured_name(array)


def _accesses(marshal: offload.MarshalOp, kernels: dict[str, gpu.FuncOp]) -> list[Accesses] | None:
    """What kernels do to the numbers; None if the plan uses them otherwise than in kernels."""
    copies = [use.operation for use in marshal.result.uses]
    if len(copies) != 1 or not isinstance(copies[0], offload.CopyInOp):
        return None
    found: list[Accesses] = []
    for use in copies[0].result.uses:
        if isinstance(use.operation, offload.WriteBackOp):
            continue
        if not isinstance(use.operation, offload.LaunchOp):
            return None
        launch = use.operation
        place = use.index - (len(launch.operands) - len(launch.arguments))  # sizes and starts come first
        buffer = kernels[launch.kernel_name].body.block.args[place]
        for inner in [inner.operation for inner in buffer.uses]:
            if not isinstance(inner, Accesses):
                return None
            if inner not in found:  # a kernel that is launched twice has them once
                found.append(inner)
    return found


def _reason_to_copy(accesses: list[Accesses], asked: object) -> str | None:
    """Why an array is copied; None if it is not."""
    if any(not isinstance(access, memref.LoadOp) for access in accesses):
        return "kernels store to it"
    if isinstance(asked, StringAttr):
        return None if asked.data == IN_PLACE else "a struct of arrays is asked for"
    if any(_in_loop(access) and not _is_own(access.indices[0]) for access in accesses):
        return "all work-items read it in a loop"
    return None


def _reason_to_stay(accesses: list[Accesses], asked: object) -> str:
    if isinstance(asked, StringAttr):
        return "an array of structs is asked for"
    if any(any(isinstance(op, memref.LoadOp) for op in _behind(access.indices[0])) for access in accesses):
        return "it is read at places that are data"
    return "each work-item reads its own"


def _in_loop(op: Operation) -> bool:
    parent = op.parent_op()
    return parent is not None and (isinstance(parent, scf.ForOp | scf.WhileOp) or _in_loop(parent))


def _is_own(index: SSAValue) -> bool:
    """Whether a place may be another one for each work-item, or is data."""
    return any(isinstance(op, _OWN) for op in _behind(index))


def _behind(value: SSAValue) -> Iterator[Operation]:
    """The ops that a value is computed from, through what loops and branches carry."""
    work, seen = [value], {value}
    while work:
        one = work.pop()
        if isinstance(one.owner, Operation):
            yield one.owner
        new = [other for other in _computed_from(one) if other not in seen]
        seen.update(new)
        work += new


def _computed_from(value: SSAValue) -> Sequence[SSAValue]:
    """The values that a value is computed from in one step: of what control flow carries, those in its own place."""
    owner = value.owner
    if isinstance(owner, Operation):
        if not owner.regions:
            return owner.operands
        assert isinstance(value, OpResult)
        return [_passed(block, value.index) for region in owner.regions for block in region.blocks]
    assert isinstance(value, BlockArgument)
    around, place = owner.parent_op(), value.index
    match around:
        case scf.ForOp():
            if place == 0:  # where it ends does not tell which places it comes to
                return [around.lb, around.step]
            return [around.iter_args[place - 1], _passed(owner, place - 1)]
        case scf.WhileOp() if owner is around.before_region.block:
            return [around.arguments[place], _passed(around.after_region.block, place)]
        case scf.WhileOp():
            return [_passed(around.before_region.block, place)]
        case _:
            return ()


def _passed(block: Block, place: int) -> SSAValue:
    """What a block passes on at its end."""
    end = block.last_op
    assert end is not None
    return end.args[place] if isinstance(end, scf.ConditionOp) else end.operands[place]


def _scale(access: Accesses, stride: int) -> None:
    """before: array[i]; after: array[i * stride]."""
    factor = arith.ConstantOp(IntegerAttr(stride, IndexType()))
    place = arith.MuliOp(access.indices[0], factor)
    insert([factor, place], InsertPoint.before(access), access)
    access.operands[access.operands.index(access.indices[0])] = place.result
