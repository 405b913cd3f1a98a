"""NumPy's promotion rules (NEP 50), asked of NumPy itself.

The result type of an operator on two scalar types is found by applying the operator to two scalars of these types, so
the rules are those of the installed NumPy and no table can be wrong.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from hetc.abi import NUMPY_SCALARS, SCALAR_TYPES, ScalarType
from hetc.analysis.concrete import function_named, operator_named
from hetc.analysis.source_types import scalar_from_ir, to_ir
from hetc.dialects import dyn

OPERATORS: dict[str, Callable[..., Any]] = {
    name: operator_named(name) for name in (*dyn.BINARY_OPERATORS, *dyn.UNARY_OPERATORS, *dyn.COMPARISONS)
}
"""Python's operators by their names in `dyn`."""

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "round": round,
    "trunc": math.trunc,
}

_PYTHON: dict[str, Any] = {"int": 1, "float": 1.0, "complex": 1 + 0j, "bool": True}


def sample(scalar: ScalarType) -> Any:
    """A value of a scalar type: one."""
    return _PYTHON[scalar.name] if scalar.python else np.dtype(scalar.dtype).type(1)


@functools.lru_cache(maxsize=4096)
def result_type(name: str, *sources: Attribute) -> Attribute | None:
    """The source type of an operator's result, or None if Python raises TypeError or the result is no known type.

    `name` is an operator of `OPERATORS`, "round" or "trunc", an attribute of numbers with the
    prefix "number.", or a NumPy function's name with the prefix "np.".
    """
    function = function_named(name) if "." in name else (OPERATORS | _FUNCTIONS)[name]
    samples = [sample(scalar_from_ir(source)) for source in sources]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return classify(function(*samples))
        except (TypeError, AttributeError):
            return None


def classify(value: object) -> Attribute | None:
    """The source type of a Python or NumPy scalar."""
    if isinstance(value, np.generic):
        scalar = NUMPY_SCALARS.get(value.dtype.name)
    else:
        scalar = SCALAR_TYPES.get(type(value).__name__)
    return None if scalar is None else to_ir(scalar)


@functools.lru_cache(maxsize=4096)
def common_type(left: Attribute, right: Attribute) -> Attribute | None:
    """The NumPy type in which two numbers, at least one of them NumPy's, are compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dtype = np.result_type(sample(scalar_from_ir(left)), sample(scalar_from_ir(right)))
    scalar = NUMPY_SCALARS.get(dtype.name)
    return None if scalar is None else to_ir(scalar)


@functools.lru_cache(maxsize=4096)
def loop_types(name: str, *sources: Attribute) -> tuple[Attribute, ...] | None:
    """The source types of the inputs and outputs of the loop that a NumPy ufunc runs for some scalars.

    None if NumPy raises TypeError, or a type is not known.
    """
    ufunc = getattr(np, name)
    scalars = [scalar_from_ir(source) for source in sources]
    weak = {"int": int, "float": float}
    operands = [weak.get(scalar.name) or np.dtype(scalar.dtype) for scalar in scalars]
    try:
        dtypes = ufunc.resolve_dtypes((*operands, *[None] * ufunc.nout))
    except TypeError:
        return None
    found = [NUMPY_SCALARS.get(dtype.name) for dtype in dtypes]
    types = tuple(to_ir(scalar) for scalar in found if scalar is not None)
    return types if len(types) == len(found) else None
