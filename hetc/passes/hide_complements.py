"""hide-complements: minima and maxima of complements, which not every device's compiler gets right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp, i1
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from hetc.analysis.attributes import known_integer
from hetc.analysis.walking import kernels_in, walk
from hetc.passes.conversion.hidden import hidden_zero
from hetc.passes.conversion.insertion import insert

Edges = dict[SSAValue, list[SSAValue]]

_EXTREMES = {arith.MinSIOp: "slt", arith.MaxSIOp: "sgt"}


@dataclass(frozen=True)
class HideComplementsPass(ModulePass):
    """Keep the device's compiler from seeing the minimum or maximum of two integers where complements are near.

    Needs: the last ops of kernels (after `hide-negations`, whose zero it shares). Leaves: the same ops, and
    `offload.zero`.

    1. A complement is x xor -1; a - b, since a - b - 1 is a + (b xor -1); and -1 or something else by a condition,
       which comes to the complement of a sign.
    2. A comparison of two integers x and y, neither of them constant, whose operands are computed from a complement, or
       that chooses what a complement is computed from -> the comparison of (x xor zero) and y. What it chooses is x or
       y as before, so the compiler does not know the choice for a minimum or maximum.
    3. `arith.minsi` and `arith.maxsi` there -> such a comparison and a choice.

    Intel's compiler (2026.2) moves complements through minima and maxima, and then takes the other one of two: with 32
    and 64 bits max(~x, y), min(x - y - 1, y) and ~max(x, y) are wrong in code that is not vectorised, and so in the
    last elements of code that is.

    The slices follow numbers through ops, branches and loops, not through memory. What is hidden costs an xor. Refuses
    nothing. Cost: linear.
    """

    name = "hide-complements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            edges = _edges(kernel)
            complements = {value for inner in walk(kernel) for value in _complements(inner)}
            if not complements:
                continue
            after = _closure(complements, edges)
            before = _closure(complements, _reversed(edges))
            for inner in walk(kernel):
                if isinstance(inner, arith.CmpiOp | arith.MinSIOp | arith.MaxSIOp) and _is_near(inner, after, before):
                    _hide(kernel, inner)


def _is_integer(value: SSAValue) -> bool:
    return isinstance(value.type, IntegerType | IndexType) and value.type != i1


def _complements(op: Operation) -> Iterator[SSAValue]:
    """The results of an op that the compiler may take for complements."""
    match op:
        case arith.XOrIOp():
            found = -1 in map(known_integer, op.operands)
        case arith.SubiOp():
            found = known_integer(op.rhs) is None
        case arith.ExtSIOp():
            found = op.input.type == i1
        case arith.SelectOp():
            found = -1 in (known_integer(op.lhs), known_integer(op.rhs))
        case scf.IfOp():
            ends = [region.block.last_op for region in op.regions if region.blocks]
            for number, result in enumerate(op.results):
                if _is_integer(result) and -1 in (known_integer(end.operands[number]) for end in ends if end):
                    yield result
            return
        case _:
            return
    if found and _is_integer(op.results[0]):
        yield op.results[0]


def _edges(kernel: gpu.FuncOp) -> Edges:
    """Which integers are computed from which, in one step: through pure ops, branches and loops."""
    edges: Edges = defaultdict(list)
    for op in kernel.walk():
        parent = op.parent_op()
        if op.regions and not isinstance(op, gpu.FuncOp):
            targets = _carried(op)
        elif isinstance(op, scf.YieldOp | scf.ConditionOp) and parent is not None:
            targets = _carried(parent)
        elif isinstance(op, arith.CmpiOp) or not is_side_effect_free(op):
            continue
        else:
            targets = list(op.results)
        for operand in op.operands:
            if _is_integer(operand):
                edges[operand] += [target for target in targets if _is_integer(target)]
    return edges


def _carried(op: Operation) -> list[SSAValue]:
    """What a branch or a loop carries: its results and the arguments of its blocks. Which is which does not matter."""
    return [*op.results, *(argument for region in op.regions for block in region.blocks for argument in block.args)]


def _reversed(edges: Edges) -> Edges:
    back: Edges = defaultdict(list)
    for source, targets in edges.items():
        for target in targets:
            back[target].append(source)
    return back


def _closure(values: Iterable[SSAValue], edges: Edges) -> set[SSAValue]:
    found, waiting = set(values), list(values)
    while waiting:
        for value in edges.get(waiting.pop(), ()):
            if value not in found:
                found.add(value)
                waiting.append(value)
    return found


def _is_near(op: arith.CmpiOp | arith.MinSIOp | arith.MaxSIOp, after: set[SSAValue], before: set[SSAValue]) -> bool:
    if not _is_integer(op.lhs) or isinstance(op.lhs.type, IndexType):
        return False
    if any(known_integer(operand) is not None for operand in op.operands):
        return False
    chosen = (result for use in op.results[0].uses for result in use.operation.results)
    chooses = op.results if not isinstance(op, arith.CmpiOp) else chosen
    return any(operand in after for operand in op.operands) or any(value in before for value in chooses)


def _hide(kernel: gpu.FuncOp, op: arith.CmpiOp | arith.MinSIOp | arith.MaxSIOp) -> None:
    hidden = arith.XOrIOp(op.lhs, hidden_zero(kernel, op.lhs.type))
    if isinstance(op, arith.CmpiOp):
        insert([hidden], InsertPoint.before(op), op)
        op.operands[0] = hidden.result
        return
    question = arith.CmpiOp(hidden.result, op.rhs, _EXTREMES[type(op)])
    choice = arith.SelectOp(question.result, op.lhs, op.rhs)
    insert([hidden, question], InsertPoint.before(op), op)
    choice.location = op.location
    choice.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, choice)
