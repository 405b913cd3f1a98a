"""The work-items of a group on the interpreter: side by side, each on its way, and none ahead of a barrier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects import gpu
from xdsl.parser import Parser

from hetc import driver
from hetc.interpreter.cases import UndefinedError
from hetc.interpreter.groups import Group, waiting
from hetc.interpreter.program import Program, WorkItem

LANES = 8


def run(body: str, *, lanes: int = LANES, length: int = LANES) -> tuple[list[int], dict[int, str]]:
    """What a kernel leaves of 0, 1, 2, ... in a buffer, and which of its work-items have failed."""
    text = f"""
    "gpu.module"() <{{sym_name = "kernels"}}> ({{
      "gpu.func"() <{{function_type = (memref<?xi64>, memref<?xi8>) -> (), kernel}}> ({{
      ^bb0(%x: memref<?xi64>, %flags: memref<?xi8>):
        %lane = "gpu.thread_id"() <{{dimension = #gpu<dim x>}}> : () -> index
        %n = arith.index_cast %lane : index to i64
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %last = arith.constant {lanes - 1} : index
        %none = arith.constant 0 : i64
        {body}
        "gpu.return"() : () -> ()
      }}) {{sym_name = "kernel"}} : () -> ()
    }}) : () -> ()"""
    module = Parser(driver.context(), text).parse_module()
    (kernel,) = (op for op in module.walk() if isinstance(op, gpu.FuncOp))
    program = Program(module, [[0]], {})
    cases = program.items([WorkItem((lane,), (0,), (lane,)) for lane in range(lanes)])
    buffer: np.ndarray[Any, Any] = np.arange(length)
    for parameter, value in zip(kernel.body.block.args, (buffer, np.zeros(4, np.int8)), strict=True):
        cases.values[parameter] = value
    Group(program, range(lanes), cases, waiting(kernel)).run(kernel.body.block)
    return buffer.tolist(), program.failed


BARRIER = '"gpu.barrier"() : () -> ()'
NEXT = "%next = arith.addi %lane, %one : index\n%place = arith.remui %next, %size : index"
SIZE = f"%size = arith.constant {LANES} : index"


def test_a_barrier_parts_what_work_items_exchange() -> None:
    body = f"""{SIZE}
        {NEXT}
        %a = memref.load %x[%place] : memref<?xi64>
        {BARRIER}
        memref.store %a, %x[%lane] : memref<?xi64>"""
    assert run(body) == ([1, 2, 3, 4, 5, 6, 7, 0], {})


@pytest.mark.parametrize("order", ["read, write", "write, read"])
def test_without_one_they_race(order: str) -> None:
    """In whatever order a device runs them, one of the two is read."""
    read, write = "%a = memref.load %x[%place] : memref<?xi64>", "memref.store %none, %x[%lane] : memref<?xi64>"
    both = (read, write) if order == "read, write" else (write, read)
    with pytest.raises(UndefinedError, match="no barrier says which is first"):
        run("\n".join((SIZE, NEXT, *both)))


def test_two_that_write_race_unless_they_write_the_same() -> None:
    assert run("memref.store %none, %x[%one] : memref<?xi64>")[0] == [0, 0, 2, 3, 4, 5, 6, 7]
    with pytest.raises(UndefinedError, match="no barrier says which is first"):
        run("memref.store %n, %x[%one] : memref<?xi64>")


def test_one_that_writes_is_not_read_by_others() -> None:
    body = """%first = arith.cmpi eq, %lane, %zero : index
        scf.if %first {
          memref.store %none, %x[%last] : memref<?xi64>
        }
        %wait
        %a = memref.load %x[%last] : memref<?xi64>"""
    with pytest.raises(UndefinedError, match="no barrier says which is first"):
        run(body.replace("%wait", ""))
    assert run(body.replace("%wait", BARRIER))[0][-1] == 0


def test_all_may_read_what_none_writes_and_each_may_write_what_it_has_read() -> None:
    body = """%a = memref.load %x[%last] : memref<?xi64>
        %b = memref.load %x[%lane] : memref<?xi64>
        %c = arith.addi %a, %b : i64"""
    assert run(body)[0] == list(range(LANES))
    own = """%a = memref.load %x[%lane] : memref<?xi64>
        %b = arith.addi %a, %n : i64
        memref.store %b, %x[%lane] : memref<?xi64>"""
    assert run(own)[0] == [2 * k for k in range(LANES)]


def test_atomic_additions_do_not_race() -> None:
    add = '%a = "memref.atomic_rmw"(%n, %x, %one) <{kind = 1 : i64}> : (i64, memref<?xi64>, index) -> i64'
    assert run(add)[0][1] == 1 + sum(range(LANES))


def test_branches_and_loops_part_work_items() -> None:
    """Odd ones add up all numbers below their own, even ones stay as they are; the loops are unequally long."""
    body = """%two = arith.constant 2 : index
        %bit = arith.remui %lane, %two : index
        %odd = arith.cmpi eq, %bit, %one : index
        %r = scf.if %odd -> (i64) {
          %sum = scf.for %k = %zero to %lane step %one iter_args(%s = %none) -> (i64) {
            %i = arith.index_cast %k : index to i64
            %t = arith.addi %s, %i : i64
            scf.yield %t : i64
          }
          scf.yield %sum : i64
        } else {
          scf.yield %n : i64
        }
        memref.store %r, %x[%lane] : memref<?xi64>"""
    assert run(body)[0] == [sum(range(k)) if k % 2 else k for k in range(LANES)]


def test_a_branch_that_only_some_take_reads_for_them_alone() -> None:
    """What an op would give for the others, here outside the buffer, is not looked at."""
    body = """%few = arith.constant 3 : index
        %inside = arith.cmpi ult, %lane, %few : index
        scf.if %inside {
          %a = memref.load %x[%lane] : memref<?xi64>
          %b = arith.addi %a, %a : i64
          memref.store %b, %x[%lane] : memref<?xi64>
        }"""
    assert run(body, length=3)[0] == [0, 2, 4]
    with pytest.raises(UndefinedError, match="outside a buffer"):
        run("%a = memref.load %x[%lane] : memref<?xi64>", length=3)


def test_a_check_takes_out_those_for_which_it_fails() -> None:
    body = """%five = arith.constant 5 : i64
        %few = arith.cmpi slt, %n, %five : i64
        guard.check %few, %flags[0], bounds, "too many" : memref<?xi8>
        memref.store %none, %x[%lane] : memref<?xi64>"""
    assert run(body) == ([0, 0, 0, 0, 0, 5, 6, 7], dict.fromkeys((5, 6, 7), "too many"))


def test_loops_with_barriers_are_run_equally_often() -> None:
    loop = f"scf.for %k = %zero to {{}} step %one {{{{\n{BARRIER}\n}}}}"
    assert run(loop.format("%last"))[1] == {}
    with pytest.raises(UndefinedError, match="unequally often"):
        run(loop.format("%lane"))
