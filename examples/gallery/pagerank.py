"""PageRank: of the characters of Les Misérables, who meet in chapters of the novel: a graph that networkx ships.

Source: Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", WWW 1998, section 2.1. The graph:
Knuth, "The Stanford GraphBase", 1993.
"""

from __future__ import annotations

import numpy as np

import hetc

DAMPING = 0.85


@hetc.jit
def pagerank(first, links, weight, given, rank, rounds):
    """Improve the ranks, in place: each node gets a share of those that link to it."""
    for _ in range(rounds):
        for i in hetc.forall(len(rank)):
            given[i, 0] = rank[i] / given[i, 1]
        for i in hetc.forall(len(rank)):
            total = 0.0
            for k in range(first[i], first[i + 1]):
                total += weight[k] * given[links[k], 0]
            rank[i] = (1.0 - DAMPING) / len(rank) + DAMPING * total


def compute(size):
    names, matrix = novel(size)
    links, weight = matrix.nonzero()[1], matrix[matrix.nonzero()]
    first = np.append(0, np.cumsum((matrix > 0).sum(1)))
    given = np.stack([np.zeros(len(names)), matrix.sum(0)], axis=1)
    rank = np.full(len(names), 1.0 / len(names))
    pagerank(first, links, weight, given, rank, 50)
    return names, rank


def novel(size):
    """Names of the first characters, and how often each meets each."""
    import networkx

    graph = networkx.les_miserables_graph()
    names = list(graph)[:size]
    return names, networkx.to_numpy_array(graph, names)


def plain(size):
    """The same by NumPy, with the matrix as it is."""
    names, matrix = novel(size)
    rank = np.full(len(names), 1.0 / len(names))
    for _ in range(50):
        rank = (1.0 - DAMPING) / len(names) + DAMPING * matrix @ (rank / matrix.sum(0))
    return names, rank


def picture(figure, result):
    names, rank = result
    best = np.argsort(rank)[-12:]
    figure.add_subplot().barh([names[k] for k in best], rank[best], color="indianred")
    figure.tight_layout()
