"""Progress of what takes long, for people who watch: a bar on a terminal or in a notebook, by tqdm if it is installed.

Nothing is shown in the first second, in pipes and log files, or where `hetc.configure(progress=False)` says so.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from hetc import settings

DELAY = 1.0
"""Seconds in which nothing is shown: most calls are done by then."""

Advance = Callable[[float, str], None]
"""So much more is done, and what is under way now."""


@contextmanager
def progress(title: str, total: float, unit: str = "it", *, scaled: bool = False) -> Generator[Advance]:
    """A bar that is there while the block runs, if somebody watches: what is done of a total, and how fast.

    `scaled` shows kilo and mega instead of many digits.

    >>> with progress("counting", 3) as advance:  # no terminal: nothing is shown
    ...     advance(1, "one")
    """
    if not is_watched():
        yield _nowhere
        return
    tqdm: Any = importlib.import_module("tqdm.auto").tqdm
    with tqdm(total=total, desc=title, unit=unit, unit_scale=scaled, delay=DELAY, leave=False) as bar:

        def advance(done: float, text: str) -> None:
            bar.set_postfix_str(text, refresh=False)
            bar.update(done)

        yield advance


def is_watched() -> bool:
    """Whether progress is shown: by the setting, else where the standard error is a terminal or a notebook's cell."""
    wanted = settings.current().progress
    if wanted is None:
        wanted = sys.stderr is not None and (sys.stderr.isatty() or _in_notebook())
    return wanted and importlib.util.find_spec("tqdm") is not None


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found = None if shell is None else shell.get_ipython()
    return found is not None and hasattr(found, "kernel")


def _nowhere(_done: float, _text: str) -> None:
    pass
