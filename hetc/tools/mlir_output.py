"""MLIR text with source locations that can be read back."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.printer import Printer
from xdsl.targets.mlir import MLIRTarget


class LocationPrinter(Printer):
    """xDSL's printer with each location at the end of its op.

    xDSL 0.75 also prints it inside `scf.while`, between the types and the region, where its parser takes none.
    """

    def print_operation_type(self, op: Operation) -> None:
        self.print_function_type(op.operand_types, op.result_types)

    def print_op_with_default_format(self, op: Operation) -> None:
        super().print_op_with_default_format(op)
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(op.location)


def printed(module: ModuleOp, *, locations: bool) -> str:
    """A module as text that can be read back."""
    output = StringIO()
    LocationPrinter(output, print_debuginfo=locations).print_op(module)
    return output.getvalue() + "\n"


def has_locations(module: ModuleOp) -> bool:
    """Whether any operation of a module knows where it comes from."""
    return any(not isinstance(op.location, UnknownLoc) for op in module.walk())


@dataclass(frozen=True)
class LocatedMLIRTarget(MLIRTarget):
    """xDSL's target `mlir`, by `LocationPrinter`. Text with colours is for the eye alone, and left to xDSL."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.syntax_highlight:
            super().emit(ctx, module, output)
            return
        printer = LocationPrinter(
            output,
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        )
        printer.print_op(module)
        printer.print_metadata(ctx.loaded_dialects)
        print("\n", file=output)
