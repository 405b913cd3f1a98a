"""The body of a kernel for several of its work-items at once: unroll and jam, with the work-items as the outer loop."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import reduce

from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Block, Operation, Region, SSAValue

from hetc.dataclass import dataclass
from hetc.dialects import guard
from hetc.passes.coarsening.sharing import Dimensions, Sharing, changes_memory, is_uniform

X, Y = gpu.DimensionEnum.X, gpu.DimensionEnum.Y
Lane = tuple[tuple[gpu.DimensionEnum, int], ...]
"""The number of a work-item among those that are joined, along each dimension."""


@dataclass
class Joining:
    """Copies ops into a new block, once for all lanes that would compute the same."""

    sharing: Sharing
    counts: Mapping[gpu.DimensionEnum, int]
    values: dict[SSAValue, dict[Lane, SSAValue]] = field(default_factory=dict[SSAValue, dict[Lane, SSAValue]])

    def lanes(self, dimensions: Dimensions) -> Iterator[Lane]:
        """One lane for each that differ along some dimensions; x runs fastest."""
        chosen = [dimension for dimension in (Y, X) if dimension in dimensions and dimension in self.counts]
        for numbers in itertools.product(*(range(self.counts[dimension]) for dimension in chosen)):
            yield tuple(sorted(zip(chosen, numbers, strict=True), key=lambda part: part[0].value))

    def define(self, value: SSAValue, lane: Lane, copy: SSAValue) -> None:
        """Say what a value is in a lane."""
        self.values.setdefault(value, {})[lane] = copy

    def value(self, value: SSAValue, lane: Lane) -> SSAValue:
        """What a value is in a lane, of which only the dimensions matter that it depends on."""
        depends = self.sharing[value]
        return self.values[value][tuple(part for part in lane if part[0] in depends)]

    def block(self, ops: Sequence[Operation], target: Block) -> None:
        """Copy ops in order, without the terminator."""
        run: list[Operation] = []
        for op in ops:
            match op:
                case gpu.ReturnOp() | scf.YieldOp():
                    pass
                case gpu.GlobalIdOp() if op.result in self.values:
                    pass
                case guard.CheckOp():
                    self._each(run, target)
                    self._check(op, target)
                case scf.ForOp():
                    self._each(run, target)
                    self._loop(op, target)
                case scf.IfOp() if is_uniform(op, self.sharing):
                    self._each(run, target)
                    self._branch(op, target)
                case _:
                    run.append(op)
        self._each(run, target)

    def _each(self, run: list[Operation], target: Block) -> None:
        """Copies of ops, for each lane that they differ in: all loads first, then lane by lane. The list is emptied."""
        loads = loads_first(run)
        done = set[tuple[Operation, Lane]]()
        every = frozenset(self.counts)
        for ops, lanes in [*(([op], self.lanes(every)) for op in run if op in loads), (run, self.lanes(every))]:
            for lane in lanes:
                for op in ops:
                    depends = self.sharing.of_op(op)
                    place = tuple(part for part in lane if part[0] in depends)
                    if (op, place) not in done:
                        done.add((op, place))
                        self._copy(op, place, target)
        run.clear()

    def _copy(self, op: Operation, lane: Lane, target: Block) -> None:
        outside = {operand for inner in op.walk() for operand in inner.operands if operand in self.values}
        copy = op.clone({value: self.value(value, lane) for value in outside})
        target.add_op(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            self.define(old, lane, new)

    def _loop(self, op: scf.ForOp, target: Block) -> None:
        """for (lanes) for (...) { } -> for (...) { for (lanes) }."""
        variable, *carried = op.body.block.args
        places = [(position, lane) for position, one in enumerate(carried) for lane in self.lanes(self.sharing[one])]
        inits = [self.value(op.iter_args[position], lane) for position, lane in places]
        body = Block(arg_types=[variable.type, *(init.type for init in inits)])
        body.args[0].name_hint = variable.name_hint
        self.define(variable, (), body.args[0])
        for (position, lane), argument in zip(places, body.args[1:], strict=True):
            argument.name_hint = carried[position].name_hint
            self.define(carried[position], lane, argument)
        self.block(list(op.body.block.ops), body)
        end = op.body.block.last_op
        assert end is not None
        body.add_op(_at(scf.YieldOp(*(self.value(end.operands[position], lane) for position, lane in places)), end))
        low, high, step = (self.value(bound, ()) for bound in (op.lb, op.ub, op.step))
        loop = scf.ForOp(low, high, step, inits, body)
        loop.attributes |= op.attributes
        target.add_op(_at(loop, op))
        for (position, lane), result in zip(places, loop.results, strict=True):
            result.name_hint = op.results[position].name_hint
            self.define(op.results[position], lane, result)

    def _branch(self, op: scf.IfOp, target: Block) -> None:
        """A branch that all lanes take alike."""
        places = [(position, lane) for position, one in enumerate(op.results) for lane in self.lanes(self.sharing[one])]
        regions: list[Region] = []
        for region in op.regions:
            if not region.blocks:
                regions.append(Region())
                continue
            inside, end = Block(), region.block.last_op
            assert end is not None
            self.block(list(region.block.ops), inside)
            inside.add_op(_at(scf.YieldOp(*(self.value(end.operands[at], lane) for at, lane in places)), end))
            regions.append(Region(inside))
        types = [op.results[position].type for position, _ in places]
        branch = scf.IfOp(self.value(op.cond, ()), types, regions[0], regions[1])
        branch.attributes |= op.attributes
        target.add_op(_at(branch, op))
        for (position, lane), result in zip(places, branch.results, strict=True):
            result.name_hint = op.results[position].name_hint
            self.define(op.results[position], lane, result)

    def _check(self, op: guard.CheckOp, target: Block) -> None:
        """check(c) in each lane -> check(all of them); where each marks a block of its own, only if one has failed."""
        asked = list(self.lanes(self.sharing.joined(op.operands)))
        conditions = [self.value(op.condition, lane) for lane in asked]
        every = reduce(lambda left, right: _added(arith.AndIOp(left, right), op, target), conditions)
        if op.mark is None or len(asked) == 1:
            mapping = {value: self.value(value, asked[0]) for value in op.operands}
            target.add_op(op.clone({**mapping, op.condition: every}))
            return
        true = _added(arith.ConstantOp(IntegerAttr(1, i1)), op, target)
        failed = _added(arith.XOrIOp(every, true), op, target)
        inside = Block()
        for lane in asked:
            inside.add_op(op.clone({value: self.value(value, lane) for value in op.operands}))
        inside.add_op(_at(scf.YieldOp(), op))
        target.add_op(_at(scf.IfOp(failed, [], Region(inside)), op))


def loads_first(ops: Sequence[Operation]) -> set[Operation]:
    """The loads that can be done before all else, with what computes their indices: integers, and other loads."""
    found = set[Operation]()
    inside = set(ops)
    for op in ops:
        if changes_memory(op):
            break
        simple = isinstance(op, memref.LoadOp) or (
            not op.regions and all(isinstance(result.type, IntegerType | IndexType) for result in op.results)
        )
        if simple and all(value.owner not in inside or value.owner in found for value in op.operands):
            found.add(op)
    needed = set[Operation]()
    for op in reversed(ops):
        if op in found and (isinstance(op, memref.LoadOp) or op in needed):
            needed.add(op)
            needed |= {value.owner for value in op.operands if isinstance(value.owner, Operation)} & found
    return needed


def _added(op: Operation, source: Operation, target: Block) -> SSAValue:
    target.add_op(_at(op, source))
    return op.results[0]


def _at(op: Operation, source: Operation) -> Operation:
    op.location = source.location
    return op
