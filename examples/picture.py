"""Pictures of escape times, written as PNG with nothing but the standard library and NumPy."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

PALETTE_STOPS = np.array([[0, 7, 100], [32, 107, 203], [237, 255, 255], [255, 170, 0], [0, 2, 0]])


def colour(steps: ArrayLike, iterations: int) -> NDArray[np.uint8]:
    """Red, green and blue of each point, on a logarithmic scale; black for points that never escaped."""
    counts = np.asarray(steps)
    position = np.log1p(counts) / np.log1p(iterations)
    stops = np.linspace(0, 1, len(PALETTE_STOPS))
    channels = [np.interp(position, stops, PALETTE_STOPS[:, channel]) for channel in range(3)]
    return np.where((counts < iterations)[..., None], np.stack(channels, axis=-1), 0).astype(np.uint8)


def write_png(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Write a picture of shape (height, width, 3).

    Source: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)", 2025, sections 5 and 11.
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter's number: 0, none
    rows[:, 1:] = pixels.reshape(height, 3 * width)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    # 8 bits a channel, colour type 2 (red, green, blue), not interlaced.
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    contents = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + contents)
