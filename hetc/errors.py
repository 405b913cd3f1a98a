"""Errors and warnings that hetc raises, and how they point into the user's source.

A leaf of the layer diagram: every other module may import this one, and it imports `hetc.diagnostics` alone, the
table of the codes that messages begin with.

The hierarchy is part of the public interface::

    HetcError
      CompileError          the function cannot be compiled; the call runs in Python, with a FallbackWarning
        UnsupportedError    hetc does not compile this construct; Python can still run it
      InputError            the data handed to an array function does not fit it (also a ValueError)
      DeviceError           no such device, or the device refused the work
    FallbackWarning         a call ran in Python instead of on the device
    DebugWarning            with debug=True: where a NaN or an infinity is first made of numbers

Filters of `warnings` work on codes: `warnings.filterwarnings("ignore", message="HETC0004")`.
"""

from __future__ import annotations

import linecache
from typing import ClassVar, Self

from hetc.dataclass import dataclass
from hetc.diagnostics import Category


@dataclass(frozen=True)
class SourceLocation:
    """A place in the user's Python source: `line` counts from 1, `column` from 0 (as `ast` counts).

    `end_column`, where known and on the same line, lets the caret underline the whole expression.
    """

    filename: str
    line: int
    column: int = 0
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}:{self.column + 1}"

    def text(self) -> str:
        """The source of the place, from its start to its end or that of the line."""
        line = linecache.getline(self.filename, self.line).rstrip("\n").encode()
        return line[self.column : self.end_column].decode(errors="replace")

    def excerpt(self) -> str:
        """The source line with a caret under the place, or the empty string if the line is not at hand."""
        text = linecache.getline(self.filename, self.line).rstrip("\n")
        if not text.strip():
            return ""
        stripped = text.lstrip()
        indent = len(text) - len(stripped)
        # `ast` counts columns in UTF-8 bytes; a person counts characters.
        start = len(text.encode()[: self.column].decode(errors="replace"))
        end = start + 1
        if self.end_column is not None:
            end = max(end, len(text.encode()[: self.end_column].decode(errors="replace")))
        width = min(end, len(text)) - start
        return f"    {stripped}\n    {' ' * (start - indent)}{'^' * max(1, width)}"


class HetcError(Exception):
    """Base class of every error that hetc itself raises.

    `reason` says what is wrong, `hint` what to do about it, `location` where in the user's source. `category` is the
    row of `docs/diagnostics.md` that explains it, and `code` its code; the command line's own errors have none. An
    error without a hint of its own is shown with the advice of its category.
    """

    usual: ClassVar[Category | None] = None
    """The category of an error that names none."""

    def __init__(
        self,
        reason: str,
        *,
        location: SourceLocation | None = None,
        hint: str | None = None,
        category: Category | None = None,
    ) -> None:
        self.reason = reason
        self.location = location
        self.hint = hint
        self.category = category or self.usual
        super().__init__(reason)

    def __str__(self) -> str:
        return render(self.reason, self.location, self.remedy, self.code)

    @property
    def remedy(self) -> str | None:
        """What to do about it: the hint, or what helps with errors of this category.

        >>> UnsupportedError("fib() calls itself", category=Category.RECURSION).remedy
        'write the recursion as a loop'
        """
        return self.hint if self.hint is not None or self.category is None else self.category.remedy

    @property
    def code(self) -> str | None:
        """The stable code of the error's kind, such as "HETC0004"."""
        return None if self.category is None else self.category.code

    def at(self, location: SourceLocation | None) -> Self:
        """The same error, at a place if it has none yet."""
        return type(self)(self.reason, location=self.location or location, hint=self.hint, category=self.category)


class CompileError(HetcError):
    """The function cannot be compiled."""

    usual = Category.INTERNAL


class UnsupportedError(CompileError):
    """hetc does not compile this construct or type; Python can still run the function."""

    usual = Category.CONSTRUCT


class InputError(HetcError, ValueError):
    """The inputs of a call do not fit together: different lengths, none at all, or the wrong number."""

    usual = Category.USAGE


class DeviceError(HetcError):
    """A device was asked for that does not exist, or a device refused to build or run a kernel.

    `launched` says that kernels had been launched by then: what they change in place may have changed. `out_of_memory`
    says that less data at a time may go through. `changed` says that something may have changed that others can see.
    """

    usual = Category.DEVICE
    launched: bool = False
    out_of_memory: bool = False
    changed: bool = False


class FallbackWarning(UserWarning):
    """A call ran in Python instead of on the device; the text is that of the error that says why."""


class DebugWarning(UserWarning):
    """What `hetc.configure(debug=True)` has found out about a call; the call goes on, and its result is right."""


def render(reason: str, location: SourceLocation | None, hint: str | None, code: str | None = None) -> str:
    """The text a person reads: code, place and reason, the line with a caret, and what to do.

    >>> print(render("bad thing", None, "do the other thing", "HETC0001"))
    HETC0001: bad thing
      hint: do the other thing
    """
    first = [part for part in (code, None if location is None else str(location), reason) if part is not None]
    parts = [": ".join(first)]
    if location is not None and (excerpt := location.excerpt()):
        parts.append(excerpt)
    if hint is not None:
        parts.append(f"  hint: {hint}")
    return "\n".join(parts)
