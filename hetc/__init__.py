"""hetc: a heterogeneous compiler for Python.

Ordinary Python functions and compositions of parallel skeletons, run on a GPU or a CPU through OpenCL, with the results
that Python gives.

>>> import hetc
>>> saxpy = hetc.map(lambda a, b: 2.5 * a + b)
>>> saxpy([1.0, 2.0], [3.0, 4.0])
[5.5, 9.0]
"""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from hetc.api import ArrayFunction, Device, Profile, configure, devices, profile
from hetc.arrays.base import Array
from hetc.arrays.numbers import NumberArray
from hetc.errors import (
    CompileError,
    DebugWarning,
    DeviceError,
    FallbackWarning,
    HetcError,
    InputError,
    UnsupportedError,
)
from hetc.loops import forall, prange
from hetc.skeletons import (
    all,
    any,
    argmax,
    argmin,
    argsort,
    filter,
    gather,
    histogram,
    iterate,
    map,
    reduce,
    reduce_by_key,
    scan,
    scatter,
    sort,
    stencil,
    zip,
)

if TYPE_CHECKING:
    from hetc.arrays.numbers import NumPyCalls
    from hetc.explanation.report import Explanation
    from hetc.futures import Future
    from hetc.jit_function import JitFunction, jit
    from hetc.pipelines import Pipeline, pipeline
    from hetc.portable import array, seq

__all__ = [
    "Array", "ArrayFunction", "CompileError", "DebugWarning", "Device", "DeviceError", "Explanation", "FallbackWarning",
    "Future", "HetcError", "InputError", "JitFunction", "Pipeline", "Profile", "UnsupportedError", "all", "any",
    "argmax", "argmin", "argsort", "array", "configure", "devices", "filter", "forall", "gather", "histogram",
    "iterate", "jit", "map", "pipeline", "prange", "profile", "reduce", "reduce_by_key", "scan", "scatter", "seq",
    "sort", "stencil", "zip",
]  # fmt: skip


class _NumPyFunctions:
    """NumPy's functions of portable arrays, imported when one is called."""

    def __getattr__(self, name: str) -> object:
        from hetc.array_functions import NumPyFunctions

        NumberArray.numpy_calls = found = NumPyFunctions()
        return getattr(found, name)


NumberArray.numpy_calls = cast("NumPyCalls", _NumPyFunctions())

__version__ = "0.1.0"

_ON_DEMAND = {
    "Explanation": "hetc.explanation.report",
    "Future": "hetc.futures",
    "JitFunction": "hetc.jit_function",
    "Pipeline": "hetc.pipelines",
    "array": "hetc.portable",
    "jit": "hetc.jit_function",
    "pipeline": "hetc.pipelines",
    "seq": "hetc.portable",
}
"""What is imported when a program first names it, and from where."""


def __getattr__(name: str) -> object:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_ON_DEMAND[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})
