"""A drawing of a composition of skeletons: a box a stage, which shows how data flows through it, from left to right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from hetc.explanation.lines import line_key
from hetc.frontends.skeleton.composition import (
    Enumerate,
    Filter,
    ForAll,
    Gather,
    Iterate,
    Map,
    Partition,
    Reduce,
    Scan,
    Scatter,
    Sort,
    Stage,
    Stages,
    Stencil,
    Zip,
    functions,
    stage_text,
)
from hetc.markup import Markup, element, raw

_HEIGHT, _TOP, _GAP, _GLYPH = 108, 18, 34, 56
_ROWS = (0.2, 0.5, 0.8)
"""Where the elements that are drawn stand, as parts of a box's height."""

Segment = tuple[float, float, float, float]
"""A stroke from a point to another; x and y are parts of a box's width and height."""

_STYLE = raw(
    ".hetc-drawing{font:12px sans-serif}.hetc-drawing text{fill:currentColor}"
    ".hetc-drawing line{stroke:currentColor;stroke-width:1.3}"
    ".hetc-drawing rect{fill:#8fa7b8;fill-opacity:.15;stroke:currentColor}"
)
"""The colour of text is that of what the drawing stands in, be it light or dark."""


def drawing(stages: Stages) -> Markup:
    """The stages in order, between the inputs and the result."""
    captions = [stage_text(stage) for stage in stages]
    widths = [max(_GLYPH + 20, 12 + 7 * len(caption)) for caption in captions]
    parts = [element("style", _STYLE), element("text", "inputs", x=2, y=_TOP + _GLYPH / 2 + 4)]
    x = 48.0
    for stage, caption, width in zip(stages, captions, widths, strict=True):
        parts += [_arrow(x - 6, x + _GAP - 8), *_box(stage, caption, x + _GAP - 6, width)]
        x += _GAP + width
    parts += [_arrow(x - 4, x + _GAP - 10), element("text", "result", x=x + _GAP - 6, y=_TOP + _GLYPH / 2 + 4)]
    width = x + _GAP + 40
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {_HEIGHT}",
        width=f"{width:g}",
        style="max-width: 100%",
        class_="hetc-drawing",
        role="img",
    )


def _box(stage: Stage, caption: str, x: float, width: float) -> Iterator[Markup]:
    yield element("rect", x=x, y=_TOP, width=width, height=_GLYPH, rx=5)
    left = x + (width - _GLYPH) / 2
    for x1, y1, x2, y2 in _GLYPHS[type(stage)]():
        ends = {"x1": left + x1 * _GLYPH, "y1": _TOP + y1 * _GLYPH, "x2": left + x2 * _GLYPH, "y2": _TOP + y2 * _GLYPH}
        yield element("line", **{name: round(value, 1) for name, value in ends.items()})
    middle = x + width / 2
    yield element("text", caption, x=middle, y=_TOP + _GLYPH + 16, text_anchor="middle")
    for function in functions((stage,)):
        code = getattr(function, "__code__", None)
        if code is not None:
            place = line_key(code.co_filename, code.co_firstlineno)
            yield element("text", place, x=middle, y=_TOP + _GLYPH + 31, text_anchor="middle", opacity=0.6)


def _arrow(left: float, right: float) -> Markup:
    y = _TOP + _GLYPH / 2
    strokes = [(left, y, right, y), (right - 5, y - 4, right, y), (right - 5, y + 4, right, y)]
    return element("g", *[element("line", x1=x1, y1=y1, x2=x2, y2=y2) for x1, y1, x2, y2 in strokes])


def _each() -> Iterator[Segment]:
    """Each element by itself."""
    yield from ((0.15, y, 0.85, y) for y in _ROWS)


def _tree() -> Iterator[Segment]:
    """All elements become one."""
    yield from ((0.15, y, 0.85, 0.5) for y in _ROWS)


def _prefixes() -> Iterator[Segment]:
    """Each element goes into those after it."""
    yield from _each()
    yield from ((0.3, above, 0.7, below) for above, below in pairwise(_ROWS))


def _some() -> Iterator[Segment]:
    """Some elements go no further."""
    yield from ((0.15, y, 0.85 if y != _ROWS[1] else 0.5, y) for y in _ROWS)
    yield (0.5, 0.42, 0.5, 0.58)


def _crossing() -> Iterator[Segment]:
    """Elements go to other places."""
    yield from ((0.15, left, 0.85, right) for left, right in zip(_ROWS, reversed(_ROWS), strict=True))


def _pairs() -> Iterator[Segment]:
    """Several inputs become elements of one."""
    yield from ((0.15, y, 0.5, 0.5) for y in (_ROWS[0], _ROWS[-1]))
    yield (0.5, 0.5, 0.85, 0.5)


def _neighbours() -> Iterator[Segment]:
    """Each element goes into those around it."""
    yield from _prefixes()
    yield from ((0.3, below, 0.7, above) for above, below in pairwise(_ROWS))


def _rounds() -> Iterator[Segment]:
    """What comes out goes in again."""
    yield (0.15, 0.5, 0.85, 0.5)
    yield (0.7, 0.5, 0.7, 0.2)
    yield (0.7, 0.2, 0.3, 0.2)
    yield (0.3, 0.2, 0.3, 0.5)


_GLYPHS: Mapping[type[Stage], Callable[[], Iterator[Segment]]] = {
    Map: _each,
    ForAll: _each,
    Reduce: _tree,
    Scan: _prefixes,
    Filter: _some,
    Zip: _pairs,
    Stencil: _neighbours,
    Iterate: _rounds,
    Enumerate: _each,
    Gather: _crossing,
    Scatter: _crossing,
    Partition: _crossing,
    Sort: _crossing,
}
