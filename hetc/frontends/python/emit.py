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
from dataclasses import dataclass
from types import FunctionType

from xdsl.dialects import func, scf
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.abi import Refused
from hetc.analysis.naming import ascii_name
from hetc.diagnostics import Category
from hetc.dialects import dyn
from hetc.errors import SourceLocation, UnsupportedError
from hetc.frontends.python.calls import signature_of
from hetc.frontends.python.closure import ResolvedFunction
from hetc.frontends.python.expressions import Env, ExpressionEmitter
from hetc.frontends.python.iteration import iteration
from hetc.frontends.python.liveness import Liveness, assigned_names
from hetc.frontends.python.source import FunctionNode, function_node

Leaf = Callable[[str, Env, SSAValue | None, ast.AST], list[SSAValue]]
"""What a block yields where it ends: called with "fall", "return", "break", "continue" or "leave" (for Python)."""


_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.AsyncFor: "an async for loop",
    ast.AsyncFunctionDef: "a nested async function",
    ast.AsyncWith: "an async with statement",
    ast.ClassDef: "a nested class",
    ast.Delete: "a del statement",
    ast.Expr: "an expression whose value is not used",
    ast.FunctionDef: "a nested function",
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


def emit_function(resolved: ResolvedFunction, refused: Mapping[str, Refused]) -> func.FuncOp:
    """The level-0 function of a resolved Python function; its callees are emitted by the caller of this function.

    `refused` are the captured variables whose values are not compiled. Raises UnsupportedError for a construct that is
    not compiled, unless it stands under a condition: that path leaves for Python.
    """
    node = function_node(resolved.function)
    return FunctionEmitter(resolved, node, refused).emit()


def emit_callee(resolved: ResolvedFunction, refused: Mapping[str, Refused]) -> func.FuncOp:
    """The same for a function that need not be reached: if it is not compiled, its calls leave for Python."""
    try:
        return emit_function(resolved, refused)
    except UnsupportedError as error:
        emitter = ExpressionEmitter(resolved, resolved.function.__code__.co_filename)
        nowhere = ast.Pass(lineno=resolved.function.__code__.co_firstlineno, col_offset=0)
        count = len(signature_of(resolved.function).parameters)
        emitter.block = Block(arg_types=[dyn.OBJECT] * count)
        emitter.leave(error, nowhere)
        emitter.add(func.ReturnOp(emitter.nothing(nowhere)), nowhere)
        types: list[Attribute] = [dyn.OBJECT] * count
        return func.FuncOp(resolved.symbol, (types, [dyn.OBJECT]), Region(emitter.block), visibility="private")


class FunctionEmitter(ExpressionEmitter):
    """Emits one function."""

    def __init__(self, resolved: ResolvedFunction, node: FunctionNode, refused: Mapping[str, Refused]) -> None:
        super().__init__(resolved, resolved.function.__code__.co_filename, refused)
        self.node = node
        self.statements: Sequence[ast.stmt] = (
            [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
        )
        self.liveness = Liveness(self.statements)

    def emit(self) -> func.FuncOp:
        """The whole function."""
        names = parameter_names(self.resolved.function, self.place(self.node))
        self.locals = frozenset(names) | assigned_names(self.statements)
        entry = Block(arg_types=[dyn.OBJECT] * len(names))
        env: Env = {}
        for name, argument in zip(names, entry.args, strict=True):
            argument.name_hint = ascii_name(name)
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
        return [self.add(dyn.NoneOp(), node).result if value is None else value]

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
            case ast.Assign():
                value = self.value(node.value, env)
                for target in node.targets:
                    self.assign(target, value, env)
            case ast.AnnAssign(value=ast.expr() as value_node):
                self.assign(node.target, self.value(value_node, env), env)
            case ast.AugAssign(target=ast.Name(id=name)):
                left = self.variable(ast.copy_location(ast.Name(name, ast.Load()), node.target), env)
                self.assign(node.target, self.binary(node.op, left, self.value(node.value, env), node), env)
            case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                pass
            case ast.Assign() | ast.AugAssign():
                raise self.unsupported(node, "only local variables can be assigned here")
            case _:
                raise self.unsupported(node, f"{_STATEMENTS.get(type(node), 'this statement')} is not compiled")

    def assign(self, target: ast.expr, value: SSAValue, env: Env) -> None:
        """Bind a target, unpacking tuples."""
        match target:
            case ast.Name(id=name):
                if not isinstance(value.owner, Block) and value.name_hint is None:
                    value.name_hint = ascii_name(name)
                env[name] = value
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                if any(isinstance(element, ast.Starred) for element in elements):
                    raise self.unsupported(target, "starred unpacking is not compiled")
                items = self.add(dyn.UnpackOp(value, len(elements)), target).results
                for element, item in zip(elements, items, strict=True):
                    self.assign(element, item, env)
            case _:
                raise self.unsupported(
                    target,
                    "only local variables can be assigned here",
                    hint="return the new value instead of storing it",
                )

    # ---------------------------------------------------------------------------------------------------------------
    # Branches
    # ---------------------------------------------------------------------------------------------------------------

    def branch_and_join(self, node: ast.If, env: Env) -> None:
        """An `if` whose branches both go on: the variables that they assign and that live on are its results."""
        names = sorted(assigned_names([*node.body, *node.orelse]) & self.liveness.after[id(node)])

        def leaf(kind: str, inner: Env, _value: SSAValue | None, place: ast.AST) -> list[SSAValue]:
            return [self.nothing(place) if kind == "leave" else self.local(name, inner, place) for name in names]

        condition = self.test(node.test, env)
        joined = self.if_else(
            node,
            condition,
            lambda: self.run(node.body, dict(env), leaf),
            lambda: self.run(node.orelse, dict(env), leaf),
        )
        self.bind(joined, names, env)

    def branch_and_go_on(self, node: ast.If, rest: Sequence[ast.stmt], env: Env, leaf: Leaf) -> list[SSAValue]:
        """An `if` that may leave: what follows it is emitted in each branch that goes on."""
        condition = self.test(node.test, env)
        return self.if_else(
            node,
            condition,
            lambda: self.run([*node.body, *rest], dict(env), leaf),
            lambda: self.run([*node.orelse, *rest], dict(env), leaf),
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
        assigned = assigned_names(node.body)
        if isinstance(node, ast.For):
            assigned |= assigned_names(node.target)
            inside_only = assigned_names(node.target) - self.liveness.after[id(node)]
            assigned -= inside_only - assigned_names(node.body)
        return sorted(assigned & live)

    def for_loop(
        self, node: ast.For, names: list[str], inits: list[SSAValue], leaf: Leaf, leaves: bool, env: Env
    ) -> list[SSAValue]:
        """`for target in ...`, as a loop over indices."""
        over = iteration(self, node.iter, env)
        block = Block(arg_types=[dyn.OBJECT, *(value.type for value in inits)])
        with self.inside(block):
            inner = dict(env)
            self.bind(block.args[1:], names, inner)
            element = over.element(block.args[0])
            self.assign(node.target, element, inner)
            if isinstance(node.target, ast.Name):
                element.name_hint = ascii_name(node.target.id)
            values = self.run(node.body, inner, leaf)
            self.add(dyn.YieldOp(values), node)
        loop = dyn.ForRangeOp(over.start, over.stop, over.step, inits, Region(block), early_exit=leaves)
        return list(self.add(loop, node).results)

    def while_loop(
        self, node: ast.While, names: list[str], inits: list[SSAValue], leaf: Leaf, leaves: bool, env: Env
    ) -> list[SSAValue]:
        """`while test`, which a flag ends when the body leaves the loop."""
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

    def local(self, name: str, env: Env, node: ast.AST) -> SSAValue:
        """A local variable's value here, or the mark that it has none."""
        if name in env:
            return env[name]
        return self.add(dyn.UnboundOp(name), node).result

    def flag(self, value: bool, node: ast.AST) -> SSAValue:
        """A constant `i1`."""
        return self.add(ConstantOp(IntegerAttr(int(value), i1)), node).result

    def bind(self, values: Sequence[SSAValue], names: Sequence[str], env: Env) -> None:
        """Bind variables to values, and let the values carry their names."""
        for name, value in zip(names, values, strict=False):
            value.name_hint = ascii_name(name)
            env[name] = value


def parameter_names(function: FunctionType, place: SourceLocation) -> list[str]:
    """The names of a function's parameters; `*args` and `**kwargs` are refused."""
    parameters = signature_of(function).parameters.values()
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UnsupportedError(
                f"the parameter *{parameter.name} is not compiled", location=place, category=Category.ARGUMENTS
            )
    return [parameter.name for parameter in parameters]


def contains(node: ast.AST, *kinds: type[ast.AST]) -> bool:
    """Whether a statement contains a statement of one of these kinds."""
    return any(isinstance(child, kinds) for child in ast.walk(node))


def leaves_loop(loop: ast.For | ast.While) -> bool:
    """Whether the body may end this very loop early."""

    def leaves(node: ast.AST, inside: bool) -> bool:
        if isinstance(node, ast.Return) or (isinstance(node, ast.Break) and not inside):
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
