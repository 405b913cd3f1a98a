"""lit's format of shell tests, with the commands of hetc run in copies of lit's own process.

Four fifths of the time that a FileCheck test took was Python starting and importing the compiler, for each command
anew. lit's process imports it once, and each command is a fork of it: as alone as a process that was started for it,
with what is imported already there. What a line has beyond such commands, joined by `|`, is left to lit's shell.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import IO, Any

COMMANDS = ("hetc-opt", "filecheck")
"""The commands that are run in forks."""

NOT = "not"
"""The word of lit's shell that turns the status of a command around."""

ERRORS_TOO = (((">&", 2), "1"),)
"""What lit's parser makes of `2>&1`."""

Main = Callable[[], int | None]


class ForkingTest:
    """Shell tests of which the lines with known commands alone are run here, the others by lit's format `shell`."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        known_mains()  # before lit forks the processes that run tests
        gc.freeze()  # what is imported is not looked through again

    def __getattr__(self, name: str) -> Any:
        """Tests are found as lit finds them."""
        if name == "shell":  # while a copy is made, which has nothing yet
            raise AttributeError(name)
        return getattr(self.shell, name)

    def execute(self, test: Any, configuration: Any) -> Any:
        """Run a test: what lit asks of a format."""
        runner: Any = importlib.import_module("lit.TestRunner")
        results: Any = importlib.import_module("lit.Test")
        script: Any = runner.parseIntegratedTestScript(test)
        if isinstance(script, results.Result) or configuration.noExecute or test.config.unsupported:
            return self.shell.execute(test, configuration)
        substitutions = runner.getDefaultSubstitutions(test, *runner.getTempPaths(test))
        lines = [_command(line) for line in runner.applySubstitutions(script, substitutions)]
        pipelines = [_pipeline(line) for line in lines]
        for line, pipeline in zip(lines, pipelines, strict=True):
            if pipeline is None:
                return self.shell.execute(test, configuration)
            status, said = run(pipeline, test.config.environment)
            if status:
                return results.Result(results.FAIL, f"$ {line}\n{said}\nexit status {status}\n")
        return results.Result(results.PASS, "")


@functools.cache
def known_mains() -> dict[str, Main]:
    """The functions of the commands that are installed, all that they need imported."""
    importlib.import_module("hetc.driver")
    scripts = entry_points(group="console_scripts")
    return {name: script.load() for name in COMMANDS for script in scripts.select(name=name)}


def _command(line: str) -> str:
    """A line of a script without the place that lit has put before it."""
    return re.sub(r"^%dbg\([^)]*\)\s*", "", line)


Pipeline = list[tuple[list[str], bool]]
"""Arguments of commands, and whether what a command says on its standard error goes on, too."""


def _pipeline(line: str) -> Pipeline | None:
    """The commands of a line; None if there is more to it, or a command that is not known."""
    shell: Any = importlib.import_module("lit.ShUtil")
    try:
        parsed: Any = shell.ShParser(line, pipefail=True).parse()
        commands = [(list(command.args), tuple(command.redirects)) for command in parsed.commands]
    except (AttributeError, ValueError):  # several commands, or quotes that do not close
        return None
    known = all(
        all(isinstance(argument, str) for argument in arguments)
        and (arguments[1:] if arguments[0] == NOT else arguments)[0] in known_mains()
        and redirected in ((), ERRORS_TOO)
        for arguments, redirected in commands
    )
    if not known or parsed.negate:
        return None
    return [(arguments, bool(redirected)) for arguments, redirected in commands]


def run(pipeline: Pipeline, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run commands one after the other, each reading what the one before has written: the status, and what was said.

    The status is the last one that is not 0, as with `pipefail`.
    """
    status, said = 0, ""
    with contextlib.ExitStack() as files:
        source: IO[bytes] = files.enter_context(Path(os.devnull).open("rb"))
        for arguments, errors_too in pipeline:
            negated = arguments[0] == NOT
            output, errors = (files.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            found = in_fork(arguments[negated:], environment, (source, output, output if errors_too else errors))
            status = int(not found) if negated else found or status
            errors.seek(0)
            said += errors.read().decode(errors="replace")
            output.seek(0)
            source = output
        return status, said + source.read().decode(errors="replace")


def in_fork(arguments: Sequence[str], environment: Mapping[str, str], streams: Sequence[IO[bytes]]) -> int:
    """Run a command in a fork of this process; its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 70
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = list(arguments)
        status = _status(known_mains()[arguments[0]])
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _status(main: Main) -> int:
    """Run a command's function as a script does."""
    try:
        sys.exit(main())
    except SystemExit as ending:
        if ending.code is None or isinstance(ending.code, int):
            return int(ending.code or 0)
        print(ending.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001 (Python's own last words, for whatever it is)
        traceback.print_exc()
    return 1
