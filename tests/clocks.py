"""A clock for tests of decisions that hang on times: the same on every machine, however busy it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hetc import hotness, parallel
from hetc.frontends.skeleton.sequential import SequentialRun
from hetc.loops import points

PYTHON_SECONDS = 1e-6
"""What an element takes in Python; a device, and a compiler, take no time at all."""


class WorkClock:
    """Seconds that pass only as Python runs elements of calls and iterations of loops."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let hetc take its times from this clock."""
        clock = self

        class Run(SequentialRun):
            def advance(self, count: int | None) -> None:
                before = self.done
                super().advance(count)
                clock.now += PYTHON_SECONDS * (self.done - before)

        def counted(*arguments: Any) -> Iterator[Any]:
            for point in points(*arguments):
                yield point
                self.now += PYTHON_SECONDS

        monkeypatch.setattr(hotness, "clock", self)
        monkeypatch.setattr(hotness, "sequential_run", Run)
        monkeypatch.setattr(parallel, "points", counted)
