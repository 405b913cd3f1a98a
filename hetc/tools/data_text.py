"""Data on a command line: the inputs of `hetc run`, one text each.

=========================== ==================================================================
text                        data
=========================== ==================================================================
`x.npy`, `x.npz:name`       an array from a file, memory-mapped where it can be
`[1, 2.5]`, `(1, 2)`        a Python literal: a list or a tuple
`range(10)`                 a Python range
`f32[1000]`                 random elements of a type, as `hetc-opt --args` writes it: an array of
                            NumPy's types, a list of Python's and of tuples
`f64[20, 30]`               the same with several dimensions
`=points(9)`                an expression in the program's own Python file
=========================== ==================================================================

Random floats lie in [0, 1) and integers in [0, 100), unless other limits are given. The same seed gives the same data.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from hetc.abi import ElementType, InputKind, ScalarType, TupleType
from hetc.errors import HetcError
from hetc.tools.signature_text import parse_signature
from hetc.tools.spelling import unknown


class DataTextError(HetcError, ValueError):
    """A text describes no data."""


@dataclass(frozen=True)
class RandomData:
    """Where random elements come from: one generator, and the limits of numbers if they are not the usual ones."""

    seed: int = 0
    low: float | None = None
    high: float | None = None
    generator: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "generator", np.random.default_rng(self.seed))

    def column(self, element: ElementType, length: int) -> Any:
        """Elements of a type: an array for a NumPy scalar, a list for anything else."""
        match element:
            case TupleType(items):
                return list(zip(*(list(self.column(item, length)) for item in items), strict=True))
            case ScalarType(python=python):
                array = self._array(np.dtype(element.dtype), length)
                return array.tolist() if python else array
            case _:
                raise DataTextError(f"there is no random data of type {element}")

    def _array(self, dtype: np.dtype[Any], length: int) -> np.ndarray[Any, Any]:
        low = 0.0 if self.low is None else self.low
        match dtype.kind:
            case "b":
                return self.generator.integers(0, 2, length).astype(dtype)
            case "i" | "u":
                limits = np.iinfo(dtype)
                high = 100 if self.high is None else self.high
                return self.generator.integers(
                    max(int(low), int(limits.min)), min(int(high), int(limits.max) + 1), length, dtype=dtype
                )
            case _:
                high = 1.0 if self.high is None else self.high
                numbers = self.generator.uniform(low, high, length)
                if dtype.kind == "c":
                    return (numbers + 1j * self.generator.uniform(low, high, length)).astype(dtype)
                return numbers.astype(dtype)


_RANGE = re.compile(r"range\((\s*-?\d+\s*(?:,\s*-?\d+\s*){0,2})\)")


def read_data(text: str, random: RandomData) -> Any:
    """The data that a text describes.

    Raises DataTextError for a text that describes none, OSError for a file that cannot be read.

    >>> read_data("range(3)", RandomData()), read_data("[1, (2, 3)]", RandomData())
    (range(0, 3), [1, (2, 3)])
    >>> numbers = read_data("u8[4]", RandomData(seed=1))
    >>> len(numbers), numbers.dtype
    (4, dtype('uint8'))
    """
    text = text.strip()
    path, _, key = text.partition(":")
    if path.endswith((".npy", ".npz")):
        return _from_file(Path(path), key)
    if match := _RANGE.fullmatch(text):
        return range(*map(int, match[1].split(",")))
    try:
        literal: object = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _random(text, random)
    if not isinstance(literal, list | tuple):
        raise DataTextError(f"{text} is one value, where a sequence of elements is needed, such as [{text}]")
    return cast("list[object] | tuple[object, ...]", literal)


def read_value(text: str, random: RandomData) -> Any:
    """The same for a captured variable, which may be one number."""
    try:
        literal: object = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return read_data(text, random)
    return literal


def _from_file(path: Path, key: str) -> Any:
    try:
        found: Any = np.load(path, mmap_mode="c" if path.suffix == ".npy" else None, allow_pickle=False)
    except ValueError as error:
        raise DataTextError(f"{path} is no file of arrays: {error}") from None
    if path.suffix == ".npy":
        return np.asarray(found)
    names: Sequence[str] = found.files
    if key not in names:
        raise DataTextError(f"{path}: {unknown('array', key, names)}")
    return found[key]


def _random(text: str, random: RandomData) -> Any:
    if grid := re.fullmatch(r"(.*)\[\s*(\d+(?:\s*,\s*\d+)+)\s*\]", text):
        shape = tuple(map(int, grid[2].split(",")))
        numbers = _random(f"{grid[1]}[{math.prod(shape)}]", random)
        if not isinstance(numbers, np.ndarray):
            raise DataTextError(f"{text}: arrays of NumPy's types alone have several dimensions, such as f64[2, 3]")
        return np.reshape(numbers, shape)
    signature = parse_signature(text)
    length = re.search(r"\[\s*(\d+)\s*\]$", text)
    if len(signature.inputs) != 1:
        raise DataTextError(f"{text} is several inputs; give them as several arguments")
    if length is None:
        example = text.partition("[")[0] + "[1000]"
        raise DataTextError(f"{text}: random data needs a length, such as {example}")
    value = signature.inputs[0]
    if value.kind is InputKind.SEQUENCE:
        return range(int(length[1]))
    return random.column(value.element, int(length[1]))
