"""Maps before gathers: the law that lets a map be computed where its elements are gathered."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.costs import is_light
from hetc.dialects import obj, skel
from hetc.passes.conversion.insertion import insert


def fuse_into_gathers(producer: skel.MapOp) -> None:
    """load(map(f)(x), i) -> f(load(x, i)), if f is light and all uses of its results are such loads."""
    uses = [use.operation for output in producer.outputs for use in output.uses]
    loads = [op for op in uses if isinstance(op, obj.LoadOp)]
    stored = all(isinstance(value.type, TensorType) for value in producer.inputs)
    if not loads or len(loads) < len(uses) or not stored or not is_light(producer.body.block):
        return
    for load in loads:
        elements = [obj.LoadOp(value, load.indices) for value in producer.inputs]
        insert(elements, InsertPoint.before(load), load)
        body = producer.body.clone().block
        end = body.last_op
        assert isinstance(end, skel.YieldOp)
        Rewriter.inline_block(body, InsertPoint.before(load), [element.result for element in elements])
        load.result.replace_all_uses_with(end.values[producer.outputs.index(load.array)])
        Rewriter.erase_op(end)
        Rewriter.erase_op(load)
    Rewriter.erase_op(producer)
