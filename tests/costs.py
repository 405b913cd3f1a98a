"""What the tests of a run take: processor time and programs built for devices, by file, said at its end.

Processor time rather than that on the clock, and that of threads and other processes too, so that the figures are the
same whatever else the machine does.
"""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter
from collections.abc import Generator

import pytest

COSTS = "costs"
"""The property of a test: its seconds, and how many programs it has built."""

SAID_FROM = 100.0
"""Runs that take less, in seconds, say nothing: somebody tries a few tests."""

FILES = 12
"""How many files are listed."""

_last = (0.0, 0)


def pytest_runtest_logstart() -> None:
    """What follows is one test, with the fixtures that are made for it and those that end with it."""
    global _last
    _last = _so_far()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report of the end of a test says what it took."""
    if call.when == "teardown":
        now = _so_far()
        item.user_properties.append((COSTS, [now[0] - _last[0], now[1] - _last[1]]))
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The files that take most."""
    seconds, programs = Counter[str](), Counter[str]()
    for report in terminalreporter.stats.get("", []):
        for name, value in getattr(report, "user_properties", ()):
            if name == COSTS:
                file = report.nodeid.partition("::")[0]
                seconds[file] += value[0]
                programs[file] += value[1]
    if (total := sum(seconds.values())) < SAID_FROM:
        return
    terminalreporter.section("processor time")
    terminalreporter.write_line(f"{total:.0f} s, and {programs.total()} programs for devices, of which")
    for file, taken in seconds.most_common(FILES):
        terminalreporter.write_line(f"{taken:6.1f} s {programs[file]:6} {file}")


def _so_far() -> tuple[float, int]:
    """Seconds of this process and of those that have ended, and programs built in this one."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    executor = sys.modules.get("hetc.runtime.executor")  # not imported for this
    cached = getattr(getattr(executor, "_build_program", None), "cache_info", None)
    return time.process_time() + children.ru_utime + children.ru_stime, cached().misses if cached else 0
