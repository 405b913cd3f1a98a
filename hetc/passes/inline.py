"""inline: calls of Python functions disappear."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException


@dataclass(frozen=True)
class InlinePass(ModulePass):
    """Replace each `func.call` of a private function of the module by the function's body, and drop such functions.

    Needs: functions of one block each.
    Leaves: no `func.call`, and no private function.

    1. For each call, inline the calls in the callee first.
    2. Clone the callee's block before the call, with the call's operands for its arguments.
    3. Replace the call's results by what the callee returns. The ops keep their locations in the callee.

    Refuses recursion, and calls of functions that are not in the module. Cost: linear in the size of the result.
    """

    name = "inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.ops if isinstance(f, func.FuncOp)}
        for function in list(functions.values()):
            if not _is_private(function):
                _inline_calls(function, functions, (function.sym_name.data,))
        for function in functions.values():
            if _is_private(function):
                op.body.block.erase_op(function)


def _is_private(function: func.FuncOp) -> bool:
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def _inline_calls(op: Operation, functions: dict[str, func.FuncOp], active: tuple[str, ...]) -> None:
    for call in [inner for inner in op.walk() if isinstance(inner, func.CallOp)]:
        name = call.callee.root_reference.data
        if name in active:
            raise PassFailedException(f"inline: @{name} calls itself ({' -> '.join((*active, name))})")
        callee = functions.get(name)
        if callee is None or len(callee.body.blocks) != 1:
            raise PassFailedException(f"inline: @{name} has no body of one block in this module")
        _inline_calls(callee, functions, (*active, name))
        _inline_call(call, callee)


def _inline_call(call: func.CallOp, callee: func.FuncOp) -> None:
    region = callee.body.clone()
    block = region.block
    terminator = block.last_op
    assert isinstance(terminator, func.ReturnOp)
    for argument, operand in zip(block.args, call.arguments, strict=True):
        if operand.name_hint is None:
            operand.name_hint = argument.name_hint
    returned = list(terminator.arguments)
    terminator.detach()
    terminator.erase(safe_erase=False)
    operands = list(call.arguments)
    results = [operands[v.index] if isinstance(v, BlockArgument) and v.owner is block else v for v in returned]
    parent = call.parent
    assert isinstance(parent, Block)
    Rewriter.inline_block(block, InsertPoint.before(call), operands)
    for old, new in zip(call.results, results, strict=True):
        if old.name_hint is not None and new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    parent.erase_op(call)
