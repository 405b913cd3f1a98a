"""What names mean at a call: closures, globals, modules, functions; and the key that selects a compiled kernel."""

from __future__ import annotations

import functools
import math
import math as mathematics
import types
from collections.abc import Callable
from math import sqrt as root
from typing import Any

import numpy as np
import pytest

from hetc.errors import UnsupportedError
from hetc.frontends.python.closure import Capture, Known, ResolvedFunction, captured_chains, resolve

# ruff: noqa: PLW0108, PLC2401, B023 (lambdas are what is tested)

gain = 2.0
table = np.arange(3.0)
constants = types.ModuleType("constants")
constants.inner = types.ModuleType("constants.inner")
constants.inner.limit = 7


def only(function: Callable[..., Any]) -> ResolvedFunction:
    """The resolution of one function."""
    (resolved,) = resolve([function]).functions
    assert isinstance(resolved, ResolvedFunction)
    return resolved


def resolve_captures(*functions: Callable[..., Any]) -> dict[str, object]:
    return resolve(functions).captures


# --- Names in code ---------------------------------------------------------------------------------------------------


def reads_many(x):
    local = x + gain
    return np.sqrt(local) + math.pi + constants.inner.limit + table[0] + len(table) + local.real


def test_chains_are_the_free_names_with_their_attributes():
    expected = (("gain",), ("np", "sqrt"), ("math", "pi"), ("constants", "inner", "limit"), ("table",), ("len",))
    assert captured_chains(reads_many.__code__) == expected


def test_a_chain_ends_where_the_value_is_used():
    assert captured_chains((lambda x: table[x].real + table.shape[0]).__code__) == (("table",), ("table", "shape"))


def test_chains_of_a_function_with_very_many_names():
    names = [f"name_{k}" for k in range(300)]
    namespace: dict[str, Any] = {}
    exec(f"def f(x):\n    return ({', '.join(names)}, np.sqrt, math.pi)\n", namespace)
    assert captured_chains(namespace["f"].__code__)[-2:] == (("np", "sqrt"), ("math", "pi"))


# --- Captured variables ----------------------------------------------------------------------------------------------


def scaled_by(factor):
    return lambda x: x * factor


def test_closures_and_globals_are_read_now():
    assert resolve_captures(lambda x: x * gain) == {"gain": 2.0}
    assert resolve_captures(scaled_by(5)) == {"factor": 5}


def test_a_global_hides_a_builtin_and_a_closure_a_global():
    def of(gain):
        return lambda x: x + gain

    assert resolve_captures(of(7)) == {"gain": 7}
    function = types.FunctionType((lambda x: len).__code__, {"len": 3})
    assert resolve_captures(function) == {"len": 3}


def test_attributes_of_modules_are_values_and_those_of_arrays_are_not():
    assert resolve_captures(lambda x: math.pi + constants.inner.limit) == {
        "math_pi": math.pi,
        "constants_inner_limit": 7,
    }
    bindings = only(lambda x: table.shape[0]).bindings
    assert bindings == {("table",): Capture("table")}


def test_one_variable_of_two_functions_is_captured_once():
    assert list(resolve_captures(lambda x: x + gain, lambda x: x - gain)) == ["gain"]


def test_two_variables_of_one_name_are_captured_apart():
    captures = resolve_captures(scaled_by(300.5), scaled_by(400.5), scaled_by(500.5))
    assert captures == {"factor": 300.5, "factor_1": 400.5, "factor_2": 500.5}


def test_a_loop_variable_has_its_last_value():
    functions = [lambda x: x + k for k in range(3)]
    assert resolve_captures(functions[0]) == {"k": 2}


def test_an_unbound_cell_has_no_meaning():
    def f(x):
        return x + later

    assert resolve_captures(f) == {}
    assert only(f).bindings == {}
    later = 3
    assert resolve_captures(f) == {"later": 3}


def test_a_name_that_does_not_exist_has_no_meaning():
    assert only(lambda x: no_such_name + x).bindings == {}  # noqa: F821


# --- Functions -------------------------------------------------------------------------------------------------------


def helper(x):
    return x * gain


def test_known_functions_are_known_under_any_name():
    bindings = only(lambda x: (root(x), mathematics.sqrt(x), np.sqrt(x), abs(x), np.float32(x), np.bool_(x))).bindings
    assert bindings == {
        ("root",): Known("math.sqrt"),
        ("mathematics", "sqrt"): Known("math.sqrt"),
        ("np", "sqrt"): Known("np.sqrt"),
        ("abs",): Known("abs"),
        ("np", "float32"): Known("np.float32"),
        ("np", "bool_"): Known("np.bool"),
    }


def test_a_function_of_the_user_with_a_known_name_is_the_user_s():
    def sqrt(x):
        return x

    (binding,) = only(lambda x: sqrt(x)).bindings.values()
    assert isinstance(binding, ResolvedFunction)
    assert binding.function is sqrt


def test_called_functions_are_resolved_too():
    resolution = resolve([lambda x: helper(x) + helper(x + 1)])
    (root_function,) = resolution.functions
    assert isinstance(root_function, ResolvedFunction)
    (called,) = root_function.bindings.values()
    assert isinstance(called, ResolvedFunction)
    assert (called.function, called.symbol) == (helper, "helper")
    assert resolution.captures == {"gain": 2.0}


def test_functions_of_one_name_have_symbols_of_their_own():
    resolution = resolve([scaled_by(1), scaled_by(2), lambda größe: größe])
    assert [getattr(f, "symbol", None) for f in resolution.functions] == ["lambda", "lambda_1", "lambda_2"]


def test_a_known_function_is_a_stage_by_itself():
    assert resolve([math.sqrt, max]).functions == (Known("math.sqrt"), Known("max"))


class Callable_:  # noqa: N801 (a class that is called)
    def __call__(self, x):
        return x


@pytest.mark.parametrize(
    ("function", "called"),
    [
        (print, "print"),
        (Callable_(), "an object of type Callable_"),
        (functools.partial(helper), "an object of type partial"),
        (5, "an object of type int"),
    ],
)
def test_what_has_no_python_code_is_refused(function: Any, called: str):
    with pytest.raises(UnsupportedError) as caught:
        resolve([function])
    assert caught.value.reason == f"{called} has no Python source to compile"
    assert caught.value.hint == "pass a function or lambda written in Python"


def test_an_unknown_callable_in_a_function_is_left_to_the_call_of_it():
    assert only(lambda x: print(x)).bindings == {}


# --- Recursion -------------------------------------------------------------------------------------------------------


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


@pytest.mark.parametrize(("function", "culprit"), [(factorial, factorial), (even, even), (lambda x: odd(x), odd)])
def test_recursion_is_refused_at_the_function(function: Any, culprit: Any):
    with pytest.raises(UnsupportedError) as caught:
        resolve([function])
    assert caught.value.reason == f"{culprit.__name__}() calls itself, and a device has no call stack"
    assert caught.value.hint == "write the recursion as a loop"
    assert caught.value.location is not None
    assert caught.value.location.line == culprit.__code__.co_firstlineno


def test_calling_one_function_twice_is_no_recursion():
    def twice(x):
        return helper(helper(x))

    assert list(resolve([lambda x: twice(x) + helper(x)]).captures) == ["gain"]


# --- Keys ------------------------------------------------------------------------------------------------------------


def key(*functions: Any) -> Any:
    return resolve(functions).key


def power(n):
    def inner(x, exponent=n, *, scale=1):
        return x**exponent * scale

    return inner


def calls(function):
    return lambda x: function(x)


def test_a_key_does_not_depend_on_the_values_of_captured_variables():
    assert key(scaled_by(1)) == key(scaled_by(2.5))
    assert hash(key(scaled_by(1))) == hash(key(scaled_by(2.5)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(lambda x: x + 1, lambda x: x + 2, id="code"),
        pytest.param(power(2), power(3), id="default"),
        pytest.param(power(2), power(2.0), id="type of a default"),
        pytest.param(power(0.0), power(-0.0), id="sign of a default"),
        pytest.param(calls(math.sin), calls(math.cos), id="known function"),
        pytest.param(calls(helper), calls(math.cos), id="user's function or known function"),
        pytest.param(calls(scaled_by(1)), calls(helper), id="other user's function"),
        pytest.param(calls(helper), calls(5), id="function or value"),
    ],
)
def test_keys_differ(one: Any, other: Any):
    assert key(one) != key(other)


def test_a_key_tells_which_variables_are_one():
    """Two functions that read one variable make another kernel than two that read two of one name."""
    shared = 300.5
    assert key(scaled_by(shared), scaled_by(shared)) != key(scaled_by(300.5), scaled_by(400.5))


def test_a_key_sees_through_called_functions():
    assert key(calls(calls(math.sin))) != key(calls(calls(math.cos)))
    assert key(calls(power(2))) != key(calls(power(3)))


def test_a_key_tells_an_unbound_variable_from_a_bound_one():
    def f(x):
        return x + later

    unbound = key(f)
    later = 3
    assert key(f) != unbound
