"""Every example on every device: the reference's values, and Python's types."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import hetc
from benchmarks.programs import largest_error
from examples import (
    black_scholes,
    demo,
    dot,
    kmeans_objects,
    mandelbrot,
    matrix_product_2x2,
    nbody,
    nbody_objects,
    pagerank_objects,
    saxpy,
)
from hetc.runtime.devices import Device

OBJECT_OPERATION = re.compile(r"""(?<![!#@\w"])"?obj\.\w+""")
"""An op on objects or boxes; a type of objects, `!obj.object<...>`, may stand where a result is made of numbers."""

EXAMPLES = [
    pytest.param(saxpy, saxpy.saxpy, 1e-6, id="saxpy"),
    pytest.param(dot, dot.dot, 1e-6, id="dot"),
    pytest.param(black_scholes, black_scholes.black_scholes, 1e-5, id="black_scholes"),
    pytest.param(nbody, nbody.nbody, 1e-5, id="nbody"),
    pytest.param(matrix_product_2x2, matrix_product_2x2.matrix_product, 1e-10, id="matrix_product_2x2"),
]


def on(device: Device) -> Any:
    """On this device or not at all: a test of a device must not pass by falling back to Python."""
    return hetc.configure(device=device, offload="always", fallback="error")


@pytest.mark.parametrize("size", [1, 255, 1000])
@pytest.mark.parametrize(("module", "function", "tolerance"), EXAMPLES)
def test_agrees_with_the_reference(
    device: Device, module: ModuleType, function: Callable[..., Any], tolerance: float, size: int
) -> None:
    inputs = module.sample(size)
    with on(device):
        result = function(*inputs)
    assert largest_error(result, module.reference(*inputs)) <= tolerance


@pytest.mark.parametrize(("module", "function", "tolerance"), EXAMPLES)
def test_gives_what_python_gives(
    device: Device, module: ModuleType, function: Callable[..., Any], tolerance: float
) -> None:
    inputs = module.sample(5)
    with on(device):
        result = function(*inputs)
    with hetc.configure(offload="never"):
        expected = function(*inputs)
    assert type(result) is type(expected)
    results, expecteds = (value if isinstance(value, tuple) else (value,) for value in (result, expected))
    assert list(map(type, results)) == list(map(type, expecteds))
    assert [np.asarray(part).dtype for part in results] == [np.asarray(part).dtype for part in expecteds]
    assert largest_error(result, expected) <= tolerance


def test_saxpy_equals_numpy_bit_for_bit(device: Device) -> None:
    x, y = saxpy.sample(1 << 16)
    with on(device):
        assert (saxpy.saxpy(x, y) == np.float32(2.5) * x + y).all()


def test_mandelbrot_equals_numpy_point_for_point(device: Device) -> None:
    (indices,) = mandelbrot.sample(1 << 12)
    with on(device):
        steps = mandelbrot.mandelbrot(indices)
    assert type(steps) is list
    assert set(map(type, steps)) == {int}
    assert steps == mandelbrot.reference(indices, np.float32).tolist()


def test_nbody_reads_the_bodies_at_each_call(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for count in (100, 33):
        for name, values in zip(("px", "py", "pz", "mass"), nbody.random_bodies(count, seed=count), strict=True):
            monkeypatch.setattr(nbody, name, values)
        inputs = nbody.sample(count)
        with on(device):
            assert largest_error(nbody.nbody(*inputs), nbody.reference(*inputs)) <= 1e-5


@pytest.mark.parametrize("size", [1, 7, 256, 257, 10_007])
def test_matrices_are_multiplied_in_order(device: Device, size: int) -> None:
    inputs = matrix_product_2x2.sample(size)
    with on(device):
        result = matrix_product_2x2.matrix_product(*inputs)
    assert largest_error(result, matrix_product_2x2.reference(*inputs)) <= 1e-9


def test_a_lens_without_focal_length_raises_as_in_python(device: Device) -> None:
    distance, focal_length = matrix_product_2x2.sample(1000)
    focal_length[700] = 0.0
    with on(device), pytest.raises(ZeroDivisionError):
        matrix_product_2x2.matrix_product(distance, focal_length)


def test_the_demo_measures_a_program(device: Device) -> None:
    program = demo.Program(
        name="saxpy",
        work="1024 numbers",
        function=saxpy.saxpy,
        inputs=saxpy.sample(1024),
        part=saxpy.sample(32),
        numpy=lambda x, y: np.float32(2.5) * x + y,
        reference=saxpy.reference,
    )
    with on(device):
        row, result = demo.measure(program)
    assert np.asarray(result).shape == (1024,)
    assert min(row.first, row.later, row.numpy, row.python) > 0


@pytest.mark.parametrize("size", [1, 7, 257])
def test_kmeans_with_objects(device: Device, size: int) -> None:
    points = kmeans_objects.random_points(size)
    with on(device):
        assert kmeans_objects.kmeans(points) == [kmeans_objects.nearest(point) for point in points]


@pytest.mark.parametrize("size", [1, 7, 257])
def test_nbody_with_objects(device: Device, size: int) -> None:
    bodies = nbody_objects.random_bodies(size, seed=3)
    with on(device):
        assert nbody_objects.nbody(bodies) == [nbody_objects.step(body) for body in bodies]


def test_objects_that_change_in_place(device: Device) -> None:
    """The values, the objects and the results that Python leaves, for each whole algorithm and a few sizes."""

    def clustered(size: int) -> Any:
        points = kmeans_objects.random_points(size)
        clusters = [kmeans_objects.Cluster(point) for point in kmeans_objects.random_points(5, seed=1)]
        for _ in range(2):
            kmeans_objects.move_clusters(clusters, points, [point.number % 4 for point in points])
        return clusters

    def simulated(size: int) -> Any:
        bodies = nbody_objects.random_bodies(size, seed=size)
        nbody_objects.simulate(bodies, 2)
        return bodies

    def ranked(size: int) -> Any:
        pages, links = pagerank_objects.random_web(size, seed=size)
        change = pagerank_objects.pagerank(pages, links, 3)
        return change, [vars(page) for page in pages], links

    for size in (1, 7, 257):
        for run in (clustered, simulated, ranked):
            with on(device):
                found = run(size)
            with hetc.configure(offload="never"):
                assert found == run(size)


def test_no_object_and_no_box_is_left_in_a_loop(device: Device) -> None:
    """Nor the new centroid of a cluster, which outlives the loop: its coordinates go to the one that is there."""
    pages, links = pagerank_objects.random_web(20)
    clusters = [kmeans_objects.Cluster(point) for point in kmeans_objects.random_points(3)]
    points = kmeans_objects.random_points(9)
    for function, inputs in (
        (pagerank_objects.pagerank, (pages, links, 1)),
        (nbody_objects.simulate, (nbody_objects.random_bodies(9), 1)),
        (kmeans_objects.move_clusters, (clusters, points, [0] * 9)),
    ):
        with hetc.configure(device=device):
            text = function.lower(*inputs).mlir("outline-kernels")
        assert not OBJECT_OPERATION.search(text)


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (kmeans_objects.kmeans, kmeans_objects.random_points(20)),
        (nbody_objects.nbody, nbody_objects.random_bodies(20)),
    ],
)
def test_no_object_and_no_box_is_left_in_a_kernel(device: Device, function: Any, inputs: list[Any]) -> None:
    text = function.on(device).lower(inputs).mlir("outline-kernels")
    assert "obj.new" in function.on(device).lower(inputs).mlir("specialize")
    assert not OBJECT_OPERATION.search(text)
