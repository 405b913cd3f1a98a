"""Copies between an array and a ring of chunks, by threads in C."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pytest

from hetc import native

CHUNK = 2**16
PIECE = CHUNK // 4


@pytest.fixture
def compiled() -> native.CompiledLoops:
    if native.compiled is None:
        pytest.skip("hetc's C code is not built")
    return native.compiled


def array(size: int) -> Any:
    return np.random.default_rng(0).integers(0, 256, size, np.uint8)


def test_chunks_are_copied_when_they_are_allowed(compiled: native.CompiledLoops) -> None:
    source, ring = array(3 * CHUNK + 5), np.zeros(2 * CHUNK, np.uint8)
    copy = compiled.start_copy(source, ring, CHUNK, PIECE, True, 2)
    assert not ring.any()
    compiled.allow_chunks(copy, 2)
    compiled.await_chunk(copy, 0)
    compiled.await_chunk(copy, 1)
    np.testing.assert_array_equal(ring, source[: 2 * CHUNK])
    compiled.allow_chunks(copy, 4)
    compiled.await_chunk(copy, 3)
    compiled.await_chunk(copy, 2)
    np.testing.assert_array_equal(ring[:CHUNK], source[2 * CHUNK : 3 * CHUNK])
    np.testing.assert_array_equal(ring[CHUNK : CHUNK + 5], source[3 * CHUNK :])
    np.testing.assert_array_equal(ring[CHUNK + 5 :], source[CHUNK + 5 : 2 * CHUNK])
    compiled.end_copy(copy)


def test_from_the_ring(compiled: native.CompiledLoops) -> None:
    target, ring = np.zeros(CHUNK + 1, np.uint8), array(4 * CHUNK)
    copy = compiled.start_copy(target, ring, 2 * CHUNK, PIECE, False, 5)
    compiled.allow_chunks(copy, 1)
    compiled.await_chunk(copy, 0)
    compiled.end_copy(copy)
    np.testing.assert_array_equal(target, ring[: CHUNK + 1])


def test_a_chunk_that_is_not_allowed_is_not_waited_for(compiled: native.CompiledLoops) -> None:
    copy = compiled.start_copy(array(CHUNK), np.zeros(CHUNK, np.uint8), CHUNK, PIECE, True, 1)
    compiled.await_chunk(copy, 0)
    with pytest.raises(IndexError, match="no such chunk"):
        compiled.await_chunk(copy, 1)


def test_a_copy_that_is_ended_early(compiled: native.CompiledLoops) -> None:
    source, ring = array(8 * CHUNK), np.zeros(2 * CHUNK, np.uint8)
    copy = compiled.start_copy(source, ring, CHUNK, PIECE, True, 4)
    compiled.allow_chunks(copy, 1)
    compiled.end_copy(copy)
    compiled.end_copy(copy)
    for call in (compiled.allow_chunks, compiled.await_chunk):
        with pytest.raises(ValueError, match="has been ended"):
            call(copy, 0)
    source.resize(3)  # nobody holds its memory any more


def test_a_copy_that_is_forgotten_ends(compiled: native.CompiledLoops) -> None:
    source = array(8 * CHUNK)
    copy = compiled.start_copy(source, np.zeros(2 * CHUNK, np.uint8), CHUNK, PIECE, True, 4)
    del copy
    source.resize(3)


def test_what_does_not_fit(compiled: native.CompiledLoops) -> None:
    source, ring = array(CHUNK), np.zeros(2 * CHUNK, np.uint8)
    for chunk, piece in (
        (0, PIECE),
        (-CHUNK, PIECE),
        (CHUNK, 0),
        (CHUNK, -PIECE),
        (CHUNK + 1, PIECE),
        (4 * CHUNK, PIECE),
    ):
        with pytest.raises(ValueError, match="a chunk is a number of pieces"):
            compiled.start_copy(source, ring, chunk, piece, True, 1)
    source.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        compiled.start_copy(source, ring, CHUNK, PIECE, False, 1)
    with pytest.raises((ValueError, BufferError)):
        compiled.start_copy(source[::2], ring, CHUNK, PIECE, True, 1)
    with pytest.raises(TypeError):
        compiled.start_copy(3, ring, CHUNK, PIECE, True, 1)  # pyright: ignore[reportArgumentType]
    assert compiled.start_copy(source, ring, CHUNK, PIECE, True, 0) is None


def test_an_empty_array(compiled: native.CompiledLoops) -> None:
    copy = compiled.start_copy(np.zeros(0, np.uint8), np.zeros(CHUNK, np.uint8), CHUNK, PIECE, True, 2)
    compiled.allow_chunks(copy, 1)
    compiled.end_copy(copy)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_copies_before_a_fork_leave_nothing_that_copies_after_it_need(compiled: native.CompiledLoops) -> None:
    def run() -> bool:
        source, ring = array(2 * CHUNK), np.zeros(2 * CHUNK, np.uint8)
        copy = compiled.start_copy(source, ring, CHUNK, PIECE, True, 3)
        compiled.allow_chunks(copy, 2)
        compiled.await_chunk(copy, 0)
        compiled.await_chunk(copy, 1)
        compiled.end_copy(copy)
        return bool((source == ring).all())

    assert run()
    child = os.fork()
    if not child:
        signal.alarm(30)
        os._exit(0 if run() else 1)
    assert os.waitpid(child, 0)[1] == 0
