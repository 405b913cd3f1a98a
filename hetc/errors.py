"""Errors and warnings that hetc raises, and how they point into the user's source.

A leaf of the layer diagram: every other module may import this one, and it imports nothing of hetc.

The hierarchy is part of the public interface::

    HetcError
      CompileError          the function cannot be compiled; the call runs in Python, with a FallbackWarning
        UnsupportedError    hetc does not compile this construct; Python can still run it
      InputError            the data handed to an array function does not fit it (also a ValueError)
      DeviceError           no such device, or the device refused the work
    FallbackWarning         a call ran in Python instead of on the device
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass


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

    `reason` says what is wrong, `hint` what to do about it, `location` where in the user's source.
    """

    def __init__(self, reason: str, *, location: SourceLocation | None = None, hint: str | None = None) -> None:
        self.reason = reason
        self.location = location
        self.hint = hint
        super().__init__(reason)

    def __str__(self) -> str:
        return render(self.reason, self.location, self.hint)


class CompileError(HetcError):
    """The function cannot be compiled."""


class UnsupportedError(CompileError):
    """hetc does not compile this construct or type; Python can still run the function."""


class InputError(HetcError, ValueError):
    """The inputs of a call do not fit together: different lengths, none at all, or the wrong number."""


class DeviceError(HetcError):
    """A device was asked for that does not exist, or a device refused to build or run a kernel."""


class FallbackWarning(UserWarning):
    """A call ran in Python instead of on the device; the text names the line and the reason."""


def render(reason: str, location: SourceLocation | None, hint: str | None) -> str:
    """The text a person reads: reason, place with a caret, and what to do.

    >>> print(render("bad thing", None, "do the other thing"))
    bad thing
      hint: do the other thing
    """
    parts = [reason]
    if location is not None:
        parts[0] = f"{location}: {reason}"
        excerpt = location.excerpt()
        if excerpt:
            parts.append(excerpt)
    if hint is not None:
        parts.append(f"  hint: {hint}")
    return "\n".join(parts)
