"""What every test can rely on: the repository's root, and that each call is compiled rather than left to Python.

And what the whole run relies on: processes that neither look through the tests themselves again and again for what can
be freed, nor keep the kernels of files that are done.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

# Also for processes of their own, and documents: what other processes have compiled is no matter of a test's.
os.environ["HETC_CACHE"] = "off"

import hypothesis
import pytest

import hetc
from hetc import api
from tests.clocks import WorkClock
from tests.costs import pytest_runtest_logstart, pytest_runtest_makereport, pytest_terminal_summary

__all__ = ["pytest_runtest_logstart", "pytest_runtest_makereport", "pytest_terminal_summary"]

# A first call compiles a kernel, so no limit for one example; the same examples in every run, so that a failure stays.
hypothesis.settings.register_profile("hetc", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("hetc")


YOUNG_OBJECTS = 10_000
"""How many objects are made before the youngest are looked through: a module of IR, rather than Python's 700."""


def pytest_collection_finish() -> None:
    """Leave what is there before the first test to the end of the process: the tests, some hundred thousand objects.

    Python looks through all that a process has again when what is new has grown by a quarter; a pause of a tenth of a
    second, several times in the tests of a file. IR is made of cycles, which nothing else frees.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])


@pytest.fixture(scope="module", autouse=True)
def kernels_of_a_file() -> Iterator[None]:
    """What the tests of a file have compiled goes with the file: no function of another one has the same key.

    A compiled call holds one or two megabytes of the device's compiler; a process kept a thousand of them.
    """
    yield
    api._dispatcher.compiled.clear()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def always_offload() -> Iterator[None]:
    """Compile every call, however small its data, and whatever other processes have compiled."""
    with hetc.configure(offload="always", cache=False):
        yield


@pytest.fixture
def work_clock(monkeypatch: pytest.MonkeyPatch) -> WorkClock:
    """Times of calls that hang on nothing but their elements."""
    clock = WorkClock()
    clock.install(monkeypatch)
    return clock
