"""fuse-skeletons: consecutive skeletons become one, so that what lies between them is never stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from hetc.analysis.costs import is_light
from hetc.analysis.walking import walk
from hetc.dialects import heap, obj, skel
from hetc.passes.conversion.bodies import inline_body
from hetc.passes.fusion.filters import can_fuse_after, fuse_after
from hetc.passes.fusion.gathers import fuse_into_gathers
from hetc.passes.fusion.loops import fuse_into_loop

Consumer = skel.MapOp | skel.FilterOp | skel.ReduceOp | skel.ScanOp | skel.ScatterOp


@dataclass(frozen=True)
class FuseSkeletonsPass(ModulePass):
    """Fuse a map or filter into the skeleton that consumes its result.

    Needs: level 2 bodies. Leaves: no map whose only consumer is another map, a reduction, a scan or a scatter.

    1. FuseMapMap: map(g) . map(f) -> map(g . f).
    2. FuseMapReduce: reduce(op) with transform t . map(f) -> reduce(op) with transform t . f. The same for scan(op)
       and scatter(op).
    3. ForallToMap: a loop over one sequence that stores to no array is a map, and is fused as one, before the others.
       FuseForallMap: map(g) . forall {f} -> forall {g . f}, where the loop's results go to the map alone: what a
       stencil computes is mapped where it is.
    4. FuseMapFilter: filter(p) . map(f) -> filter with predicate p . f and transform f, which both are computed twice.
       FuseFilterMap: map(g) . filter(p) -> filter with transform g, which is computed for all elements. Both only where
       what is computed more often is light (`hetc.analysis.costs`); else a map has its own kernel.
       FuseFilterFilter: filter(q) . filter(p) -> filter(p and q), where q is light.
    5. FuseFilterReduce: reduce(op) . filter(p) -> reduce(op), in one kernel: an identity of op stands for what is not
       kept, or where none is known, each partial result says whether anything is in it.
    6. FuseMapGather: gather . map(f) -> map(f) . gather, where f is light: the elements that are gathered are computed,
       as often as they are.
    7. Zip needs no law: `specialize` has made it the list of its inputs (struct of arrays).

    Refuses to fuse a map whose result something else reads as well: its work would be done twice. A map with lists in
    the heap is fused with maps alone, as its work-items may have to run again.
    Cost: linear. Marawacc fuses the same way (Fumero, PhD thesis 2017, section 4.3.2).
    """

    name = "fuse-skeletons"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [inner for inner in walk(op) if isinstance(inner, skel.ForallOp)]:
            if len(loop.sequences) == 1 and loop.outputs and not _is_bound(loop):
                loop_to_map(loop)
        for consumer in [inner for inner in walk(op) if isinstance(inner, skel.MapOp)]:
            fuse_into_loop(consumer)
        for producer in [inner for inner in walk(op) if isinstance(inner, skel.MapOp)]:
            fuse_into_gathers(producer)
        for consumer in [inner for inner in walk(op) if isinstance(inner, Consumer)]:
            current: Consumer = consumer
            while (producer := fusible_producer(current)) is not None:
                current = fuse(producer, current)


def _is_bound(loop: skel.ForallOp) -> bool:
    """Whether a loop must stay one: it stores to arrays, its border will be peeled, or one work-item runs it."""
    if loop.single is not None:
        return True
    kinds = (obj.StoreOp, obj.AccumulateOp, skel.NeighborOp)
    return any(isinstance(op, kinds) for op in loop.body.walk())


def loop_to_map(loop: skel.ForallOp) -> None:
    """forall(s) {body} -> map(s) {body}."""
    new = skel.MapOp(loop.sequences, loop.outputs.types, loop.detach_region(loop.body))
    new.location = loop.location
    Rewriter.replace_op(loop, new)


def fusible_producer(consumer: Consumer) -> skel.MapOp | skel.FilterOp | None:
    """A map or filter all of whose results go to this skeleton alone, if fusing them computes nothing costly twice."""
    for value in consumer.inputs:
        producer = value.owner
        if (
            isinstance(producer, skel.MapOp | skel.FilterOp)
            and all(
                use.operation is consumer and use.index < len(consumer.inputs)
                for output in producer.outputs
                for use in output.uses
            )
            and _can_fuse(producer, consumer)
        ):
            return producer
    return None


def _can_fuse(producer: skel.MapOp | skel.FilterOp, consumer: Consumer) -> bool:
    if isinstance(producer, skel.FilterOp):
        return can_fuse_after(producer, consumer)
    if not isinstance(consumer, skel.MapOp) and heap.is_used_in(producer):
        return False
    return not isinstance(consumer, skel.FilterOp) or is_light(producer.body.block)


def fuse(producer: skel.MapOp | skel.FilterOp, consumer: Consumer) -> Consumer:
    """One skeleton that does what both did, in the consumer's place."""
    if isinstance(producer, skel.FilterOp):
        assert not isinstance(consumer, skel.ScanOp | skel.ScatterOp)
        return fuse_after(producer, consumer)
    inputs = list(dict.fromkeys([*producer.inputs, *(v for v in consumer.inputs if v.owner is not producer)]))
    composed = [_composed(producer, consumer, region, inputs) for region in _taking(consumer)]
    new: Consumer
    match consumer:
        case skel.MapOp():
            new = skel.MapOp(inputs, consumer.outputs.types, composed[0])
        case skel.FilterOp():
            new = skel.FilterOp(inputs, consumer.outputs.types, composed[0], composed[1])
        case skel.ScanOp():
            regions = composed[0], consumer.detach_region(consumer.combine)
            exclusive = consumer.exclusive is not None
            new = skel.ScanOp(inputs, consumer.inits, consumer.outputs.types, *regions, exclusive=exclusive)
        case skel.ScatterOp():
            regions, size = (composed[0], consumer.detach_region(consumer.combine)), consumer.size.value.data
            unique = consumer.unique is not None
            new = skel.ScatterOp(inputs, size, consumer.inits, consumer.outputs.types, *regions, unique=unique)
        case skel.ReduceOp():
            regions = composed[0], consumer.detach_region(consumer.combine)
            new = skel.ReduceOp(inputs, consumer.inits, *regions, nonempty=consumer.nonempty is not None)
    new.location = consumer.location
    Rewriter.replace_op(consumer, new)
    Rewriter.erase_op(producer)
    return new


def _taking(skeleton: Consumer) -> list[Region]:
    """The regions that take the elements of a skeleton's inputs."""
    match skeleton:
        case skel.MapOp():
            return [skeleton.body]
        case skel.FilterOp():
            return [skeleton.predicate, skeleton.transform]
        case _:
            return [skeleton.transform]


def _composed(producer: skel.MapOp, consumer: Consumer, region: Region, inputs: Sequence[SSAValue]) -> Region:
    """A region of the consumer, on the elements that the producer takes."""
    types = {value: argument.type for value, argument in zip(producer.inputs, producer.body.block.args, strict=True)}
    types |= {value: argument.type for value, argument in zip(consumer.inputs, region.block.args, strict=True)}
    block = Block(arg_types=[types[value] for value in inputs])
    arguments: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    _name(arguments, producer.inputs, producer.body.block)
    _name(arguments, consumer.inputs, region.block)
    produced = inline_body(producer.body.clone(), block, [arguments[value] for value in producer.inputs])
    results: dict[SSAValue, SSAValue] = dict(zip(producer.outputs, produced, strict=True))
    elements = [results[v] if v in results else arguments[v] for v in consumer.inputs]
    old = region.block.last_op
    location = None if old is None else old.location
    end = skel.YieldOp(*inline_body(region, block, elements))
    end.location = location or consumer.location
    block.add_op(end)
    return Region(block)


def _name(arguments: dict[SSAValue, SSAValue], inputs: Sequence[SSAValue], block: Block) -> None:
    for value, argument in zip(inputs, block.args, strict=True):
        if value in arguments and arguments[value].name_hint is None:
            arguments[value].name_hint = argument.name_hint
