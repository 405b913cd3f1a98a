"""Explanations as one page of HTML that needs no network: source, levels side by side, OpenCL C, plan and timeline.

Style and script are files of their own. They hold nothing of the program's, and the page allows no other script.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import NamedTuple

from hetc.explanation.lines import Line, View, line_key
from hetc.explanation.text import shown_file
from hetc.markup import Markup, element, join, raw
from hetc.timeline.events import Event
from hetc.timeline.page import timeline

SHOWN_FIRST = ("source", "level 1: typed", "OpenCL C")
"""The panes that are open when the page is."""


class Section(NamedTuple):
    """What a page says of one call or loop; `events` are those of compiling it."""

    title: str
    facts: tuple[str, ...]
    lines: tuple[Line, ...]
    views: tuple[View, ...] = ()
    events: tuple[Event, ...] = ()


def page(sections: Sequence[Section], events: Sequence[Event] | None = None) -> str:
    """The page. `events` are those of running it, if there are any to be shown."""
    style, script = (files("hetc.explanation").joinpath(name).read_text() for name in ("page.css", "page.js"))
    title = sections[0].title if sections else "hetc"
    body = [part for number, section in enumerate(sections) for part in _section(section, number)]
    if events is not None:
        body += [element("h2", "Timeline"), timeline(events)]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", raw(style)),
    )
    content = element("body", *body, element("script", raw(script)))
    return f"<!doctype html>\n{element('html', head, content, lang='en')}\n"


def _policy(script: str) -> str:
    """Nothing is loaded from anywhere, and of scripts only this one runs."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def facts_list(facts: Sequence[str]) -> Markup:
    """Sentences as a list; those of several lines, as errors with their carets, keep them."""
    items = [element("li", element("pre", fact) if "\n" in fact else fact) for fact in facts]
    return element("ul", *items, class_="facts")


def _section(section: Section, number: int) -> Iterator[Markup]:
    yield element("h1", section.title)
    yield facts_list(section.facts)
    panes = [("source", "source", list(_source(section.lines)))] if section.lines else []
    panes += [(view.name, "", [_line(line.text, line.at) for line in view.lines]) for view in section.views]
    if not panes:
        return
    ids = [f"pane-{number}-{place}" for place in range(len(panes))]
    choices = [
        element(
            "label",
            element("input", type="checkbox", data_pane=pane, checked=name in SHOWN_FIRST),
            f" {name}",
        )
        for pane, (name, _, _) in zip(ids, panes, strict=True)
    ]
    yield element("div", *choices, class_="choices")
    shown = [
        element(
            "div",
            element("h3", name),
            element("div", *lines, class_="lines"),
            id=pane,
            class_=f"pane {kind}".rstrip(),
        )
        for pane, (name, kind, lines) in zip(ids, panes, strict=True)
    ]
    yield element("div", *shown, class_="panes")
    if section.events:
        yield element("h2", "Compiling it")
        yield timeline(section.events)


def _source(lines: Sequence[Line]) -> Iterator[Markup]:
    """The functions of some lines, with what is known of each under it."""
    for (function, filename), group in itertools.groupby(lines, lambda line: (line.function, line.filename)):
        yield element("div", f"{function} ({shown_file(filename)})", class_="function")
        for line in group:
            where = element("span", f"{line.where:<6} ", class_=line.where or None)
            known = [", ".join(map(str, line.values)), *map(str, line.guards), *line.notes]
            style = f"margin-left: {2 + len(line.text) - len(line.text.lstrip())}ch"
            notes = [element("div", f"| {note}", class_="note", style=style) for note in known if note]
            text = join([element("span", f"{line.number:>5}  ", class_="number"), where, line.text, *notes])
            yield _line(text, line_key(line.filename, line.number))


def _line(text: str, at: str) -> Markup:
    if not at:
        return element("div", text or " ", class_="line")
    return element("div", text or " ", class_="line", data_at=at, tabindex=0)
