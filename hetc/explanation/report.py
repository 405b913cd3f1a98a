"""`Explanation`: what `ArrayFunction.explain` returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from hetc.dataclass import dataclass
from hetc.errors import CompileError
from hetc.explanation.lines import Guard, Line
from hetc.explanation.page import Section, facts_list, page
from hetc.explanation.text import listing, source_table, wrapped
from hetc.hotness import Decision
from hetc.markup import Markup, element
from hetc.runtime.profile import Profile

if TYPE_CHECKING:  # importing it imports xDSL, which an explanation that has been made does not need
    from hetc.explanation.views import Views


@dataclass(frozen=True)
class Explanation:
    """Where a call would run, and why; printed, it shows the source with types and guards.

    `decision` says whether the call would be offloaded now, with the numbers that decide; `fallback` is the error that
    keeps it from being compiled at all, else None. `lines` are the lines of all functions involved, `guards` the
    assumptions of the compiled code, those that were removed included. `compiled` says whether there is a kernel, None
    where only types are known; `stored` that another process had compiled it. `recompilations` counts how often it was
    compiled again after a wrong assumption, `deoptimisations` how often guards have failed since the first time.
    `notes` are sentences about fusion and transfers; `compile` compiles the call once more, for what it is at each
    level.
    """

    name: str
    decision: Decision
    device: str | None = None
    fallback: CompileError | None = None
    lines: tuple[Line, ...] = ()
    guards: tuple[Guard, ...] = ()
    compiled: bool | None = False
    stored: bool = False
    recompilations: int = 0
    deoptimisations: int = 0
    notes: tuple[str, ...] = ()
    compile: Callable[[], Views] | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """The facts, and the source lines, in at most 100 columns (but for the source itself)."""
        return "\n".join([*wrapped(self.name), *_facts_as_text(self), *listing(self.lines)])

    def _repr_html_(self) -> str:
        """The facts and the source as a table, and what `save` writes in a part that can be opened."""
        return explanations_html([self])

    def save(self, filename: str | Path, profile: Profile | None = None) -> None:
        """Write a page of HTML that needs no network: the source and all levels side by side, and the plan.

        A click on a line shows where it is in each of them. With a profile, the page shows its timeline, too.
        """
        save_page([self.section()], filename, profile)

    def section(self) -> Section:
        """What a page says of it; the call is compiled for that."""
        found = None if self.compile is None else self.compile()
        views, events = ((), ()) if found is None else (found.views, found.events)
        return Section(self.name, tuple(self.facts()), self.lines, views, events)

    def facts(self) -> Iterator[str]:
        """What is true of the whole call, a sentence each."""
        where = "on the device" if self.decision.offload else "in Python"
        yield f"runs {where}: {self.decision.reason}"
        if self.fallback is not None:
            yield str(self.fallback)
            return
        if self.device is not None:
            yield f"device: {self.device}"
        yield from self.notes
        count = Counter(guard.kept for guard in self.guards)
        if self.guards:
            yield f"guards: {count[True]} kept, {count[False]} removed"
        if self.compiled or self.recompilations:
            again = f", and {_times(self.recompilations)} again" if self.recompilations else ""
            failed = f"guards have failed {_times(count)}" if (count := self.deoptimisations) else "no guard has failed"
            made = "found on disk" if self.stored else "compiled"
            yield f"{made}{again}; {failed} since"
        elif self.compiled is not None:
            yield "not compiled yet"


def save_page(sections: Sequence[Section], filename: str | Path, profile: Profile | None = None) -> None:
    """Write what several explanations say as one page; see `Explanation.save`."""
    Path(filename).write_text(page(sections, None if profile is None else profile.events), encoding="utf-8")


def explanations_html(explanations: Sequence[Explanation]) -> Markup:
    """Explanations for notebooks."""
    parts = [
        element("div", element("p", element("b", each.name)), facts_list(tuple(each.facts())), source_table(each.lines))
        for each in explanations
    ]
    if any(each.compile is not None for each in explanations):
        # The page has a style and a script of its own, which must not meet those of the notebook.
        frame = element(
            "iframe",
            srcdoc=page([each.section() for each in explanations]),
            sandbox="allow-scripts",
            style="width: 100%; height: 44em; border: 0",
        )
        parts.append(element("details", element("summary", "all levels, OpenCL C and plan"), frame))
    return element("div", *parts)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _facts_as_text(explanation: Explanation) -> Iterator[str]:
    for fact in explanation.facts():
        if "\n" in fact:  # the lines of an error: its caret must stay where it is
            yield from (f"  {line}" for line in fact.splitlines())
        else:
            yield from wrapped(fact, 2)
