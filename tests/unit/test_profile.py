"""Counters count what happens while they are open."""

from __future__ import annotations

import threading

import pytest

from hetc.runtime.profile import active, profile, record


def test_only_what_happens_inside_counts() -> None:
    record(launches=1)
    with profile() as p:
        record(launches=2, bytes_h2d=100)
        record(launches=1, compile_ms=1.5)
    record(launches=1)
    assert (p.launches, p.bytes_h2d, p.compile_ms, p.fallbacks) == (3, 100, 1.5, 0)


def test_profiles_nest() -> None:
    with profile() as outer:
        record(cache_hits=1)
        with profile() as inner:
            record(cache_hits=2)
        record(cache_hits=4)
    assert (outer.cache_hits, inner.cache_hits) == (7, 2)


def test_active() -> None:
    assert not active()
    with profile():
        assert active()
    assert not active()
    with pytest.raises(KeyError), profile():
        raise KeyError
    assert not active()


def test_every_thread_counts() -> None:
    with profile() as p:
        threads = [threading.Thread(target=lambda: [record(deopts=1) for _ in range(1000)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert p.deopts == 4000


def test_an_unknown_counter_is_refused() -> None:
    with profile(), pytest.raises(AttributeError):
        record(espressos=1)  # pyright: ignore[reportCallIssue]


def test_text_shows_what_is_not_zero() -> None:
    with profile() as p:
        record(launches=2, bytes_h2d=1_000_000, compile_ms=1.25)
    assert str(p) == "bytes_h2d   1,000,000\nlaunches    2\ncompile_ms  1.2"
    with profile() as p:
        pass
    assert str(p) == "launches  0"
