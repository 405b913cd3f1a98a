"""Follow guards through the pipeline: which are left in the kernels, and why the others are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hetc.analysis.conditions import parts
from hetc.analysis.locations import source_location
from hetc.dataclass import dataclass
from hetc.dialects import guard
from hetc.errors import SourceLocation
from hetc.explanation.proofs import Evidence, proof

SPECIALIZED, FOLDED, ELIMINATED, HOISTED = "specialize", "fold-ranges", "guard-elimination", "hoist-guards"


@dataclass(frozen=True)
class Site:
    """A guard as the user knows it; inlining and the levels of a reduction make several ops of one."""

    kind: str
    reason: str
    location: Attribute

    @staticmethod
    def of(op: guard.RequireOp | guard.CheckOp) -> Site:
        return Site(op.kind.data.value, op.reason.data, op.location)

    @property
    def place(self) -> SourceLocation | None:
        """Where the user wrote what it guards."""
        return source_location(self.location)


@dataclass
class GuardLog:
    """Watches the module after each stage of a compilation; `stages` are their names, in order."""

    stages: Sequence[str]
    passed: int = 0
    last_seen: dict[Site, int] = field(default_factory=dict[Site, int])
    proofs: dict[Site, list[str]] = field(default_factory=dict[Site, list[str]])
    kept: set[Site] = field(default_factory=set[Site])
    hoisted: set[Site] = field(default_factory=set[Site])
    depths: dict[Site, int] = field(default_factory=dict[Site, int])

    def watch(self, stage: str, module: ModuleOp) -> None:
        """Look at the module that a stage has left."""
        assert stage == self.stages[self.passed]
        following = self.stages[self.passed + 1] if self.passed + 1 < len(self.stages) else None
        depths: dict[Site, int] = {}
        for op in module.walk():
            if isinstance(op, guard.RequireOp | guard.CheckOp):
                site = Site.of(op)
                depths[site] = max(_loops(op), depths.get(site, 0))
        if stage == HOISTED:
            self.hoisted |= {site for site, depth in depths.items() if depth < self.depths.get(site, 0)}
        self.kept, self.depths = set(depths), depths
        self.last_seen |= dict.fromkeys(sorted(self.kept - self.last_seen.keys(), key=_order), 0)
        self.last_seen |= dict.fromkeys(self.kept, self.passed)
        if following == FOLDED:
            evidence = Evidence(module)
            for op in module.walk():
                if isinstance(op, guard.RequireOp) and (text := proof(evidence, op)) is not None:
                    self._note(op, text)
        elif following == ELIMINATED:
            self._note_known(module.body.block, {})
        self.passed += 1

    def reason_removed(self, site: Site) -> str:
        """Why a guard is not in the kernels."""
        if site in self.proofs:
            return "; ".join(self.proofs[site])
        if site.kind == guard.GuardKind.SIGN:
            return "the value is read, not computed, so a NaN has the sign that Python sees"
        return f"{self.stages[self.last_seen[site] + 1]} found that it cannot fail, or that nothing reaches it"

    def _note(self, op: guard.RequireOp, text: str) -> None:
        known = self.proofs.setdefault(Site.of(op), [])
        if text not in known:
            known.append(text)

    def _note_known(self, block: Block, known: Known) -> None:
        """Note the guards whose condition is known where they stand, as `guard-elimination` finds them."""
        known = dict(known)
        for op in block.ops:
            match op:
                case guard.RequireOp() if not guard.is_true(op.condition):
                    sources = _sources(op.condition, known)
                    if sources:
                        self._note(op, _known_by(sources))
                    if op.kind.data is not guard.GuardKind.SIGN:
                        known |= _consequences(op.condition, True, f"the guard of {_line(op)}")
                case scf.IfOp():
                    self._note_both_sides(op)
                    for region, holds in ((op.true_region, True), (op.false_region, False)):
                        for inner in region.blocks:
                            self._note_known(inner, known | _consequences(op.cond, holds, f"the test of {_line(op)}"))
                case _:
                    for region in op.regions:
                        for inner in region.blocks:
                            self._note_known(inner, known)

    def _note_both_sides(self, op: scf.IfOp) -> None:
        """Two guards on one condition, one in each branch, become one."""
        first, second = (
            {inner.condition: inner for inner in region.walk() if isinstance(inner, guard.RequireOp)}
            for region in (op.true_region, op.false_region)
        )
        for condition in first.keys() & second.keys():
            if not guard.is_true(condition):
                self._note(second[condition], f"merged with the guard of {_line(first[condition])}")


Known = dict[SSAValue, tuple[bool, str]]
"""Conditions whose truth is known, and what says so."""


def _consequences(condition: SSAValue, holds: bool, source: str) -> Known:
    """A condition and all whose truth follows from it."""
    found: Known = {condition: (holds, source)}
    for part, truth in parts(condition, holds):
        found |= _consequences(part, truth, source)
    return found


def _sources(condition: SSAValue, known: Known) -> list[str] | None:
    """What says that a condition holds; None if it is not known to."""
    if guard.is_true(condition):
        return []
    truth, source = known.get(condition, (False, ""))
    if truth:
        return [source]
    op = condition.owner
    match op:
        case arith.AndIOp():
            left, right = _sources(op.lhs, known), _sources(op.rhs, known)
            return None if left is None or right is None else list(dict.fromkeys([*left, *right]))
        case arith.OrIOp():
            left = _sources(op.lhs, known)
            return _sources(op.rhs, known) if left is None else left
        case arith.XOrIOp() if guard.is_true(op.rhs) and op.lhs in known and not known[op.lhs][0]:
            return [known[op.lhs][1]]
        case _:
            return None


def _known_by(sources: Sequence[str]) -> str:
    named = " and ".join(sources)
    if all(source.startswith("the guard") for source in sources):
        return f"merged with {named}"
    return f"{named} {'implies' if len(sources) == 1 else 'imply'} it"


def _line(op: Operation) -> str:
    place = source_location(op.location)
    return "an earlier line" if place is None else f"line {place.line}"


def _loops(op: Operation) -> int:
    """How many loops an op is in."""
    depth, parent = 0, op.parent_op()
    while parent is not None:
        depth += isinstance(parent, scf.ForOp | scf.WhileOp)
        parent = parent.parent_op()
    return depth


def _order(site: Site) -> tuple[str, int, int, str]:
    place = site.place
    return ("", 0, 0, site.reason) if place is None else (place.filename, place.line, place.column, site.reason)
