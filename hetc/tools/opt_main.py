"""`hetc-opt`: xDSL's driver with hetc's dialects and passes, Python input, and OpenCL output.

::

    hetc-opt saxpy.py:saxpy --args "f32[?], f32[?]"                 the level-0 IR of a Python function
    hetc-opt level0.mlir -p specialize,inline                       some passes
    hetc-opt saxpy.py:saxpy --args "f32[?], f32[?]" -p default      every pass
    hetc-opt saxpy.py:saxpy --args "f32[?], f32[?]" -t opencl       the OpenCL C and the plan, in one step

All options of `xdsl-opt` work. What hetc adds:

* Named pipelines (`hetc/tools/pipelines.py`): `default` stands for the passes that a call runs, for the device that
  `--device-traits` names, and `default{until=box-elimination}` for some of them. `default` is also what runs when the
  input is Python, no pipeline is given, and the target is not MLIR.
* The IR on the way: `--print-ir-before`, `--print-ir-after`, `--print-ir-diff` and so on, and `--time-passes`, print to
  the standard error. A pass that crashes leaves a file with the IR before it, and the command that runs it again.
* If the input has source locations, so has the output: the text of one level can be piped into the next pass and
  nothing is lost. `--no-locations` prints none, for reading.
* A mistake of the user is one line on the standard error, with an excerpt of the source if there is a place to show:
  exit status 2 for a wrong command line, 1 for wrong input. A traceback is a bug, in hetc or in the pass that it names.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.universe import Universe
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError, VerifyException
from xdsl.xdsl_opt_main import xDSLOptMain

from hetc.errors import HetcError
from hetc.tools import invalid_input, listing, opt_options, pipelines
from hetc.tools.device_traits import DEVICE_TRAITS
from hetc.tools.instrumentation import Runner
from hetc.tools.mlir_output import LocatedMLIRTarget, has_locations
from hetc.tools.opt_errors import REPRODUCER, check_spec, describe_error, usage_error, without_first_line
from hetc.tools.pipelines import PipelineError
from hetc.tools.reproducer import Failure, write_reproducer
from hetc.tools.spelling import unknown
from hetc.tools.timing import Timing, report


class HetcOpt(xDSLOptMain):
    """xDSL's driver with Python input, the default pipeline, locations kept, and errors in one line."""

    locations: bool | None
    """Whether to print locations; None: where the input has some."""

    function: str | None = None
    """The name of the function, if the input is Python."""

    steps: Sequence[pipelines.Step] = ()
    """The passes to run."""

    text: bytes = b""
    """The input, or the part of it that is being worked on."""

    failure: Failure | None = None
    """The pass that failed."""

    def __init__(self, description: str, args: Sequence[str] | None = None) -> None:
        self.timing = Timing("hetc-opt")
        # xDSL answers a wrong target with the list of all, so look at both before xDSL does.
        early = argparse.ArgumentParser(add_help=False)
        early.add_argument("-t", "--target")
        early.add_argument("-f", "--frontend")
        early.error = usage_error
        options, _ = early.parse_known_args(args)
        universe = Universe.get_multiverse()
        check_spec("target", options.target, universe.all_targets)
        check_spec("frontend", options.frontend, universe.all_frontends)
        super().__init__(description, args)

    version_format = "hetc-opt, on xDSL {xdsl_version}"

    def register_all_targets(self) -> None:
        """All targets, with hetc's way to print MLIR."""
        self.available_targets["mlir"] = lambda: LocatedMLIRTarget
        super().register_all_targets()

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        """The options of xDSL's driver, and those that hetc adds."""
        super().register_all_arguments(arg_parser)
        arg_parser.error = usage_error
        arg_parser.add_argument(
            "--args",
            dest="signature",
            metavar="TYPES",
            help='the inputs of a Python function, such as "f32[?], f32[?]", "int[1000]", "(f32, f32)[?]" or "range"',
        )
        arg_parser.add_argument(
            "--device-traits",
            choices=DEVICE_TRAITS,
            default="intel-cpu",
            help="the kind of device that the default pipeline compiles for",
        )
        opt_options.add(arg_parser)

    def setup_pipeline(self) -> None:
        """Interpret what the options say together, then build the pipeline; here since it runs once they are parsed."""
        if text := _listing(self.args):
            print(text)
            raise SystemExit(0)
        self.locations = False if self.args.no_locations else self.args.print_debuginfo or None
        self.args.syntax_highlight |= opt_options.wants_color(self.args)
        self._setup_input()
        try:
            self.steps = pipelines.expand(self.args.passes, DEVICE_TRAITS[self.args.device_traits])
        except ArgSpecParseError as error:
            usage_error(f"malformed pipeline: {without_first_line(error)}")
        except PipelineError as error:
            usage_error(str(error))
        known = {**self.available_passes, **dict.fromkeys(pipelines.DESCRIPTIONS, _never)}
        for step in self.steps:
            check_spec("pass", str(step.spec), known)
        for name in opt_options.named_passes(self.args):
            if name not in self.available_passes:
                usage_error(unknown("pass", name, self.available_passes, lists="--list-passes"))
        self.args.passes = ",".join(str(step.spec) for step in self.steps)
        super().setup_pipeline()

    def _setup_input(self) -> None:
        """Tell a file from standard input, and `FILE.py:NAME` from a file."""
        if self.args.input_file == "-":
            self.args.input_file = None
        path, separator, function = (self.args.input_file or "").rpartition(":")
        if separator and path.endswith(".py"):
            if self.args.signature is None:
                usage_error(f'{path}:{function} needs the types of its inputs, such as --args "f32[?], f32[?]"')
            self.args.input_file = path
            self.function = function
            if not self.args.passes and parse_spec(self.args.target).name != "mlir":
                self.args.passes = "default"
        elif self.args.signature is not None:
            usage_error("--args goes with Python input: FILE.py:NAME")
        elif function.endswith(".py") and not self.args.frontend:
            usage_error(f'name a function of the file: {function}:NAME --args "f32[?]"')
        elif Path(function).is_file() and Path(function).suffix[1:] not in self.available_frontends:
            known = " or ".join(f".{extension}" for extension in self.available_frontends)
            usage_error(f"{function} is not named {known}, and that is how hetc-opt knows what a file holds")

    def parse_chunk(self, chunk: IO[bytes], file_extension: str, start_offset: int = 0) -> ModuleOp | None:
        """Parse, and have locations printed if this input has some."""
        self.text = chunk.read()
        try:
            with self.timing.part("parse").measure():
                module = self._parse_chunk(BytesIO(self.text), file_extension, start_offset)
        except UnicodeDecodeError as error:
            raise HetcError(
                f"{self.get_input_name()} is not UTF-8 text: {error.reason} at byte {error.start}"
            ) from error
        except ValueError as error:
            if self.function is not None:
                raise
            # Some mistakes in types and names come out of xDSL's parser so, and without their place.
            raise HetcError(f"{self.get_input_name()}: malformed IR: {error.args[0]}") from error
        if module is not None:
            self.args.print_debuginfo = self.locations if self.locations is not None else has_locations(module)
        return module

    def _parse_chunk(self, chunk: IO[bytes], file_extension: str, start_offset: int) -> ModuleOp | None:
        if self.function is None:
            return super().parse_chunk(chunk, file_extension, start_offset)
        # Only here: MLIR input needs no frontend of hetc's.
        from hetc.tools.python_input import PythonFrontend

        frontend = PythonFrontend(function=self.function, args=self.args.signature)
        return frontend.parse(self.ctx, chunk, self.get_input_name())

    def apply_passes(self, prog: ModuleOp) -> None:
        """Run the passes as the options say. An input that is invalid is shown at its place in the text."""
        runner = Runner(
            opt_options.printing(self.args),
            verify_each=self.args.verify_each and not self.args.disable_verify,
            verify=not self.args.disable_verify,
            timing=self.timing.part("passes"),
        )
        passes = list(zip(self.pipeline.passes, (step.pipeline for step in self.steps), strict=True))
        try:
            with runner.timing.measure():
                runner.run(self.ctx, prog, passes)
        except VerifyException as error:
            if runner.last is not None or self.function is not None or self.args.verify_diagnostics:
                raise
            place = invalid_input.located(error, prog, self.ctx, self.text.decode(), self.get_input_name())
            raise (error if place is None else place) from None
        finally:
            runner.timing.parts.append(runner.verifying)
            self.failure = runner.failure

    def output_resulting_program(self, prog: ModuleOp) -> str:
        """The text of the result."""
        with self.timing.part("print").measure():
            return super().output_resulting_program(prog)

    def run(self) -> None:
        """Do everything, and print the times if they are wanted."""
        try:
            with self.timing.measure():
                super().run()
        except Exception as error:
            if isinstance(error, ParseError):
                better = invalid_input.explained(error, self.ctx)
                error.span, error.msg = better.span, better.msg
            if self.failure is not None and (self.failure.crash or self.args.crash_reproducer):
                error.add_note(self._reproducer(self.failure))
            raise
        finally:
            if self.args.time_passes:
                print(report(self.timing), file=sys.stderr)

    def _reproducer(self, failure: Failure) -> str:
        options = " --allow-unregistered-dialect" if self.args.allow_unregistered_dialect else ""
        command = write_reproducer(failure, self.args.crash_reproducer, options)
        return f"{REPRODUCER}{command}"


def _never() -> NoReturn:
    raise AssertionError("named pipelines have been replaced by their passes")


def _listing(options: argparse.Namespace) -> str:
    lists = {
        "list_passes": listing.passes,
        "list_dialects": listing.dialects,
        "list_pipelines": lambda: listing.named_pipelines(DEVICE_TRAITS[options.device_traits]),
    }
    return "\n".join(text() for option, text in lists.items() if getattr(options, option))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `hetc-opt` with these arguments, or the command line's. Raises `SystemExit` if the status is not 0."""
    try:
        HetcOpt("hetc's compiler driver: Python or MLIR in, MLIR or OpenCL C out", arguments).run()
    except BrokenPipeError:
        # The reader has seen enough. Python would complain when it flushes the standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except (HetcError, DiagnosticException, ParseError, OSError) as error:
        print(describe_error(error), file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
