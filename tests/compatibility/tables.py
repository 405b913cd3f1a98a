"""The tables of operators and functions against types, whose cells are programs too."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

ELEMENTS = {
    "int": "[{}]",
    "float": "[float(v) for v in [{}]]",
    "bool": "[bool(v) for v in [{}]]",
    "complex": "[complex(v) for v in [{}]]",
    **{
        name: f"np.array([{{}}], np.{name})"
        for name in (
            "bool_",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        )
    },
}
"""The text of an input of each type, from the text of its numbers."""

OPERATORS = (
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "a // b",
    "a % b",
    "a ** 2",
    "a ** b",
    "a & b",
    "a | b",
    "a ^ b",
    "a << 2",
    "a >> 1",
    "-a",
    "+a",
    "~a",
    "not a",
    "a < b",
    "a == b",
    "a and b",
    "abs(a)",
    "min(a, b)",
    "int(a)",
    "float(a)",
    "round(a)",
)

_SPECIAL = {
    "acosh": "1, 2",
    "log1p": "0, 1",
    "atanh": "0, 0",
    "asin": "0, 1",
    "acos": "0, 1",
    "arcsin": "0, 1",
    "arccos": "0, 1",
    "arctanh": "0, 0",
    "factorial": "3, 4",
    "gamma": "3, 4",
    "tan": "0, 1",
}
"""Numbers for functions that do not take 1 and 2."""

_ARGUMENTS = {
    "dist": "(a, b), (b, a)",
    "fsum": "[a, b]",
    "prod": "[a, b]",
    "sumprod": "[a, b], [b, a]",
    "ldexp": "a, 2",
    "isclose": "a, b",
    "fma": "a, b, a",
}


def _arity(function: Callable[..., object], attempts: tuple[object, ...]) -> int | None:
    """How many arguments a function takes, found by trying."""
    for count in (1, 2):
        try:
            function(*attempts[:count])
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, TypeError):
                continue
        return count
    return None


def math_functions() -> list[tuple[str, str, str]]:
    """All of `math`: the call that is shown, the call, and the numbers for it."""
    found: list[tuple[str, str, str]] = []
    for name in sorted(vars(math)):
        function = getattr(math, name)
        if name.startswith("_") or not callable(function):
            continue
        count = _arity(function, (1, 2))
        arguments = _ARGUMENTS.get(name) or ("a" if count == 1 else "a, b" if count == 2 else None)
        if arguments is not None:
            found.append((f"math.{name}", f"math.{name}({arguments})", _SPECIAL.get(name, "1, 2")))
    return found


def numpy_functions() -> list[tuple[str, str, str]]:
    """NumPy's universal functions of one result."""
    found: list[tuple[str, str, str]] = []
    for name in sorted(vars(np)):
        function = getattr(np, name)
        if (
            isinstance(function, np.ufunc)
            and function.nin <= 2
            and function.signature is None
            and name == function.__name__
        ):
            arguments = "a" if function.nin == 1 else "a, b"
            found.append((f"np.{name}", f"np.{name}({arguments})", _SPECIAL.get(name, "1, 2")))
    return found


TABLES = (
    ("Operators", tuple((operator, operator, "1, 2") for operator in OPERATORS), tuple(ELEMENTS)),
    ("`math`", tuple(math_functions()), ("int", "float", "bool", "float32", "int32")),
    ("NumPy's functions", tuple(numpy_functions()), ("float64", "float32", "int64", "int32", "float", "int")),
)
"""Title, rows (what is shown, an expression of `a` and `b`, numbers), columns."""
