"""What a run of the tests says at its end about its files."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests import costs


class Terminal:
    """As much of pytest's terminal as is used."""

    def __init__(self, *taken: tuple[str, float, int]) -> None:
        reports = [
            SimpleNamespace(nodeid=name, user_properties=[(costs.COSTS, [seconds, programs]), ("other", 1)])
            for name, seconds, programs in taken
        ]
        self.stats: dict[str, list[Any]] = {"": [*reports, SimpleNamespace(nodeid="a.py::test_begun")], "passed": []}
        self.said: list[str] = []

    def section(self, title: str) -> None:
        self.said.append(title)

    def write_line(self, line: str) -> None:
        self.said.append(" ".join(line.split()))


def said(*taken: tuple[str, float, int]) -> list[str]:
    terminal = Terminal(*taken)
    costs.pytest_terminal_summary(terminal)  # pyright: ignore[reportArgumentType]
    return terminal.said


def test_files_are_listed_by_what_their_tests_took() -> None:
    assert said(("a.py::test_x[1]", 40.0, 3), ("b.py::test_y", 90.0, 0), ("a.py::test_x[2]", 20.25, 4)) == [
        "processor time",
        "150 s, and 7 programs for devices, of which",
        "90.0 s 0 b.py",
        "60.2 s 7 a.py",
    ]


def test_short_runs_say_nothing() -> None:
    assert said(("a.py::test_x", 99.0, 3)) == []
    assert said() == []


def test_what_a_test_took_is_told_with_its_end(request: pytest.FixtureRequest) -> None:
    before = costs._so_far()
    assert sum(range(100_000)) > 0
    seconds, programs = costs._so_far()
    assert seconds > before[0]
    assert programs == before[1]
    assert all(name != costs.COSTS for name, _ in request.node.user_properties)
