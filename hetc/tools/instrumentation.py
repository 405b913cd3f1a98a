"""Running passes under observation: printing the IR around them, verifying, timing, and keeping what made one fail.

What is printed goes to the standard error, as from `mlir-opt`, so that the standard output is the result alone.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ShrinkException, VerifyException

from hetc.errors import HetcError
from hetc.tools.mlir_output import printed
from hetc.tools.reproducer import Failure
from hetc.tools.timing import Timing


@dataclass(frozen=True)
class Printing:
    """When to print the IR: `before` and `after` hold names of passes, None stands for all passes.

    `changed` prints it after each pass that changed it, `diff` the lines that a pass changed. `locations` says
    whether to print them.
    """

    before: Collection[str] | None = ()
    after: Collection[str] | None = ()
    changed: bool = False
    diff: bool = False
    locations: bool = False

    @property
    def compares(self) -> bool:
        """Whether the text before a pass is needed."""
        return self.changed or self.diff


@dataclass
class Runner:
    """Runs passes, one after the other, as the options of `hetc-opt` say.

    `last` is the last pass that was begun; `failure` is what to run again when a pass raises, or leaves IR that does
    not verify.
    """

    printing: Printing = field(default_factory=Printing)
    verify: bool = True
    verify_each: bool = True
    timing: Timing = field(default_factory=lambda: Timing("passes"))
    verifying: Timing = field(default_factory=lambda: Timing("verify"))
    last: ModulePass | None = None
    failure: Failure | None = None

    def run(self, ctx: Context, module: ModuleOp, passes: Sequence[tuple[ModulePass, str | None]]) -> None:
        """Run passes, each with the name of the pipeline that it comes from.

        Raises what a pass raises, and VerifyException for IR that is invalid, with the pass that made it.
        """
        if self.verify_each or (self.verify and not passes):
            self._verify(module)
        for pass_, pipeline in passes:
            parent = self.timing if pipeline is None else self.timing.last_part(pipeline)
            self._run_pass(ctx, module, pass_, parent)
            if parent is not self.timing:
                parent.seconds = sum(part.seconds for part in parent.parts)
        if self.verify and passes and not self.verify_each:
            self._verify(module)

    def _run_pass(self, ctx: Context, module: ModuleOp, pass_: ModulePass, parent: Timing) -> None:
        self.last = pass_
        printing = self.printing
        before = self._text(module) if printing.compares else ""
        if _named(printing.before, pass_):
            self._show(f"before {pass_.name}", self._text(module))
        snapshot = module.clone()
        with self._kept(snapshot, pass_):
            with parent.part(pass_.name).measure():
                pass_.apply(ctx, module)
            if self.verify_each:
                self._verify(module)
        if _named(printing.after, pass_):
            self._show(f"after {pass_.name}", self._text(module))
        elif printing.compares:
            self._show_change(pass_, before, self._text(module))

    @contextmanager
    def _kept(self, snapshot: ModuleOp, pass_: ModulePass) -> Generator[None]:
        """Keep the IR before a pass that fails in the block."""
        try:
            yield
        except ShrinkException:  # says that something was found
            raise
        except Exception as error:
            meant = isinstance(error, HetcError | DiagnosticException) and not isinstance(error, VerifyException)
            self.failure = Failure(snapshot, str(pass_.spec()), f"{type(error).__name__}: {error}", crash=not meant)
            raise

    def _verify(self, module: ModuleOp) -> None:
        try:
            with self.verifying.measure():
                module.verify()
        except VerifyException as error:
            if self.last is None:
                raise
            named = VerifyException(f"after the pass {self.last.name}: {error}")
            for note in getattr(error, "__notes__", ()):
                named.add_note(note)
            raise named from error

    # --- Printing ----------------------------------------------------------------------------------------------------

    def _text(self, module: ModuleOp) -> str:
        return printed(module, locations=self.printing.locations)

    def _show_change(self, pass_: ModulePass, before: str, after: str) -> None:
        if before == after:
            self._show(f"after {pass_.name}: no change", "")
        elif self.printing.diff:
            lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm="")
            changed = [line for line in lines if not line.startswith(("---", "+++"))]
            self._show(f"after {pass_.name}: what changed", "\n".join(changed) + "\n")
        else:
            self._show(f"after {pass_.name}", after)

    @staticmethod
    def _show(title: str, text: str) -> None:
        print(f"// -----// IR {title} //----- //\n{text}", end="", file=sys.stderr, flush=True)


def _named(names: Collection[str] | None, pass_: ModulePass) -> bool:
    return names is None or pass_.name in names
