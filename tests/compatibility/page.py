"""The compatibility page as text, and its cells read back from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.compatibility.cells import Cell

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compatibility.md"

Key = tuple[str, str, str]
"""Section, row, column."""

_HEAD = """\
# What is compiled

Python runs whatever hetc does not compile, with the same result. This page says which is which. Its cells are the
outcome of tiny programs, one a cell (`tests/compatibility`); a test compares them with the page, and
`python -m tests.compatibility.update` writes it.

| a cell says | and means |
|---|---|
| device | compiled; these elements ran on the device to their end |
| device, then Python | compiled; some of these elements need Python (an exception, say), which runs them |
| Python | the call runs in Python, and a warning says why |
| TypeError | what Python raises |
"""


def key(cell: Cell) -> Key:
    """A cell's place."""
    return cell.section, cell.row, cell.column


def text(cells: Sequence[Cell], words: Mapping[Key, str]) -> str:
    """The page."""
    lines = [_HEAD]
    for section in dict.fromkeys(cell.section for cell in cells):
        part = [cell for cell in cells if cell.section == section]
        columns = list(dict.fromkeys(cell.column for cell in part))
        lines += [f"## {section}", "", f"| | {' | '.join(columns) if columns != [''] else 'runs on'} |"]
        lines += [f"|---|{'---|' * len(columns)}"]
        for row in dict.fromkeys(cell.row for cell in part):
            values = [words.get((section, row, column), "") for column in columns]
            lines.append(f"| `{_escaped(row)}` | {' | '.join(values)} |")
        lines.append("")
    return "\n".join(lines)


def _escaped(row: str) -> str:
    return row.replace("|", "\\|")


def read(page: str) -> dict[Key, str]:
    """The cells of a page."""
    found: dict[Key, str] = {}
    section, columns = "", list[str]()
    for line in page.splitlines():
        if line.startswith("## "):
            section, columns = line[3:], []
        elif section and line.startswith("| | "):
            names = [name.strip() for name in line.strip("|").split("|")[1:]]
            columns = [""] if names == ["runs on"] else names
        elif section and line.startswith("| `"):
            match = re.fullmatch(r"\| `(.*)` \| (.*) \|", line)
            assert match is not None, line
            values = match[2].split(" | ")
            found |= {(section, match[1].replace("\\|", "|"), c): v for c, v in zip(columns, values, strict=True)}
    return found
