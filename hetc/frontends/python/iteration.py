"""What a `for` loop runs over, as a range of indices and what each index binds.

`range(...)` binds the index itself. An array binds its elements, `enumerate` pairs of index and element, `zip` tuples
of elements. Everything is read once, before the loop, as Python does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import SSAValue

from hetc.dialects import dyn
from hetc.frontends.python.expressions import Env, ExpressionEmitter


@dataclass(frozen=True)
class Iteration:
    """The indices of a loop, and the value that the loop's target has at an index.

    `counts` says that the indices are 0, 1, ..., stop - 1: what `zip` and `enumerate` can go along with.
    """

    start: SSAValue
    stop: SSAValue
    step: SSAValue
    element: Callable[[SSAValue], SSAValue]
    counts: bool = True


def iteration(emitter: ExpressionEmitter, node: ast.expr, env: Env) -> Iteration:
    """The iteration over an expression, emitted before the loop."""
    known = emitter.known(node.func) if isinstance(node, ast.Call) and not node.keywords else None
    arguments = node.args if isinstance(node, ast.Call) else []
    if known == "range" and 1 <= len(arguments) <= 3:
        return _over_range(emitter, node, arguments, env)
    if known == "enumerate" and 1 <= len(arguments) <= 2:
        return _over_enumerate(emitter, node, arguments, env)
    if known == "zip" and arguments:
        return _over_zip(emitter, node, arguments, env)
    if isinstance(node, ast.Name | ast.Subscript | ast.Attribute):
        return _over_array(emitter, node, emitter.value(node, env))
    raise emitter.unsupported(
        node,
        "a for loop is compiled over range(), captured arrays, zip() and enumerate() of them",
        hint="loop over range(len(...)) and index",
    )


def _over_range(emitter: ExpressionEmitter, node: ast.expr, arguments: list[ast.expr], env: Env) -> Iteration:
    values = [emitter.value(argument, env) for argument in arguments]
    if len(values) == 1:
        values.insert(0, emitter.number(0, node))
    if len(values) == 2:
        values.append(emitter.number(1, node))
    return Iteration(values[0], values[1], values[2], lambda index: index, counts=len(arguments) == 1)


def _over_array(emitter: ExpressionEmitter, node: ast.AST, array: SSAValue) -> Iteration:
    def element(index: SSAValue) -> SSAValue:
        return emitter.add(dyn.GetItemOp(array, [index]), node).result

    length = emitter.add(dyn.BuiltinOp("len", [array]), node).result
    return _counted(emitter, node, length, element)


def _over_enumerate(emitter: ExpressionEmitter, node: ast.expr, arguments: list[ast.expr], env: Env) -> Iteration:
    inner = _counting(emitter, arguments[0], env)
    first = emitter.value(arguments[1], env) if len(arguments) == 2 else None

    def element(index: SSAValue) -> SSAValue:
        number = index if first is None else emitter.add(dyn.BinaryOp("add", index, first), node).result
        return emitter.add(dyn.BuildTupleOp([number, inner.element(index)]), node).result

    return _counted(emitter, node, inner.stop, element)


def _over_zip(emitter: ExpressionEmitter, node: ast.expr, arguments: list[ast.expr], env: Env) -> Iteration:
    inner = [_counting(emitter, argument, env) for argument in arguments]
    stops = [one.stop for one in inner]
    shortest = stops[0] if len(stops) == 1 else emitter.add(dyn.BuiltinOp("min", stops), node).result

    def element(index: SSAValue) -> SSAValue:
        return emitter.add(dyn.BuildTupleOp([one.element(index) for one in inner]), node).result

    return _counted(emitter, node, shortest, element)


def _counting(emitter: ExpressionEmitter, node: ast.expr, env: Env) -> Iteration:
    """The iteration over an argument of `zip` or `enumerate`."""
    inner = iteration(emitter, node, env)
    if not inner.counts:
        raise emitter.unsupported(node, "a range with a start or step is not compiled inside zip() or enumerate()")
    return inner


def _counted(
    emitter: ExpressionEmitter, node: ast.AST, stop: SSAValue, element: Callable[[SSAValue], SSAValue]
) -> Iteration:
    return Iteration(emitter.number(0, node), stop, emitter.number(1, node), element)
