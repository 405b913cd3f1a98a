"""The compatibility page says what runs where, and each of its tiny programs gives what CPython gives."""

from __future__ import annotations

import sys
import zlib

from hetc.runtime.devices import Device
from tests.compatibility.cells import Cell, all_cells, words
from tests.compatibility.page import PAGE, key, read, text

SHARE = 4
"""Of the tables of operators and functions, one cell in so many is run; each device has its own share."""


OLDEST = sys.version_info < (3, 12)
"""The page is that of the oldest Python; later ones have more functions in `math`."""


def test_the_page_has_every_cell() -> None:
    page = PAGE.read_text()
    stated = read(page)
    cells = [cell for cell in all_cells() if OLDEST or key(cell) in stated]
    assert list(stated) == [key(cell) for cell in cells], "run: python -m tests.compatibility.update"
    assert text(cells, stated) == page


def test_cells_are_what_the_page_says(device: Device) -> None:
    stated = read(PAGE.read_text())
    found = list(words([cell for cell in all_cells() if _is_run(cell, device)], device))
    assert [f"{key(cell)}: {problem}" for cell, _, problem in found if problem is not None] == []
    stale = [f"{key(cell)} is {word}" for cell, word, _ in found if stated.get(key(cell), word) != word]
    assert stale == [], "run: python -m tests.compatibility.update"


def _is_run(cell: Cell, device: Device) -> bool:
    """All single constructs, and a share of the tables."""
    return not cell.column or zlib.crc32(repr((key(cell), device.traits.family)).encode()) % SHARE == 0
