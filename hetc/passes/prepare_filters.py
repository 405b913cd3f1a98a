"""prepare-filters: a filter's predicate is cheap and asks no guard, and what Python has already is not computed."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, i1
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.costs import is_light
from hetc.analysis.entry import entry_function
from hetc.dialects import dyn, skel
from hetc.passes.conversion.insertion import insert


@dataclass(frozen=True)
class PrepareFiltersPass(ModulePass):
    """Make filters what `outline-kernels` expects, which computes their predicates twice.

    Needs: skeletons fused. Leaves: filters whose predicates are light.

    1. KeepPositions: where the result of the call is made of the very objects that went in (`skel.originals`), the
       filter gives their positions, and the host picks them. So objects keep their identity, and of their fields only
       those move that the predicate reads.
    2. StorePredicate: filter(p)(x) -> filter(id)(x, map(p)(x)), where p has guards, branches, loops or costly
       functions: they are computed once, and as a map is, one work-item an element.

    Cost: linear.
    """

    name = "prepare-filters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        for inner in [inner for inner in op.walk() if isinstance(inner, skel.FilterOp)]:
            kept = inner
            if entry is not None and "skel.originals" in entry.attributes:
                kept = _keep_positions(entry, inner)
            if not is_light(kept.predicate.block):
                _store_predicate(kept)


def _keep_positions(entry: func.FuncOp, op: skel.FilterOp) -> skel.FilterOp:
    """filter(x) {p} {x} -> filter(x) positions {p}, as the result of the entry function."""
    transform = Block(arg_types=op.transform.block.arg_types)
    end = skel.YieldOp()
    end.location = op.location
    transform.add_op(end)
    outputs = [TensorType(dyn.INT, [DYNAMIC_INDEX])]
    new = skel.FilterOp(op.inputs, outputs, op.detach_region(op.predicate), Region(transform), positions=True)
    insert([new], InsertPoint.before(op), op)
    terminator = entry.body.block.last_op
    assert isinstance(terminator, func.ReturnOp)
    terminator.operands = new.outputs
    Rewriter.erase_op(op)
    entry.function_type = entry.function_type.from_lists(entry.function_type.inputs.data, outputs)
    return new


def _store_predicate(op: skel.FilterOp) -> None:
    """filter(x) {p} -> filter(x, flags) {flag}, with flags = map(x) {p}."""
    transform, old_predicate = op.detach_region(op.transform), op.detach_region(op.predicate)
    flags = skel.MapOp(op.inputs, [TensorType(dyn.BOOL, [DYNAMIC_INDEX])], old_predicate)
    predicate = Block(arg_types=[*transform.block.arg_types, i1])
    flag = predicate.args[-1]
    end = skel.YieldOp(flag)
    end.location = op.location
    predicate.add_op(end)
    transform.block.insert_arg(flag.type, len(transform.block.args))
    inputs: list[SSAValue] = [*op.inputs, flags.outputs[0]]
    new = skel.FilterOp(inputs, op.outputs.types, Region(predicate), transform, positions=op.positions is not None)
    insert([flags, new], InsertPoint.before(op), op)
    for old, output in zip(op.outputs, new.outputs, strict=True):
        old.replace_all_uses_with(output)
    Rewriter.erase_op(op)
