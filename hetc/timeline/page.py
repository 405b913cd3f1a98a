"""A timeline for notebooks and pages: the picture, and the table under it."""

from __future__ import annotations

from collections.abc import Sequence

from hetc.markup import Markup, element
from hetc.timeline.events import Event
from hetc.timeline.picture import svg
from hetc.timeline.summary import facts, table


def timeline(events: Sequence[Event]) -> Markup:
    """The facts, the picture and the table."""
    sentences = [element("p", fact) for fact in facts(events)]
    if not events:
        return element("div", *sentences)
    head, *rows = table(events)
    cells = [element("tr", *[element("td", cell) for cell in row]) for row in rows]
    heads = element("tr", *[element("th", name) for name in head])
    return element("div", *sentences, svg(events), element("table", heads, *cells))
