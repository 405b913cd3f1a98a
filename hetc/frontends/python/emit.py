"""Statements and functions: syntax tree -> `func.func` over `dyn`.

Control flow becomes structured (`scf.if`, `scf.while`, `dyn.for_range`); local variables become SSA values, and
`hetc.frontends.python.liveness` says which of them a join or a loop carries. Leaving a block early (`return`, `break`,
`continue`) is expressed by *continuations*: the statements after an `if` that may leave are emitted into the branches
that go on, so no flag is tested on the straight path. Only a loop that may be left carries a flag.

Each op has the line and column of the expression that it came from.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.abi import Refused
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.errors import SourceLocation, UnsupportedError
from hetc.frontends.python.call_expressions import Function, Nested
from hetc.frontends.python.calls import signature_of
from hetc.frontends.python.closure import Known, ResolvedFunction
from hetc.frontends.python.comprehensions import ComprehensionEmitter
from hetc.frontends.python.desugar import Leave, UnrolledFor, desugar
from hetc.frontends.python.expressions import Env, ExpressionEmitter, field_name, hint_of
from hetc.frontends.python.iteration import range_bounds
from hetc.frontends.python.iterators import iterated_at_once
from hetc.frontends.python.liveness import Liveness
from hetc.frontends.python.object_expressions import is_super_init
from hetc.frontends.python.object_writes import Writes, returning_writes
from hetc.frontends.python.ownership import owned_lists, owned_objects
from hetc.frontends.python.scopes import (
    FUNCTIONS,
    NONE,
    Names,
    appended_list,
    assigned_names,
    binding_counts,
    bound_functions,
    closures_of,
    ordered_parameters,
    scope_nodes,
    updated_names,
    walrus_names,
)
from hetc.frontends.python.source import FunctionNode, function_node

Leaf = Callable[[str, Env, SSAValue | None, ast.AST], list[SSAValue]]
"""What a block yields where it ends: called with "fall", "return", "break", "continue" or "leave" (for Python)."""


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


@dataclass(frozen=True)
class LoopEnd:
    """How a loop ended: `returned` is the flag "did it return from inside" and the value, `broken` "was it left early".

    None where a loop cannot end so.
    """

    returned: tuple[SSAValue, SSAValue] | None
    broken: SSAValue | None


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


class FunctionEmitter(ComprehensionEmitter):
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
                raise self.unsupported(part, "a generator function is not compiled")
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
                raise self.unsupported(node, f"{_STATEMENTS.get(type(node), 'this statement')} is not compiled")

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

    def use(self, value: SSAValue, node: ast.AST) -> None:
        """Nothing but that the value must be there."""
        self.add(dyn.BuildTupleOp([value]), node)

    def delete(self, target: ast.expr, env: Env) -> None:
        """`del name`: the variable has no value from here on."""
        if not isinstance(target, ast.Name) or target.id in self.nested or target.id not in env:
            raise self.unsupported(target, "only local variables that have a value can be deleted here")
        self.use(env.pop(target.id), target)

    def define(self, name: str, function: Function, node: ast.stmt, env: Env) -> None:
        """A nested function gets its name, which is to have no other meaning in this function."""
        if self.bindings[name] > 1:
            raise self.unsupported(node, f"'{name}' is a nested function, and is assigned more than once")
        mark = self.add(dyn.UnboundOp(name), node).result
        self.nested[name] = self.nested_function(name, function, mark, env)
        env[name] = mark

    def augment(self, node: ast.AugAssign, env: Env) -> None:
        """`target += value`."""
        match node.target:
            case ast.Attribute(value=ast.Name(id=name)) if name in self.owned_objects:
                left = self.value(
                    ast.copy_location(ast.Attribute(node.target.value, node.target.attr), node.target), env
                )
                self.assign(node.target, self.in_place(left, node, env), env)
            case ast.Name(id=name):
                left = self.variable(ast.copy_location(ast.Name(name, ast.Load()), node.target), env)
                self.assign(node.target, self.in_place(left, node, env), env)
            case ast.Subscript(value=ast.Name(id=name)) if name in self.owned:
                index = self.value(node.target.slice, env)
                left = self.add(dyn.GetItemOp(self.owned_list(name, env, node), [index]), node.target).result
                value = self.in_place(left, node, env)
                container = self.owned_list(name, env, node)
                env[name] = self.add(dyn.SetItemOp(container, index, value), node.target).result
            case ast.Subscript() if self.stores and (field := field_name(node.target)) is not None:
                container = self.value(node.target.value, env)
                left = self.add(dyn.FieldOp(container, field), node.target).result
                self.add(dyn.StoreFieldOp(self.in_place(left, node, env), container, field), node.target)
            case ast.Subscript() if self.stores:
                container, indices = self.value(node.target.value, env), self.indices(node.target, env)
                left = self.add(dyn.GetItemOp(container, indices), node.target).result
                self.add(dyn.StoreItemOp(self.in_place(left, node, env), container, indices), node.target)
            case ast.Attribute(attr=name) if self.stores:
                container = self.value(node.target.value, env)
                left = self.add(dyn.GetAttrOp(container, name), node.target).result
                self.add(dyn.StoreAttrOp(self.in_place(left, node, env), container, name), node.target)
            case _:
                super().assign(node.target, self.nothing(node), env)

    def in_place(self, left: SSAValue, node: ast.AugAssign, env: Env) -> SSAValue:
        """The operator of an augmented assignment, which changes a list in place."""
        result = self.binary(node.op, left, self.value(node.value, env), node)
        assert isinstance(result.owner, Operation)
        result.owner.attributes[dyn.IN_PLACE] = UnitAttr()
        return result

    def assign(self, target: ast.expr, value: SSAValue, env: Env) -> None:
        """Bind a target; an item of a list that has one name only can be one."""
        match target:
            case ast.Subscript(value=ast.Name(id=name)) if name in self.owned:
                container = self.owned_list(name, env, target)
                index = self.value(target.slice, env)
                env[name] = self.add(dyn.SetItemOp(container, index, value), target).result
            case ast.Attribute(value=ast.Name(id=name)) if name in self.owned_objects:
                container = self.owned_list(name, env, target)
                env[name] = self.add(dyn.SetAttrOp(container, target.attr, value), target).result
            case _:
                super().assign(target, value, env)

    def owned_list(self, name: str, env: Env, node: ast.AST) -> SSAValue:
        """The list or object in a local variable."""
        return self.variable(ast.copy_location(ast.Name(name, ast.Load()), node), env)

    # ---------------------------------------------------------------------------------------------------------------
    # Branches
    # ---------------------------------------------------------------------------------------------------------------

    def branch_and_join(self, node: ast.If, env: Env) -> None:
        """An `if` whose branches both go on: the variables that they assign and that live on are its results."""
        names = sorted(self.changed_names([*node.body, *node.orelse]) & self.liveness.after[id(node)])

        def leaf(kind: str, inner: Env, _value: SSAValue | None, place: ast.AST) -> list[SSAValue]:
            return [self.nothing(place) if kind == "leave" else self.local(name, inner, place) for name in names]

        condition = self.test(node.test, env)
        joined = self.if_else(
            node,
            condition,
            lambda: self.run(node.body, self.assume(node.test, True, env), leaf),
            lambda: self.run(node.orelse, self.assume(node.test, False, env), leaf),
        )
        self.bind(joined, names, env)

    def branch_and_go_on(self, node: ast.If, rest: Sequence[ast.stmt], env: Env, leaf: Leaf) -> list[SSAValue]:
        """An `if` that may leave: what follows it is emitted in each branch that goes on."""
        condition = self.test(node.test, env)
        return self.if_else(
            node,
            condition,
            lambda: self.run([*node.body, *rest], self.assume(node.test, True, env), leaf),
            lambda: self.run([*node.orelse, *rest], self.assume(node.test, False, env), leaf),
        )

    def if_else(
        self,
        node: ast.AST,
        condition: SSAValue,
        then: Callable[[], list[SSAValue]],
        other: Callable[[], list[SSAValue]],
    ) -> list[SSAValue]:
        """`scf.if` over two blocks that yield the same number of values."""
        regions: list[Region] = []
        types: list[Attribute] = []
        for emit in (then, other):
            with self.branch() as block:
                values = emit()
                types = [value.type for value in values]
                self.add(scf.YieldOp(*values), node)
            regions.append(Region(block))
        then_region, other_region = regions
        branches = self.add(scf.IfOp(condition, types, then_region, other_region), node)
        if isinstance(node, ast.If):
            branches.attributes[dyn.BRANCH] = UnitAttr()
        return list(branches.results)

    def go_on_after_loop(
        self, end: LoopEnd, node: ast.For | ast.While, rest: Sequence[ast.stmt], env: Env, leaf: Leaf
    ) -> list[SSAValue]:
        """What follows a loop: its value if it returned from inside, its `else` branch unless it was left, the rest."""

        def go_on(inner: Env) -> list[SSAValue]:
            if not node.orelse:
                return self.run(rest, inner, leaf)
            if end.broken is None:
                return self.run([*node.orelse, *rest], inner, leaf)
            return self.if_else(
                node,
                end.broken,
                lambda: self.run(rest, dict(inner), leaf),
                lambda: self.run([*node.orelse, *rest], dict(inner), leaf),
            )

        if end.returned is None:
            return go_on(dict(env))
        flag, value = end.returned
        if is_endless(node):
            return leaf("return", dict(env), value, node)
        return self.if_else(node, flag, lambda: leaf("return", dict(env), value, node), lambda: go_on(dict(env)))

    # ---------------------------------------------------------------------------------------------------------------
    # Loops
    # ---------------------------------------------------------------------------------------------------------------

    def loop(self, node: ast.For | ast.While, env: Env) -> LoopEnd:
        """A loop, without its `else` branch."""
        names = self.carried_names(node)
        returns, leaves = any(contains(child, ast.Return) for child in node.body), leaves_loop(node)

        def leaf(kind: str, inner: Env, value: SSAValue | None, place: ast.AST) -> list[SSAValue]:
            left = kind == "leave"
            values = [self.nothing(place) if left else self.local(name, inner, place) for name in names]
            if returns:
                if kind == "return" and value is None:
                    value = self.add(dyn.NoneOp(), place).result
                values += [self.flag(kind == "return", place), value or self.nothing(place)]
            if leaves:
                values.append(self.flag(kind in ("break", "return"), place))
            return values

        inits = [self.local(name, env, node) for name in names]
        if returns:
            inits += [self.flag(False, node), self.nothing(node)]
        if leaves:
            inits.append(self.flag(False, node))
        if isinstance(node, ast.For):
            outputs = self.for_loop(node, names, inits, leaf, leaves, env)
        else:
            outputs = self.while_loop(node, names, inits, leaf, leaves, env)
        self.bind(outputs, names, env)
        returned = (outputs[len(names)], outputs[len(names) + 1]) if returns else None
        return LoopEnd(returned, outputs[-1] if leaves else None)

    def carried_names(self, node: ast.For | ast.While) -> list[str]:
        """The variables that a loop assigns and that the next iteration, or what follows, reads."""
        live = self.liveness.head[id(node)] | self.liveness.after[id(node)]
        assigned = self.changed_names(node.body)
        if isinstance(node, ast.For):
            targets = assigned_names(node.target)
            inside_only = targets - self.liveness.after[id(node)]
            assigned = (assigned | targets) - (inside_only - assigned_names(node.body))
        return sorted(assigned & live)

    def for_loop(
        self, node: ast.For, names: list[str], inits: list[SSAValue], leaf: Leaf, leaves: bool, env: Env
    ) -> list[SSAValue]:
        """`for target in ...`, as a loop over indices."""
        bounds = None if isinstance(node, UnrolledFor) else range_bounds(self, node.iter, env)
        iterable = self.iterable(node.iter, env) if bounds is None else None
        block = Block(arg_types=[dyn.OBJECT, *(value.type for value in inits)])
        with self.inside(block):
            inner = dict(env)
            self.bind(block.args[1:], names, inner)
            self.assign(node.target, block.args[0], inner)
            if isinstance(node.target, ast.Name):
                block.args[0].name_hint = hint_of(node.target.id)
            values = self.run(node.body, inner, leaf)
            self.add(dyn.YieldOp(values), node)
        if bounds is not None:
            loop = dyn.ForRangeOp(*bounds, inits, Region(block), early_exit=leaves)
        else:
            assert iterable is not None
            unroll = isinstance(node, UnrolledFor)
            loop = dyn.ForEachOp(iterable, inits, Region(block), early_exit=leaves, unroll=unroll)
        return list(self.add(loop, node).results)

    def while_loop(
        self, node: ast.While, names: list[str], inits: list[SSAValue], leaf: Leaf, leaves: bool, env: Env
    ) -> list[SSAValue]:
        """`while test`, which a flag ends when the body leaves the loop."""
        if walrus_names(node.test):
            raise self.unsupported(node, "this loop's test assigns a variable")
        types = [value.type for value in inits]
        before, after = Block(arg_types=types), Block(arg_types=types)
        with self.inside(before):
            inner = dict(env)
            self.bind(before.args, names, inner)
            if leaves:
                condition = self.if_else(
                    node,
                    before.args[-1],
                    lambda: [self.flag(False, node)],
                    lambda: [self.test(node.test, inner)],
                )[0]
            else:
                condition = self.test(node.test, inner)
            self.add(scf.ConditionOp(condition, *before.args), node)
        with self.inside(after):
            inner = dict(env)
            self.bind(after.args, names, inner)
            values = self.run(node.body, inner, leaf)
            self.add(scf.YieldOp(*values), node)
        loop = scf.WhileOp(inits, types, Region(before), Region(after))
        return list(self.add(loop, node).results)

    # ---------------------------------------------------------------------------------------------------------------
    # Variables and flags
    # ---------------------------------------------------------------------------------------------------------------

    def changed_names(self, statements: Sequence[ast.stmt]) -> Names:
        """The variables that get another value: a list with one name only, when an item of it is stored, is another.

        So is an object, when an attribute of it is stored.
        """
        calls = [node for node in scope_nodes(statements) if isinstance(node, ast.Call)]
        refilled = self.filled is not None and any(is_super_init(call.func) for call in calls)
        updated = updated_names(statements) & (self.owned | self.owned_objects)
        return assigned_names(statements) | updated | (frozenset({self.filled or ""}) if refilled else NONE)

    def bind(self, values: Sequence[SSAValue], names: Sequence[str], env: Env) -> None:
        """Bind variables to values, and let the values carry their names."""
        for name, value in zip(names, values, strict=False):
            value.name_hint = hint_of(name)
            env[name] = value


def parameter_names(function: FunctionType, place: SourceLocation) -> list[str]:
    """The names of a function's parameters; `**kwargs` is refused."""
    parameters = signature_of(function).parameters.values()
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            raise UnsupportedError(
                f"the parameter **{parameter.name} is not compiled", location=place, category=Category.ARGUMENTS
            )
    return [parameter.name for parameter in parameters]


def contains(node: ast.AST, *kinds: type[ast.AST]) -> bool:
    """Whether a statement contains a statement of one of these kinds."""
    return any(isinstance(child, kinds) for child in scope_nodes(node))


def is_endless(loop: ast.For | ast.While) -> bool:
    """Whether a loop is `while True` and no break ends it."""
    if not isinstance(loop, ast.While) or not isinstance(loop.test, ast.Constant) or not loop.test.value:
        return False
    return not leaves_loop(loop, by_return=False)


def leaves_loop(loop: ast.For | ast.While, *, by_return: bool = True) -> bool:
    """Whether the body may end this very loop early: by a break, or by a return."""

    def leaves(node: ast.AST, inside: bool) -> bool:
        if isinstance(node, FUNCTIONS):
            return False
        if (by_return and isinstance(node, ast.Return)) or (isinstance(node, ast.Break) and not inside):
            return True
        if isinstance(node, ast.For | ast.While):  # a break in its else branch is one of the loop around it
            return any(leaves(child, True) for child in node.body) or any(
                leaves(child, inside) for child in node.orelse
            )
        return any(leaves(child, inside) for child in ast.iter_child_nodes(node))

    return any(leaves(statement, False) for statement in loop.body)


def may_leave(node: ast.stmt) -> bool:
    """Whether a statement may end the block that it stands in: return, or break or continue of an outer loop."""
    match node:
        case ast.Return() | ast.Break() | ast.Continue():
            return True
        case ast.If():
            return any(may_leave(child) for child in [*node.body, *node.orelse])
        case ast.Try() | ast.TryStar():
            return any(may_leave(child) for child in [*node.body, *node.orelse, *node.finalbody])
        case ast.For() | ast.While():
            return contains(node, ast.Return) or any(may_leave(child) for child in node.orelse)
        case _:
            return False
