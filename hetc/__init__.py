"""hetc: a heterogeneous compiler for Python.

Ordinary Python functions and compositions of parallel skeletons, run on a GPU or a CPU through OpenCL, with the results
that Python gives.

>>> import hetc
>>> saxpy = hetc.map(lambda a, b: 2.5 * a + b)
>>> saxpy([1.0, 2.0], [3.0, 4.0])
[5.5, 9.0]
"""

from hetc.api import (
    ArrayFunction,
    Device,
    Explanation,
    Profile,
    all,
    any,
    argmax,
    argmin,
    configure,
    devices,
    filter,
    gather,
    histogram,
    iterate,
    map,
    profile,
    reduce,
    reduce_by_key,
    scan,
    scatter,
    stencil,
    zip,
)
from hetc.array_functions import NumPyFunctions
from hetc.arrays.base import Array
from hetc.arrays.numbers import NumberArray
from hetc.errors import CompileError, DeviceError, FallbackWarning, HetcError, InputError, UnsupportedError
from hetc.futures import Future
from hetc.jit_function import JitFunction, jit
from hetc.loops import forall, prange
from hetc.pipeline import Pipeline, pipeline
from hetc.portable import array, seq

__all__ = [
    "Array", "ArrayFunction", "CompileError", "Device", "DeviceError", "Explanation", "FallbackWarning", "Future",
    "HetcError", "InputError", "JitFunction", "Pipeline", "Profile", "UnsupportedError", "all", "any", "argmax",
    "argmin", "array", "configure", "devices", "filter", "forall", "gather", "histogram", "iterate", "jit", "map",
    "pipeline", "prange", "profile", "reduce", "reduce_by_key", "scan", "scatter", "seq", "stencil", "zip",
]  # fmt: skip

NumberArray.numpy_calls = NumPyFunctions()

__version__ = "0.1.0"
