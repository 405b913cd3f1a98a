"""fuse-skeletons: consecutive skeletons become one, so that what lies between them is never stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from hetc.dialects import obj, skel

Consumer = skel.MapOp | skel.ReduceOp | skel.ScanOp


@dataclass(frozen=True)
class FuseSkeletonsPass(ModulePass):
    """Fuse a map into the skeleton that consumes its result.

    Needs: level 2 bodies (any level works). Leaves: no map whose only consumer is another map, a reduction or a scan.

    1. FuseMapMap: map(g) . map(f) -> map(g . f).
    2. FuseMapReduce: reduce(op) with transform t . map(f) -> reduce(op) with transform t . f. The same for scan(op).
    3. ForallToMap: a loop over one sequence that stores to no array is a map, and is fused as one, before the others.
    4. Zip needs no law: `specialize` has made it the list of its inputs (struct of arrays).

    Refuses to fuse a map whose result something else reads as well: its work would be done twice.
    Cost: linear. Marawacc fuses the same way (Fumero, PhD thesis 2017, section 4.3.2).
    """

    name = "fuse-skeletons"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [inner for inner in op.walk() if isinstance(inner, skel.ForallOp)]:
            if len(loop.sequences) == 1 and loop.outputs and not _stores(loop):
                loop_to_map(loop)
        for consumer in [inner for inner in op.walk() if isinstance(inner, Consumer)]:
            current: Consumer = consumer
            while (producer := fusible_producer(current)) is not None:
                current = fuse(producer, current)


def _stores(loop: skel.ForallOp) -> bool:
    return any(isinstance(op, obj.StoreOp | obj.AccumulateOp) for op in loop.body.walk())


def loop_to_map(loop: skel.ForallOp) -> None:
    """forall(s) {body} -> map(s) {body}."""
    new = skel.MapOp(loop.sequences, loop.outputs.types, loop.detach_region(loop.body))
    new.location = loop.location
    Rewriter.replace_op(loop, new)


def fusible_producer(consumer: Consumer) -> skel.MapOp | None:
    """A map all of whose results go to this skeleton alone."""
    for value in consumer.inputs:
        producer = value.owner
        if isinstance(producer, skel.MapOp) and all(
            use.operation is consumer and use.index < len(consumer.inputs)
            for output in producer.outputs
            for use in output.uses
        ):
            return producer
    return None


def fuse(producer: skel.MapOp, consumer: Consumer) -> Consumer:
    """One skeleton that does what both did, in the consumer's place."""
    inputs = list(dict.fromkeys([*producer.inputs, *(v for v in consumer.inputs if v.owner is not producer)]))
    block = Block(arg_types=[_element_types(producer, consumer)[value] for value in inputs])
    arguments: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    _name(arguments, producer.inputs, producer.body.block)
    consumed = consumer.body.block if isinstance(consumer, skel.MapOp) else consumer.transform.block
    _name(arguments, consumer.inputs, consumed)
    produced = _inline(producer.body, block, [arguments[value] for value in producer.inputs])
    results: dict[SSAValue, SSAValue] = dict(zip(producer.outputs, produced, strict=True))
    elements = [results[v] if v in results else arguments[v] for v in consumer.inputs]
    terminator_location = consumed.last_op.location if consumed.last_op is not None else None
    region = consumer.body if isinstance(consumer, skel.MapOp) else consumer.transform
    end = skel.YieldOp(*_inline(region, block, elements))
    end.location = terminator_location or consumer.location
    block.add_op(end)
    new: Consumer
    if isinstance(consumer, skel.MapOp):
        new = skel.MapOp(inputs, consumer.outputs.types, Region(block))
    elif isinstance(consumer, skel.ScanOp):
        new = skel.ScanOp(
            inputs,
            consumer.inits,
            consumer.outputs.types,
            Region(block),
            consumer.detach_region(consumer.combine),
            exclusive=consumer.exclusive is not None,
        )
    else:
        new = skel.ReduceOp(inputs, consumer.inits, Region(block), consumer.detach_region(consumer.combine))
    new.location = consumer.location
    Rewriter.replace_op(consumer, new)
    Rewriter.erase_op(producer)
    return new


def _element_types(*skeletons: Consumer) -> dict[SSAValue, Attribute]:
    types: dict[SSAValue, Attribute] = {}
    for skeleton in skeletons:
        block = skeleton.body.block if isinstance(skeleton, skel.MapOp) else skeleton.transform.block
        types |= {v: a.type for v, a in zip(skeleton.inputs, block.args, strict=True)}
    return types


def _name(arguments: dict[SSAValue, SSAValue], inputs: Sequence[SSAValue], block: Block) -> None:
    for value, argument in zip(inputs, block.args, strict=True):
        if value in arguments and arguments[value].name_hint is None:
            arguments[value].name_hint = argument.name_hint


def _inline(region: Region, target: Block, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """Move the ops of a body to the end of a block; the result is what the body yields."""
    block = region.block
    for argument, value in zip(block.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    terminator = block.last_op
    assert isinstance(terminator, skel.YieldOp)
    values = list(terminator.values)
    block.erase_op(terminator)
    for op in list(block.ops):
        op.detach()
        target.add_op(op)
    return values
