"""split-gathers: rounds of a loop that gathers run in a loop of their own, as long as indices count from the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i1, i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from hetc.analysis.attributes import known_integer, number_attribute
from hetc.analysis.gathers import mostly_gathers
from hetc.analysis.kernels import is_pure
from hetc.analysis.walking import kernels_in, walk
from hetc.dialects import guard, offload
from hetc.passes.conversion.dead_code import erase_dead
from hetc.passes.conversion.insertion import insert


@dataclass(frozen=True)
class SplitGathersPass(ModulePass):
    """Split loops that gather where an index is first negative, or would leave: until then, no index is corrected.

    Needs: kernels with `guard.check`; before `limit-vectorization`, which marks the loops. Leaves: the same results;
    before each such loop a `scf.while` with `offload.unroll`, and the loop from where that ends.

    1. In an innermost loop that does little but gather (`hetc.analysis.gathers`) and writes nothing, go through the
       checks that may leave, in order. `select(x < 0, x + n, x) u< n`, where n is the length of an array, asks of a
       Python index whether it is one; `x u< n` is stronger, and then the index is x. Other checks stay what they are.
       Stop at one that depends on what a round carries.
    2. before: for k in low..high {round with checks}
       after:  k' = while k < high and all x u< n {round, with x for the index and without these checks}
               for k in k'..high {round with checks}
       A number of an array that a condition needs is read behind the conditions before it, as in the round.

    Nothing is done without a negative index to be asked for: checks alone take little time.

    What a gather takes is the ops of its round: three of about ten correct the index. A round of PageRank over 16
    links takes 0.60 of the time, rows of 3, 4 and 7 links 0.65; gathers without their sum and any check take 0.58
    (Intel's runtime, 2 cores of an AMD EPYC). A row takes as long as before if all of its indices are negative, and 1.4
    times as long if half are, at random. Cost: linear.
    """

    name = "split-gathers"
    rounds: int = 4

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.rounds < 1:
            raise PassFailedException(f"{self.name}: at least one round is done at a time")
        for kernel in kernels_in(op):
            for loop in [inner for inner in walk(kernel) if isinstance(inner, scf.ForOp)]:
                if not mostly_gathers(loop):
                    continue
                asked = _asked_ahead(loop)
                if any(wrap is not None for _, wrap in asked):
                    _split(loop, asked, self.rounds)


@dataclass(frozen=True)
class _Wrap:
    """An index that may count from the end: `index` is what `given` comes to in an array of `length`."""

    given: SSAValue
    length: SSAValue
    index: SSAValue


_Asked = Sequence[tuple[guard.CheckOp, _Wrap | None]]
"""Checks that are asked before a round, in order."""


def _asked_ahead(loop: scf.ForOp) -> _Asked:
    """The checks of a round that depend on nothing but what is there before it, up to the first other one."""
    found: list[tuple[guard.CheckOp, _Wrap | None]] = []
    for op in loop.body.block.ops:
        if op.regions or not (is_pure(op) or isinstance(op, memref.LoadOp | guard.CheckOp | scf.YieldOp)):
            return []
    for check in [op for op in loop.body.block.ops if isinstance(op, guard.CheckOp) and op.stay is None]:
        wrap = _wrap(check.condition)
        needed = [check.condition] if wrap is None else [wrap.given, wrap.length]
        if any(isinstance(value, BlockArgument) and value.index for value in _inputs(loop, needed)):
            break
        found.append((check, wrap))
    return found


def _wrap(condition: SSAValue) -> _Wrap | None:
    """The parts of `select(x < 0, x + n, x) u< n`, where n is a length."""
    compared = condition.owner
    if not isinstance(compared, arith.CmpiOp) or compared.predicate.value.data != _ULT or not _is_length(compared.rhs):
        return None
    chosen, length = compared.lhs.owner, compared.rhs
    if not isinstance(chosen, arith.SelectOp):
        return None
    given, negative, moved = chosen.rhs, chosen.cond.owner, chosen.lhs.owner
    if not isinstance(negative, arith.CmpiOp) or negative.predicate.value.data != _SLT or negative.lhs is not given:
        return None
    if known_integer(negative.rhs) != 0 or not isinstance(moved, arith.AddiOp):
        return None
    return _Wrap(given, length, compared.lhs) if {moved.lhs, moved.rhs} == {given, length} else None


_ULT, _SLT = (arith.CMPI_COMPARISON_OPERATIONS.index(name) for name in ("ult", "slt"))


def _is_length(value: SSAValue) -> bool:
    """Whether a number is not negative: the kernel's own, of type `index`, or a constant."""
    known = known_integer(value)
    if known is not None:
        return known >= 0
    number = value.owner.input if isinstance(value.owner, arith.IndexCastOp) else value
    return isinstance(number, BlockArgument) and isinstance(number.type, IndexType)


def _slice(loop: scf.ForOp, values: Sequence[SSAValue]) -> list[Operation]:
    """The ops of a round that compute values, in order."""
    work, found = list(values), set[Operation]()
    while work:
        op = work.pop().owner
        if isinstance(op, Operation) and op.parent_op() is loop and op not in found:
            found.add(op)
            work.extend(op.operands)
    return [op for op in loop.body.block.ops if op in found]


def _inputs(loop: scf.ForOp, values: Sequence[SSAValue]) -> set[SSAValue]:
    """What a round has of the loop's own to compute values of: the loop's variable, and what it carries."""
    used = [*values, *(value for op in _slice(loop, values) for value in op.operands)]
    return {value for value in used if value.owner is loop.body.block}


def _split(loop: scf.ForOp, asked: _Asked, rounds: int) -> None:
    """Put the rounds before the first one in which a check fails into a loop of their own."""
    types = [argument.type for argument in loop.body.block.args]
    passed = _passed(loop, asked)
    before, after = Block(arg_types=types), Block(arg_types=[*types, *(value.type for value in passed)])
    for block in (before, after):
        for argument, of in zip(block.args, [*loop.body.block.args, *passed], strict=False):
            argument.name_hint = of.name_hint
    _ask(loop, asked, passed, before)
    _go(loop, asked, passed, after)
    first = scf.WhileOp([loop.lb, *loop.iter_args], after.arg_types, Region(before), Region(after))
    first.attributes[offload.UNROLL] = IntegerAttr(rounds, i64)
    for result, argument in zip(first.results, after.args, strict=True):
        result.name_hint = argument.name_hint
    insert([first], InsertPoint.before(loop), loop)
    erase_dead(first, *{type(op) for op in loop.body.block.ops if op.results and is_pure(op)}, memref.LoadOp)
    loop.operands = [first.results[0], loop.ub, loop.step, *first.results[1 : len(types)]]


def _passed(loop: scf.ForOp, asked: _Asked) -> list[SSAValue]:
    """What a round has computed to ask its checks, and goes on with: indices."""
    given = dict.fromkeys(wrap.given for _, wrap in asked if wrap is not None)
    return [value for value in given if isinstance(value.owner, Operation) and value.owner.parent_op() is loop]


def _ask(loop: scf.ForOp, asked: _Asked, passed: Sequence[SSAValue], block: Block) -> None:
    """k < high, and then check by check what it asks, each in a branch of the one before."""
    variable, *_ = loop.body.block.args
    values = dict[SSAValue, SSAValue](zip(loop.body.block.args, block.args, strict=True))
    # Indices have no sign in OpenCL C, and no loop over them begins below 0.
    more = arith.CmpiOp(values[variable], loop.ub, "ult" if isinstance(variable.type, IndexType) else "slt")
    found = _if(more.result, loop, asked, passed, values)
    _end(block, loop, more, found, scf.ConditionOp(found.results[0], *block.args, *found.results[1:]))


def _if(
    condition: SSAValue, loop: scf.ForOp, asked: _Asked, passed: Sequence[SSAValue], values: dict[SSAValue, SSAValue]
) -> scf.IfOp:
    """Whether a condition and all checks hold, and the indices then."""
    then, otherwise = Block(), Block()
    if asked:
        (check, wrap), *others = asked
        needed = [check.condition] if wrap is None else [wrap.given, wrap.length]
        for op in _slice(loop, needed):
            if not all(result in values for result in op.results):
                then.add_op(_copy(op, values))
        holds = values.get(check.condition, check.condition)
        if wrap is not None:
            given, length = (values.get(value, value) for value in (wrap.given, wrap.length))
            compared = arith.CmpiOp(given, length, "ult")
            _end(then, loop, compared)
            holds = compared.result
            values[wrap.index] = given
        inner = _if(holds, loop, others, passed, values)
        _end(then, loop, inner, scf.YieldOp(*inner.results))
    else:
        yes = arith.ConstantOp(IntegerAttr(1, i1))
        _end(then, loop, yes, scf.YieldOp(yes.result, *(values[value] for value in passed)))
    types = [i1, *(value.type for value in passed)]
    zeros = [arith.ConstantOp(number_attribute(0, type_)) for type_ in types]
    _end(otherwise, loop, *zeros, scf.YieldOp(*zeros))
    return scf.IfOp(condition, types, [then], [otherwise])


def _go(loop: scf.ForOp, asked: _Asked, passed: Sequence[SSAValue], block: Block) -> None:
    """A round without the checks that hold, with the indices that are what was given."""
    variable, *_ = body = loop.body.block.args
    values = dict[SSAValue, SSAValue](zip(body, block.args, strict=False))
    known = dict[SSAValue, SSAValue](zip(passed, block.args[len(body) :], strict=True))
    known |= {wrap.index: known.get(wrap.given, wrap.given) for _, wrap in asked if wrap is not None}
    left = {check for check, _ in asked}
    for op in loop.body.block.ops:
        if isinstance(op, scf.YieldOp):
            further = arith.AddiOp(values[variable], loop.step)
            further.overflow_flags = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))
            ends = [values.get(value, value) for value in op.operands]
            _end(block, loop, further, scf.YieldOp(further.result, *ends))
        elif op not in left:
            block.add_op(_copy(op, values))
        for result in op.results:
            if result in known:
                values[result] = values.get(known[result], known[result])


def _copy(op: Operation, values: dict[SSAValue, SSAValue]) -> Operation:
    copied = op.clone(values)
    copied.location = op.location
    return copied


def _end(block: Block, loop: scf.ForOp, *ops: Operation) -> None:
    """Add ops to a block, with the location of the loop."""
    for op in ops:
        op.location = loop.location
        block.add_op(op)
