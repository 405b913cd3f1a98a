"""Maps of what a loop yields, in the loop's body."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.dialects import heap, skel
from hetc.passes.conversion.bodies import inline_body


def fuse_into_loop(consumer: skel.MapOp) -> None:
    """map(g)(forall(s) {f}) -> forall(s) {g . f}, where nothing else reads what the loop yields."""
    producers = {value.owner for value in consumer.inputs}
    (producer, *others) = producers
    if others or not isinstance(producer, skel.ForallOp) or producer.border is not None:
        return
    if any(use.operation is not consumer for output in producer.outputs for use in output.uses):
        return
    if heap.is_used_in(producer):
        return
    region = producer.detach_region(producer.body)
    end = region.block.last_op
    assert isinstance(end, skel.YieldOp)
    yielded: dict[SSAValue, SSAValue] = dict(zip(producer.outputs, end.values, strict=True))
    Rewriter.erase_op(end)
    location = consumer.body.block.last_op
    results = inline_body(consumer.detach_region(consumer.body), region.block, [yielded[v] for v in consumer.inputs])
    last = skel.YieldOp(*results)
    last.location = consumer.location if location is None else location.location
    region.block.add_op(last)
    new = skel.ForallOp(producer.sequences, consumer.outputs.types, region)
    new.location = producer.location
    Rewriter.insert_op(new, InsertPoint.before(consumer))
    for old, made in zip(consumer.outputs, new.outputs, strict=True):
        old.replace_all_uses_with(made)
    Rewriter.erase_op(consumer)
    Rewriter.erase_op(producer)
