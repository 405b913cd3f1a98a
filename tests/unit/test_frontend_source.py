"""Finding a function's syntax tree: exactly that function, or a refusal."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from hetc.errors import UnsupportedError
from hetc.frontends.python.source import function_node, name_of

# ruff: noqa: B023, E731 (functions in odd places)


def body_of(function: Any) -> str:
    """The text of what a lambda or a one-line function returns."""
    node = function_node(function)
    last = node.body if isinstance(node, ast.Lambda) else node.body[-1]
    return ast.unparse(last.value if isinstance(last, ast.Return) and last.value is not None else last)


# --- Lambdas ---------------------------------------------------------------------------------------------------------

two = lambda x: x + 1, lambda x: x + 2
different = [lambda x: x * 2, lambda y: y * 2, lambda x, y: x * 2]
in_calls = functools.partial(lambda f, g: (f, g), lambda x: x - 1)(lambda x: x - 2)
nested = lambda x: lambda y: x * y
same_text = lambda x: x, lambda x: x
multi_line = lambda a, b: (
    a + b  # a comment with a lambda x: x in it
)
default = lambda x, f=lambda x: x / 2: f(x)
unicode_before = {"größe": lambda x: x**2, "höhe": lambda x: x**3}
conditional = (lambda x: 1) if len(two) > 5 else (lambda x: 2)


@pytest.mark.parametrize(
    ("function", "body"),
    [
        (two[0], "x + 1"),
        (two[1], "x + 2"),
        (different[0], "x * 2"),
        (different[1], "y * 2"),
        (in_calls[0], "x - 1"),
        (in_calls[1], "x - 2"),
        (nested, "lambda y: x * y"),
        (nested(3), "x * y"),
        (multi_line, "a + b"),
        (default, "f(x)"),
        (default.__defaults__[0], "x / 2"),
        (unicode_before["größe"], "x ** 2"),
        (unicode_before["höhe"], "x ** 3"),
        (conditional, "2"),
    ],
)
def test_the_lambda_itself_is_found(function: Any, body: str):
    assert body_of(function) == body


def test_lambdas_of_equal_text_are_told_apart():
    first, second = (function_node(function) for function in same_text)
    assert first.col_offset < second.col_offset
    assert first.lineno == second.lineno


def test_lambdas_of_a_comprehension_share_their_syntax():
    functions = [lambda x: x + k for k in range(3)]
    assert len({id(function_node(function)) for function in functions}) == 1


# --- Functions -------------------------------------------------------------------------------------------------------


def traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that returns the function itself."""
    return function


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that returns another function."""

    @functools.wraps(function)
    def wrapper(*arguments: Any) -> Any:
        return function(*arguments)

    return wrapper


@traced
@functools.partial(traced)
def decorated(x):
    return x + 10


@wrapped
def decorated_twice(x):
    return x + 20


def documented(x):
    """A docstring is not what the function returns."""
    return x + 30


def outer(k):
    def inner(x):
        return x * k

    def inner_2(x): return x - k  # fmt: skip

    return inner, inner_2


def overloaded(x):
    return x + 1


overloaded_first = overloaded


def overloaded(x):
    return x + 2


class Class:
    def method(self, x):
        return self, x

    @staticmethod
    def static(x):
        return -x


def one_line(x): return x or 5  # fmt: skip


@pytest.mark.parametrize(
    ("function", "body"),
    [
        (decorated, "x + 10"),
        (documented, "x + 30"),
        (outer(2)[0], "x * k"),
        (outer(2)[1], "x - k"),
        (overloaded_first, "x + 1"),
        (overloaded, "x + 2"),
        (Class.method, "(self, x)"),
        (Class.static, "-x"),
        (one_line, "x or 5"),
    ],
)
def test_the_function_itself_is_found(function: Any, body: str):
    assert body_of(function) == body


def test_a_wrapper_is_what_is_called():
    node = function_node(decorated_twice)
    assert isinstance(node, ast.FunctionDef)
    assert node.name == "wrapper"


# --- Names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (decorated, "decorated"),
        (nested, "nested"),
        (two[1], "two"),
        (multi_line, "multi_line"),
        (traced(lambda x: x), None),
        (len, "len"),
        (5, None),
    ],
)
def test_a_lambda_is_called_like_the_variable_that_holds_it(function: Any, name: str | None):
    assert name_of(function) == name


# --- Refusals --------------------------------------------------------------------------------------------------------


def refusal(function: Any) -> UnsupportedError:
    with pytest.raises(UnsupportedError) as caught:
        function_node(function)
    return caught.value


def from_text(text: str, name: str) -> Any:
    namespace: dict[str, Any] = {}
    exec(compile(text, "<made at run time>", "exec"), namespace)
    return namespace[name]


def test_a_function_without_source():
    error = refusal(from_text("def f(x):\n    return x\n", "f"))
    assert error.reason == "the source of f (<made at run time>) cannot be read"
    assert error.hint == "define the function in a file, or in a notebook cell"


def test_a_notebook_cell_has_source():
    text = "f = lambda x: x + 1; g = lambda x: x + 2\n"
    filename = "<ipython-input-1-abc>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), namespace)
    assert [body_of(namespace[name]) for name in "fg"] == ["x + 1", "x + 2"]


def test_an_async_function():
    async def coroutine(x):
        return x

    error = refusal(coroutine)
    assert error.reason == "an async function cannot be compiled"
    assert error.location is not None
    assert error.location.filename == __file__


def load(path: Path, text: str) -> ModuleType:
    """Write a file and run it as a module, without the bytecode cache, which only sees whole seconds."""
    path.write_text(text)
    module = ModuleType(path.stem)
    sys.modules[path.stem] = module
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def edit(path: Path, text: str) -> None:
    """Write a file so that its time of modification is another one."""
    path.write_text(text)
    later = time.time() + 10
    os.utime(path, (later, later))


ORIGINAL = "def f(x):\n    return x + 1\n\n\ng = lambda x: x * 2\n"


@pytest.mark.parametrize(
    "edited",
    [
        pytest.param("def f(x):\n    return x + 2\n\n\ng = lambda x: x * 3\n", id="other constants in the same places"),
        pytest.param("def f(x):\n    return x - 1\n\n\ng = lambda x: x / 2\n", id="other operators in the same places"),
        pytest.param("\n" + ORIGINAL, id="moved down a line"),
        pytest.param("def f(y):\n    return y + 1\n\n\ng = lambda y: y * 2\n", id="other parameters"),
        pytest.param("f = None\n", id="gone"),
        pytest.param("def f(x)\n", id="broken"),
    ],
)
def test_a_file_that_was_edited_after_the_import(tmp_path: Path, edited: str):
    module = load(tmp_path / "edited_after_import.py", ORIGINAL)
    assert [body_of(module.f), body_of(module.g)] == ["x + 1", "x * 2"]
    edit(tmp_path / "edited_after_import.py", edited)
    for function in (module.f, module.g):
        error = refusal(function)
        assert "is not the source it was compiled from" in error.reason or "cannot be read" in error.reason


def test_a_reloaded_file_is_read_again(tmp_path: Path):
    path = tmp_path / "reloaded_later.py"
    load(path, ORIGINAL)
    edit(path, ORIGINAL.replace("+ 1", "+ 7"))
    assert body_of(load(path, ORIGINAL.replace("+ 1", "+ 7")).f) == "x + 7"


def test_an_edit_elsewhere_in_the_file_does_not_matter(tmp_path: Path):
    module = load(tmp_path / "edited_below.py", ORIGINAL)
    edit(tmp_path / "edited_below.py", ORIGINAL + "h = 5\n")
    assert body_of(module.f) == "x + 1"


NO_COLUMNS = """
import ast
from hetc.errors import UnsupportedError
from hetc.frontends.python.source import function_node

one, two = lambda x: x + 1, lambda x: x + 2
alone = lambda x: x + 3
same, twin = lambda x: x + 4, lambda x: x + 4

def decorator(function): return function

@decorator
def decorated(x): return x + 4

for function in (one, two, alone):
    print(ast.unparse(function_node(function).body))
print(function_node(decorated).lineno)
try:
    function_node(twin)
except UnsupportedError as error:
    print(error.reason)
"""


def test_without_columns_the_functions_of_a_line_are_told_apart_by_their_code(tmp_path: Path):
    path = tmp_path / "no_columns.py"
    path.write_text(NO_COLUMNS)
    result = subprocess.run([sys.executable, "-X", "no_debug_ranges", path], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == [
        "x + 1",
        "x + 2",
        "x + 3",
        "13",
        "functions called <lambda> on one line cannot be told apart without columns",
    ]


def test_a_function_whose_code_was_replaced():
    def f(x):
        return x + 1

    changed = FunctionType(f.__code__.replace(co_consts=(None, 2)), globals())
    assert changed(1) == 3
    assert "is not the source" in refusal(changed).reason
