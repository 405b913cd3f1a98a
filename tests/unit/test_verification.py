"""Verifying a module again finds all that verifying it whole finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects import arith, func, scf, test
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, f32, i32
from xdsl.ir import Block, Operation, Region
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from hetc.analysis.verification import Verifier
from hetc.driver import context

TEXT = """
func.func private @callee(i32) -> i32
func.func @f(%x : i32, %c : i1) -> i32 {
  %y = arith.addi %x, %x : i32
  %z = scf.if %c -> (i32) {
    %called = func.call @callee(%y) : (i32) -> i32
    scf.yield %called : i32
  } else {
    scf.yield %y : i32
  }
  func.return %z : i32
}
"""


def first(module: ModuleOp, kind: type[Operation]) -> Operation:
    return next(op for op in module.walk() if isinstance(op, kind))


def operand_of_another_type(module: ModuleOp) -> None:
    add = first(module, arith.AddiOp)
    other = arith.ConstantOp(IntegerAttr(1, 8))
    assert isinstance(add.parent, Block)
    add.parent.insert_op_before(other, add)
    add.operands[1] = other.result


def result_of_another_type(module: ModuleOp) -> None:
    result = first(module, arith.AddiOp).results[0]
    result._type = f32


def no_terminator(module: ModuleOp) -> None:
    first(module, scf.YieldOp).detach()


def op_after_the_terminator(module: ModuleOp) -> None:
    block = first(module, scf.YieldOp).parent
    assert block is not None
    block.add_op(test.TestOp())


def property_of_another_kind(module: ModuleOp) -> None:
    first(module, func.CallOp).properties["callee"] = StringAttr("callee")


def symbol_that_is_gone(module: ModuleOp) -> None:
    declared = first(module, func.FuncOp)
    declared.properties["sym_name"] = StringAttr("renamed")


def argument_of_another_type(module: ModuleOp) -> None:
    function = [op for op in module.walk() if isinstance(op, func.FuncOp)][1]
    function.body.block.insert_arg(i32, 2)


def parent_that_is_none(module: ModuleOp) -> None:
    first(module, arith.AddiOp).parent = None


def operand_that_is_erased(module: ModuleOp) -> None:
    call = first(module, func.CallOp)
    for result in call.results:
        result.erase(safe_erase=False)


def region_too_many(module: ModuleOp) -> None:
    first(module, arith.AddiOp).add_region(Region(Block([func.ReturnOp()])))


@pytest.mark.parametrize(
    "change",
    [
        operand_of_another_type,
        result_of_another_type,
        no_terminator,
        op_after_the_terminator,
        property_of_another_kind,
        symbol_that_is_gone,
        argument_of_another_type,
        parent_that_is_none,
        operand_that_is_erased,
        region_too_many,
    ],
)
def test_changes_are_verified(change: Callable[[ModuleOp], None]) -> None:
    module = Parser(context(), TEXT).parse_module()
    verifier = Verifier()
    for _ in range(2):
        verifier.verify(module)
    change(module)
    for _ in range(2):  # what was wrong is not taken for right
        with pytest.raises((VerifyException, ValueError)):
            verifier.verify(module)
    with pytest.raises((VerifyException, ValueError)):
        module.verify()


def test_what_is_as_it_was_is_not_verified_again(monkeypatch: pytest.MonkeyPatch) -> None:
    module = Parser(context(), TEXT).parse_module()
    verifier, verified = Verifier(), list[str]()
    verify = Operation.verify

    def counted(op: Operation, verify_nested_ops: bool = True) -> None:
        verified.append(op.name)
        verify(op, verify_nested_ops)

    monkeypatch.setattr(Operation, "verify", counted)
    verifier.verify(module)
    assert len(verified) == len(list(module.walk()))
    verified.clear()
    verifier.verify(module)
    assert verified == ["func.call"]  # which may be wrong for what stands elsewhere
    verified.clear()
    first(module, arith.AddiOp).attributes["note"] = StringAttr("new")
    verifier.verify(module)
    assert verified == ["arith.addi", "func.call", "func.func", "builtin.module"]
    verified.clear()
    first(module, func.CallOp).attributes["note"] = StringAttr("new")
    verifier.verify(module)
    assert verified == ["func.call", "scf.if", "func.func", "builtin.module"]
    verified.clear()
    first(module, scf.IfOp).detach()
    with pytest.raises((VerifyException, ValueError)):
        verifier.verify(module)
