"""Fields of structured arrays, which are read where they lie, or from copies that are contiguous."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import arith, func, gpu, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint

from hetc.analysis.entry import argument_facts
from hetc.dialects import offload, skel
from hetc.passes.conversion.insertion import insert
from hetc.passes.layouts.accesses import Access, accesses_of, is_at_data, is_read_by_all


def place_fields(module: ModuleOp, entry: func.FuncOp, kernels: Mapping[str, gpu.FuncOp], asked: str | None) -> None:
    """Decide for each array whose numbers stand a stride apart; kernels use the stride if they are read in place."""
    strides = dict(_strides(module, entry))
    for marshal in [inner for inner in entry.body.block.ops if isinstance(inner, offload.MarshalOp)]:
        stride = strides.get(_name_of(marshal.operand), 0)
        accesses = accesses_of(marshal, kernels)
        if stride < 2 or accesses is None:
            continue
        reason = _reason_to_copy(accesses, asked)
        if reason is None:
            marshal.properties["stride"] = IntegerAttr(stride, i64)
            reason = _reason_to_stay(accesses, asked)
            for access in accesses:
                _scale(access, stride)
        marshal.properties["reason"] = StringAttr(reason)


def _strides(module: ModuleOp, entry: func.FuncOp) -> Iterator[tuple[int | str, int]]:
    """The strides that marshalling knows, of arguments of the entry function and of captured arrays."""
    for number, facts in enumerate(argument_facts(entry)):
        if len(facts.strides) == 1:
            yield number, facts.strides[0]
    for declared in module.ops:
        if isinstance(declared, skel.CaptureOp) and declared.stride is not None:
            yield declared.sym_name.data, declared.stride.value.data


def _name_of(array: SSAValue) -> int | str:
    return array.index if isinstance(array, BlockArgument) else skel.captured_name(array)


def _reason_to_copy(accesses: list[Access], asked: str | None) -> str | None:
    """Why an array is copied; None if it is not."""
    if any(not isinstance(access, memref.LoadOp) for access in accesses):
        return "kernels store to it"
    if asked is not None:
        return None if asked == "aos" else "a struct of arrays is asked for"
    if any(map(is_read_by_all, accesses)):
        return "all work-items read it in a loop"
    return None


def _reason_to_stay(accesses: list[Access], asked: str | None) -> str:
    if asked is not None:
        return "an array of structs is asked for"
    return "it is read at places that are data" if any(map(is_at_data, accesses)) else "each work-item reads its own"


def _scale(access: Access, stride: int) -> None:
    """before: array[i]; after: array[i * stride]."""
    factor = arith.ConstantOp(IntegerAttr(stride, IndexType()))
    place = arith.MuliOp(access.indices[0], factor)
    insert([factor, place], InsertPoint.before(access), access)
    access.operands[access.operands.index(access.indices[0])] = place.result
