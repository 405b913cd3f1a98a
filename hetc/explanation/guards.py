"""Follow guards through the pipeline: which are left in the kernels, and why the others are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hetc.analysis.locations import source_location
from hetc.dialects import guard
from hetc.errors import SourceLocation
from hetc.explanation.proofs import Evidence, proof

SPECIALIZED, FOLDED, ELIMINATED = "specialize", "fold-ranges", "guard-elimination"


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

    def watch(self, stage: str, module: ModuleOp) -> None:
        """Look at the module that a stage has left."""
        assert stage == self.stages[self.passed]
        following = self.stages[self.passed + 1] if self.passed + 1 < len(self.stages) else None
        self.kept = set()
        for op in module.walk():
            if isinstance(op, guard.RequireOp | guard.CheckOp):
                self.kept.add(Site.of(op))
        self.last_seen |= dict.fromkeys(sorted(self.kept - self.last_seen.keys(), key=_order), 0)
        self.last_seen |= dict.fromkeys(self.kept, self.passed)
        if following == FOLDED:
            evidence = Evidence(module)
            for op in module.walk():
                if isinstance(op, guard.RequireOp) and (text := proof(evidence, op)) is not None:
                    self._note(op, text)
        elif following == ELIMINATED:
            self._merged(module.body.block, {})
        self.passed += 1

    def reason_removed(self, site: Site) -> str:
        """Why a guard is not in the kernels."""
        if site in self.proofs:
            return "; ".join(self.proofs[site])
        return f"{self.stages[self.last_seen[site] + 1]} found that it cannot fail, or that nothing reaches it"

    def _note(self, op: guard.RequireOp, text: str) -> None:
        known = self.proofs.setdefault(Site.of(op), [])
        if text not in known:
            known.append(text)

    def _merged(self, block: Block, required: dict[SSAValue, guard.RequireOp]) -> None:
        """Guards of a condition that an earlier guard requires."""
        for op in block.ops:
            if isinstance(op, guard.RequireOp) and not guard.is_true(op.condition):
                earlier = required.get(op.condition)
                if earlier is None:
                    required = {**required, op.condition: op}
                else:
                    self._note(op, f"merged with the guard of {_line(earlier)}")
            for region in op.regions:
                for inner in region.blocks:
                    self._merged(inner, required)


def _line(op: Operation) -> str:
    place = source_location(op.location)
    return "an earlier line" if place is None else f"line {place.line}"


def _order(site: Site) -> tuple[str, int, int, str]:
    place = site.place
    return ("", 0, 0, site.reason) if place is None else (place.filename, place.line, place.column, site.reason)
