"""What the printer says right, and what it refuses rather than say wrong."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from hetc.backends.opencl.printer import print_program
from hetc.driver import context
from hetc.errors import CompileError

KERNEL = """
"gpu.module"() <{{sym_name = "kernels"}}> ({{
  "gpu.func"() <{{function_type = (memref<?xf32>, memref<?x?xi32>, memref<?xi32>, i32, index, i1) -> (), kernel}}> ({{
  ^bb0(%out: memref<?xf32>, %matrix: memref<?x?xi32>, %ints: memref<?xi32>, %x: i32, %n: index, %t: i1):
    {}
    "gpu.return"() : () -> ()
  }}) {{sym_name = "k"}} : () -> ()
}}) : () -> ()
"""


def program(body: str) -> str:
    return print_program(Parser(context(), KERNEL.format(body)).parse_module())


def test_dimensions_of_work_items() -> None:
    text = program("""
    %y = "gpu.global_id"() <{dimension = #gpu<dim y>}> : () -> index
    memref.store %x, %ints[%y] : memref<?xi32>""")
    assert "ints[get_global_id(1)] = x;" in text or "= get_global_id(1);" in text


def test_the_sign_of_a_truth_value() -> None:
    text = program("""
    %e = arith.extsi %t : i1 to i32
    memref.store %e, %ints[%n] : memref<?xi32>
    %f = arith.sitofp %t : i1 to f32
    memref.store %f, %out[%n] : memref<?xf32>""")
    assert "-(int)t" in text
    assert "-(float)t" in text


def test_double_precision_is_asked_for_by_type_not_by_name() -> None:
    text = program("""
    %doubled = arith.addi %x, %x : i32
    memref.store %doubled, %ints[%n] : memref<?xi32>""")
    assert "doubled" in text
    assert "cl_khr_fp64" not in text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("memref.store %x, %matrix[%n, %n] : memref<?x?xi32>", "with 2 indices has no OpenCL C"),
        (
            "%m = memref.load %matrix[%n, %n] : memref<?x?xi32>\nmemref.store %m, %ints[%n] : memref<?xi32>",
            "with 2 indices has no OpenCL C",
        ),
        (
            "%m = arith.minui %x, %x : i32\nmemref.store %m, %ints[%n] : memref<?xi32>",
            "'arith.minui' on i32 has no OpenCL C",
        ),
        (
            "%m = arith.ceildivui %x, %x : i32\nmemref.store %m, %ints[%n] : memref<?xi32>",
            "'arith.ceildivui' on i32 has no OpenCL C",
        ),
        (
            "%m = arith.divsi %n, %n : index\nmemref.store %x, %ints[%m] : memref<?xi32>",
            "'arith.divsi' on index has no OpenCL C",
        ),
        (
            """%c = arith.cmpi slt, %n, %n : index
            %s = arith.select %c, %x, %x : i32
            memref.store %s, %ints[%n] : memref<?xi32>""",
            "a signed comparison of index has no OpenCL C",
        ),
    ],
)
def test_what_c_would_compute_otherwise_is_refused(body: str, reason: str) -> None:
    with pytest.raises(CompileError, match=reason):
        program(body)
