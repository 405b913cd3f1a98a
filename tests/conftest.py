"""What every test can rely on: the repository's root, and that each call is compiled rather than left to Python."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# Also for processes of their own, and documents: what other processes have compiled is no matter of a test's.
os.environ["HETC_CACHE"] = "off"

import hypothesis
import pytest

import hetc
from tests.clocks import WorkClock

# A first call compiles a kernel, so no limit for one example; the same examples in every run, so that a failure stays.
hypothesis.settings.register_profile("hetc", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("hetc")


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
