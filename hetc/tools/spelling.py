"""What to say about a name that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MANY = 20
"""More names than these are not listed in a message."""


def close_to(name: str, known: Iterable[str]) -> str | None:
    """The name that was meant, if that can be guessed.

    >>> close_to("inlin", ["inline", "specialize"])
    'inline'
    """
    return next(iter(difflib.get_close_matches(name, sorted(known), n=1)), None)


def unknown(what: str, name: str, known: Iterable[str], *, lists: str = "--help") -> str:
    """The sentence for a name that is not there: what was meant, if that can be guessed, or else what there is.

    `lists` is the option that prints all names, for those that are too many for a sentence.

    >>> unknown("pass", "inlin", ["inline", "specialize"])
    "no pass 'inlin'; did you mean 'inline'?"
    >>> unknown("array function", "x", ["saxpy"])
    "no array function 'x'; there is: saxpy"
    """
    known = sorted(known)
    close = close_to(name, known)
    if close is not None:
        return f"no {what} '{name}'; did you mean '{close}'?"
    if len(known) > MANY:
        return f"no {what} '{name}'; {lists} lists all {len(known)}"
    return f"no {what} '{name}'; there is: {', '.join(known) or 'none'}"
