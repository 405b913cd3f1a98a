"""Branches and loops as structured control flow: `scf.if`, `scf.while`, `dyn.for_range`, `dyn.for_each`.

Local variables become SSA values, and `hetc.frontends.python.liveness` says which of them a join or a loop carries.
Leaving a block early (`return`, `break`, `continue`) is expressed by *continuations*: the statements after an `if` that
may leave are emitted into the branches that go on, so no flag is tested on the straight path. Only a loop that may be
left carries a flag.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from hetc.dataclass import dataclass
from hetc.dialects import dyn
from hetc.frontends.python.assignments import AssignmentEmitter
from hetc.frontends.python.desugar import UnrolledFor
from hetc.frontends.python.expressions import Env, hint_of
from hetc.frontends.python.iteration import range_bounds
from hetc.frontends.python.leaving import contains, is_endless, leaves_loop
from hetc.frontends.python.liveness import Liveness
from hetc.frontends.python.scopes import assigned_names, walrus_names

Leaf = Callable[[str, Env, SSAValue | None, ast.AST], list[SSAValue]]
"""What a block yields where it ends: called with "fall", "return", "break", "continue" or "leave" (for Python)."""


@dataclass(frozen=True)
class LoopEnd:
    """How a loop ended: `returned` is the flag "did it return from inside" and the value, `broken` "was it left early".

    None where a loop cannot end so.
    """

    returned: tuple[SSAValue, SSAValue] | None
    broken: SSAValue | None


class ControlFlowEmitter(AssignmentEmitter, ABC):
    """Emits branches and loops of statements."""

    liveness: Liveness

    @abstractmethod
    def run(self, statements: Sequence[ast.stmt], env: Env, leaf: Leaf) -> list[SSAValue]:
        """Emit statements into the current block; the result is what the path yields at its end."""

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
