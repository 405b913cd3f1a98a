"""`hetc-opt`: xDSL's driver with hetc's dialects and passes, Python input, and OpenCL output.

::

    hetc-opt saxpy.py:saxpy --args "f32[?], f32[?]"                 the level-0 IR of a Python function
    hetc-opt level0.mlir -p specialize,inline                       some passes
    hetc-opt saxpy.py:saxpy --args "f32[?], f32[?]" -p default      every pass
    hetc-opt saxpy.py:saxpy --args "f32[?], f32[?]" -t opencl       the OpenCL C and the plan, in one step

All options of `xdsl-opt` work. What hetc adds:

* `default` in a pipeline stands for the passes that a call runs, for the device that `--device-traits` names. It is
  also what runs when the input is Python, no pipeline is given, and the target is not MLIR.
* If the input has source locations, so has the output: the text of one level can be piped into the next pass and
  nothing is lost. `--no-locations` prints none, for reading.
* A mistake of the user is one line on the standard error, with an excerpt of the source if there is a place to show:
  exit status 2 for a wrong command line, 1 for wrong input. A traceback is a bug in hetc.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.universe import Universe
from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, parse_pipeline, parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError
from xdsl.xdsl_opt_main import xDSLOptMain

from hetc.abi import DeviceTraits
from hetc.errors import HetcError
from hetc.tools.mlir_output import LocatedMLIRTarget
from hetc.tools.spelling import unknown

DEVICE_TRAITS = {
    "intel-cpu": DeviceTraits("intel-cpu", compute_units=4, max_group_size=8192),
    "pocl": DeviceTraits("pocl", compute_units=4, max_group_size=4096),
    "cpu": DeviceTraits("cpu", compute_units=4, max_group_size=1024),
    "gpu": DeviceTraits("gpu", shared_memory=False, compute_units=64, max_group_size=1024),
}
"""What `--device-traits` names: a typical device of each family, the same on every machine, so that tests can be."""


class HetcOpt(xDSLOptMain):
    """xDSL's driver with Python input, the default pipeline, locations kept, and errors in one line."""

    locations: bool | None
    """Whether to print locations; None: where the input has some."""

    function: str | None = None
    """The name of the function, if the input is Python."""

    def __init__(self, description: str, args: Sequence[str] | None = None) -> None:
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
        arg_parser.add_argument(
            "--no-locations", action="store_true", help="print no source locations, even if the input has them"
        )

    def setup_pipeline(self) -> None:
        """Interpret what the options say together, then build the pipeline; here since it runs once they are parsed."""
        self.locations = False if self.args.no_locations else self.args.print_debuginfo or None
        self._setup_input()
        try:
            specs = self._expanded(self.args.passes)
        except ArgSpecParseError as error:
            usage_error(f"malformed pipeline: {_without_first_line(error)}")
        for spec in specs:
            check_spec("pass", str(spec), self.available_passes)
        self.args.passes = ",".join(map(str, specs))
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

    def _expanded(self, pipeline: str) -> list[ArgSpec]:
        """The passes of a pipeline, with `default` replaced by the passes it stands for."""
        specs: list[ArgSpec] = []
        for spec in parse_pipeline(pipeline):
            if spec.name == "default":
                # Only here: a pipeline that names its passes needs neither frontends nor runtime.
                from hetc import driver

                specs += parse_pipeline(",".join(driver.pipeline(DEVICE_TRAITS[self.args.device_traits])))
            else:
                specs.append(spec)
        return specs

    def parse_chunk(self, chunk: IO[bytes], file_extension: str, start_offset: int = 0) -> ModuleOp | None:
        """Parse, and have locations printed if this input has some."""
        try:
            module = self._parse_chunk(chunk, file_extension, start_offset)
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


def has_locations(module: ModuleOp) -> bool:
    """Whether any operation of a module knows where it comes from."""
    return any(not isinstance(op.location, UnknownLoc) for op in module.walk())


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
            usage_error(unknown(what, spec.name, known))
        known[spec.name]().from_spec(spec)
    except ArgSpecParseError as error:
        usage_error(f"malformed {what}: {_without_first_line(error)}")
    except ValueError as error:
        usage_error(f"{what} {text}: {error}")


def _without_first_line(error: ArgSpecParseError) -> str:
    """The message of an `ArgSpecParseError`, whose first line says only that it is one."""
    return str(error).partition("\n")[2].strip()


def describe_error(error: HetcError | DiagnosticException | ParseError | OSError) -> str:
    """What a person reads about an error in the input: `place: error: reason`, then an excerpt if there is one."""
    if isinstance(error, ParseError):
        place, _, excerpt = error.span.print_with_context().partition("\n")
        return f"{place}: error: {error.msg}\n{excerpt}".rstrip()
    if isinstance(error, HetcError) and error.location is not None:
        return str(error)
    if isinstance(error, OSError):
        return f"hetc-opt: error: {error.filename}: {error.strerror}"
    return "\n".join([f"hetc-opt: error: {error}", *_marked_lines(error)])


def _marked_lines(error: BaseException) -> list[str]:
    """The operation that a verifier complains about: of the whole module in the exception's note, the marked line."""
    for note in getattr(error, "__notes__", ()):
        lines = str(note).splitlines()
        for line, mark in itertools.pairwise(lines):
            if mark.lstrip().startswith("^") and not mark.strip(" ^-"):
                return [f"    {line.strip()}"]
    return []


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
