"""What `hetc-opt` says about mistakes, on the command line and in the input."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NoReturn, cast

from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError

from hetc.errors import HetcError
from hetc.tools.spelling import unknown

REPRODUCER = "hetc-opt: to run the pass that failed again: "
"""How the note about a reproducer begins."""


def usage_error(message: str) -> NoReturn:
    """Say in one line what is wrong with the command line, and leave with status 2."""
    print(f"hetc-opt: error: {message}", file=sys.stderr)
    raise SystemExit(2)


def check_spec(what: str, text: str | None, known: Mapping[str, Callable[[], type[ArgSpecConvertible]]]) -> None:
    """Leave with a usage error if the text names none of what is known, or gives it options that it does not have."""
    if text is None:
        return
    try:
        spec = parse_spec(text)
        if spec.name not in known:
            usage_error(unknown(what, spec.name, known, lists="--list-passes" if what == "pass" else "--help"))
        check_options(what, spec, known[spec.name]())
        known[spec.name]().from_spec(spec)
    except ArgSpecParseError as error:
        usage_error(f"malformed {what}: {without_first_line(error)}")
    except ValueError as error:
        usage_error(f"{what} {text}: {error}")


def check_options(what: str, spec: ArgSpec, kind: type[ArgSpecConvertible]) -> None:
    """Leave with a usage error for an option that a pass or target does not have."""
    options = {field.name.replace("_", "-") for field in fields(cast("Any", kind)) if field.name != "name"}
    for name in spec.parameters:
        if name.replace("_", "-") not in options:
            usage_error(f"{what} {spec}: {unknown('option', name, options)}")


def without_first_line(error: ArgSpecParseError) -> str:
    """The message of an `ArgSpecParseError`, whose first line says only that it is one."""
    return str(error).partition("\n")[2].strip()


def describe_error(error: HetcError | DiagnosticException | ParseError | OSError, tool: str = "hetc-opt") -> str:
    """What a person reads about an error in the input: `place: error: reason`, then an excerpt if there is one."""
    return "\n".join([_described(error, tool), *(note for note in _notes(error) if note.startswith(REPRODUCER))])


def _described(error: HetcError | DiagnosticException | ParseError | OSError, tool: str) -> str:
    if isinstance(error, ParseError):
        place, _, excerpt = error.span.print_with_context().partition("\n")
        return f"{place}: error: {error.msg}\n{excerpt}".rstrip()
    if isinstance(error, HetcError) and error.location is not None:
        return str(error)
    if isinstance(error, OSError):
        return f"{tool}: error: {error.filename}: {error.strerror}"
    return "\n".join([f"{tool}: error: {error}", *_marked_lines(error)])


def _marked_lines(error: BaseException) -> list[str]:
    """The operation that a verifier complains about: of the whole module in the exception's note, the marked line."""
    for note in _notes(error):
        lines = note.splitlines()
        for line, mark in itertools.pairwise(lines):
            if mark.lstrip().startswith("^") and not mark.strip(" ^-"):
                return [f"    {line.strip()}"]
    return []


def _notes(error: BaseException) -> list[str]:
    return [str(note) for note in getattr(error, "__notes__", ())]
