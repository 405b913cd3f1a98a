"""The user's names, as MLIR spells names: letters, digits and underscores of ASCII.

Python allows all letters of Unicode in identifiers. Each one that is not ASCII becomes its code point.
"""

from __future__ import annotations


def ascii_name(name: str) -> str:
    """A name in ASCII: itself, or with code points for the other letters.

    >>> ascii_name("total"), ascii_name("größe"), ascii_name("2x")
    ('total', 'gr_F6__DF_e', '_2x')
    """
    spelled = "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"_{ord(c):X}_" for c in name)
    return f"_{spelled}" if spelled[:1].isdigit() else spelled
