"""Write the compatibility page: `python -m tests.compatibility.update`."""

from __future__ import annotations

import sys

from hetc.runtime.devices import select
from tests.compatibility.cells import all_cells, words
from tests.compatibility.page import PAGE, key, text


def main() -> int:
    """Run all cells on the first device; 1 if any of them is wrong."""
    cells = all_cells()
    found: dict[tuple[str, str, str], str] = {}
    wrong = 0
    for cell, word, problem in words(cells, select()):
        found[key(cell)] = word
        if problem is not None:
            wrong += 1
            print(f"{cell.section}, {cell.row}, {cell.column}: {problem}", file=sys.stderr)
    PAGE.write_text(text(cells, found))
    print(f"wrote {PAGE.name}: {len(cells)} cells, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
