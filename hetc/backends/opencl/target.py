"""The target `opencl`: what a level-3 module is for OpenCL, as text for people and as a package for the runtime."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from hetc import abi
from hetc.analysis.entry import entry_function
from hetc.backends.opencl.plan import PlanBuilder, guard_sites, kernels
from hetc.backends.opencl.printer import print_program
from hetc.dialects import skel

STRICT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"
"""Strict arithmetic: single-precision `/` and `sqrt` are correctly rounded, as Python's and NumPy's are."""


def emit_package(module: ModuleOp, traits: abi.DeviceTraits) -> abi.Package:
    """The program and plan of a level-3 module.

    Raises CompileError for an op that has no OpenCL C or is no step of a plan.
    """
    builder = PlanBuilder(module)
    steps = builder.build()
    return abi.Package(
        source=print_program(module),
        kernels=kernels(module),
        steps=steps,
        registers=len(builder.registers),
        guards=guard_sites(module),
        build_options=(STRICT_DIVISION,) if traits.strict_division else (),
        distinct=tuple(op.sym_name.data for op in module.ops if isinstance(op, skel.CaptureOp) and op.distinct),
    )


def plan_text(package: abi.Package) -> str:
    """The steps of a plan, one a line: `r3 = CopyIn(host=r2, shared=True)`."""
    checks = [f"{name}: no two elements are the same" for name in package.distinct]
    return "".join(f"{line}\n" for line in [*checks, *map(_step_text, package.steps)])


_REGISTERS = frozenset({"count", "host", "extent", "buffer", "flags", "marks", "left", "right"})
_OFTEN_EMPTY = frozenset({"writes", "box", "start", "shape", "in_parts", "layouts"})


def _step_text(step: abi.Step) -> str:
    parts: list[str] = []
    for field in dataclasses.fields(step):
        value = getattr(step, field.name)
        if field.name == "result" or value is None or _goes_without_saying(field.name, value):
            continue
        if field.name in _REGISTERS:
            parts.append(f"{field.name}=r{value}")
        elif field.name in ("arguments", "hosts", "buffers", "box", "start"):
            parts.append(f"{field.name}=({', '.join(f'r{register}' for register in value)})")
        elif field.name == "writes":
            parts.append(f"writes=({', '.join(f'{write.name} of input {write.index}' for write in value)})")
        elif field.name == "members":
            parts.append(", ".join(f"{one.name} at {one.offset}: {one.source} as {one.dtype}" for one in value))
        elif isinstance(value, abi.Source):
            parts.append(str(value))
        else:
            parts.append(f"{field.name}={_plain(value)}")
    register: int | None = getattr(step, "result", None)
    result = "" if register is None else f"r{register} = "
    return f"{result}{type(step).__name__}({', '.join(parts)})"


def _goes_without_saying(name: str, value: object) -> bool:
    """Whether a part of a step is as most steps have it."""
    return (name in _OFTEN_EMPTY and not value) or (name == "stride" and value == 1)


def _plain(value: object) -> str:
    if isinstance(value, abi.Container):
        return value.value
    return str(value) if isinstance(value, abi.ScalarType | abi.TupleType) else repr(value)


@dataclass(frozen=True)
class OpenCLTarget(Target):
    """Prints the kernels as OpenCL C and the plan as a comment behind them.

    Without an entry function (kernels only), the kernels are printed alone.
    """

    name = "opencl"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if entry_function(module) is None:
            output.write(print_program(module))
            return
        package = emit_package(module, abi.DeviceTraits())
        output.write(f"{package.source}\n/* plan\n{plan_text(package)}*/\n")
