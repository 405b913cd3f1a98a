"""Progress bars: where somebody watches, by the setting, and never in pipes."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

import hetc
from hetc import progress

pytest.importorskip("tqdm")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, delay: float = 0.0) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY", delay)
    with progress.progress("counting", 2, "B", scaled=True) as advance:
        advance(1, "1 of 2")
        advance(1, "2 of 2")
    return stream.getvalue()


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    text = shown(monkeypatch, Terminal())
    assert "counting" in text
    assert text.rstrip(" ").endswith("\r")  # it is gone at the end


def test_nothing_in_pipes_and_nothing_soon(monkeypatch: pytest.MonkeyPatch):
    assert shown(monkeypatch, io.StringIO()) == ""
    assert shown(monkeypatch, Terminal(), delay=60.0).strip() == ""


@pytest.mark.parametrize("wanted", [True, False])
def test_by_the_setting(monkeypatch: pytest.MonkeyPatch, wanted: bool):
    with hetc.configure(progress=wanted):
        assert ("counting" in shown(monkeypatch, io.StringIO())) == wanted
        assert ("counting" in shown(monkeypatch, Terminal())) == wanted


def test_in_a_notebook_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    for shell, expected in ((SimpleNamespace(kernel=1), True), (SimpleNamespace(), False), (None, False)):
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda shell=shell: shell))
        assert progress.is_watched() == expected


def test_without_tqdm(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress.importlib.util, "find_spec", lambda name: None)
    assert shown(monkeypatch, Terminal()) == ""


def test_a_wrong_setting():
    with pytest.raises(ValueError, match="progress is one of True, False"):
        hetc.configure(progress="yes")  # type: ignore[arg-type]
