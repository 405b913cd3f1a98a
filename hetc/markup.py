"""HTML and SVG as nested calls, in which text is escaped and cannot be taken for markup.

Only `element` and `raw` make `Markup`; whatever else is put into an element is text of the user's, and is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

_VOID = frozenset({"br", "input", "line", "meta", "rect"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *children: str | None, **attributes: str | float | bool | None) -> Markup:
    """An element with its children, of which strings are escaped, and its attributes.

    In the names of attributes, `_` at the end is dropped, and `_` elsewhere stands for `-`; what is None or False is
    left out, and True stands for an attribute without a value.

    >>> element("td", "a < b", element("b", "!"), class_="source", colspan=2)
    '<td class="source" colspan="2">a &lt; b<b>!</b></td>'
    """
    shown = "".join(_attribute(name, value) for name, value in attributes.items())
    inside = join(child for child in children if child is not None)
    return Markup(f"<{tag}{shown}/>" if tag in _VOID and not inside else f"<{tag}{shown}>{inside}</{tag}>")


def join(parts: Iterable[str], between: str = "") -> Markup:
    """Text and markup, one after the other.

    >>> join(["a < b", element("br"), "c"])
    'a &lt; b<br/>c'
    """
    return Markup(escape(between).join(map(escape, parts)))


def escape(text: str) -> Markup:
    """Text as markup that shows it; markup stays as it is."""
    return text if isinstance(text, Markup) else Markup(html.escape(text))


def raw(text: str) -> Markup:
    """Text of hetc's own that is markup: a style or a script, never anything of the user's."""
    return Markup(text)


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    spelled = name.removesuffix("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{html.escape(str(value))}"'
