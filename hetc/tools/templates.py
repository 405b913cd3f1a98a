"""What `hetc new` writes. `@NAME@`, `@CLASS@`, `@MODULE@`, `@CONSTANT@` and `@PACKAGE@` are replaced."""

from __future__ import annotations

PASS = '''\
"""@NAME@: x + 0 -> x on integers, to be replaced by what the pass is for."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import AddiOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from hetc.analysis.attributes import known_integer


class AddZero(RewritePattern):
    """x + 0 -> x."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddiOp, rewriter: PatternRewriter) -> None:
        if known_integer(op.rhs) == 0:
            rewriter.replace_op(op, [], [op.lhs])


@dataclass(frozen=True)
class @CLASS@Pass(ModulePass):
    """Removes additions of zero.

    Needs: nothing; other ops stay as they are.
    Leaves: no `arith.addi` whose second operand is a constant zero.

    1. Visit every `arith.addi`.
    2. If its second operand is zero, replace its result by its first operand.

    Cost: linear in the number of ops.
    """

    name = "@NAME@"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(AddZero()).rewrite_module(op)
'''

PASS_TEST = """\
// RUN: hetc-opt %s --split-input-file -p @NAME@,dce | filecheck %s

/// Zero is not added.
func.func @zero(%x: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %x, %0 : i32
  func.return %1 : i32
}
// CHECK-LABEL: @zero
// CHECK-SAME:    (%[[X:.*]]: i32)
// CHECK-NEXT:    func.return %[[X]]

// -----

/// Another number is.
func.func @one(%x: i32) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %x, %0 : i32
  func.return %1 : i32
}
// CHECK-LABEL: @one
// CHECK:         arith.addi
"""

DIALECT = '''\
"""The `@NAME@` dialect: a number in a unit of its own, to be replaced by what the dialect is for."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerType, StringAttr
from xdsl.ir import Dialect, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class AmountType(ParametrizedAttribute, TypeAttribute):
    """A number of things, with the name of the unit.

    ```mlir
    !@NAME@.amount<i32, "metre">
    ```
    """

    name = "@NAME@.amount"
    number: IntegerType = param_def()
    unit: StringAttr = param_def()

    def verify(self) -> None:
        if not self.unit.data:
            raise VerifyException("an amount needs a unit")


@irdl_op_definition
class AddOp(IRDLOperation):
    """The sum of two amounts of one unit.

    ```mlir
    %c = @NAME@.add %a, %b : !@NAME@.amount<i32, "metre">
    ```
    """

    T: ClassVar = VarConstraint("amount type", base(AmountType))

    name = "@NAME@.add"
    left = operand_def(T)
    right = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$left `,` $right attr-dict `:` type($result)"

    def __init__(self, left: SSAValue, right: SSAValue):
        super().__init__(operands=[left, right], result_types=[left.type])


@CONSTANT@ = Dialect("@NAME@", [AddOp], [AmountType])
'''

DIALECT_TEST = """\
// RUN: hetc-opt %s | hetc-opt --print-op-generic | hetc-opt | filecheck %s

/// Round trip, through the generic format too.
func.func @add(%a: !@NAME@.amount<i32, "metre">, %b: !@NAME@.amount<i32, "metre">) -> !@NAME@.amount<i32, "metre"> {
  %0 = @NAME@.add %a, %b : !@NAME@.amount<i32, "metre">
  func.return %0 : !@NAME@.amount<i32, "metre">
}
// CHECK: @NAME@.add %{{.*}}, %{{.*}} : !@NAME@.amount<i32, "metre">
"""

DIALECT_INVALID = """\
// RUN: hetc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

/// A number of nothing.
func.func @nothing(%a: !@NAME@.amount<i32, "">) {
  func.return
}
// CHECK: an amount needs a unit

// -----

/// Two units.
func.func @units(%a: !@NAME@.amount<i32, "metre">, %b: !@NAME@.amount<i32, "second">) {
  %0 = @NAME@.add %a, %b : !@NAME@.amount<i32, "metre">
  func.return
}
// CHECK: operand is used with type !@NAME@.amount<i32, "metre">
"""

PYPROJECT = """\
[build-system]
requires = ["flit_core>=3.12,<5"]
build-backend = "flit_core.buildapi"

[project]
name = "@NAME@"
version = "0.1"
description = "Dialects and passes for hetc"
requires-python = ">=3.11"
dependencies = ["hetc"]

[project.entry-points."xdsl.universe"]
@PACKAGE@ = "@PACKAGE@.universe:UNIVERSE"

[project.entry-points."hetc.extensions"]
@PACKAGE@ = "@PACKAGE@.extension:EXTENSION"
"""

UNIVERSE = '''\
"""What this package adds to hetc and to xDSL's tools: all that its folders `dialects` and `passes` hold."""

from __future__ import annotations

from hetc.tools.universe import universe_of

UNIVERSE = universe_of("@PACKAGE@")
'''

EXTENSION = '''\
"""Where hetc's default pipeline runs passes of this package, and functions with device code of their own."""

from __future__ import annotations

from hetc.extensions import Extension

EXTENSION = Extension()
'''

LIT_CONFIG = '''\
"""How lit runs the tests of this folder."""

from hetc.tools.lit_config import configure

configure(config, __file__, package="../..")
'''
