"""`hetc run`: run a Python function or an MLIR module on data, on a device or in the reference interpreters.

::

    hetc run saxpy.py:saxpy "f32[1000]" x.npy -o result.npy     on a device, on random data and a file
    hetc run level2.mlir "f32[8]" "f32[8]"                      the same for a module of any level
    hetc run saxpy.py:saxpy "f32[8]" "f32[8]" --interpret -p level-1      in the interpreter, after some passes
    hetc run saxpy.py:saxpy "f32[8]" "f32[8]" --check-passes    before and after every pass, compared

`hetc-run` is the same command. `hetc/tools/data_text.py` says how data is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError, VerifyException

import hetc
from hetc import driver
from hetc.abi import Container, DeviceTraits
from hetc.errors import HetcError
from hetc.frontends.skeleton.composition import Map, Stages, Zip
from hetc.frontends.skeleton.sequential import run_in_python
from hetc.runtime import devices
from hetc.tools import pipelines, run_options
from hetc.tools.data_text import RandomData, read_data, read_value
from hetc.tools.device_traits import DEVICE_TRAITS
from hetc.tools.invalid_input import located
from hetc.tools.opt_errors import describe_error, without_first_line
from hetc.tools.pass_check import Checker, Raised, State, Verdict, by_rows, interpret, whole
from hetc.tools.python_input import array_function_named, run_file
from hetc.tools.run_module import check_fits, run_on_device
from hetc.tools.spelling import unknown


@dataclass(frozen=True)
class Program:
    """What to run, and on what: an array function, or the text of a module with the values that it captures."""

    inputs: Sequence[Any]
    captured: Mapping[str, Any]
    name: str
    function: hetc.ArrayFunction | None = None
    text: str = ""
    context: Context = field(default_factory=Context)

    def lowered(self, traits: DeviceTraits) -> tuple[ModuleOp, Mapping[str, Any]]:
        """The module, of level 0 if the program is Python, and the values that it captures."""
        if self.function is not None:
            request = driver.request_for_inputs(self.function.stages, self.inputs, traits, self.name)
            return driver.frontend(request), request.resolution.captures
        module = Parser(self.context, self.text, self.name).parse_module()
        try:
            module.verify()
        except VerifyException as error:
            raise (located(error, module, self.context, self.text, self.name) or error) from None
        check_fits(module, self.inputs, self.captured)
        return module, self.captured

    def in_python(self) -> State | None:
        """What Python itself makes of the data, if the program is Python."""
        if self.function is None:
            return None
        stages = self.function.stages
        run = whole if not elementwise(stages) else by_rows
        return run(lambda columns: run_in_python(stages, columns, Container.LIST), self.inputs)


def elementwise(stages: Stages) -> bool:
    """Whether each element of the result is made of one element of the inputs."""
    return all(isinstance(stage, Map | Zip) for stage in stages)


def run(options: argparse.Namespace) -> str:
    """Do what the options say, and return what to print. Raises HetcError, and SystemExit(1) for a wrong pass."""
    program = _program(options)
    if options.check_passes:
        return _check(program, options)
    if options.interpret:
        return _interpreted(program, options)
    if options.passes is not None:
        raise HetcError("-p goes with --interpret or --check-passes; on a device the whole pipeline runs")
    device = devices.select(options.device)
    if program.function is None:
        result = run_on_device(*program.lowered(device.traits), program.inputs, device)
    else:
        with hetc.configure(device=device, offload="always"):
            result = program.function(*program.inputs)
    return _deliver(result, options.output)


def _program(options: argparse.Namespace) -> Program:
    random = RandomData(options.seed, options.low, options.high)
    inputs = [read_data(text, random) for text in options.data]
    if not inputs:
        raise HetcError('no data: give each input, such as x.npy, "[1, 2]", or "f32[1000]" for random numbers')
    pairs = [text.partition("=") for text in options.capture]
    captured = {name: read_value(value, random) for name, _, value in pairs}
    path, colon, name = options.program.rpartition(":")
    if colon and path.endswith(".py"):
        if captured:
            raise HetcError("--capture is for IR; a Python function has its own variables")
        function = array_function_named(run_file(Path(path).read_bytes(), path), name)
        return Program(inputs, {}, name, function)
    if not options.program.endswith(".mlir"):
        raise HetcError(f"expected FILE.py:NAME or FILE.mlir, not {options.program!r}")
    context = Context()
    for dialect, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(dialect, factory)
    return Program(inputs, captured, options.program, None, Path(options.program).read_text(), context)


def _passes(options: argparse.Namespace, default: str) -> Iterator[ModulePass]:
    known = Universe.get_multiverse().all_passes
    text = default if options.passes is None else options.passes
    for step in pipelines.expand(text, DEVICE_TRAITS[options.device_traits]):
        if step.spec.name not in known:
            names = [*known, *pipelines.DESCRIPTIONS]
            raise HetcError(unknown("pass", step.spec.name, names, lists="hetc-opt --list-passes"))
        yield known[step.spec.name]().from_spec(step.spec)


def _interpreted(program: Program, options: argparse.Namespace) -> str:
    module, captured = program.lowered(DEVICE_TRAITS[options.device_traits])
    for pass_ in _passes(options, ""):
        pass_.apply(program.context, module)
    state = interpret(module, program.inputs, captured)
    if options.output is None:
        return "\n".join(f"{index}: {_shown(element)}" for index, element in enumerate(state.elements))
    if state.left:
        raise HetcError(f"{state.left} elements go to Python, so that there is no result to save")
    return _deliver(list(state.elements), options.output)


def _shown(element: object) -> str:
    return f"goes to Python: {element.what}" if isinstance(element, Raised) else repr(element)


def _check(program: Program, options: argparse.Namespace) -> str:
    module, captured = program.lowered(DEVICE_TRAITS[options.device_traits])
    checker = Checker(program.inputs, captured, program.in_python())
    verdicts = list(checker.check_passes(program.context, module, list(_passes(options, "default"))))
    text = verdict_table(verdicts)
    if verdicts[-1].wrong is not None:
        print(text)
        raise SystemExit(1)
    return text


def verdict_table(verdicts: Sequence[Verdict]) -> str:
    """A pass a line, and how many were checked."""
    width = max(len(verdict.name) for verdict in verdicts)
    unknown_ = sum(verdict.unknown is not None for verdict in verdicts)
    summary = f"{len(verdicts)} states, {unknown_} not checked" if unknown_ else f"{len(verdicts)} states, all checked"
    return "\n".join([*(f"{verdict.name:{width}}  {verdict}" for verdict in verdicts), summary])


def _deliver(result: object, output: Path | None) -> str:
    if output is None:
        return repr(result)
    if isinstance(result, tuple) and all(isinstance(part, np.ndarray) for part in cast("tuple[object, ...]", result)):
        np.savez(output.with_suffix(".npz"), *cast("tuple[Any, ...]", result))
        return f"wrote {output.with_suffix('.npz')}"
    np.save(output, np.asarray(result), allow_pickle=False)
    return f"wrote {output}"


def reported(options: argparse.Namespace) -> str:
    """Run the command; an error is printed on the standard error, and raises SystemExit(1)."""
    try:
        return run(options)
    except ArgSpecParseError as error:
        print(f"hetc run: error: malformed pipeline: {without_first_line(error)}", file=sys.stderr)
    except (HetcError, DiagnosticException, ParseError, OSError) as error:
        print(describe_error(error, "hetc run"), file=sys.stderr)
    raise SystemExit(1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `hetc-run` with these arguments, or the command line's. Raises `SystemExit` if the status is not 0."""
    parser = argparse.ArgumentParser("hetc-run", description="Run a function or a module on data.")
    run_options.add(parser)
    print(reported(parser.parse_args(arguments)))


if __name__ == "__main__":
    main()
