"""`Explanation`: what `ArrayFunction.explain` returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hetc.errors import CompileError
from hetc.explanation.lines import Guard, Line
from hetc.explanation.text import as_html, listing, wrapped
from hetc.hotness import Decision


@dataclass(frozen=True)
class Explanation:
    """Where a call would run, and why; printed, it shows the source with types and guards.

    `decision` says whether the call would be offloaded now, with the numbers that decide; `fallback` is the error that
    keeps it from being compiled at all, else None. `lines` are the lines of all functions involved, `guards` the
    assumptions of the compiled code, those that were removed included. `compiled` says whether there is a kernel, None
    where only types are known. `recompilations` counts how often it was compiled again after a wrong assumption,
    `deoptimisations` how often guards have failed since the first time.
    """

    name: str
    decision: Decision
    device: str | None = None
    fallback: CompileError | None = None
    lines: tuple[Line, ...] = ()
    guards: tuple[Guard, ...] = ()
    compiled: bool | None = False
    recompilations: int = 0
    deoptimisations: int = 0

    def __str__(self) -> str:
        """The facts, and the source lines, in at most 100 columns (but for the source itself)."""
        return "\n".join([*wrapped(self.name), *_facts_as_text(self), *listing(self.lines)])

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return as_html(self.name, self.facts(), self.lines)

    def facts(self) -> Iterator[str]:
        """What is true of the whole call, a sentence each."""
        where = "on the device" if self.decision.offload else "in Python"
        yield f"runs {where}: {self.decision.reason}"
        if self.fallback is not None:
            yield str(self.fallback)
            return
        if self.device is not None:
            yield f"device: {self.device}"
        count = Counter(guard.kept for guard in self.guards)
        if self.guards:
            yield f"guards: {count[True]} kept, {count[False]} removed"
        if self.compiled or self.recompilations:
            again = f", and {_times(self.recompilations)} again" if self.recompilations else ""
            failed = f"guards have failed {_times(count)}" if (count := self.deoptimisations) else "no guard has failed"
            yield f"compiled{again}; {failed} since"
        elif self.compiled is not None:
            yield "not compiled yet"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _facts_as_text(explanation: Explanation) -> Iterator[str]:
    for fact in explanation.facts():
        if "\n" in fact:  # the lines of an error: its caret must stay where it is
            yield from (f"  {line}" for line in fact.splitlines())
        else:
            yield from wrapped(fact, 2)
