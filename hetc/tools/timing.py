"""A tree of times: what a tool spent, and on what, as `--time-passes` prints it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Timing:
    """Some work and the seconds that it took, its parts included; `parts` are in the order in which they began."""

    name: str
    seconds: float = 0.0
    parts: list[Timing] = field(default_factory=list["Timing"])

    def part(self, name: str) -> Timing:
        """A new part."""
        self.parts.append(Timing(name))
        return self.parts[-1]

    def last_part(self, name: str) -> Timing:
        """The last part if it has this name, a new one otherwise."""
        return self.parts[-1] if self.parts and self.parts[-1].name == name else self.part(name)

    @contextmanager
    def measure(self) -> Generator[Timing]:
        """Add the time of the block."""
        start = time.perf_counter()
        try:
            yield self
        finally:
            self.seconds += time.perf_counter() - start


def report(root: Timing) -> str:
    """The tree as text: milliseconds, the share of the whole, and names indented by depth.

    What the parts of a node do not account for is its `rest`, named if it is at least a hundredth of the whole.

    >>> print(report(Timing("hetc-opt", 0.04, [Timing("parse", 0.01), Timing("passes", 0.03, [Timing("cse", 0.03)])])))
          ms  share
        40.0   100%  hetc-opt
        10.0    25%    parse
        30.0    75%    passes
        30.0    75%      cse
    """
    return "\n".join(["      ms  share", *_lines(root, root.seconds or 1e-9, 0)])


def _lines(node: Timing, whole: float, depth: int) -> Iterator[str]:
    yield f"{node.seconds * 1e3:8.1f}  {node.seconds / whole:5.0%}  {'  ' * depth}{node.name}"
    for part in node.parts:
        yield from _lines(part, whole, depth + 1)
    rest = node.seconds - sum(part.seconds for part in node.parts)
    if node.parts and rest >= whole / 100:
        yield from _lines(Timing("rest", rest), whole, depth + 1)
