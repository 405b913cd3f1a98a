"""What is learnt about a compiled call while it runs: which assumptions failed, and what to do then.

A call is compiled for the branches that a sample of its elements takes. Where that proves wrong, the elements concerned
are run by Python and the next call is compiled without the assumption; where many are concerned, the call is compiled
again at once. This ends: after a few times nothing is assumed any more, and a call that keeps going back to Python for
other reasons stays there. After Fumero et al., VEE 2017, section 4.4 (deoptimisation, re-profiling, recompilation).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from hetc.abi import GuardSite
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.errors import CompileError, SourceLocation, UnsupportedError

if TYPE_CHECKING:  # importing it imports pyopencl, which a call in Python does not need
    from hetc.runtime.executor import Executable, GuardFailed

MAX_RECOMPILATIONS = 4
"""After so many wrong assumptions, none is made."""

STEADY_CALLS = 8
"""Captured integers that were the same in so many calls in a row are taken for constants, so that loops unroll."""

MAX_CHANGES = 3
"""Captured integers that have changed more often than this are no longer taken for constants."""

FEW_BLOCKS = 32
"""Up to so many blocks of elements, Python runs them sooner than a kernel is compiled (about 1 to 3 ms each)."""

MAX_VAIN_CALLS = 4
"""After so many calls in a row of which most went back to Python, Python runs them from the start."""


@dataclass
class Compiled:
    """A call as it is compiled now, and what its runs have shown.

    `executable` is None until it is compiled, and when it is to be compiled again. `tells` says that NumPy has warned
    of something, so that the call is compiled to find out where.
    """

    executable: Executable | CompileError | None = None
    widened: frozenset[SourceLocation] = frozenset()
    recompilations: int = 0
    failures: Counter[GuardSite] = field(default_factory=Counter[GuardSite])
    vain_calls: int = 0
    integers: Hashable = None
    same_integers: int = 0
    changes: int = 0
    tells: bool = False
    has_loops: bool | None = None
    """Whether a function of the call has a loop; None as long as nobody has asked."""
    stored: bool = False
    """Whether the executable was stored by another process."""
    looked_for: str | None = None
    """The key that it was looked for on disk with last."""

    def like(self, other: Compiled) -> Compiled:
        """The same as this, for what has been learnt of another call, which is one with it."""
        if (self.widened, self.tells) != (other.widened, other.tells):
            self.widened, self.tells, self.recompilations = other.widened, other.tells, other.recompilations
            self.executable = None
        return self

    @property
    def speculates(self) -> bool:
        """Whether assumptions are still made."""
        return self.recompilations < MAX_RECOMPILATIONS

    def is_steady(self, integers: Hashable) -> bool:
        """Note the captured integers of one more call. True once they have not changed for a while."""
        if integers != self.integers:
            self.changes += self.integers is not None
            self.integers, self.same_integers = integers, 0
        self.same_integers += 1
        return self.same_integers > STEADY_CALLS and self.changes <= MAX_CHANGES

    @property
    def is_restless(self) -> bool:
        """Whether captured integers have changed so often that they are never taken for constants."""
        return self.changes > MAX_CHANGES

    def succeeded(self) -> None:
        """A run went through."""
        self.vain_calls = 0

    def failed(self, failure: GuardFailed, size: int) -> bool:
        """Learn from a run that failed on `size` elements. True if it is best compiled and run again now."""
        self.failures.update(failure.sites)
        assumed = {s.location for s in failure.sites if s.kind == "branch" and s.location is not None}
        partial = failure.partial
        if not assumed <= self.widened:  # each recompilation widens something, so there is an end to them
            self.widened |= assumed
            self.recompilations += 1
            self.executable = None
            return partial is None or len(partial.blocks) > FEW_BLOCKS
        # One block tells nothing about how many of its elements failed.
        failed = size if partial is None else len(partial.blocks[1:]) * partial.block
        self._count_vain(failure.sites, most=2 * failed >= size)
        return False

    def went_back(self, sites: tuple[GuardSite, ...], *, most: bool) -> None:
        """A loop has gone back to Python, for most of its iterations or for some."""
        self.failures.update(sites)
        self._count_vain(sites, most=most)

    def _count_vain(self, sites: Sequence[GuardSite], *, most: bool) -> None:
        self.vain_calls = self.vain_calls + 1 if most else 0
        if self.vain_calls >= MAX_VAIN_CALLS:
            self.executable = _given_up(sites)


def _given_up(sites: Sequence[GuardSite]) -> CompileError:
    site = sites[0] if sites else None
    why = "a guard fails" if site is None else site.reason
    return UnsupportedError(
        f"most elements of the last {MAX_VAIN_CALLS} calls went back to Python ({why})",
        location=None if site is None else site.location,
        hint="this function stays in Python for such data; change what fails there, or the data",
        category=Category.GUARDS,
    )
