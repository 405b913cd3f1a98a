"""Numbers as unsigned integers in the same order: what a radix sort compares, digit by digit.

Each function is Python, for NumPy's scalars, and compiled like a user's: `hetc.sorting` maps them over keys. None has a
branch, so that nothing hangs on what a sample of the data looks like.

An integer's sign bit is turned around. A float's bits are those of a sign and a magnitude: of a negative one all are
turned around, else the sign alone (Terdiman, "Radix sort revisited", 2000, has them so). Before that, -0.0 becomes 0.0,
which it is equal to, and a NaN becomes infinity; one more is added for it, so that all are equal, and last.

>>> [int(of_float32(np.float32(x))) - 2**31 for x in (0.0, -0.0, 1e-45, -1e-45)]
[0, 0, 1, -2]
>>> of_int(np.int8(-1)) < of_int(np.int8(0)), of_float64(np.float64("nan")) == NAN64
(np.True_, np.True_)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Number = Any
"""A scalar of NumPy's."""
Code = Any
"""A scalar of `uint32` or `uint64`."""

LEAST32, LEAST64 = np.int32(-(2**31)), np.int64(-(2**63))
SIGN64 = np.uint64(2**63)
INFINITY32, INFINITY64 = np.float32(np.inf), np.float64(np.inf)
NAN32, NAN64 = np.uint32(0xFF80_0001), np.uint64(0xFFF0_0000_0000_0001)
"""The codes of a NaN, in a type of 32 bits or less, and in 64."""


def of_unsigned(x: Number) -> Code:
    """The code of a `bool`, or of an unsigned integer of at most 32 bits."""
    return np.uint32(x)


def of_int(x: Number) -> Code:
    """The code of a signed integer of at most 32 bits."""
    return (np.int32(x) ^ LEAST32).view(np.uint32)


def of_uint64(x: Number) -> Code:
    """The code of a `uint64`."""
    return x


def of_int64(x: Number) -> Code:
    """The code of an `int64`."""
    return (x ^ LEAST64).view(np.uint64)


def of_float32(x: Number) -> Code:
    """The code of a `float32` or `float16`."""
    bits = (min(INFINITY32, np.float32(x)) + np.float32(0)).view(np.int32)
    return (bits ^ ((bits >> np.int32(31)) | LEAST32)).view(np.uint32) + np.uint32(x != x)


def of_float64(x: Number) -> Code:
    """The code of a `float64`."""
    bits = (min(INFINITY64, x) + np.float64(0)).view(np.int64)
    return (bits ^ ((bits >> np.int64(63)) | LEAST64)).view(np.uint64) + np.uint64(x != x)


def reversed_code(code: Code) -> Code:
    """A code for the opposite order."""
    return ~code


CODES: dict[str, Callable[[Number], Code]] = {
    **dict.fromkeys(("bool", "uint8", "uint16", "uint32"), of_unsigned),
    **dict.fromkeys(("int8", "int16", "int32"), of_int),
    "uint64": of_uint64,
    "int64": of_int64,
    **dict.fromkeys(("float16", "float32"), of_float32),
    "float64": of_float64,
}
"""For each dtype that can be sorted by digits: the code of a number."""


def to_int8(code: Code) -> Number:
    """The `int8` of a code."""
    return np.int8(code.view(np.int32) ^ LEAST32)


def to_int16(code: Code) -> Number:
    """The `int16` of a code."""
    return np.int16(code.view(np.int32) ^ LEAST32)


def to_int32(code: Code) -> Number:
    """The `int32` of a code."""
    return code.view(np.int32) ^ LEAST32


def to_int64(code: Code) -> Number:
    """The `int64` of a code."""
    return code.view(np.int64) ^ LEAST64


NUMBERS: dict[str, Callable[[Code], Number]] = {
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "int8": to_int8,
    "int16": to_int16,
    "int32": to_int32,
    "int64": to_int64,
}
"""The dtypes whose numbers are told by their codes, and how: of floats, the zeros have one code."""


def twice(code: Code) -> tuple[Code, Code]:
    """What the least and the greatest code are found from."""
    return code, code


def widened(p: tuple[Code, Code], q: tuple[Code, Code]) -> tuple[Code, Code]:
    """The least and the greatest of two ranges."""
    return min(p[0], q[0]), max(p[1], q[1])


_Digit = Callable[..., int]
"""Of a code, and whatever lies beside it."""


def digit(width: int, low: Code, shift: Code) -> _Digit:
    """The digit of a code, of `width` 8 or 4 bits, above the `shift` lowest bits, counted from the least code.

    >>> digit(4, np.uint32(1), np.uint32(4))(np.uint32(0x123))
    2
    """

    def of_8_bits(code: Code, *_beside: Any) -> int:
        return int(((code - low) >> shift) & 255)

    def of_4_bits(code: Code, *_beside: Any) -> int:
        return int(((code - low) >> shift) & 15)

    return of_8_bits if width == 8 else of_4_bits


def widened_by(low: Code) -> Callable[[Code], Code]:
    """The opposite of `narrowed`."""

    def widen(code: Code) -> Code:
        return np.uint64(code) + low

    return widen


def narrowed(low: Code) -> Callable[[Code], Code]:
    """A code of 64 bits, in a range that 32 bits hold, as one of 32 bits, counted from the least."""

    def narrow(code: Code) -> Code:
        return np.uint32(code - low)

    return narrow
