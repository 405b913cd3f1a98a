"""Filters as producers and consumers of other skeletons: the laws, each as a rewrite."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf, ub
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from hetc.analysis.costs import is_light
from hetc.analysis.operators import Number, identities
from hetc.dialects import guard, skel
from hetc.passes.conversion.bodies import inline_body
from hetc.passes.conversion.insertion import insert

Consumer = skel.MapOp | skel.FilterOp | skel.ReduceOp


def can_fuse_after(producer: skel.FilterOp, consumer: Operation) -> bool:
    """Whether a filter becomes part of what takes its results; a scan needs them side by side.

    A map is computed for all elements then, a filter's transform twice: so both have to be light.
    """
    match consumer:
        case skel.MapOp():
            return is_light(consumer.body.block)
        case skel.FilterOp():
            return all(is_light(region.block) for region in (producer.transform, consumer.predicate))
        case skel.ReduceOp():
            return bool(consumer.inits)
        case _:
            return False


def fuse_after(producer: skel.FilterOp, consumer: Consumer) -> skel.FilterOp | skel.ReduceOp:
    """One skeleton that does what both did, in the consumer's place."""
    match consumer:
        case skel.MapOp():
            new: skel.FilterOp | skel.ReduceOp = _map_of_filter(producer, consumer)
        case skel.FilterOp():
            new = _filter_of_filter(producer, consumer)
        case skel.ReduceOp():
            new = _reduce_of_filter(producer, consumer)
    insert([new], InsertPoint.before(consumer), consumer)
    if isinstance(consumer, skel.ReduceOp) and consumer.nonempty is not None:
        reason = "nothing is kept, so the result is the initial value as it is"
        insert([guard.RequireOp(new.results[-1], guard.GuardKind.TYPE, reason)], InsertPoint.after(new), consumer)
    for value, result in zip(list(consumer.results), new.results, strict=False):
        value.replace_all_uses_with(result)
    Rewriter.erase_op(consumer)
    Rewriter.erase_op(producer)
    return new


def _map_of_filter(producer: skel.FilterOp, consumer: skel.MapOp) -> skel.FilterOp:
    """map(g) . filter(p) -> filter(p) with transform g."""
    transform = Body(producer)
    transform.end(transform.run(consumer.body, transform.selected(consumer.inputs)))
    predicate = producer.detach_region(producer.predicate)
    return skel.FilterOp(producer.inputs, consumer.outputs.types, predicate, Region(transform.block))


def _filter_of_filter(producer: skel.FilterOp, consumer: skel.FilterOp) -> skel.FilterOp:
    """filter(q) . filter(p) -> filter(p and q): both predicates are light, so both are computed."""
    predicate, transform = Body(producer), Body(producer)
    (first,) = predicate.run(producer.predicate, predicate.block.args)
    (second,) = predicate.run(consumer.predicate, predicate.selected(consumer.inputs))
    predicate.end([predicate.add(arith.AndIOp(first, second)).results[0]])
    transform.end(transform.run(consumer.transform, transform.selected(consumer.inputs)))
    return skel.FilterOp(producer.inputs, consumer.outputs.types, Region(predicate.block), Region(transform.block))


def _reduce_of_filter(producer: skel.FilterOp, consumer: skel.ReduceOp) -> skel.ReduceOp:
    """reduce(op) . filter(p) -> a reduction that combines where p holds.

    An identity of op stands for what is not kept. Where none is known, the accumulators are pairs: of what is kept, and
    whether anything is; their operator is associative if op is. If Python is to take over where nothing is kept, one
    more component tells whether anything is, this time without the initial value.
    """
    body, types = Body(producer), list(consumer.inits.types)
    (keep,) = body.run(producer.predicate, body.block.args)
    numbers = identities(consumer.combine.block)
    values = _if_kept(body, keep, consumer, numbers)
    inits = list(consumer.inits)
    combine = consumer.detach_region(consumer.combine)
    if numbers is None:
        values.append(keep)
        inits.append(_truth(consumer, value=True))
        combine = Region(combine_present(combine, types, consumer))
    if consumer.nonempty is not None:
        values.append(keep)
        inits.append(_truth(consumer, value=False))
        _combine_any(combine.block, consumer)
    body.end(values)
    return skel.ReduceOp(producer.inputs, inits, Region(body.block), combine)


def _truth(consumer: skel.ReduceOp, *, value: bool) -> SSAValue:
    constant = arith.ConstantOp(IntegerAttr(int(value), i1))
    insert([constant], InsertPoint.before(consumer), consumer)
    return constant.result


def _if_kept(body: Body, keep: SSAValue, consumer: skel.ReduceOp, otherwise: Sequence[Number] | None) -> list[SSAValue]:
    """What a reduction makes of an element, if it is kept; else these numbers, or anything."""
    outer, types = body.block, list(consumer.inits.types)
    kept, other = Block(), Block()
    body.block = kept
    body.end(body.run(consumer.transform, body.selected(consumer.inputs, outer.args)), scf.YieldOp)
    body.block = other
    ops = [ub.PoisonOp(t) for t in types] if otherwise is None else [arith.ConstantOp(number) for number in otherwise]
    body.end([body.add(op).results[0] for op in ops], scf.YieldOp)
    body.block = outer
    return list(body.add(scf.IfOp(keep, types, Region(kept), Region(other))).results)


def combine_present(combine: Region, types: Sequence[Attribute], source: Operation) -> Block:
    """An operator on pairs: a number, and whether it is one. Both: op of both. One: that one. None: none."""
    block, then, other = Block(arg_types=[*types, i1, *types, i1]), Block(), Block()
    width = len(types) + 1
    (*left, left_some), (*right, right_some) = block.args[:width], block.args[width:]
    then_values = inline_body(combine, then, [*left, *right])
    choices = [arith.SelectOp(left_some, one, two) for one, two in zip(left, right, strict=True)]
    both, either = arith.AndIOp(left_some, right_some), arith.OrIOp(left_some, right_some)
    other.add_ops([*choices, scf.YieldOp(*(choice.result for choice in choices))])
    then.add_op(scf.YieldOp(*then_values))
    chosen = scf.IfOp(both.result, list(types), Region(then), Region(other))
    block.add_ops([both, either, chosen, skel.YieldOp(*chosen.results, either.result)])
    for op in (*block.ops, *other.ops, then.last_op):
        if op is not None:
            op.location = source.location
    return block


def _combine_any(block: Block, source: Operation) -> None:
    """One more component of an operator: whether one of both is true."""
    half = len(block.args) // 2
    left = block.insert_arg(i1, half)
    right = block.insert_arg(i1, len(block.args))
    end = block.last_op
    assert isinstance(end, skel.YieldOp)
    either = arith.OrIOp(left, right)
    insert([either], InsertPoint.before(end), source)
    end.operands = [*end.operands, either.result]


class Body:
    """A body under construction, on the elements that a filter takes."""

    def __init__(self, producer: skel.FilterOp) -> None:
        self.producer = producer
        self.block = Block(arg_types=producer.transform.block.arg_types)
        for new, old in zip(self.block.args, producer.predicate.block.args, strict=True):
            new.name_hint = old.name_hint

    def add(self, op: Operation) -> Operation:
        """Append an op."""
        op.location = self.producer.location
        self.block.add_op(op)
        return op

    def run(self, region: Region, arguments: Sequence[SSAValue]) -> list[SSAValue]:
        """What a copy of another body yields for some elements."""
        return inline_body(region.clone(), self.block, arguments)

    def selected(self, inputs: Sequence[SSAValue], arguments: Sequence[SSAValue] | None = None) -> list[SSAValue]:
        """What the filter gives for a kept element, as far as a consumer with these inputs takes it."""
        values = self.run(self.producer.transform, self.block.args if arguments is None else arguments)
        return [values[self.producer.outputs.index(value)] for value in inputs]

    def end(self, values: Sequence[SSAValue], kind: type[skel.YieldOp | scf.YieldOp] = skel.YieldOp) -> None:
        """End the current block."""
        self.add(kind(*values))
