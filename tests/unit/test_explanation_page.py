"""The page of `explain`: what stands in it, that it needs nothing else, and that a program cannot write markup."""

from __future__ import annotations

import re
import runpy
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Error, sync_playwright

import hetc
from hetc.explanation.page import Section, page
from hetc.explanation.views import LEVELS, OPENCL, PLAN
from hetc.runtime import devices
from hetc.tools import cli
from hetc.tools.python_input import array_function_named, run_file

pytestmark = pytest.mark.skipif(not devices.list_devices(), reason="there is no OpenCL device")

EVIL = """
import hetc
def f(x):
    if x > 1000:  # </script><script>alert(1)</script>
        raise ValueError("<img src=x onerror=alert(2)>")
    return x * 2 + 1
evil = hetc.map(f).map(lambda y: y - 1)
"""


class Parsed(HTMLParser):
    """The elements of a page, each with its attributes and the text in it; fails for what is not closed."""

    VOID = ("meta", "input", "br", "line", "rect")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[dict[str, Any]] = []
        self.elements: list[dict[str, Any]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append({"tag": tag, "text": "", **dict(attributes)})
        if tag not in self.VOID:
            self.open.append(self.elements[-1])

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append({"tag": tag, "text": "", **dict(attributes)})

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop()["tag"] == tag

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element["text"] += data

    def of(self, tag: str, **attributes: str) -> list[dict[str, Any]]:
        """The elements of a tag whose attributes have these values."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [e for e in self.elements if e["tag"] == tag and wanted.items() <= e.items()]


def function_in(folder: Path, source: str, name: str) -> hetc.ArrayFunction:
    path = folder / "<b>&.py"
    path.write_text(source)
    return array_function_named(run_file(path.read_bytes(), str(path)), name)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page about a program that would like to be markup, with the timeline of a run."""
    folder = tmp_path_factory.mktemp("page")
    evil = function_in(folder, EVIL, "evil")
    with hetc.configure(offload="always"), hetc.profile() as p:
        evil(np.arange(50.0))
    evil.explain(np.arange(50.0)).save(folder / "page.html", p)
    return folder / "page.html"


def test_all_levels_are_side_by_side_and_lines_know_where_they_come_from(saved: Path) -> None:
    parsed = Parsed(saved.read_text())
    assert [e["text"] for e in parsed.of("h3")] == ["source", *LEVELS, OPENCL, PLAN]
    panes = [e for e in parsed.of("div") if e.get("class", "").partition(" ")[0] == "pane"]
    assert [e["data-pane"] for e in parsed.of("input")] == [pane["id"] for pane in panes]
    for text in ("return x * 2 + 1", "dyn.binary", "arith.addf", "offload.launch", "__global double", "Launch("):
        assert any(text in e["text"] for e in parsed.of("div", class_="line")), text
    places = re.findall(r'data-at="([^"]*)"', saved.read_text())
    assert places.count("&lt;b&gt;&amp;.py:6") >= len(panes) - 1  # in each but the plan
    kernel = [e for e in parsed.of("div", class_="line") if "result[" in e["text"]]
    assert kernel
    assert all(e["data-at"].startswith("<b>&.py:") for e in kernel)


def test_nothing_of_a_program_is_markup_and_nothing_is_loaded(saved: Path) -> None:
    text = saved.read_text()
    parsed = Parsed(text)
    assert {e["tag"] for e in parsed.elements}.isdisjoint({"img", "link", "iframe", "b", "a"})
    (script,) = parsed.of("script")
    assert "alert" not in script["text"]
    assert any("</script><script>alert(1)</script>" in e["text"] for e in parsed.of("div", class_="line"))
    (policy,) = [e["content"] for e in parsed.of("meta") if e.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe-inline" not in policy.partition("script-src")[2]
    assert not re.search(r'(?:src|href|url)\s*[=(]\s*["\']?(?:https?:)?//', text)


def test_the_timelines_of_compiling_and_of_a_run_are_there(saved: Path) -> None:
    parsed = Parsed(saved.read_text())
    assert [e["text"] for e in parsed.of("h2")] == ["Compiling it", "Timeline"]
    assert len(parsed.of("svg")) == 2
    assert parsed.of("rect", data_kind="kernel")
    # Passes that take little time are one row; which these are hangs on the machine.
    assert {"specialize", "other passes"} <= {e["text"] for e in parsed.of("td")}


def test_what_is_not_compiled_has_its_reason_and_its_source(tmp_path: Path) -> None:
    refused = function_in(tmp_path, "import hetc\nf = hetc.map(lambda x: {x: '<b>'})\n", "f")
    refused.explain([1]).save(tmp_path / "p.html")
    parsed = Parsed((tmp_path / "p.html").read_text())
    assert [e["text"] for e in parsed.of("h3")] == ["source"]
    assert any("HETC0001" in e["text"] and "^^^" in e["text"] for e in parsed.of("pre"))
    Parsed(page([]))
    Parsed(page([Section("<x>", (), ())], []))


def test_notebooks_show_the_table_and_the_page_in_a_frame_of_its_own(tmp_path: Path) -> None:
    text = function_in(tmp_path, EVIL, "evil").explain([1.5])._repr_html_()
    parsed = Parsed(text)
    assert not parsed.of("script")
    (frame,) = parsed.of("iframe", sandbox="allow-scripts")
    assert Parsed(frame["srcdoc"]).of("h3")
    assert any("return x * 2 + 1" in e["text"] for e in parsed.of("td"))


@hetc.jit
def halved(x: Any) -> None:
    for i in hetc.forall(len(x)):
        x[i] = 0.5 * x[i]


def test_loops_have_a_page_too(tmp_path: Path) -> None:
    explanations = halved.explain(np.ones(5))
    explanations.save(tmp_path / "loops.html")
    parsed = Parsed((tmp_path / "loops.html").read_text())
    loop, copies = [e["text"] for e in parsed.of("h1")]
    assert "halved, the loop in line" in loop
    assert copies.startswith("transfers")
    assert len(parsed.of("h3")) == 2 + len(LEVELS) + 1
    assert Parsed(explanations._repr_html_()).of("iframe")


def test_fusion_and_moves_are_facts() -> None:
    facts = list(hetc.map(lambda x: x + 1).map(lambda x: x * 2).reduce(lambda a, b: a + b, 0).explain([1]).facts())
    assert any(f.startswith("skeletons: map, map, reduce, fused into reduce; kernels: ") for f in facts)
    assert not any(f.startswith("skeletons") for f in hetc.map(abs).explain([1]).facts())
    facts = list(hetc.map(lambda x, y, z: x + z).explain(np.ones(3), np.ones(3), range(3)).facts())
    assert "not read: input 1" in facts
    (moves,) = [fact for fact in facts if fact.startswith("moves: ")]
    assert "input 0" in moves
    assert "input 2" not in moves


def test_the_command_writes_a_page(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    arguments = ["--args", "f32[?], f32[?]", "-o", str(tmp_path / "p.html")]
    cli.main(["explain", "examples/saxpy.py:saxpy", *arguments])
    assert capsys.readouterr().out == f"wrote {tmp_path / 'p.html'}\n"
    assert Parsed((tmp_path / "p.html").read_text()).of("title")[0]["text"] == "saxpy = hetc.map(<lambda>)"


# --- Notebooks -------------------------------------------------------------------------------------------------------


def test_a_composition_is_drawn() -> None:
    af = hetc.zip().map(lambda p: p[0]).filter(lambda x: x > 0).scan(max).reduce(lambda a, b: a + b, 0)
    parsed = Parsed(af._repr_html_())
    texts = [e["text"] for e in parsed.of("text")]
    place = f"test_explanation_page.py:{sys._getframe().f_lineno - 3}"
    assert texts == [
        "inputs", "zip()", "map(<lambda>)", place, "filter(<lambda>)", place, "scan(max)", "reduce(<lambda>, 0)", place,
        "result",
    ]  # fmt: skip
    assert len(parsed.of("rect")) == 5


def test_arrays_are_shown_where_they_are() -> None:
    for array, shown in (
        (hetc.array(np.arange(6.0).reshape(2, 3)), "hetc.array: 2 x 3, on host"),
        (hetc.seq(0, 2, 5), "hetc.array: 5, computed"),
        (hetc.array([(1, 2.0)]), "hetc.array: 1, on host"),
    ):
        parsed = Parsed(array._repr_html_())
        assert parsed.of("b")[0]["text"] == shown
        assert parsed.of("pre")[0]["text"].startswith("hetc.array([")


# --- In a browser ----------------------------------------------------------------------------------------------------

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium: the system's, or Playwright's own."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        except Error:
            pytest.skip("there is no Chromium: apt install chromium, or playwright install chromium")
        yield found
        found.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_click_on_a_line_shows_it_in_every_pane(saved: Path, browser: Any, scheme: str) -> None:
    shown = browser.new_page(color_scheme=scheme)
    told: list[str] = []
    for event in ("pageerror", "console", "dialog"):
        shown.on(event, lambda what: told.append(str(what)))
    shown.on("request", lambda request: told.append(request.url) if request.url != saved.as_uri() else None)
    shown.goto(saved.as_uri())
    assert shown.locator(".pane:visible").count() == 3
    shown.get_by_label("level 0: dynamic").check()
    assert shown.locator(".pane:visible").count() == 4
    shown.locator(".source .line", has_text="return x * 2 + 1").click()
    for pane in shown.locator(".pane:visible").all():
        lines = pane.locator(".chosen")
        assert lines.count() > 0
        assert set(lines.evaluate_all("lines => lines.map(line => line.dataset.at)")) == {"<b>&.py:6"}
        box, first = pane.locator(".lines").bounding_box(), lines.first.bounding_box()
        assert box["y"] <= first["y"] <= box["y"] + box["height"]
    colours = shown.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours]
    assert (brightness[0] > brightness[1]) == (scheme == "light")
    # From the other side, and by the keyboard.
    line = shown.locator(".pane:visible .line[data-at='<b>&.py:7']").last
    line.focus()
    shown.keyboard.press("Enter")
    assert "evil = hetc.map(f)" not in shown.locator(".source .chosen").inner_text()
    assert "y - 1" in shown.locator(".source .chosen").inner_text()
    # The address names the line.
    again = browser.new_page()
    again.goto(shown.url)
    assert "y - 1" in again.locator(".source .chosen").inner_text()
    assert told == []
    shown.close()
    again.close()


def test_the_page_works_in_a_notebook_s_frame(tmp_path: Path, browser: Any) -> None:
    explained = function_in(tmp_path, EVIL, "evil").explain([1.5])
    (tmp_path / "notebook.html").write_text(f"<!doctype html><body>{explained._repr_html_()}")
    shown = browser.new_page()
    told: list[str] = []
    shown.on("pageerror", lambda error: told.append(str(error)))
    shown.on("dialog", lambda dialog: told.append(dialog.message))
    shown.goto((tmp_path / "notebook.html").as_uri())
    shown.locator("summary").click()
    frame = shown.frame_locator("iframe")
    frame.locator(".source .line", has_text="return x * 2 + 1").click()
    assert frame.locator(".pane:visible .chosen").count() > 2
    assert told == []
    shown.close()


def test_the_pictures_of_the_documents_are_taken(
    repository: Path, tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `docs/screenshots.py` does; those in the documents have the same size, and are of the same pages."""
    monkeypatch.chdir(repository)
    module = runpy.run_path(str(repository / "docs/screenshots.py"), run_name="screenshots")
    module["take"](browser, tmp_path)
    for name in ("explain", "profile"):
        taken, kept = (picture_size(folder / f"{name}.png") for folder in (tmp_path, repository / "docs/pictures"))
        assert taken[0] == kept[0]
        assert abs(taken[1] - kept[1]) <= 0.25 * kept[1]  # a profile has a row for each kind of event
        assert f"pictures/{name}.png" in (repository / f"docs/{name}.md").read_text()


def picture_size(path: Path) -> tuple[int, int]:
    """The width and height that a PNG file begins with."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
