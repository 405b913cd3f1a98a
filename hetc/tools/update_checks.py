"""`hetc-update-checks`: write the CHECK lines of FileCheck tests from what their commands print now.

::

    hetc-update-checks tests/filecheck/passes/inline.mlir             show what would change
    hetc-update-checks --write tests/filecheck/passes/*.mlir          change it

The lines say what the output is, not whether it is right: they are for review, and to be thinned out to what a case is
about. Of a file with cases parted by `// -----`, each case gets the lines for its own output, after its IR. Names of
SSA values become variables, so that they may change. The command is that of the file's one `RUN:` line, without
`filecheck`.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from hetc.errors import HetcError

SEPARATOR = "// -----"
_RUN = re.compile(r"^// RUN: (.*)$", re.MULTILINE)
_CHECK = re.compile(r"^\s*// CHECK(-[A-Z]+(\{.*\})?)?:")
_FUNCTION = re.compile(r"^(?P<head>.*func\.func .*?)(?P<name>@[\w.$-]+)(?P<rest>.*)$")
_VALUE = re.compile(r"%([\w$.-]+)")
_DEFINED = re.compile(r"%([\w$.-]+)(?=(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* = |: )")


class UpdateError(HetcError):
    """A file is not a test whose CHECK lines can be written."""


def updated(path: Path) -> str:
    """The text of a test with CHECK lines for what its command prints now. Raises UpdateError, OSError."""
    text = path.read_text()
    runs = _RUN.findall(text)
    if len(runs) != 1:
        raise UpdateError(f"{path} has {len(runs)} RUN lines; one is needed, which writes CHECK lines under one prefix")
    *commands, check = [shlex.split(part) for part in runs[0].split("|")]
    if not commands or check != ["filecheck", "%s"]:
        raise UpdateError(f"{path}: the RUN line does not end with '| filecheck %s'")
    cases, outputs = text.split(SEPARATOR), run(commands, path).split(SEPARATOR)
    if len(cases) != len(outputs):
        raise UpdateError(f"{path} has {len(cases)} cases, but the command prints {len(outputs)}")
    return SEPARATOR.join(_with_checks(case, output) for case, output in zip(cases, outputs, strict=True))


def run(commands: Sequence[Sequence[str]], path: Path) -> str:
    """What a pipeline of commands prints; `%s` is the file. Raises UpdateError if one fails."""
    text = ""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    for command in commands:
        words = [word.replace("%s", str(path)) for word in command]
        result = subprocess.run(
            words, input=text, capture_output=True, text=True, check=False, env=os.environ | {"PATH": programs}
        )
        if result.returncode:
            raise UpdateError(f"{path}: {shlex.join(words)} exits with {result.returncode}:\n{result.stderr.rstrip()}")
        text = result.stdout
    return text


def _with_checks(case: str, output: str) -> str:
    """A case with its old CHECK lines replaced; what parts it from the next case stays."""
    kept = [line for line in case.split("\n") if not _CHECK.match(line)]
    body = "\n".join(kept).rstrip("\n")
    end = case[len(case.rstrip("\n")) :]
    return "\n".join([body, *check_lines(output)]) + end


def check_lines(output: str) -> Iterator[str]:
    r"""The directives for some IR: functions by name, then line by line.

    >>> for line in check_lines("builtin.module {\n  func.func @f(%x: i32) {\n    %0 = t.u %x : i32\n  }\n}"):
    ...     print(line)
    // CHECK-LABEL: @f
    // CHECK-SAME:    (%[[X:.*]]: i32) {
    // CHECK-NEXT:    %[[V0:.*]] = t.u %[[X]] : i32
    // CHECK-NEXT:  }
    """
    lines = [line for line in output.split("\n") if line.strip()]
    if lines and lines[0] == "builtin.module {" and lines[-1] == "}":
        lines = [line.removeprefix("  ") for line in lines[1:-1]]
    names: dict[str, str] = {}
    for number, line in enumerate(lines):
        function = _FUNCTION.match(line)
        if function is not None:
            yield f"// CHECK-LABEL: {function['name']}"
            yield f"// CHECK-SAME:    {_pattern(function['rest'], names)}"
            continue
        directive = "CHECK-NEXT:" if number else "CHECK:     "
        yield f"// {directive}  {_pattern(line, names)}"


def _pattern(line: str, names: dict[str, str]) -> str:
    """A line in which the names of values are variables, bound where they are defined."""
    defined = {match.start() for match in _DEFINED.finditer(line)}
    parts: list[str] = []
    end = 0
    for match in _VALUE.finditer(line):
        parts.append(_escaped(line[end : match.start()]))
        end = match.end()
        name = names.setdefault(match[1], _variable(match[1], names))
        parts.append(f"%[[{name}:.*]]" if match.start() in defined else f"%[[{name}]]")
    return "".join([*parts, _escaped(line[end:])])


def _variable(value: str, names: dict[str, str]) -> str:
    """A variable's name for a value's, of which there is no other."""
    stem = re.sub(r"\W", "_", value).upper()
    stem = f"V{stem}" if stem[0].isdigit() else stem
    taken = set(names.values())
    return next(name for name in (stem, *(f"{stem}_{k}" for k in range(1, 10_000))) if name not in taken)


def _escaped(text: str) -> str:
    """Text with what FileCheck would take for a pattern."""
    return re.sub(r"\[\[|\{\{", lambda brackets: "{{" + re.escape(brackets[0]) + "}}", text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `hetc-update-checks`. Raises `SystemExit` with status 1 for an error, or a difference that is not written."""
    parser = argparse.ArgumentParser("hetc-update-checks", description="Write CHECK lines from what is printed now.")
    parser.add_argument("files", nargs="+", type=Path, help="FileCheck tests with one RUN line")
    parser.add_argument("--write", action="store_true", help="change the files, rather than show the difference")
    options = parser.parse_args(arguments)
    status = 0
    for path in options.files:
        try:
            new = updated(path)
        except (UpdateError, OSError) as error:
            print(f"hetc-update-checks: error: {error}", file=sys.stderr)
            status = 1
            continue
        old = path.read_text()
        if new != old and options.write:
            path.write_text(new)
            print(f"wrote {path}")
        elif new != old:
            status = 1
            difference = difflib.unified_diff(old.splitlines(), new.splitlines(), str(path), str(path), lineterm="")
            print("\n".join(difference))
    if status:
        raise SystemExit(status)


if __name__ == "__main__":
    main()
