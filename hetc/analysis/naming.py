"""The user's names, as MLIR and C spell names: letters, digits and underscores of ASCII.

Python allows all letters of Unicode in identifiers. Each one that is not ASCII becomes its code point.
"""

from __future__ import annotations

import functools
from pathlib import PurePath


def spelled(name: str) -> str:
    """A name with code points for the letters that are not ASCII; it may start with a digit.

    >>> spelled("größe")
    'gr_F6__DF_e'
    """
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"_{ord(c):X}_" for c in name)


@functools.lru_cache(maxsize=1024)
def ascii_name(name: str) -> str:
    """A name in ASCII: itself, or with code points for the other letters.

    >>> ascii_name("total"), ascii_name("größe"), ascii_name("2x")
    ('total', 'gr_F6__DF_e', '_2x')
    """
    plain = spelled(name)
    return f"_{plain}" if plain[:1].isdigit() else plain


def file_name(filename: str) -> str:
    """A file's name without its folders, as it can stand in a comment: one line, which does not join the next.

    >>> file_name("folder/user.py")
    'user.py'
    """
    # A comment ends with its line, and a backslash would join the next one to it.
    return "".join(c if c.isprintable() and c != "\\" else "?" for c in PurePath(filename).name)
