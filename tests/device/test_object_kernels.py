"""Of the programs with objects no box and no object is left in a kernel: neither those on the way nor those that stay.

K-means assigns each cluster a new centre, an object that escapes; N-body new vectors. Kernels store their fields, and
the host makes the objects of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import hetc
from examples import kmeans_objects, nbody_objects, pagerank_objects
from hetc.runtime.devices import Device

OBJECTS = ("obj.box", "obj.unbox", "obj.new", "obj.get", "obj.set", "obj.pack", "heap.new")


def nearest() -> Any:
    return kmeans_objects.kmeans.lower(kmeans_objects.random_points(100))


def move_clusters() -> Any:
    points = kmeans_objects.random_points(100)
    return kmeans_objects.move_clusters.lower(kmeans_objects.clusters, points, [0] * len(points))


def step() -> Any:
    return nbody_objects.nbody.lower(nbody_objects.random_bodies(20))


def simulate() -> Any:
    return nbody_objects.simulate.lower(nbody_objects.random_bodies(20), 2)


def pagerank() -> Any:
    return pagerank_objects.pagerank.lower(*pagerank_objects.random_web(50), 2)


def ops_in(text: str) -> set[str]:
    return {op for op in OBJECTS if re.search(rf"\b{re.escape(op)}\b", text)}


@pytest.mark.parametrize("lower", [nearest, move_clusters, step, simulate, pagerank])
def test_no_box_and_no_object_is_left(device: Device, lower: Callable[[], Any]) -> None:
    with hetc.configure(device=device):
        lowered = lower()
    assert {"obj.box", "obj.unbox", "obj.new"} <= ops_in(lowered.mlir("specialize")), "there is something to remove"
    for stage in ("reserve-lists", "outline-kernels"):
        assert not ops_in(lowered.mlir(stage))
    assert "heap" not in lowered.opencl()
