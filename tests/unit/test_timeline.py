"""Timelines: events as a table, as a trace, as a picture; and what profiles keep of them."""

from __future__ import annotations

import itertools
import json
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hetc.errors import HetcError, SourceLocation
from hetc.runtime import profile
from hetc.timeline.events import Event, Kind, Lane, overlap
from hetc.timeline.layout import layout
from hetc.timeline.picture import svg
from hetc.timeline.summary import HEAD, rows, summary
from hetc.timeline.trace import trace

MAIN, OTHER, FIRST, SECOND = Lane("host", 11), Lane("host", 12), Lane("GPU <0>", 5), Lane("GPU <0>", 6)
PLACE = SourceLocation("folder/user.py", 7)
EVENTS = [
    Event(Kind.CALL, "f", MAIN, 1_000, 90_000, function="f", place=PLACE),
    Event(Kind.COMPILE, "cse", MAIN, 1_000, 5_000, function="f", place=PLACE),
    Event(Kind.COPY_IN, "input 0", FIRST, 10_000, 20_000, bytes=4096, function="f", place=PLACE),
    Event(Kind.KERNEL, "k", SECOND, 20_000, 40_000, function="f", place=PLACE),
    Event(Kind.KERNEL, "k", FIRST, 61_000, 1_000, function="f", place=PLACE),
    Event(Kind.COPY_OUT, "result", FIRST, 62_000, 10_000, bytes=100, function="f", place=PLACE),
    Event(Kind.DEOPTIMISATION, "</script>", MAIN, 80_000, function="f", place=SourceLocation("user.py", 9)),
    Event(Kind.PYTHON, "all elements", OTHER, 70_000, 9_000, count=12),
]


def test_overlap_counts_the_time_in_which_a_kernel_ran() -> None:
    assert overlap(EVENTS) == 10_000 / 30_000
    twice = [*EVENTS, *EVENTS]
    assert overlap(twice) == 10_000 / 30_000


def test_a_trace_has_what_the_format_asks_for() -> None:
    text = json.loads(trace(EVENTS))
    names = {(r["name"], r["pid"], r["tid"]): r["args"] for r in text["traceEvents"] if r["ph"] == "M"}
    processes = {args["name"]: pid for (name, pid, _), args in names.items() if name == "process_name"}
    assert processes == {"host": 1, "GPU <0>": 2}
    threads = [(pid, args["name"]) for (name, pid, _), args in names.items() if name == "thread_name"]
    assert threads == [(1, "host"), (1, "host 2"), (2, "queue 1"), (2, "queue 2")]
    events = [r for r in text["traceEvents"] if r["ph"] != "M"]
    assert all(r.keys() >= {"name", "cat", "ph", "ts", "pid", "tid", "args"} for r in events)
    assert all(("dur" in r) == (r["ph"] == "X") and r["ph"] in "Xi" and r["ts"] >= 0 for r in events)
    kernel = next(r for r in events if r["name"] == "kernel: k")
    assert (kernel["ts"], kernel["dur"], kernel["args"]) == (19.0, 40.0, {"function": "f", "line": "user.py:7"})
    times = [(r["tid"], r["ts"]) for r in events]
    assert all(one[1] <= other[1] for one, other in itertools.pairwise(times))


def test_nothing_makes_a_trace_a_table_and_a_picture_too(tmp_path: Path) -> None:
    assert [r["name"] for r in json.loads(trace([]))["traceEvents"]] == ["process_name", "process_sort_index"]
    assert summary([]) == "nothing happened"
    ElementTree.fromstring(svg([]))


def test_the_table_has_a_row_for_each_thing() -> None:
    found = {(row[0], row[1]): row[2:] for row in rows([*EVENTS, *EVENTS])}
    assert found["kernel", "k"] == ("4", "82 us", "", "", "f", "user.py:7")
    assert found["copy in", "input 0"] == ("2", "40 us", "8.0 KiB", "", "f", "user.py:7")
    assert found["Python", "all elements"] == ("2", "18 us", "", "24", "", "")
    assert summary(EVENTS).splitlines()[3].split() == [*HEAD]


def test_passes_that_take_next_to_nothing_are_one_row() -> None:
    one = [Event(Kind.COMPILE, name, MAIN, 0, 1, function="f") for name in ("cse", "inline")]
    large = Event(Kind.COMPILE, "specialize", MAIN, 0, 1000, function="g")
    assert [row[1:3] for row in rows([*one, large])] == [("specialize", "1"), ("other passes", "2")]


def test_a_picture_has_a_bar_for_each_event_and_no_markup_of_the_users() -> None:
    picture = ElementTree.fromstring(svg(EVENTS))
    bars = [e for e in picture.iter() if e.get("data-kind") is not None]
    assert sorted(bar.get("data-kind", "") for bar in bars) == sorted(event.kind for event in EVENTS)
    titles = ["".join(e.itertext()) for e in picture.iter() if e.tag.endswith("title")]
    assert "deoptimisation: </script>\nf\nuser.py:9" in titles
    assert all("script" not in e.tag for e in picture.iter())


def test_bars_of_a_lane_are_side_by_side_or_in_rows_of_their_own() -> None:
    bars = layout(EVENTS).bars
    for one in bars:
        for other in bars:
            if one is not other and one.row == other.row:
                assert one.left + one.width <= other.left or other.left + other.width <= one.left


def test_the_format_of_a_picture_is_the_name_s_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with profile.profile() as p:
        profile.note(Kind.KERNEL, "k", 0, 10)
    p.plot(tmp_path / "out.svg")
    ElementTree.parse(tmp_path / "out.svg")
    with pytest.raises(HetcError, match=r"no picture of the format '.gif'(.|\n)*\.svg, \.png, \.pdf"):
        p.plot(tmp_path / "out.gif")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(HetcError, match=r"needs Matplotlib(.|\n)*pip install 'hetc\[plot\]'"):
        p.plot(str(tmp_path / "out.png"))


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_matplotlib_draws(tmp_path: Path, ending: str, magic: bytes) -> None:
    for events in (EVENTS, []):
        p = profile.Profile(events=events)
        p.plot(tmp_path / f"out.{ending}")
        assert (tmp_path / f"out.{ending}").read_bytes().startswith(magic)


def test_events_know_what_they_happen_for() -> None:
    def other() -> None:
        with profile.span(Kind.PYTHON, "elsewhere"):
            pass

    with profile.profile() as outer:
        with profile.calling("f", PLACE):
            with profile.profile() as inner:
                profile.note_instant(Kind.RETRY, "the heap was full")
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        taken = [*profile.iterating(range(3), Kind.PYTHON, "iterations", profile.Origin("loop", None), count=3)]
    assert taken == [0, 1, 2]
    seen = [(e.kind, e.function, e.place, e.count) for e in outer.events]
    assert seen == [
        (Kind.RETRY, "f", PLACE, 0),
        (Kind.PYTHON, "", None, 0),
        (Kind.CALL, "f", PLACE, 0),
        (Kind.PYTHON, "loop", None, 3),
    ]
    assert [e.kind for e in inner.events] == [Kind.RETRY]
    assert len({e.lane for e in outer.events}) == 2


def test_a_profile_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "MOST_EVENTS", 2)
    with profile.profile() as p:
        for _ in range(5):
            profile.note_instant(Kind.RETRY, "again")
    assert (len(p.events), p.events_left_out) == (2, 3)
    assert "3 later events" in p.summary()


def test_nothing_is_made_without_a_profile() -> None:
    assert profile.span(Kind.PYTHON, "a") is profile.span(Kind.CALL, "b")
