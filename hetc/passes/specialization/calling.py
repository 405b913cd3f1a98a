"""Calls: of functions of the module, and of functions that are values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from hetc.diagnostics import Category
from hetc.dialects import dyn, skel
from hetc.passes.specialization import objects, sequences
from hetc.passes.specialization.interpretation import Interpretation
from hetc.passes.specialization.values import Abstract, FunctionValue, Value


def call(s: Interpretation, op: dyn.CallOp) -> None:
    """A call of a function of the module."""
    for_result = isinstance(op.next_op, skel.YieldOp)
    s.bind(op.result, s.call(op.callee.root_reference.data, arguments_of(s, op.arguments), for_result=for_result))


def arguments_of(s: Interpretation, olds: Sequence[SSAValue]) -> list[Value]:
    """The values that a call passes."""
    return [value if isinstance(value := s.get(old), Abstract) else s.typed(old) for old in olds]


def function(s: Interpretation, op: dyn.FunctionOp) -> None:
    """A function of the module as a value."""
    s.values[op.result] = FunctionValue(op.callee.root_reference.data)


def known(s: Interpretation, op: dyn.KnownOp) -> None:
    """A function that hetc knows by name as a value."""
    s.values[op.result] = FunctionValue(op.function.data, known=True)


def nested(s: Interpretation, op: dyn.LambdaOp) -> None:
    """A nested function as a value: it sees the values around it as they are now."""
    s.values[op.result] = FunctionValue(op, around=dict(s.values))


def call_value(s: Interpretation, op: dyn.CallValueOp) -> None:
    """A call of a function that is a value."""
    s.bind(op.result, apply(s, s.get(op.callee), arguments_of(s, op.arguments)))


def spread(s: Interpretation, op: dyn.SpreadOp) -> None:
    """`f(*t)`."""
    value = s.get(op.arguments)
    items = sequences.items_of(s, value if isinstance(value, Abstract) else s.typed(op.arguments))
    if items is None:
        raise s.unsupported("the number of arguments varies", category=Category.ARGUMENTS)
    s.bind(op.result, apply(s, s.get(op.callee), items))


def apply(s: Interpretation, callee: Value, arguments: Sequence[Value]) -> Value:
    """Call a function that is a value."""
    if isinstance(callee, objects.ClassValue):
        return objects.call_class(s, callee, arguments)
    special = objects.apply_special(s, "call", callee, arguments)
    if special is not None:
        return special
    if not isinstance(callee, FunctionValue):
        raise s.unsupported("what is called here is not a function", category=Category.ARGUMENTS)
    if isinstance(callee.function, dyn.LambdaOp):
        block = callee.function.body.block
        if len(block.args) != len(arguments):
            raise s.unsupported(
                f"the function takes {len(block.args)} arguments, not {len(arguments)}", category=Category.ARGUMENTS
            )
        return s.in_place(block, arguments, callee.around)
    if not callee.known:
        return s.call(callee.function, arguments)
    block = Block(arg_types=[dyn.OBJECT] * len(arguments))
    for old, value in zip(block.args, arguments, strict=True):
        s.values[old] = value
    op = dyn.BuiltinOp(callee.function, block.args)
    op.location = s.location
    block.add_op(op)
    s.run_op(op)
    return s.get(op.result)
