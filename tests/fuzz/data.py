"""The data that programs are run on, as the text that makes it: every type, container, layout and size."""

from __future__ import annotations

import random
from dataclasses import dataclass

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
CORE = ("int", "int", "float", "float", "int", "float", "bool", "bool_", *INTEGERS, *FLOATS, *FLOATS, *FLOATS)
SELDOM = ("float16", "float16", "complex64", "complex128", "complex", "complex", "None or int", "int or float", "str")
PYTHON = ("int", "float", "bool", "complex", "None or int", "int or float", "str")

MILD = (-9, -3, -2, -1, 0, 1, 2, 3, 7, 10)
EDGES = (2**31 - 1, -(2**31), 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63))
MILD_FLOATS = ("-7.5", "-1.0", "-0.5", "-0.0", "0.0", "0.25", "0.5", "1.0", "1.5", "3.0", "100.0")
EDGE_FLOATS = (
    "0.1", "1e16", "1.7976931348623157e308", "5e-324", "math.inf", "-math.inf", "math.nan", "2.0**63", "-2.0**63",
    "1e-310", "2.5", "3.5", "0.49999999999999994", "-1e300",
)  # fmt: skip
EDGE_FLOATS32 = ("0.1", "3.4028234663852886e38", "1e-45", "math.inf", "-math.inf", "math.nan", "16777217.0", "2.5")

SIZES = (1, 2, 3, 4, 5, 7, 7, 0, 255, 257)


@dataclass(frozen=True)
class DataType:
    """What one input holds, and how: `container` is "list", "tuple", "range", "array" or "scalars"."""

    element: str
    container: str

    @property
    def kind(self) -> str:
        """The kind of numbers, as the grammar knows it."""
        if self.element.startswith("("):
            return "tuple"
        if self.element.startswith("complex"):
            return "complex"
        if self.element.startswith("float") or self.element == "int or float":
            return "float"
        return "bool" if self.element.startswith("bool") else "int"


def draw_type(r: random.Random) -> DataType:
    """The type of one input."""
    if r.random() < 0.06:
        parts = [r.choice(("int", "float", "bool", "float64", "int32")) for _ in range(r.choice((1, 2, 2, 3)))]
        return DataType(f"({', '.join(parts)},)", r.choice(("list", "tuple")))
    element = r.choice(SELDOM if r.random() < 0.06 else CORE)
    if element == "int" and r.random() < 0.2:
        return DataType(element, "range")
    if element in PYTHON:
        return DataType(element, r.choice(("list", "list", "list", "tuple")))
    return DataType(element, r.choice(("array", "array", "array", "array", "array", "scalars")))


def draw_input(r: random.Random, data: DataType, length: int, *, edges: bool) -> str:
    """The text of one input. Long ones repeat a few elements."""
    if data.container == "range":
        start, step = r.choice((0, 0, 1, -5, 100)), r.choice((1, 1, 2, -1, -3))
        return f"range({start}, {start + step * length}, {step})"
    few = min(length, 7)
    elements = ", ".join(_element(r, data.element, edges=edges) for _ in range(few))
    if data.container == "array":
        return _array(r, f"[{elements}]", data.element, length)
    text = f"[{elements}]" if length == few else f"([{elements}] * {length // few + 1})[:{length}]"
    if data.container == "scalars":
        return f"[np.{data.element}(x) for x in {text}]"
    return f"tuple({text})" if data.container == "tuple" else text


def _array(r: random.Random, numbers: str, dtype: str, length: int) -> str:
    """An array in one of the layouts that NumPy has."""
    text = f"np.array({numbers}, np.{dtype})"
    if length > 7:
        text = f"np.resize({text}, {length})"
    layout = r.choice(("plain",) * 5 + ("strided", "reversed", "read-only", "row", "column"))
    match layout:
        case "strided":
            return f"np.repeat({text}, 2)[::2]"
        case "reversed":
            return f"{text}[::-1]"
        case "read-only":
            return f"read_only({text})"
        case "row":
            return f"np.asfortranarray(np.stack([{text}, {text}]))[1]"
        case "column":
            return f"np.stack([{text}, {text}], axis=1)[:, 1]"
        case _:
            return text


def _element(r: random.Random, element: str, *, edges: bool) -> str:
    """The text of one element."""
    if element.startswith("("):
        parts = [part.strip() for part in element.strip("()").split(",") if part.strip()]
        texts = [_element(r, part, edges=edges) for part in parts]
        texts = [text if part in PYTHON else f"np.{part}({text})" for part, text in zip(parts, texts, strict=True)]
        return f"({', '.join(texts)},)"
    match element:
        case "int":
            return str(r.choice(MILD + EDGES if edges else MILD))
        case "bool" | "bool_":
            return r.choice(("True", "False"))
        case "float" | "float64":
            return r.choice(MILD_FLOATS + EDGE_FLOATS if edges else MILD_FLOATS)
        case "float32":
            return r.choice(MILD_FLOATS + EDGE_FLOATS32 if edges else MILD_FLOATS)
        case "float16":
            return r.choice((*MILD_FLOATS, "65504.0", "6e-8", "math.inf", "math.nan", "0.1") if edges else MILD_FLOATS)
        case "complex" | "complex64" | "complex128":
            parts = (*MILD_FLOATS, "math.inf", "math.nan", "1e30") if edges else MILD_FLOATS
            return f"complex({r.choice(parts)}, {r.choice(parts)})"
        case "None or int":
            return r.choice(("None", "1", "2", "-3"))
        case "int or float":
            return r.choice(("1", "2.5", "0", "-0.0"))
        case "str":
            return r.choice(("'a'", "''"))
        case _:
            return str(_integer(r, element, edges=edges))


def _integer(r: random.Random, dtype: str, *, edges: bool) -> int:
    bits = int(dtype.lstrip("uint"))
    low, high = (0, 2**bits - 1) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    mild = [number for number in MILD if number >= low]
    return r.choice([*mild, low, high, high // 2, high - 1] if edges else mild)
