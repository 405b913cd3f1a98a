"""A timeline as a picture: SVG, drawn here, or what Matplotlib draws."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hetc.diagnostics import Category
from hetc.errors import HetcError
from hetc.markup import Markup, element, join, raw
from hetc.timeline.events import Event
from hetc.timeline.layout import COLOURS, Bar, Layout, layout, ticks
from hetc.timeline.units import spelled

INSTALL_COMMAND = "pip install 'hetc[plot]'"

_WITH_MATPLOTLIB = (".png", ".pdf")
_WIDTH, _LABELS, _ROW, _AXIS = 960, 190, 18, 22
_STYLE = raw(
    ".hetc-timeline{font:11px sans-serif}"
    ".hetc-timeline text{fill:currentColor}.hetc-timeline line{stroke:currentColor;opacity:.15}"
)
"""The colour of text is that of what the picture stands in."""
_ALONE = raw(
    ".hetc-timeline{color:#1f2328;background:#fff}"
    "@media(prefers-color-scheme:dark){.hetc-timeline{color:#e6edf3;background:#16191d}}"
)
"""The colours of a file by itself."""


def write(events: Sequence[Event], filename: Path) -> None:
    """Write a picture in the format that the name ends with.

    Raises HetcError for a format that there is none of, or where Matplotlib is needed and not installed.
    """
    if filename.suffix == ".svg":
        filename.write_text(svg(events, alone=True), encoding="utf-8")
    elif filename.suffix in _WITH_MATPLOTLIB:
        _with_matplotlib(layout(events)).savefig(filename, dpi=150)
    else:
        endings = ", ".join((".svg", *_WITH_MATPLOTLIB))
        raise HetcError(
            f"there is no picture of the format '{filename.suffix}'",
            hint=f"end the name in {endings}",
            category=Category.USAGE,
        )


def svg(events: Sequence[Event], *, alone: bool = False) -> Markup:
    """The picture as an SVG element; what a bar stands for is shown where the pointer rests.

    It is part of a page, or `alone` in a file.
    """
    drawn = layout(events)
    height = _AXIS + _ROW * len(drawn.rows) + _ROW + 4
    scale = (_WIDTH - _LABELS - 10) / drawn.seconds
    parts = [element("style", join([_STYLE, *([_ALONE] if alone else [])])), *_axis(drawn, scale, height)]
    for number, name in enumerate(drawn.rows):
        shown = name if len(name) <= 32 else f"{name[:18]}...{name[-11:]}"
        y = _AXIS + number * _ROW + 12
        parts.append(element("text", shown, element("title", name), x=4, y=y) if name else element("g"))
    parts += [_bar(bar, scale) for bar in drawn.bars]
    parts.append(_legend(drawn, height))
    box = f"0 0 {_WIDTH} {height}"
    return element(
        "svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox=box, width="100%", class_="hetc-timeline", role="img"
    )


def _axis(drawn: Layout, scale: float, height: int) -> list[Markup]:
    parts: list[Markup] = []
    for tick in ticks(drawn.seconds):
        x = round(_LABELS + tick * scale, 2)
        parts.append(element("line", x1=x, x2=x, y1=_AXIS - 4, y2=height - _ROW, stroke_width=1))
        parts.append(element("text", spelled(tick) if tick else "0", x=x, y=12, text_anchor="middle"))
    return parts


def _bar(bar: Bar, scale: float) -> Markup:
    # An instant, and what is shorter than a point, is still seen.
    width = max(1.5, bar.width * scale)
    return element(
        "rect",
        element("title", bar.title),
        x=round(_LABELS + bar.left * scale, 2),
        y=_AXIS + bar.row * _ROW + 2,
        width=round(width, 2),
        height=_ROW - 4,
        fill=COLOURS[bar.event.kind],
        data_kind=bar.event.kind,
    )


def _legend(drawn: Layout, height: int) -> Markup:
    parts: list[Markup] = []
    x = 4.0
    for kind in drawn.kinds:
        parts.append(element("rect", x=x, y=height - 13, width=9, height=9, fill=COLOURS[kind]))
        parts.append(element("text", kind, x=x + 12, y=height - 5))
        x += 30 + 6 * len(kind)
    if drawn.left_out:
        parts.append(element("text", f"{drawn.left_out} shorter events are left out", x=x, y=height - 5))
    return join(parts)


def _with_matplotlib(drawn: Layout) -> Any:
    """The picture as Matplotlib's figure. Raises HetcError without Matplotlib."""
    try:
        figures: Any = import_module("matplotlib.figure")
        patches: Any = import_module("matplotlib.patches")
    except ImportError:
        raise HetcError(
            "a picture of this format needs Matplotlib",
            hint=f"{INSTALL_COMMAND}, or write .svg",
            category=Category.USAGE,
        ) from None
    figure = figures.Figure(figsize=(11, 1.2 + 0.3 * len(drawn.rows)), layout="constrained")
    axes = figure.add_subplot()
    for bar in drawn.bars:
        # An instant is still seen.
        spans = [(1e3 * bar.left, 1e3 * max(bar.width, drawn.seconds / 500))]
        axes.broken_barh(spans, (bar.row + 0.1, 0.8), facecolors=COLOURS[bar.event.kind])
    axes.set_yticks([row + 0.5 for row in range(len(drawn.rows))], drawn.rows)
    axes.set_ylim(max(1, len(drawn.rows)), 0)
    axes.set_xlabel("milliseconds")
    handles = [patches.Patch(color=COLOURS[kind], label=str(kind)) for kind in drawn.kinds]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=min(7, len(handles)), frameon=False)
    return figure
