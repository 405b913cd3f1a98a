"""Settings for the process and for a block, and values that are refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hetc import settings
from hetc.settings import Settings, configure, current

pytestmark = pytest.mark.filterwarnings("ignore:HETC0027")


@pytest.fixture(autouse=True)
def defaults(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process's settings at their defaults and no block open, whatever the other tests have set."""
    monkeypatch.setattr(settings, "_process", Settings())
    token = settings._block.set(None)
    yield
    settings._block.reset(token)


def test_a_statement_sets_for_the_process() -> None:
    configure(offload="never", debug=True)
    assert current() == Settings(offload="never", debug=True)
    configure(offload="auto")
    assert current() == Settings(debug=True)
    seen: list[Settings] = []
    thread = threading.Thread(target=lambda: seen.append(current()))
    thread.start()
    thread.join()
    assert seen == [Settings(debug=True)]


def test_a_block_restores() -> None:
    configure(fallback="silent")
    with configure(fallback="error", fastmath=True) as inside:
        assert current() == inside == Settings(fallback="error", fastmath=True)
        with configure(fastmath=False):
            assert current() == Settings(fallback="error")
        assert current() is inside
    assert current() == Settings(fallback="silent")


def test_a_block_restores_after_an_exception() -> None:
    with pytest.raises(KeyError), configure(debug=True):
        raise KeyError
    assert current() == Settings()


def test_a_block_is_for_its_thread_alone() -> None:
    seen: list[Settings] = []
    with configure(offload="never"):
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
    assert seen == [Settings()]


def test_a_statement_in_a_block_lasts_until_its_end() -> None:
    with configure(offload="never"):
        configure(offload="always", debug=True)
        assert current() == Settings(offload="always", debug=True)
    assert current() == Settings()


def test_none_is_a_value_of_some_settings() -> None:
    configure(device="pocl", memory_limit=100, cache_dir="/tmp/x")
    configure(device=None, memory_limit=None, cache_dir=None)
    assert current() == Settings()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"device": 1}, {"device": "1"}),
        ({"device": "Intel"}, {"device": "Intel"}),
        ({"cache_dir": "a/b"}, {"cache_dir": Path("a/b")}),
        ({"cache": False}, {"cache": False}),
        ({"cache_size": "64MB"}, {"cache_size": 64 * 2**20}),
        ({"cache_size": None}, {"cache_size": 256 * 2**20}),
        ({"memory_limit": 1000}, {"memory_limit": 1000}),
        ({"memory_limit": "256MB"}, {"memory_limit": 256 * 2**20}),
        ({"memory_limit": "1.5 GiB"}, {"memory_limit": 3 * 2**29}),
        ({"memory_limit": "2k"}, {"memory_limit": 2048}),
        ({"memory_limit": "17"}, {"memory_limit": 17}),
        ({"staging": False}, {"staging": False}),
        ({"overlap": False}, {"overlap": False}),
        ({"result_memory": 0}, {"result_memory": 0}),
        ({"result_memory": "1MB"}, {"result_memory": 2**20}),
        ({"candidates": ["gpu", 1]}, {"candidates": ("gpu", "1")}),
        ({"candidates": None}, {"candidates": None}),
    ],
)
def test_values(given: dict[str, Any], expected: dict[str, Any]) -> None:
    configure(**given)
    assert current() == Settings(**expected)


def test_a_device_object_is_kept() -> None:
    device = SimpleNamespace(name="a device", traits=None)
    configure(device=device)
    assert current().device is device


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"offload": "sometimes"}, "offload is one of 'auto', 'always', 'never', not 'sometimes'"),
        ({"fallback": True}, "fallback is one of 'warn', 'silent', 'error', not True"),
        ({"fastmath": 1}, "fastmath is one of True, False, not 1"),
        ({"debug": "yes"}, "debug is one of True, False, not 'yes'"),
        ({"memory_limit": 0}, "memory_limit is a positive number"),
        ({"memory_limit": "much"}, "memory_limit is a positive number"),
        ({"memory_limit": True}, "memory_limit is a positive number"),
        ({"result_memory": -1}, "result_memory is a positive number"),
        ({"result_memory": False}, "result_memory is a positive number"),
        ({"staging": 1}, "staging is one of True, False, not 1"),
        ({"overlap": 0}, "overlap is one of True, False, not 0"),
        ({"device": 1.5}, "device is a part of"),
        ({"candidates": "gpu"}, "candidates is a list of devices"),
        ({"candidates": []}, "candidates is a list of devices"),
        ({"candidates": [None]}, "candidates is a list of devices"),
        ({"candidates": [1.5]}, "device is a part of"),
        ({"device": False}, "device is a part of"),
    ],
)
def test_refused_values_change_nothing(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        configure(debug=True, **given) if "debug" not in given else configure(**given)
    assert current() == Settings()


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(TypeError):
        configure(speed="ludicrous")  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    ("given", "meant"), [("ofload", "offload"), ("devices", "device"), ("fast_math", "fastmath"), ("catch", "cache")]
)
def test_a_setting_that_may_be_meant(given: str, meant: str) -> None:
    before = current()
    with pytest.raises(TypeError, match=f"configure\\(\\) got an .* argument '{given}'; did you mean '{meant}'\\?"):
        configure(**{given: True})
    with pytest.raises(TypeError, match=r"argument 'xyzzy'$"):
        configure(xyzzy=1)  # pyright: ignore[reportCallIssue]
    assert current() == before


def test_repr() -> None:
    assert repr(configure(offload="never", debug=True)) == "hetc.configure(offload='never', debug=True)"
