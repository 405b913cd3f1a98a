"""The host's code of a function with parallel loops -> a module of `offload` host ops: who looks at which array, when.

    y = np.empty(n)                      offload.new "y"
    for i in hetc.forall(n):             offload.region 0 reads ["x"] writes [] overwrites ["y"] line 2
        y[i] = 2 * x[i]          ->
    if y[0] > 0:                         offload.host_read ["y"] line 4 column 0
        x[0] = 1                         offload.branch ^bb1, ^bb2 ...

    z = square(y)                        offload.call 0 "square" reads ["y"] writes [] makes ["z"] ... line 6

Statements are taken in the order in which Python runs them. Of a statement whose parts run at several times, such as
`with`, and which is not taken apart here, the parallel loops bring their arrays back at once.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from hetc.analysis.locations import location_attribute
from hetc.dataclass import dataclass
from hetc.dialects import offload
from hetc.frontends.loops.host_effects import Effects, EffectsOf, bind_targets, effects_of
from hetc.frontends.loops.host_names import CallFacts, HostNames
from hetc.frontends.loops.host_skeletons import Site, call_numbers, direct_call
from hetc.frontends.loops.host_values import SIMPLE, Kind, Value
from hetc.frontends.loops.overwritten import overwritten_arrays
from hetc.frontends.loops.rewrite import HostFunction, parallel_loops


@dataclass(frozen=True)
class _Targets:
    """Where the host goes on after an exception, `break`, `continue` and `return`; None leaves the function."""

    raised: Block | None = None
    broken: Block | None = None
    continued: Block | None = None
    final: Block | None = None


def host_module(host: HostFunction, facts: CallFacts) -> ModuleOp:
    """The host's code of a function, for a call with certain facts."""
    return _Emission(host, facts).module()


class _Emission:
    def __init__(self, host: HostFunction, facts: CallFacts) -> None:
        self.host = host
        self.names = HostNames(host.node, host.original, facts)
        self.arguments = [name for name, value in facts.arguments if value.kind is Kind.ARRAY]
        self.overlaps = facts.overlaps
        self.handed = facts.handed
        self.calls = call_numbers(host.node)
        self.numbers = {id(loop): number for number, loop in enumerate(parallel_loops(host.node))}
        self.blocks: list[Block] = [Block()]
        self.aliases: set[tuple[str, str]] = set()
        self.shared: set[str] = set(self.names.shared)
        self.used: set[str] = set()
        """The variables whose arrays regions use."""
        self.unnamed: set[str] = set()
        """What stands for arrays that calls make for others."""
        self.leaves: list[Block] = []

    def module(self) -> ModuleOp:
        node = self.host.node
        self.body(node.body, _Targets())
        self.add(offload.LeaveOp([], node.end_lineno or node.lineno), node)
        self.blocks += self.leaves
        self.declare()
        function = FuncOp(node.name, ((), ()), Region(self.reached()))
        function.location = location_attribute(self.host.place(node))
        return ModuleOp([function])

    def reached(self) -> list[Block]:
        """The blocks that the host may come to; the others are dropped."""
        found, work = {self.blocks[0]}, [self.blocks[0]]
        while work:
            last = work.pop().last_op
            new = [target for target in (last.successors if last is not None else ()) if target not in found]
            found.update(new)
            work += new
        for block in self.blocks:
            if block not in found:
                block.erase()
        return [block for block in self.blocks if block in found]

    def declare(self) -> None:
        """Say at the start who holds the arrays of variables, and which may share memory."""
        found = {name: value for name, value in self.names.values.items() if value.kind in (Kind.ARRAY, Kind.OTHER)}
        mentioned = self.used | {name for pair in self.aliases for name in pair} | set(self.arguments)
        holders = {name: self.holder(name, value) for name, value in found.items() if name in mentioned}
        anyone = [name for name, holder in holders.items() if holder == "anyone"]
        if any(name in self.used for name in anyone):  # what it is bound to may be any array that others hold
            held = [name for name, holder in holders.items() if holder != "local"]
            self.aliases |= {(anyone[0], name) for name in held if name != anyone[0]}
        ops: list[Operation] = [offload.VariableOp(name, holder) for name, holder in sorted(holders.items())]
        ops += [offload.VariableOp(name, "local") for name in sorted(self.unnamed)]
        pairs = sorted({(min(pair), max(pair)) for pair in (*self.aliases, *self.overlaps)})
        ops += [offload.AliasOp(one, other) for one, other in pairs if one in holders and other in holders]
        if self.handed:
            ops.append(offload.HandedOp(name for name, holder in holders.items() if holder != "local"))
        first = self.blocks[0]
        place = location_attribute(self.host.place(self.host.node))
        for op in ops:
            op.location = place
        if first.first_op is None:
            first.add_ops(ops)
        else:
            first.insert_ops_before(ops, first.first_op)

    def holder(self, name: str, value: Value) -> str:
        if name in self.shared or value.kind is Kind.OTHER:
            return "anyone"
        return "argument" if name in self.arguments else "local"

    # --- blocks ------------------------------------------------------------------------------------------------------

    @property
    def here(self) -> Block:
        """The block that is being filled."""
        return self.blocks[-1]

    def block(self) -> Block:
        """A new block, which is filled from now on."""
        self.blocks.append(Block())
        return self.here

    def add(self, op: Operation, node: ast.AST) -> None:
        op.location = location_attribute(self.host.place(node))
        self.here.add_op(op)

    def go(self, node: ast.AST, *targets: Block | None) -> None:
        """End the block; without targets, an exception leaves the function."""
        found = list(dict.fromkeys(target for target in targets if target is not None))
        self.add(offload.BranchOp(found) if found else offload.RaiseOp(getattr(node, "lineno", 1)), node)

    def access(self, op: Operation, node: ast.AST, to: _Targets) -> None:
        """An op during, before or after which an exception may be raised."""
        if to.raised is None:
            self.add(op, node)
            return
        for part in (None, op):
            if part is not None:
                self.add(part, node)
            before, after = self.here, Block()
            branch = offload.BranchOp([after, to.raised])
            branch.location = location_attribute(self.host.place(node))
            before.add_op(branch)
            self.blocks.append(after)

    # --- statements --------------------------------------------------------------------------------------------------

    def body(self, nodes: Sequence[ast.stmt], to: _Targets) -> None:
        for node in nodes:
            self.statement(node, to)

    def statement(self, node: ast.stmt, to: _Targets) -> None:
        match node:
            case ast.For() if id(node) in self.numbers:
                self.parallel(node, to)
            case ast.If():
                self.branch(node, to)
            case ast.While():
                self.loop(node, to)
            case ast.For() if self.is_seen(node):
                self.loop(node, to)
            case ast.Try() if self.handles_builtins(node):
                self.attempt(node, to)
            case ast.Return():
                self.returns(node, to)
            case ast.Raise():
                self.effects(self.names.effects(lambda found: found.unseen(node)), node, to)
                self.leave_block(node, to.raised)
            case ast.Break():
                self.leave_block(node, to.broken)
            case ast.Continue():
                self.leave_block(node, to.continued)
            case ast.Try() | ast.With() | ast.AsyncWith() | ast.AsyncFor() | ast.Match() | ast.TryStar() | ast.For():
                self.whole(node, to)
            case _:
                self.effects(self.names.effects(lambda found: found.statement(node)), node, to)

    def leave_block(self, node: ast.stmt, target: Block | None) -> None:
        """The host goes elsewhere; what follows in the source is reached from elsewhere, or not at all."""
        self.go(node, target)
        self.block()

    def effects(self, effects: Effects, node: ast.stmt, to: _Targets) -> None:
        """The ops of what a statement, or the head of one, does."""
        self.shared |= effects.shared
        made: set[str] = set()
        if effects.barrier is None and effects.sites:
            effects.barrier = self.why_alone(effects, node)
        if effects.barrier is not None:
            self.access(offload.HostAnyOp(effects.barrier, node.lineno, node.col_offset), node, to)
        else:
            if effects.reads - effects.writes:
                read = offload.HostReadOp(effects.reads - effects.writes, node.lineno, node.col_offset)
                self.access(read, node, to)
            made = {self.call(site, node, to) for site in effects.sites}
            if effects.writes:
                self.access(offload.HostWriteOp(effects.writes, node.lineno, node.col_offset), node, to)
        self.bind(effects.bound, node, made)

    def why_alone(self, effects: Effects, node: ast.stmt) -> str | None:
        """Why the calls of a statement find all arrays on the host, and leave none on the device; None if they do not.

        What is asked for before a statement is asked for before all of it.
        """
        direct, _ = direct_call(node)
        for site in effects.sites:
            if effects.writes:
                return f"writes arrays beside a call of '{site.what}'"
            if site.hands and (site.node is not direct or len(effects.sites) > 1):
                return f"calls '{site.what}' within a statement"
        return None

    def call(self, site: Site, node: ast.stmt, to: _Targets) -> str:
        """A call whose arrays may stay on the device; returns the variable that it makes, or ""."""
        direct, bound = direct_call(node)
        value = self.names.values.get(bound)
        made = site.made
        if site.made:
            self.unnamed.add(made)
        elif site.node is direct and site.gives != "number" and value is not None and value.kind is Kind.ARRAY:
            made = bound
        named = {name for name in site.arguments if name}
        self.used |= named | {made}
        op = offload.CallOp(
            self.calls[id(site.node)],
            site.what,
            () if site.hands else named,
            named if site.hands else (),
            (made,) if made else (),
            site.gives,
            site.arguments,
            site.node.lineno,
            hands=site.hands,
        )
        self.access(op, node, to)
        return made

    def bind(self, bound: Iterable[tuple[str, Value]], node: ast.stmt, made: Collection[str] = ()) -> None:
        """Variables are bound to values; those `made` to what a device may have made."""
        for name, value in bound:
            if self.names.values.get(name, Value(Kind.FOREIGN)).kind not in (Kind.ARRAY, Kind.OTHER):
                continue
            self.aliases |= {(name, root) for root in value.roots if root != name}
            if not value.roots and value.kind is not Kind.OTHER and name not in made:
                self.add(offload.NewOp(name), node)

    def branch(self, node: ast.If, to: _Targets) -> None:
        self.effects(self.names.effects(lambda found: found.truth(node.test)), node, to)
        head, after = self.here, Block()
        then = self.block()
        self.body(node.body, to)
        self.go(node, after)
        other = self.block()
        self.body(node.orelse, to)
        self.go(node, after)
        self.end(head, node, then, other)
        self.blocks.append(after)

    def end(self, block: Block, node: ast.AST, *targets: Block) -> None:
        """End a block whose successors are known only now."""
        branch = offload.BranchOp(targets)
        branch.location = location_attribute(self.host.place(node))
        block.add_op(branch)

    def loop(self, node: ast.While | ast.For, to: _Targets) -> None:
        head, after = Block(), Block()
        if isinstance(node, ast.For):
            self.effects(self.names.effects(lambda found: bind_targets(node, found)), node, to)
        self.go(node, head)
        self.blocks.append(head)
        if isinstance(node, ast.While):
            self.effects(self.names.effects(lambda found: found.truth(node.test)), node, to)
        decided, body = self.here, self.block()
        self.body(node.body, replace(to, broken=after, continued=head))
        self.go(node, head)
        other = self.block()
        self.body(node.orelse, to)
        self.go(node, after)
        endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        self.end(decided, node, *([body] if endless else [body, other]))
        self.blocks.append(after)

    def is_seen(self, node: ast.For) -> bool:
        """Whether all that a loop does to go on is seen: it reads no array while a region may have written it."""
        iterable = EffectsOf(self.names.lookup, self.names.given).value(node.iter)
        return iterable.kind in SIMPLE or (iterable.kind is Kind.ARRAY and not self.regions_in(node))

    def regions_in(self, node: ast.AST) -> list[ast.For]:
        return [inner for inner in ast.walk(node) if isinstance(inner, ast.For) and id(inner) in self.numbers]

    def handles_builtins(self, node: ast.Try) -> bool:
        """Whether to find a handler runs no code of users."""
        kinds = [
            kind
            for handler in node.handlers
            if handler.type is not None
            for kind in (handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])
        ]
        found = [self.names.lookup(kind.id).function if isinstance(kind, ast.Name) else None for kind in kinds]
        return all(isinstance(kind, type) and getattr(builtins, kind.__name__, None) is kind for kind in found)

    def attempt(self, node: ast.Try, to: _Targets) -> None:
        """`try`: each op in its body may lead to its handlers, or to `finally`."""
        after, handlers = Block(), Block()
        final = Block() if node.finalbody else None
        outer = to if final is None else replace(to, raised=final, broken=final, continued=final, final=final)
        self.body(node.body, replace(outer, raised=handlers if node.handlers else outer.raised))
        self.body(node.orelse, outer)
        self.go(node, final or after)
        if node.handlers:
            self.blocks.append(handlers)
            starts = [Block() for _ in node.handlers]
            self.go(node, *starts, outer.raised)
            for start, handler in zip(starts, node.handlers, strict=True):
                self.blocks.append(start)
                self.body(handler.body, outer)
                self.go(node, final or after)
        if final is not None:
            self.blocks.append(final)
            self.body(node.finalbody, to)
            self.go(node, after, to.raised, to.broken, to.continued, to.final or self.leave_after(node))
        self.blocks.append(after)

    def leave_after(self, node: ast.Try) -> Block | None:
        """Where the function is left after `finally`, if something in the statement returns."""
        returned = [inner for inner in ast.walk(node) if isinstance(inner, ast.Return)]
        if not returned:
            return None
        block = Block()
        names = set[str]().union(*(self.returned(inner.value) for inner in returned))
        leave = offload.LeaveOp(names, returned[-1].lineno)
        leave.location = location_attribute(self.host.place(returned[-1]))
        block.add_op(leave)
        self.leaves.append(block)
        return block

    def returned(self, value: ast.expr | None) -> set[str]:
        """The variables whose arrays a returned value may be, or hold."""
        if value is None:
            return set()
        found = EffectsOf(self.names.lookup, self.names.given)
        return set(found.value(value).roots) | found.found.shared

    def returns(self, node: ast.Return, to: _Targets) -> None:
        value = node.value
        if value is not None:
            effects = self.names.effects(lambda found: found.value(value))
            if effects.barrier is None:  # who gets a tuple of arrays, gets it when the function has been left
                effects.shared.clear()
            self.effects(effects, node, to)
        if to.final is not None:  # the value is held while `finally` runs, which may bind its variables anew
            self.shared |= self.returned(value)
            self.leave_block(node, to.final)
            return
        self.add(offload.LeaveOp(self.returned(value), node.lineno), node)
        self.block()

    def whole(self, node: ast.stmt, to: _Targets) -> None:
        """A statement that is not taken apart: a barrier, whose regions bring everything back at once."""
        effects = self.names.effects(lambda found: found.unseen(node))
        self.effects(effects, node, to)
        self.bind(effects_of([node], self.names.lookup, self.names.given).bound, node)
        for loop in self.regions_in(node):
            self.region(loop, to, f"it stands in a statement that is not looked into, in line {node.lineno}")
        after = Block()
        jumps = {kind for inner in ast.walk(node) for kind in (ast.Break, ast.Continue) if isinstance(inner, kind)}
        leaves = any(isinstance(inner, ast.Return) for inner in ast.walk(node))
        self.go(
            node,
            after,
            to.raised,
            to.broken if ast.Break in jumps else None,
            to.continued if ast.Continue in jumps else None,
            to.final if leaves else None,
        )
        self.blocks.append(after)

    # --- regions -----------------------------------------------------------------------------------------------------

    def parallel(self, node: ast.For, to: _Targets) -> None:
        """A parallel loop: its head is the host's, and so is what follows in `else`."""
        self.effects(self.names.effects(lambda found: found.value(node.iter)), node, to)
        self.region(node, to)
        self.body(node.orelse, to)

    def region(self, node: ast.For, to: _Targets, at_once: str | None = None) -> None:
        loop = self.host.loops[self.numbers[id(node)]]
        effects = self.names.effects(lambda found: bind_targets(node, found))
        inside = effects_of(node.body, self.names.lookup, self.names.given)
        inside.reads |= {name for site in inside.sites for name in site.arguments if name}
        self.bind((*effects.bound, *inside.bound), node)
        self.shared |= inside.shared  # Python may run it
        if loop.body is None:
            self.access(offload.HostAnyOp("runs a loop in Python", node.lineno, node.col_offset), node, to)
            return
        arrays = {name for name in inside.reads | inside.writes if name in self.names.values}
        overwritten = overwritten_arrays(node, self.names.lookup) - inside.reads
        self.used |= arrays & set(loop.body.code.co_freevars)
        op = offload.RegionOp(
            self.numbers[id(node)],
            inside.reads & arrays - inside.writes,
            inside.writes & arrays - overwritten,
            overwritten & arrays,
            node.lineno,
            at_once,
        )
        self.access(op, node, to)
