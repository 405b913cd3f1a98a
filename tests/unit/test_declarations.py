"""Declarations of OpenCL C's functions: a part of a header says of some functions all that the whole header says."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetc.runtime import declarations
from hetc.runtime.declarations import Declarations, of_header

HEADER = r"""
// The guard comes first. \
   This is still the comment; int commented(int);
#ifndef _OPENCL_H_
#define _OPENCL_H_
#include "opencl-c-base.h"
#define __ovld __attribute__((overloadable))
#if defined(fp64) || \
    defined(other)
#pragma OPENCL EXTENSION fp64 : enable
#endif
float __ovld sin(float); /* and
                            of half precision: */
#ifdef fp16
half __ovld sin(half);
#else
#ifdef fp64
double *__ovld cos(double x,
                   double y);
#endif
#endif //fp16
#ifdef images
int __ovld width(image);
#else
int __ovld height(image);
#endif
#endif
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    found = tmp_path / "opencl-c-base.h"
    found.touch()
    return found


@pytest.fixture
def header(base: Path) -> Declarations:
    found = of_header(base, HEADER)
    assert found is not None
    return found


ALWAYS = [
    "#define __ovld __attribute__((overloadable))",
    "#if defined(fp64) || defined(other)",
    "#pragma OPENCL EXTENSION fp64 : enable",
    "#endif",
]
"""What is there of any program: no part of the guard, no comment, and the directives that say something."""


def part(header: Declarations, source: str) -> list[str]:
    first, *lines = [" ".join(line.split()) for line in header.part_for(source).splitlines()]
    assert first.startswith('#include "/')
    assert lines[:4] == ALWAYS
    return lines[4:]


def test_nothing_is_declared_for_a_program_that_calls_nothing(header: Declarations) -> None:
    assert part(header, "x = y; sine(2); commented(3);") == []


def test_all_overloads_of_a_name_with_the_conditions_that_they_hang_on(header: Declarations) -> None:
    expected = ["float __ovld sin(float);", "#ifdef fp16", "half __ovld sin(half);", "#else", "#endif"]
    assert part(header, "y = sin (x);") == expected


def test_the_other_side_of_a_condition_keeps_the_condition(header: Declarations) -> None:
    expected = ["#ifdef fp16", "#else", "#ifdef fp64", "double *__ovld cos(double x, double y);", "#endif", "#endif"]
    assert part(header, "cos(cos(x))") == expected
    assert part(header, "height(x)") == ["#ifdef images", "#else", "int __ovld height(image);", "#endif"]


def test_two_programs_with_the_same_names_have_the_same_part(header: Declarations) -> None:
    assert header.part_for("sin(cos(x))") == header.part_for("y = cos(1) + sin(2);")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "int sin(int);",
        HEADER.replace("#ifndef _OPENCL_H_", "#ifndef OPENCL_H"),
        HEADER.replace("#define _OPENCL_H_", ""),
        HEADER + "int after(int);\n",
    ],
)
def test_a_header_that_is_guarded_otherwise_is_left_alone(base: Path, text: str) -> None:
    assert of_header(base, text) is None


def test_a_header_without_what_it_includes_is_left_alone(base: Path) -> None:
    base.unlink()
    assert of_header(base, HEADER) is None


@pytest.mark.parametrize("version", ["0.1", ""])
def test_another_version_of_the_package_says_nothing_of_a_device(version: str) -> None:
    assert declarations._installed(version) is None
