"""The copies of arrays around the loops of a function, for the reader: which are made, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hetc.abi import Transfer
from hetc.explanation.text import wrapped

_COPIES = {
    ("in", "kept"): "copied to the device",
    ("in", "first"): "copied to the device where it is not there",
    ("in", "removed"): "not copied to the device",
    ("out", "kept"): "copied back",
    ("out", "delayed"): "not copied back yet",
    ("out", "removed"): "not copied back",
    ("device", "dropped"): "dropped on the device",
}


TITLE = "transfers between the loops"


def transfer_lines(transfers: Sequence[Transfer]) -> Iterator[str]:
    """The decisions as text, under their title."""
    yield TITLE
    for decision in decisions(transfers):
        yield from wrapped(decision, 2)


def decisions(transfers: Sequence[Transfer]) -> Iterator[str]:
    """A sentence for each decision, in the order of the source."""
    for each in transfers:
        copy = _COPIES[each.way, each.decision]
        yield f"line {each.line}, {each.place}: {each.array} {copy}: {each.why}"
