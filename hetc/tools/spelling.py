"""What to say about a name that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MANY = 20
"""More names than these are not listed in a message."""


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence for a name that is not there: what was meant, if that can be guessed, or else what there is.

    >>> unknown("pass", "inlin", ["inline", "specialize"])
    "no pass 'inlin'; did you mean 'inline'?"
    >>> unknown("array function", "x", ["saxpy"])
    "no array function 'x'; there is: saxpy"
    """
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"no {what} '{name}'; did you mean '{close[0]}'?"
    if len(known) > MANY:
        return f"no {what} '{name}'; --help lists all {len(known)}"
    return f"no {what} '{name}'; there is: {', '.join(known) or 'none'}"
