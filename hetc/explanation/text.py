"""An explanation as text of at most 100 columns, and its source as a table of HTML."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from pathlib import Path

from hetc.explanation.lines import Line
from hetc.markup import Markup, element, join

WIDTH = 100
TYPES_COLUMN = 62
_GUTTER = 14
"""The width of a line's number and of the place where it runs."""


def wrapped(text: str, indent: int = 0) -> list[str]:
    """Text in lines of `WIDTH`; what continues a line is indented further. Lines that are there already stay."""
    first, rest = " " * indent, " " * (indent + 2)
    return [
        line
        for part in text.splitlines()
        for line in textwrap.wrap(part, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    ]


def listing(lines: Sequence[Line]) -> list[str]:
    """The functions of some lines, each under its name and file."""
    printed: list[str] = []
    for (function, filename), group in itertools.groupby(lines, lambda line: (line.function, line.filename)):
        printed += ["", f"{function} ({shown_file(filename)})", *_function(list(group))]
    return printed


def _function(lines: Sequence[Line]) -> list[str]:
    margin = min((len(line.text) - len(line.text.lstrip()) for line in lines if line.text.strip()), default=0)
    return [printed for line in lines for printed in _line(line, line.text[margin:].rstrip())]


def _line(line: Line, text: str) -> list[str]:
    head = f"{line.number:>5}  {line.where:<6} {text}".rstrip()
    types = ", ".join(map(str, line.values))
    notes = [*map(str, line.guards), *line.notes]
    fits = len(head) < TYPES_COLUMN and TYPES_COLUMN + len(types) <= WIDTH
    if types and fits:
        head = f"{head:<{TYPES_COLUMN}}{types}"
    elif types:
        notes = [types, *notes]
    indent = _GUTTER + len(text) - len(text.lstrip()) + 2
    return [head, *(wrapped_line for note in notes for wrapped_line in wrapped(f"| {note}", min(indent, WIDTH // 2)))]


def shown_file(filename: str) -> str:
    """A file's name, from the current folder if it lies below."""
    path = Path(filename)
    return str(path.relative_to(Path.cwd())) if path.is_absolute() and path.is_relative_to(Path.cwd()) else filename


def source_table(lines: Sequence[Line]) -> Markup | None:
    """The lines as a table, for notebooks."""
    if not lines:
        return None
    head = element("tr", *[element("th", name) for name in ("", "", "source", "types", "guards")])
    return element("table", head, *map(_row, lines))


def _row(line: Line) -> Markup:
    values, notes = map(str, line.values), [*map(str, line.guards), *line.notes]
    source = element("td", element("pre", line.text), style="text-align: left")
    plain = [element("td", str(line.number)), element("td", line.where)]
    return element("tr", *plain, source, *[element("td", join(parts, element("br"))) for parts in (values, notes)])
