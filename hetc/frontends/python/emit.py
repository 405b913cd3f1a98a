"""Statements and functions: syntax tree -> `func.func` over `dyn`.

Statements in order, and what they have in them: branches and loops are `control_flow.py`, assignments `assignments.py`,
expressions `expressions.py` and those that it is the base of.

Each op has the line and column of the expression that it came from.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import FunctionType

from xdsl.dialects import func
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.abi import Refused
from hetc.analysis.fast_math import ANY_ORDER, FAST_MATH
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.errors import SourceLocation, UnsupportedError
from hetc.frontends.python import remedies
from hetc.frontends.python.call_expressions import Function, Nested
from hetc.frontends.python.calls import signature_of
from hetc.frontends.python.closure import Known, ResolvedFunction
from hetc.frontends.python.control_flow import ControlFlowEmitter, Leaf
from hetc.frontends.python.desugar import Leave, desugar
from hetc.frontends.python.expressions import Env, ExpressionEmitter, hint_of
from hetc.frontends.python.iterators import iterated_at_once
from hetc.frontends.python.leaving import may_leave
from hetc.frontends.python.licences import is_any_order
from hetc.frontends.python.liveness import Liveness
from hetc.frontends.python.object_expressions import is_super_init
from hetc.frontends.python.object_writes import Writes, returning_writes
from hetc.frontends.python.ownership import owned_lists, owned_objects
from hetc.frontends.python.scopes import (
    NONE,
    Names,
    appended_list,
    assigned_names,
    binding_counts,
    bound_functions,
    closures_of,
    ordered_parameters,
    scope_nodes,
)
from hetc.frontends.python.source import FunctionNode, function_node

_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.AsyncFor: "an async for loop",
    ast.AsyncFunctionDef: "a nested async function",
    ast.AsyncWith: "an async with statement",
    ast.ClassDef: "a nested class",
    ast.Global: "a global statement",
    ast.Import: "an import statement",
    ast.ImportFrom: "an import statement",
    ast.Match: "a match statement",
    ast.Nonlocal: "a nonlocal statement",
    ast.With: "a with statement",
}


def emit_function(
    resolved: ResolvedFunction, refused: Mapping[str, Refused], *, stores: bool = False, writes: Writes = ()
) -> func.FuncOp:
    """The level-0 function of a resolved Python function; its callees are emitted by the caller of this function.

    `refused` are the captured variables whose values are not compiled; `stores` says that it is part of a loop, and may
    store to arrays; `writes` are the attributes of its arguments that it returns beside its result, each with a flag
    that says whether it was assigned. Raises UnsupportedError for a construct that is not compiled, unless it stands
    under a condition: that path leaves for Python.
    """
    node = function_node(resolved.function)
    emitter = FunctionEmitter(resolved, node, refused, writes=writes, stores=stores)
    emitter.stores = stores
    return emitter.emit()


def emit_callee(resolved: ResolvedFunction, refused: Mapping[str, Refused], *, stores: bool = False) -> func.FuncOp:
    """The same for a function that need not be reached: if it is not compiled, its calls leave for Python."""
    try:
        return emit_function(resolved, refused, stores=stores)
    except UnsupportedError as error:
        emitter = ExpressionEmitter(resolved, resolved.function.__code__.co_filename)
        nowhere = ast.Pass(lineno=resolved.function.__code__.co_firstlineno, col_offset=0)
        count = len(signature_of(resolved.function).parameters)
        emitter.block = Block(arg_types=[dyn.OBJECT] * count)
        emitter.leave(error, nowhere)
        emitter.add(func.ReturnOp(emitter.nothing(nowhere)), nowhere)
        types: list[Attribute] = [dyn.OBJECT] * count
        return func.FuncOp(resolved.symbol, (types, [dyn.OBJECT]), Region(emitter.block), visibility="private")


class FunctionEmitter(ControlFlowEmitter):
    """Emits one function. `exported` are the variables of the function around it that it assigns."""

    def __init__(
        self,
        resolved: ResolvedFunction,
        node: FunctionNode,
        refused: Mapping[str, Refused],
        exported: Sequence[str] = (),
        writes: Writes = (),
        stores: bool = False,
    ) -> None:
        super().__init__(resolved, resolved.function.__code__.co_filename, refused)
        self.node = node
        body = [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
        if resolved.function.__name__ == "__iter__" and node is function_node(resolved.function):
            body = self._iterator(body, stores=stores)
        self.statements: Sequence[ast.stmt] = desugar(returning_writes(body, writes) if writes else body)
        for part in scope_nodes(self.statements):
            if isinstance(part, ast.Yield | ast.YieldFrom):  # wherever it stands, calling the function runs nothing
                hint = remedies.of_construct(part)
                raise self.unsupported(part, "a generator function is not compiled", hint=hint)
        parameters = ordered_parameters(node.args)
        filled = (
            frozenset(parameters[:1]) if resolved.initializes and node is function_node(resolved.function) else NONE
        )
        self.filled: str | None = next(iter(filled), None)
        """The variable of the object that an `__init__` fills."""
        at_end = frozenset(exported) | filled
        self.liveness = Liveness(self.statements, closures_of(self.statements), at_end)
        own = frozenset(ordered_parameters(node.args)) | (assigned_names(self.statements) - frozenset(exported))
        self.locals = own
        self.scopes: tuple[Names, ...] = (own,)
        self.nested: dict[str, Nested] = {}
        self.inlined: tuple[Function, ...] = ()
        self.owned = owned_lists(self.statements, frozenset(parameters), self.known)
        changed = filled | {name for name, _ in writes}
        self.owned_objects = owned_objects(self.statements, frozenset(parameters) - changed, changed, self.makes_object)
        self.bindings = binding_counts(node.args, self.statements)

    def _iterator(self, body: Sequence[ast.stmt], *, stores: bool) -> Sequence[ast.stmt]:
        """The body of an `__iter__`, as that of a function that returns what is iterated."""
        is_generator = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in scope_nodes(body))
        known = is_generator or self.resolved.bindings.get(("iter",)) == Known("iter")
        found = iterated_at_once(body, generators=not stores) if known else None
        if found is None:
            raise self.unsupported(
                body[0], "an __iter__ is compiled if it returns iter(...) or yields in a fixed order"
            )
        return found

    def emit(self) -> func.FuncOp:
        """The whole function."""
        names = parameter_names(self.resolved.function, self.place(self.node))
        entry = Block(arg_types=[dyn.OBJECT] * len(names))
        env: Env = {}
        for name, argument in zip(names, entry.args, strict=True):
            argument.name_hint = hint_of(name)
            env[name] = argument
        self.block = entry
        values = self.run(self.statements, env, self.function_leaf)
        self.add(func.ReturnOp(*values), self.statements[-1])
        function = func.FuncOp(
            self.resolved.symbol, ([dyn.OBJECT] * len(names), [dyn.OBJECT]), Region(entry), visibility="private"
        )
        function.location = self.location(self.node)
        if is_any_order(self.resolved.function):
            function.attributes[FAST_MATH] = ANY_ORDER
        return function

    def function_leaf(self, kind: str, env: Env, value: SSAValue | None, node: ast.AST) -> list[SSAValue]:
        """The end of a path through the function."""
        if kind == "leave":
            return [self.nothing(node)]
        if self.filled is not None:
            return [self.filled_object(env, value, node)]
        return [self.add(dyn.NoneOp(), node).result if value is None else value]

    def inline(
        self, function: Nested, arguments: Sequence[SSAValue], env: Env, node: ast.AST, exported: Sequence[str] = ()
    ) -> SSAValue:
        """The body of a nested function, in place of its call."""
        if function.node in self.inlined:
            raise self.unsupported(
                node,
                f"{function.name}() calls itself, and a device has no call stack",
                hint="write the recursion as a loop",
                category=Category.RECURSION,
            )
        inner = FunctionEmitter(self.resolved, function.node, self.refused, exported)
        own = inner.locals
        inner.locals = own | self.locals
        inner.scopes = (*self.scopes, own)
        inner.nested = {name: other for name, other in self.nested.items() if name not in own}
        inner.inlined = (*self.inlined, function.node)
        inner.branches, inner.block, inner.stores = self.branches, self.block, self.stores
        variables = {name: value for name, value in env.items() if name not in own}
        variables.update(zip(ordered_parameters(function.node.args), arguments, strict=True))

        def leaf(kind: str, last: Env, value: SSAValue | None, place: ast.AST) -> list[SSAValue]:
            if kind == "leave":
                return [inner.nothing(place) for _ in range(1 + len(exported))]
            return inner.function_leaf(kind, last, value, place) + [inner.local(n, last, place) for n in exported]

        result, *values = inner.run(inner.statements, variables, leaf)
        self.bind(values, exported, env)
        return result

    # ---------------------------------------------------------------------------------------------------------------
    # Blocks
    # ---------------------------------------------------------------------------------------------------------------

    def run(self, statements: Sequence[ast.stmt], env: Env, leaf: Leaf) -> list[SSAValue]:
        """Emit statements into the current block; the result is what the path yields at its end."""
        for position, node in enumerate(statements):
            try:
                ended = self.statement(node, statements[position + 1 :], env, leaf)
            except UnsupportedError as error:
                if self.branches == 0:
                    raise
                self.leave(error, node)
                return leaf("leave", env, None, node)
            if ended is not None:
                return ended
        return leaf("fall", env, None, statements[-1] if statements else self.node)

    def statement(self, node: ast.stmt, rest: Sequence[ast.stmt], env: Env, leaf: Leaf) -> list[SSAValue] | None:
        """Emit one statement. If it ends the block, or takes the `rest` along, what the path yields at its end."""
        match node:
            case ast.Return():
                value = None if node.value is None else self.value(node.value, env)
                return leaf("return", env, value, node)
            case ast.Break():
                return leaf("break", env, None, node)
            case ast.Continue():
                return leaf("continue", env, None, node)
            case ast.Raise():
                raise self.unsupported(node, "the function raises an exception here")
            case ast.Assert():
                self.assertion(node, env)
            case ast.Try() | ast.TryStar():
                return self.attempt(node, rest, env, leaf)
            case ast.If() if may_leave(node):
                return self.branch_and_go_on(node, rest, env, leaf)
            case ast.If():
                self.branch_and_join(node, env)
            case ast.For() | ast.While():
                end = self.loop(node, env)
                if end.returned is not None or node.orelse:
                    return self.go_on_after_loop(end, node, rest, env, leaf)
            case _:
                self.simple(node, env)
        return None

    def assertion(self, node: ast.Assert, env: Env) -> None:
        """`assert test`: Python raises where the test fails. Under `python -O` there are no assertions."""
        if __debug__:

            def fails() -> list[SSAValue]:
                self.leave(self.unsupported(node, "the assertion may fail"), node)
                return []

            self.if_else(node, self.test(node.test, env), list, fails)

    def attempt(self, node: ast.Try | ast.TryStar, rest: Sequence[ast.stmt], env: Env, leaf: Leaf) -> list[SSAValue]:
        """`try`: where something raises, Python runs the element, handlers included; what is left is the clean path."""
        if node.finalbody and any(may_leave(child) for child in [*node.body, *node.orelse]):
            raise self.unsupported(node, "a try statement with a finally branch is left early")
        return self.run([*node.body, *node.orelse, *node.finalbody, *rest], env, leaf)

    def simple(self, node: ast.stmt, env: Env) -> None:
        """A statement without control flow."""
        match node:
            case ast.Assign() | ast.AnnAssign() if bound_functions(node):
                for name, function in bound_functions(node):
                    self.define(name, function, node, env)
            case ast.Assign():
                value = self.value(node.value, env)
                for target in node.targets:
                    self.assign(target, value, env)
            case ast.AnnAssign(value=ast.expr() as value_node):
                self.assign(node.target, self.value(value_node, env), env)
            case ast.AugAssign():
                self.augment(node, env)
            case ast.FunctionDef(name=name):
                self.define(name, node, node, env)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.delete(target, env)
            case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                pass
            case ast.Expr():
                self.expression(node, env)
            case ast.Nonlocal(names=names) | ast.Global(names=names) if not self.scopes[-1].intersection(names):
                pass
            case Leave(reason=reason):
                raise self.unsupported(node, reason)
            case _:
                name, hint = _STATEMENTS.get(type(node), "this statement"), remedies.of_construct(node)
                raise self.unsupported(node, f"{name} is not compiled", hint=hint)

    def expression(self, node: ast.Expr, env: Env) -> None:
        """An expression whose value is not used: it may raise, append to a list with one name, or fill an object."""
        value, target = node.value, appended_list(node)
        if target is not None and target.id in self.owned and isinstance(value, ast.Call):
            container = self.variable(target, env)
            env[target.id] = self.add(dyn.AppendOp(self.value(value.args[0], env), container), node).result
        elif self.filled is not None and isinstance(value, ast.Call) and is_super_init(value.func):
            env[self.filled] = self.super_init(value, env[self.filled], env)
        else:
            self.use(self.value(value, env), value)

    def define(self, name: str, function: Function, node: ast.stmt, env: Env) -> None:
        """A nested function gets its name, which is to have no other meaning in this function."""
        if self.bindings[name] > 1:
            raise self.unsupported(node, f"'{name}' is a nested function, and is assigned more than once")
        mark = self.add(dyn.UnboundOp(name), node).result
        self.nested[name] = self.nested_function(name, function, mark, env)
        env[name] = mark


def parameter_names(function: FunctionType, place: SourceLocation) -> list[str]:
    """The names of a function's parameters; `**kwargs` is refused."""
    parameters = signature_of(function).parameters.values()
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            raise UnsupportedError(
                f"the parameter **{parameter.name} is not compiled", location=place, category=Category.ARGUMENTS
            )
    return [parameter.name for parameter in parameters]
