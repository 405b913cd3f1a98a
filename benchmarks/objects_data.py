"""Data of the programs with objects, and what is in their fields; made quickly, for there are millions."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from examples import kmeans_objects, pagerank_objects

CLUSTERS = 64
DEGREE = 16
BODY = ("position.x", "position.y", "position.z", "mass", "velocity.x", "velocity.y", "velocity.z")


def columns(objects: Sequence[Any], *names: str) -> list[NDArray[Any]]:
    """Attributes of objects as arrays; a dot leads into an attribute.

    >>> [column.tolist() for column in columns([1 + 2j, 3.0], "real", "imag")]
    [[1.0, 3.0], [2.0, 0.0]]
    """
    return [np.array(list(map(attrgetter(name), objects))) for name in names]


def points(count: int) -> list[kmeans_objects.Point]:
    """Points about the origin; the clusters of the example become 64 of them."""
    random = np.random.default_rng(0)
    kmeans_objects.clusters[:] = map(kmeans_objects.Cluster, kmeans_objects.random_points(CLUSTERS, seed=1))
    x, y = random.normal(0, 2, (2, count))
    return list(map(kmeans_objects.Point, x.tolist(), y.tolist(), range(count)))


def web(count: int) -> tuple[list[pagerank_objects.Page], list[pagerank_objects.Link]]:
    """Pages with 16 links each, to some more than to others."""
    sources = np.random.default_rng(0).integers(0, count, (2, count * DEGREE)).min(axis=0)
    pages = [pagerank_objects.Page(f"page {k}") for k in range(count)]
    for k, (page, links) in enumerate(zip(pages, np.bincount(sources, minlength=count).tolist(), strict=True)):
        page.rank, page.links = 1.0 / count, links
        page.first, page.last = k * DEGREE, (k + 1) * DEGREE
    return pages, list(map(pagerank_objects.Link, sources.tolist()))
