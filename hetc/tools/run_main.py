"""`hetc run`: run a Python function or an MLIR module on data, on a device or in the reference interpreters.

::

    hetc run saxpy.py:saxpy "f32[1000]" x.npy -o result.npy     on a device, on random data and a file
    hetc run level2.mlir "f32[8]" "f32[8]"                      the same for a module of any level
    hetc run saxpy.py:saxpy "f32[8]" "f32[8]" --interpret -p level-1      in the interpreter, after some passes
    hetc run saxpy.py:saxpy "f32[8]" "f32[8]" --check-passes    before and after every pass, compared
    hetc run loops.py:saxpy 2.5 "f32[8]" "f32[8]" --check-passes          the same for each loop of a call

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
from hetc.abi import DeviceTraits
from hetc.errors import HetcError
from hetc.jit_function import JitFunction
from hetc.runtime import devices
from hetc.tools import pipelines, run_options
from hetc.tools.data_text import RandomData, read_data, read_value
from hetc.tools.device_traits import DEVICE_TRAITS
from hetc.tools.invalid_input import explained, located
from hetc.tools.opt_errors import describe_error, without_first_line
from hetc.tools.parts import parts_of
from hetc.tools.pass_check import Checker, Raised, State, Verdict, stored
from hetc.tools.python_input import function_named, made_in, run_file, running, told_plainly
from hetc.tools.run_module import check_fits, run_on_device
from hetc.tools.spelling import unknown


def context_of_all() -> Context:
    """A context that knows the dialects of all packages: passes fold and print ops of any of them."""
    context = Context()
    for dialect, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(dialect, factory)
    return context


@dataclass(frozen=True)
class Program:
    """What to run, and on what: a function from Python, or the text of a module with the values that it captures."""

    inputs: Sequence[Any]
    captured: Mapping[str, Any]
    name: str
    function: hetc.ArrayFunction | JitFunction | None = None
    text: str = ""
    context: Context = field(default_factory=context_of_all)

    def module(self) -> ModuleOp:
        """The module that the text is. Raises HetcError if it does not fit the data."""
        try:
            module = Parser(self.context, self.text, self.name).parse_module()
        except ParseError as error:
            raise explained(error, self.context) from None
        try:
            module.verify()
        except VerifyException as error:
            raise (located(error, module, self.context, self.text, self.name) or error) from None
        check_fits(module, self.inputs, self.captured)
        return module

    def checkers(self, traits: DeviceTraits) -> Iterator[tuple[str, ModuleOp, Checker]]:
        """Each module that the program is, of level 0 if it is Python, with its data and what Python makes of that."""
        if self.function is None:
            yield self.name, self.module(), Checker(self.inputs, self.captured)
            return
        for part in parts_of(self.function, self.inputs, self.name):
            module, captured = part.level0(traits)
            python = stored(captured, part.in_python) if part.stores else part.in_python()
            yield part.title, module, Checker(part.inputs, captured, python, part.elementwise, part.stores)


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
        return _deliver(run_on_device(program.module(), program.captured, program.inputs, device), options.output)
    with hetc.configure(device=device, offload="always"), told_plainly():
        result = running(program.function, program.inputs)
    if result is None and isinstance(program.function, JitFunction):  # it has changed what it was given
        changed = [value for value in program.inputs if isinstance(value, np.ndarray)]
        result = changed[0] if len(changed) == 1 else tuple(changed)
    return _deliver(result, options.output)


def _program(options: argparse.Namespace) -> Program:
    random = RandomData(options.seed, options.low, options.high)
    if not options.data:
        raise HetcError('no data: give each input, such as x.npy, "[1, 2]", or "f32[1000]" for random numbers')
    pairs = [text.partition("=") for text in options.capture]
    captured = {name: read_value(value, random) for name, _, value in pairs}
    path, colon, name = options.program.rpartition(":")
    if colon and path.endswith(".py"):
        if captured:
            raise HetcError("--capture is for IR; a Python function has its own variables")
        module = run_file(Path(path).read_bytes(), path)
        function = function_named(module, name)
        read = read_value if isinstance(function, JitFunction) else read_data
        made = [made_in(module, text) if text.startswith("=") else read(text, random) for text in options.data]
        return Program(made, {}, name, function)
    if not options.program.endswith(".mlir"):
        raise HetcError(f"expected FILE.py:NAME or FILE.mlir, not {options.program!r}")
    inputs = [read_data(text, random) for text in options.data]
    return Program(inputs, captured, options.program, None, Path(options.program).read_text())


def _passes(options: argparse.Namespace, default: str) -> Iterator[ModulePass]:
    known = Universe.get_multiverse().all_passes
    text = default if options.passes is None else options.passes
    for step in pipelines.expand(text, DEVICE_TRAITS[options.device_traits]):
        if step.spec.name not in known:
            names = [*known, *pipelines.DESCRIPTIONS]
            raise HetcError(unknown("pass", step.spec.name, names, lists="hetc-opt --list-passes"))
        yield known[step.spec.name]().from_spec(step.spec)


def _interpreted(program: Program, options: argparse.Namespace) -> str:
    elements: list[Any] = []
    for _, module, checker in program.checkers(DEVICE_TRAITS[options.device_traits]):
        for pass_ in _passes(options, ""):
            pass_.apply(program.context, module)
        elements += checker.run(module).elements
    if options.output is None:
        return "\n".join(f"{index}: {_shown(element)}" for index, element in enumerate(elements))
    if left := State(elements).left:
        raise HetcError(f"{left} elements go to Python, so that there is no result to save")
    return _deliver(elements, options.output)


def _shown(element: object) -> str:
    return f"goes to Python: {element.what}" if isinstance(element, Raised) else repr(element)


def _check(program: Program, options: argparse.Namespace) -> str:
    passes, tables = list(_passes(options, "default")), list[str]()
    for title, module, checker in program.checkers(DEVICE_TRAITS[options.device_traits]):
        verdicts = list(checker.check_passes(program.context, module, passes))
        tables.append(verdict_table(verdicts))
        if title != program.name:
            tables[-1] = f"{title}:\n{tables[-1]}"
        if verdicts[-1].wrong is not None:
            print("\n\n".join(tables))
            raise SystemExit(1)
    return "\n\n".join(tables) or "the call starts no parallel loop"


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
