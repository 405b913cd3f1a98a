"""PageRank with objects: how often a reader who follows links at random comes to each page.

`Page` and `Link` are classes. Two loops a round assign attributes of the pages; each link is an object that names the
page it comes from, and a page knows which links lead to it.

Source: Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", WWW 1998, section 2.1.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import hetc

DAMPING = 0.85
"""How likely the reader follows a link, rather than going to any page."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link, from the page of that number."""

    source: int


class Page:
    """A page, with the range of the links that lead to it, and how many lead away."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.first = self.last = self.links = 0
        self.rank = self.next = 0.0

    @property
    def given(self) -> float:
        """What it passes on to each page that it links to."""
        return self.rank / self.links if self.links else 0.0

    def settle(self, count: int) -> float:
        """Take the rank that has been found for it; how much that changes."""
        before = self.rank
        self.rank = (1.0 - DAMPING) / count + DAMPING * self.next
        return abs(self.rank - before)


def random_web(count: int, seed: int = 0) -> tuple[list[Page], list[Link]]:
    """Some pages, each with links from a few others."""
    draw = random.Random(seed)
    pages, links = [Page(f"page {k}") for k in range(count)], list[Link]()
    for page in pages:
        page.rank, page.first = 1.0 / count, len(links)
        links += [Link(min(draw.randrange(count), draw.randrange(count))) for _ in range(draw.randrange(6))]
        page.last = len(links)
    for link in links:
        pages[link.source].links += 1
    return pages, links


@hetc.jit
def pagerank(pages: Sequence[Page], links: Sequence[Link], rounds: int) -> float:
    """Improve the ranks of the pages; how much the last round has changed the one that changed most."""
    change = 0.0
    for _ in range(rounds):
        for i in hetc.forall(len(pages)):
            total = 0.0
            for k in range(pages[i].first, pages[i].last):
                total += pages[links[k].source].given
            pages[i].next = total
        change = 0.0
        for i in hetc.forall(len(pages)):
            change = max(change, pages[i].settle(len(pages)))
    return change


def main() -> None:
    """Print the pages that most readers come to."""
    pages, links = random_web(2000)
    change = pagerank(pages, links, 20)
    for page in sorted(pages, key=lambda page: -page.rank)[:5]:
        print(f"{page.name:10} {page.rank:.6f}")
    print(f"the last round changed {change:.1e}")


if __name__ == "__main__":
    main()
