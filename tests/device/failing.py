"""A pyopencl of which a command fails, and the threads of this process: for tests of what failures leave behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyopencl as cl


def threads() -> int:
    """The threads of this process, those of C code included, or -1 where the system does not say."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else -1


class Failing:
    """pyopencl, of which a command fails: the `number`-th of those that are asked for here by a name like this."""

    def __init__(self, number: int, error: BaseException, commands: str = "enqueue") -> None:
        self.left, self.error, self.commands = number, error, commands

    def __getattr__(self, name: str) -> Any:
        if name.startswith(self.commands):
            self.left -= 1
            if not self.left:
                raise self.error
        return getattr(cl, name)
