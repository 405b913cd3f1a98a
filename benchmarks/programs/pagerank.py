"""PageRank on a graph in which each page is linked to by 16 others, by pulling ranks over these links."""

from __future__ import annotations

from typing import Any

import numpy as np

import hetc
from benchmarks.native.host import Host
from benchmarks.native.plans import Plan, Step
from benchmarks.native.plans import Program as NativeProgram
from benchmarks.peers import Peers
from benchmarks.programs.program import Array, Program

DEGREE = 16
DAMPING = np.float32(0.85)
ZERO = np.float32(0)


@hetc.jit
def iterate(sources, links, rank, given, rest, rounds):
    """Set `rank` to what it is after some rounds."""
    for _ in range(rounds):
        for i in hetc.forall(len(rank)):
            given[i] = rank[i] / links[i]
        for i in hetc.forall(len(rank)):
            total = ZERO
            for k in range(DEGREE):
                total += given[sources[i, k]]
            rank[i] = rest + DAMPING * total


def sample(size: int) -> tuple[Array, Array, int]:
    """Which pages link to each, how many links each has, and the number of rounds."""
    sources = np.random.default_rng(0).integers(0, size, (size, DEGREE), dtype=np.int32)
    links = np.maximum(np.bincount(sources.ravel(), minlength=size), 1).astype(np.float32)
    return sources, links, 10 if size > 1 << 18 else 5


def start(n: int) -> tuple[Array, np.float32]:
    """The ranks at first, and what a page has without any links."""
    return np.full(n, 1 / n, np.float32), np.float32(0.15 / n)


def function(sources: Array, links: Array, rounds: int) -> Array:
    """The ranks."""
    rank, rest = start(len(links))
    iterate(sources, links, rank, np.empty_like(rank), rest, rounds)
    return rank


def reference(sources: Array, links: Array, rounds: int) -> Array:
    """The same in double precision."""
    n = len(links)
    rank = np.full(n, 1 / n)
    for _ in range(rounds):
        given = rank / links
        rank = 0.15 / n + 0.85 * sum(given[sources[:, k]] for k in range(DEGREE))
    return rank


def plan(_: Host, sources: Array, links: Array, rounds: int) -> Plan:
    n = len(links)
    first, rest = start(n)
    steps = [Step("fill", (n,), ["rank", first[0]])]
    for _round in range(rounds):
        steps.append(Step("give", (n,), ["rank", "links", "given"]))
        steps.append(Step("pull", (n,), ["sources", "given", rest, DAMPING, "rank"]))
    return Plan(
        {"sources": sources, "links": links}, dict.fromkeys(("rank", "given"), ((n,), np.float32)), steps, ["rank"]
    )


def arrays(xp: Any) -> Any:
    def run(sources, links, rounds):
        rank, rest = start(len(links))
        rank = xp.asarray(rank)
        for _ in range(rounds):
            rank = rest + DAMPING * (rank / links)[sources].sum(axis=1)
        return rank

    return run


def numba(nb: Any) -> Any:
    @nb.njit(parallel=True, fastmath=True)
    def rounds_of(sources, links, rank, given, rest, rounds):
        for _ in range(rounds):
            for i in nb.prange(len(rank)):
                given[i] = rank[i] / links[i]
            for i in nb.prange(len(rank)):
                total = ZERO
                for k in range(DEGREE):
                    total += given[sources[i, k]]
                rank[i] = rest + DAMPING * total

    def run(sources, links, rounds):
        rank, rest = start(len(links))
        rounds_of(sources, links, rank, np.empty_like(rank), rest, rounds)
        return rank

    return run


def cuda(cu: Any) -> Any:
    @cu.jit(fastmath=True)
    def give(rank, links, given):
        i = cu.grid(1)
        if i < len(rank):
            given[i] = rank[i] / links[i]

    @cu.jit(fastmath=True)
    def pull(sources, given, rest, rank):
        i = cu.grid(1)
        if i < len(rank):
            total = ZERO
            for k in range(DEGREE):
                total += given[sources[i, k]]
            rank[i] = rest + DAMPING * total

    def run(sources, links, rounds):
        n = len(links)
        first, rest = start(n)
        rank, given = cu.to_device(first), cu.device_array(n, np.float32)
        grid = (n + 255) // 256, 256
        for _ in range(rounds):
            give[grid](rank, links, given)
            pull[grid](sources, given, rest, rank)
        return rank

    return run


PROGRAM = Program(
    "PageRank",
    256 << 10,
    2 << 20,
    function,
    sample,
    reference,
    lambda host: NativeProgram(host, "pagerank", plan),
    Peers(arrays, numba, cuda),
)
