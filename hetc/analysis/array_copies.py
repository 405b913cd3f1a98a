"""Where the right copies of a function's arrays are, at each op of its host code, and who looks at them afterwards.

Two data-flow analyses over the blocks of a function of `offload` host ops. Arrays that may share memory are one
*group*: the variables that `offload.alias` connects. If a group has one array at a time, what an op does to it is what
is true afterwards; otherwise an op may concern any of its arrays, so what was true before may be true still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from hetc.dialects import offload

HOST, BOTH, DEVICE = "host", "both", "device"
"""Which copy of an array is right."""

Facts = Mapping[str, frozenset[str]]
"""What may be true of each group: which copies are right, or the places that look."""

NOTHING: frozenset[str] = frozenset()
ANYWHERE = frozenset({HOST, BOTH, DEVICE})


def names(attribute: ArrayAttr[StringAttr]) -> list[str]:
    """The variables that an op names."""
    return [name.data for name in attribute]


class Groups:
    """The groups of variables whose arrays may share memory, by the variable that stands for each."""

    def __init__(self, function: FuncOp) -> None:
        self.parent: dict[str, str] = {}
        self.holders: dict[str, set[str]] = {}
        self.rebound: set[str] = set()
        for op in function.walk():
            if isinstance(op, offload.VariableOp):
                self.holders.setdefault(op.variable.data, set()).add(op.holder.data)
            if isinstance(op, offload.AliasOp):
                self.parent[self.of(op.one.data)] = self.of(op.other.data)
            if isinstance(op, offload.NewOp):
                self.rebound.add(op.variable.data)
            if isinstance(op, offload.CallOp):
                self.rebound.update(names(op.makes))
        self.members: dict[str, list[str]] = {}
        for name in sorted({*self.parent, *self.holders, *_named(function)}):
            self.members.setdefault(self.of(name), []).append(name)

    def of(self, name: str) -> str:
        """The variable that stands for the group of a variable."""
        found = name
        while (above := self.parent.get(found, found)) != found:
            found = above
        return found

    def is_single(self, group: str) -> bool:
        """Whether the group has one array at a time: one variable, and nobody holds what that was bound to before."""
        (first, *others) = self.members[group]
        return not others and not (first in self.rebound and self.is_seen(group))

    def is_seen(self, group: str) -> bool:
        """Whether others than the function's variables hold arrays of a group; of undeclared ones, anyone."""
        return any(self.holders.get(name, {"anyone"}) != {"local"} for name in self.members[group])

    def is_held_by_anyone(self, group: str) -> bool:
        """Whether it is not known who holds the arrays of a group."""
        return any("anyone" in self.holders.get(name, {"anyone"}) for name in self.members[group])

    def updated(self, group: str, before: frozenset[str], after: frozenset[str]) -> frozenset[str]:
        """What is true of a group when `after` has come true of one of its arrays."""
        return after if self.is_single(group) else before | after


def _named(function: FuncOp) -> Iterable[str]:
    """The variables that the ops of a function name without declaring them."""
    for op in function.walk():
        match op:
            case offload.RegionOp():
                yield from names(op.reads) + names(op.writes) + names(op.overwrites)
            case offload.HostReadOp() | offload.HostWriteOp():
                yield from names(op.arrays)
            case offload.CallOp():
                yield from names(op.reads) + names(op.writes) + names(op.makes)
            case offload.HandedOp():
                yield from names(op.arrays)
            case offload.LeaveOp():
                yield from names(op.returns)
            case offload.NewOp():
                yield op.variable.data
            case _:
                pass


# ---------------------------------------------------------------------------------------------------------------------
# Which copies are right
# ---------------------------------------------------------------------------------------------------------------------


def right_copies(function: FuncOp, groups: Groups) -> dict[Operation, Facts]:
    """Which copies may be the right ones before each op, forwards. When the function starts, the host's are."""
    first = function.body.blocks[0]
    starts: dict[Block, dict[str, frozenset[str]]] = {first: dict.fromkeys(groups.members, frozenset({HOST}))}
    found: dict[Operation, Facts] = {}
    work = [first]
    while work:
        block = work.pop()
        state: dict[str, frozenset[str]] = dict(starts[block])
        for op in block.ops:
            found[op] = dict(state)
            _execute(op, state, groups)
        last = block.last_op
        for target in last.successors if last is not None else ():
            known = starts.get(target)
            joined = state if known is None else {group: known[group] | state[group] for group in known}
            if joined != known:
                starts[target] = joined
                work.append(target)
    return found


def _execute(op: Operation, state: dict[str, frozenset[str]], groups: Groups) -> None:
    """Bring the account of right copies past an op."""
    if isinstance(op, offload.HostAnyOp):
        state.update(dict.fromkeys(state, frozenset({HOST})))
    for name, change in _changes(op):
        group = groups.of(name)
        state[group] = groups.updated(group, state[group], change(state[group]))


Change = Callable[[frozenset[str]], frozenset[str]]


def _right(*copies: str) -> Change:
    """From now on these are right."""
    return lambda _: frozenset(copies)


def _copied(copy: str) -> Change:
    """Where only this copy was right, both are."""
    return lambda before: frozenset(BOTH if right == copy else right for right in before)


def _changes(op: Operation) -> Iterator[tuple[str, Change]]:
    """What becomes true of the copies of single variables' arrays."""
    match op:
        case offload.RegionOp():
            written = {*names(op.writes), *names(op.overwrites)}
            for name in sorted({*names(op.reads), *written}):
                ran = _right(DEVICE) if name in written else _copied(HOST)
                yield name, ran if op.at_once is None else _right(HOST)
        case offload.CallOp():
            yield from ((name, _copied(HOST)) for name in names(op.reads))
            yield from ((name, _right(*ANYWHERE)) for name in names(op.writes))
            yield from ((name, _right(DEVICE)) for name in names(op.makes))
        case offload.HandedOp():
            yield from ((name, _right(*ANYWHERE)) for name in names(op.arrays))
        case offload.HostReadOp():
            yield from ((name, _copied(DEVICE)) for name in names(op.arrays))
        case offload.HostWriteOp():
            yield from ((name, _right(HOST)) for name in names(op.arrays))
        case offload.NewOp():
            yield op.variable.data, _right(HOST)
        case _:
            pass


# ---------------------------------------------------------------------------------------------------------------------
# Who looks
# ---------------------------------------------------------------------------------------------------------------------


def later_looks(function: FuncOp, groups: Groups) -> dict[Operation, Facts]:
    """The places at which the host may look, after each op, at what the arrays are then: backwards."""
    blocks = list(function.body.blocks)
    starts: dict[Block, Facts] = {block: dict.fromkeys(groups.members, NOTHING) for block in blocks}
    before: dict[Block, list[Block]] = {block: [] for block in blocks}
    for block in blocks:
        for target in block.last_op.successors if block.last_op is not None else ():
            before[target].append(block)
    found: dict[Operation, Facts] = {}
    work = list(blocks)
    while work:
        block = work.pop()
        targets: Sequence[Block] = block.last_op.successors if block.last_op is not None else ()
        looks = {group: NOTHING.union(*(starts[target][group] for target in targets)) for group in groups.members}
        for op in reversed(list(block.ops)):
            found[op] = dict(looks)
            _look(op, looks, groups)
        if looks != starts[block]:
            starts[block] = looks
            work += before[block]
    return found


def _look(op: Operation, looks: dict[str, frozenset[str]], groups: Groups) -> None:
    """Bring the places that look from after an op to before it."""
    match op:
        case offload.HostAnyOp():
            looks.update(dict.fromkeys(looks, frozenset({f"line {op.line.value.data}"})))
        case offload.RaiseOp():
            looks.update(dict.fromkeys(looks, frozenset({f"the exception in line {op.line.value.data}"})))
        case offload.LeaveOp():
            returned = {groups.of(name) for name in names(op.returns)}
            place = frozenset({f"the return in line {op.line.value.data}"})
            for group in groups.members:
                looks[group] = place if group in returned or groups.is_seen(group) else NOTHING
        case _:
            for name, places in _looked_at(op):
                group = groups.of(name)
                looks[group] = groups.updated(group, looks[group], places)


def _looked_at(op: Operation) -> Iterator[tuple[str, frozenset[str]]]:
    """Who looks, from an op on, at single variables' arrays."""
    match op:
        case offload.HostReadOp() | offload.HostWriteOp():
            yield from ((name, frozenset({f"line {op.line.value.data}"})) for name in names(op.arrays))
        case offload.RegionOp(at_once=StringAttr()):
            here = frozenset({f"line {op.line.value.data}"})
            yield from ((name, here) for name in (*names(op.reads), *names(op.writes)))
        case offload.RegionOp():
            yield from ((name, NOTHING) for name in names(op.overwrites))
        case offload.CallOp():
            yield from ((name, NOTHING) for name in names(op.makes))
            here = frozenset({f"the call in line {op.line.value.data}"})
            yield from ((name, here) for name in names(op.writes))
        case offload.NewOp():
            yield op.variable.data, NOTHING
        case _:
            pass
