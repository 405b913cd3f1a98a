"""The functions that hetc knows by name: Python's builtins, `math`, `cmath`, NumPy's scalar functions and types.

The intrinsics of other packages (`hetc/extensions.py`) are known, too.

A captured name that is one of these objects is compiled to `dyn.builtin "name"`; `specialize` gives it its meaning for
the types it meets. The table is by identity, so an alias (`from math import sqrt as root`) is recognised and a function
of the user's own that happens to be called `sqrt` is not.
"""

from __future__ import annotations

import builtins
import cmath
import math
import numbers

import numpy as np

from hetc.extensions import intrinsic_name
from hetc.loops import forall, prange

_BUILTINS = (
    "abs", "all", "any", "bool", "complex", "divmod", "enumerate", "float", "int", "isinstance", "iter", "len", "list",
    "max", "min", "NotImplemented", "object", "pow", "range", "reversed", "round", "sorted", "str", "sum", "tuple",
    "type", "zip",
)  # fmt: skip
_NUMBERS = ("Complex", "Integral", "Number", "Rational", "Real")
_NUMPY_CLASSES = ("generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "ndarray")
_MATH = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "comb", "copysign", "cos", "cosh",
    "degrees", "dist", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "factorial", "floor", "fma", "fmod", "frexp",
    "fsum", "gamma", "gcd", "hypot", "isclose", "isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp", "lgamma", "log",
    "log10", "log1p", "log2", "modf", "nextafter", "perm", "pow", "prod", "radians", "remainder", "sin", "sinh",
    "sqrt", "sumprod", "tan", "tanh", "trunc", "ulp",
)  # fmt: skip
_CMATH = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "isclose", "isfinite", "isinf", "isnan",
    "log", "log10", "phase", "polar", "rect", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_NUMPY = (
    "abs", "absolute", "add", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "around", "bitwise_and", "bitwise_or", "bitwise_xor", "cbrt", "ceil", "clip", "conjugate", "copysign", "cos",
    "cosh", "deg2rad", "degrees", "divide", "divmod", "equal", "exp", "exp2", "expm1", "fabs", "fix", "float_power",
    "floor", "floor_divide", "fmax", "fmin", "fmod", "frexp", "gcd", "greater", "greater_equal", "heaviside", "hypot",
    "imag", "invert", "isfinite", "isinf", "isnan", "lcm", "ldexp", "left_shift", "less", "less_equal", "log", "log10",
    "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum",
    "minimum", "modf", "multiply", "negative", "nextafter", "not_equal", "positive", "power", "rad2deg", "radians",
    "real", "reciprocal", "remainder", "right_shift", "rint", "round", "sign", "signbit", "sin", "sinh", "spacing",
    "sqrt", "square", "subtract", "tan", "tanh", "trunc",
)  # fmt: skip
_NUMPY_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
_NUMPY_ALIASES = {"absolute": "abs", "around": "round", "bool_": "bool"}


def _table() -> dict[int, str]:
    table = {id(getattr(builtins, name)): name for name in _BUILTINS}
    # In a function that a device runs, the iterations of an inner parallel loop run in order.
    table |= {id(forall): "forall", id(prange): "range"}
    table |= {id(getattr(math, name)): f"math.{name}" for name in _MATH if hasattr(math, name)}
    table |= {id(getattr(cmath, name)): f"cmath.{name}" for name in _CMATH}
    table |= {id(getattr(numbers, name)): f"numbers.{name}" for name in _NUMBERS}
    for name in (*_NUMPY, *_NUMPY_TYPES, *_NUMPY_CLASSES, "bool_"):
        table[id(getattr(np, name))] = f"np.{_NUMPY_ALIASES.get(name, name)}"
    return table


_KNOWN = _table()


def known_name(value: object) -> str | None:
    """The name of a function that hetc knows, or None.

    >>> import math
    >>> known_name(math.sqrt), known_name(len), known_name(print)
    ('math.sqrt', 'len', None)
    """
    return _KNOWN.get(id(value)) or intrinsic_name(value)


def numpy_type(name: str) -> str | None:
    """NumPy's name of a number's type: of Python's types, the one that NumPy gives their numbers.

    >>> numpy_type("float"), numpy_type("float32"), numpy_type("<f4"), numpy_type("sqrt")
    ('float64', 'float32', None, None)
    """
    if name in ("bool", "int", "float", "complex"):
        return np.dtype(getattr(builtins, name)).name
    return name if name in _NUMPY_TYPES else None
