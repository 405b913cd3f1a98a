"""Python files as input of the compiler's tools: `FILE.py:NAME` and a signature, to level-0 IR.

The file is run as `python file.py` would run it, except that its `__name__` is not `__main__`, and what it prints goes
to the standard error, since the standard output is for IR. Locations in the IR name the file as it was given.

It stands in `tools` since it needs the driver, which knows how an array function becomes IR. Registered as an xDSL
frontend, it also serves plain `xdsl-opt`: `xdsl-opt FILE.py -f 'py{function="saxpy" args="f32[?], f32[?]"}'`.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.frontend import Frontend

from hetc import api, driver, settings, skeletons
from hetc.errors import HetcError, SourceLocation
from hetc.frontends.skeleton.composition import functions
from hetc.jit_function import JitFunction
from hetc.tools.signature_text import parse_signature
from hetc.tools.spelling import unknown


@dataclass(frozen=True)
class PythonFrontend(Frontend):
    """Level-0 IR of the array function called `function` in a Python file, for inputs as `args` describes them.

    A plain Python function stands for `hetc.map` of it. Raises `HetcError` for what is missing or malformed, and
    `UnsupportedError` for what hetc does not compile.
    """

    name = "py"

    function: str = ""
    args: str = ""

    def parse(self, ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:  # noqa: A002 (xDSL's name)
        signature = parse_signature(self.args)
        module = run_file(input.read(), input_name)
        function = array_function_named(module, self.function)
        fastmath = function.call_options.is_fast(settings.current())
        return driver.level0(function, signature, self.function, fastmath=fastmath)


def run_file(source: bytes, filename: str) -> ModuleType:
    """The module that results from running a file. Raises `HetcError`, with the line, if running it raises."""
    module = ModuleType(f"hetc_input.{Path(filename).stem}")
    module.__file__ = filename
    # Dataclasses and others look their module up by name.
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(Path(filename).resolve().parent))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(source, filename, "exec"), module.__dict__)  # noqa: S102 (the user's own file)
    except SyntaxError as error:
        if error.filename != filename:
            raise HetcError(f"{filename} does not import: {error}") from error
        location = SourceLocation(filename, error.lineno or 1, (error.offset or 1) - 1)
        raise HetcError(f"{type(error).__name__}: {error.msg}", location=location) from error
    except (Exception, SystemExit) as error:
        raise HetcError(
            f"running this file raises {_last_line(error)}", location=_innermost(error, filename)
        ) from error
    return module


def array_function_named(module: ModuleType, name: str) -> api.ArrayFunction:
    """The array function bound to `name`, or `hetc.map` of the plain function bound to it."""
    function = function_named(module, name)
    if isinstance(function, JitFunction):
        raise HetcError(
            f"{name} in {module.__file__} has parallel loops, where an array function such as hetc.map(f) is needed",
            hint="hetc run --check-passes takes it, and so does hetc explain",
        )
    return function


def function_named(module: ModuleType, name: str) -> api.ArrayFunction | JitFunction:
    """The same, or the function with parallel loops that is bound to `name`."""
    kinds = api.ArrayFunction | FunctionType | JitFunction
    names = {key: value for key, value in vars(module).items() if isinstance(value, kinds)}
    if name in names:
        value = names[name]
        return skeletons.map(value) if isinstance(value, FunctionType) else value
    if name in vars(module):
        kind = type(vars(module)[name]).__name__
        raise HetcError(
            f"{name} in {module.__file__} is a {kind}, where an array function such as hetc.map(f) is needed"
        )
    raise HetcError(f"{module.__file__}: {unknown('array function', name, names)}")


def made_in(module: ModuleType, text: str) -> object:
    """The value of `=EXPRESSION` in a Python file that has been run. Raises `HetcError` if there is none."""
    try:
        return eval(text.removeprefix("="), vars(module))  # noqa: S307 (the user's own, beside the user's own file)
    except Exception as error:
        raise HetcError(f"{text} raises {_last_line(error)}") from error


def running(function: Callable[..., object], inputs: Sequence[object]) -> object:
    """What a function of the user's file gives. Raises `HetcError`, with the line, for what it raises itself."""
    try:
        return function(*inputs)
    except HetcError:
        raise
    except Exception as error:
        place = _innermost(error, function_file(function))
        last = traceback.extract_tb(error.__traceback__)[-1]
        # Python's functions are called in "sequential"; where "api" is the last, it has left out all after it.
        if place is None and Path(last.filename).stem not in ("sequential", "api"):
            raise
        raise HetcError(f"the function raises {_last_line(error)}", location=place) from error


def function_file(function: Callable[..., object]) -> str:
    """The file of the function that is called, or of the first one of a composition."""
    if isinstance(function, api.ArrayFunction):
        parts = [part for part in functions(function.stages) if isinstance(part, FunctionType)]
    else:
        parts = [function.function] if isinstance(function, JitFunction) else []
    return parts[0].__code__.co_filename if parts else ""


@contextlib.contextmanager
def told_plainly() -> Generator[None]:
    """Show warnings on the standard error by their text, which has the user's line, and not that of a tool."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print(message, file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _last_line(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()


def _innermost(error: BaseException, filename: str) -> SourceLocation | None:
    """The place in the file where an exception came from."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == filename and frame.lineno is not None:
            return SourceLocation(filename, frame.lineno, frame.colno or 0, frame.end_colno)
    return None
