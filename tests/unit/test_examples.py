"""The examples in plain Python, and the parts of the demo that need no device."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import hetc
from benchmarks.programs import largest_error
from examples import black_scholes, demo, dot, mandelbrot, matrix_product_2x2, nbody, picture, saxpy


@pytest.mark.parametrize(
    ("module", "function", "size", "tolerance"),
    [
        pytest.param(saxpy, saxpy.saxpy, 1000, 1e-6, id="saxpy"),
        pytest.param(dot, dot.dot, 1000, 1e-5, id="dot"),
        pytest.param(black_scholes, black_scholes.black_scholes, 1000, 1e-5, id="black_scholes"),
        pytest.param(nbody, nbody.nbody, 3, 1e-5, id="nbody"),
        pytest.param(matrix_product_2x2, matrix_product_2x2.matrix_product, 1000, 1e-10, id="matrix_product_2x2"),
    ],
)
def test_python_agrees_with_the_reference(
    module: ModuleType, function: Callable[..., Any], size: int, tolerance: float
) -> None:
    inputs = module.sample(size)
    with hetc.configure(offload="never"):
        result = function(*inputs)
    assert largest_error(result, module.reference(*inputs)) <= tolerance


def test_mandelbrot_in_python_equals_numpy_in_the_same_precision() -> None:
    (indices,) = mandelbrot.sample(1000)
    with hetc.configure(offload="never"):
        steps = mandelbrot.mandelbrot(indices)
    assert steps == mandelbrot.reference(indices, np.float32).tolist()
    assert {0, mandelbrot.ITERATIONS} < set(steps), "the sample covers points far from the set, near to it and inside"


def test_float32_inputs_give_float32_results() -> None:
    with hetc.configure(offload="never"):
        assert saxpy.saxpy(*saxpy.sample(3)).dtype == np.float32
        assert [part.dtype for part in black_scholes.black_scholes(*black_scholes.sample(3))] == [np.float32] * 2
        assert [part.dtype for part in nbody.nbody(*nbody.sample(1))] == [np.float32] * 3


def test_a_sample_of_the_whole_picture_is_every_point() -> None:
    size = mandelbrot.WIDTH * mandelbrot.HEIGHT
    assert mandelbrot.sample(size) == (range(size),)
    (some,) = mandelbrot.sample(1024)
    assert len(some) == 1024
    assert some[-1] < size


def test_a_png_holds_the_pixels(tmp_path: Path) -> None:
    pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    picture.write_png(tmp_path / "picture.png", pixels)
    data = (tmp_path / "picture.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks = {}
    position = 8
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        assert struct.unpack_from(">I", data, position + 8 + length) == (zlib.crc32(kind + body),)
        chunks[kind] = body
        position += 12 + length
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (3, 2, 8, 2, 0, 0, 0)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(2, 10)
    assert (rows[:, 0] == 0).all()
    assert (rows[:, 1:].reshape(2, 3, 3) == pixels).all()


def test_points_that_never_escape_are_black() -> None:
    pixels = picture.colour(np.array([[0, 500], [250, 1]]), iterations=500)
    assert pixels.shape == (2, 2, 3)
    assert pixels[0, 1].tolist() == [0, 0, 0]
    assert (pixels.sum(axis=-1) > 0).sum() == 3


def a_program(**changes: Any) -> demo.Program:
    x, y = saxpy.sample(10)
    fields = {
        "name": "saxpy",
        "work": "10 numbers",
        "function": saxpy.saxpy,
        "inputs": (x, y),
        "part": (x[:5], y[:5]),
        "numpy": lambda x, y: np.float32(2.5) * x + y,
        "reference": saxpy.reference,
    }
    return demo.Program(**(fields | changes))


def test_the_demo_stops_at_a_wrong_result() -> None:
    program = a_program()
    x, y = program.inputs
    with pytest.raises(SystemExit, match="saxpy: the error"):
        demo.describe_error(program, x + y, None)
    with pytest.raises(SystemExit, match="saxpy: the error against double precision is nan"):
        demo.describe_error(program, np.full(10, np.nan, np.float32), None)
    with pytest.raises(SystemExit, match="differs from NumPy's"):
        demo.describe_error(a_program(exact=True), x, y)


def test_the_demos_table_names_what_is_estimated() -> None:
    row = demo.Row(a_program(), first=0.25, later=0.0125, numpy=0.02, python=4.0, error="1.0e-07")
    header, _, line = demo.table([row]).splitlines()
    assert header.split("  ")[0] == "program"
    assert line.split() == ["saxpy", "10", "numbers", "250.0", "ms", "12.5", "ms", "20.0", "ms", "~4.0", "s", "1.0e-07"]
