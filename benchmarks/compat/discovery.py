"""The plain functions in the modules of another project's test suite."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType

MODULES = (
    "test_range", "test_operators", "test_mathlib", "test_builtins", "test_complex", "complex_usecases", "usecases",
    "test_flow_control", "test_dataflow", "test_numberctor", "test_maxmin", "test_looplifting", "test_tuples",
    "test_chained_assign", "chained_assign_usecases", "test_return_values", "test_nested_calls", "test_optional",
    "test_conditions_as_predicates", "test_globals", "test_mandelbrot", "test_iteration", "test_comprehension",
    "test_lists", "test_exceptions", "test_try_except", "test_slices", "test_unpack_sequence", "test_ssa",
    "recursion_usecases", "inlining_usecases", "test_casting", "test_closure", "test_nan", "test_indexing",
    "test_array_reductions", "test_multi3", "test_python_int", "test_intwidth", "test_practical_lowering_issues",
    "test_remove_dead", "test_inlining", "test_interproc", "test_locals", "test_blackscholes", "test_usecases",
    "test_np_functions", "test_ufuncs", "test_hashing", "test_extended_arg", "test_typeinfer", "test_polynomial",
)  # fmt: skip
"""Modules of `numba.tests` with functions on numbers, loops and arrays."""


@dataclass(frozen=True)
class Found:
    """A function of a test module; `path` is its name in there, with the class that it is a static method of."""

    module: str
    path: str
    function: FunctionType

    @property
    def parameters(self) -> int:
        """How many arguments it must be given."""
        return sum(
            p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            for p in inspect.signature(self.function).parameters.values()
        )


def find_functions(package: str = "numba.tests") -> Iterator[Found]:
    """The functions of all modules, each once."""
    seen: set[int] = set()
    for name in MODULES:
        try:
            module = importlib.import_module(f"{package}.{name}")
        except (ImportError, SystemExit):  # a module may ask for a package that is not there
            continue
        for found in _functions(module, name):
            if id(found.function.__code__) not in seen:
                seen.add(id(found.function.__code__))
                yield found


def _functions(module: ModuleType, name: str) -> Iterator[Found]:
    for attribute, value in list(vars(module).items()):
        if isinstance(value, FunctionType) and _is_case(value, module):
            yield Found(name, attribute, value)
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for inner, method in vars(value).items():
                if isinstance(method, staticmethod) and isinstance(method.__func__, FunctionType):
                    yield Found(name, f"{attribute}.{inner}", method.__func__)


def _is_case(function: FunctionType, module: ModuleType) -> bool:
    """Whether a function is one of the functions under test, rather than part of the tests."""
    parameters = inspect.signature(function).parameters
    return (
        function.__module__ == module.__name__
        and not function.__name__.startswith(("test_", "_", "print", "overload", "impl", "make_", "build", "run"))
        and "self" not in parameters
        and 1 <= len(parameters) <= 4
        and function.__name__ != "<lambda>"
    )
