"""Every op that comes from Python says from where, after every pass: what hetc's passes make has a place too."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import Operation

import hetc
from hetc import driver
from hetc.analysis.locations import source_location
from hetc.dialects import dyn, guard, skel
from hetc.frontends.python.closure import resolve
from hetc.frontends.skeleton.composition import functions
from hetc.runtime.describe import describe
from hetc.tools.device_traits import DEVICE_TRAITS
from hetc.tools.universe import HETC_UNIVERSE

WITHOUT_PLACE = (ModuleOp, gpu.ModuleOp, skel.CaptureOp)
"""A module and a declaration are nowhere in the source."""


def search(n, x):
    table = x * 0.0
    for i in range(len(WEIGHTS)):
        if i % 3 == n:
            continue
        while table < x:
            table += WEIGHTS[-i] / (x + 1.0)
            if table > 100.0:
                return table, i
    return (table, n) if n > 0 and x != 2.0 else (-table, n // 2)


WEIGHTS = np.ones(5)
x32 = np.linspace(1.0, 2.0, 5, dtype=np.float32)
PROGRAMS: dict[str, tuple[hetc.ArrayFunction, tuple[Any, ...]]] = {
    "search": (hetc.map(search), (range(5), x32.astype(np.float64))),
    "reduction": (hetc.map(lambda a, b: (a, b)).reduce(lambda p, q: (p[0] + q[0], p[1] * q[1]), (0, 1)), ([1], [2])),
    "sum": (hetc.map(lambda a: a * a).map(lambda a: -a).reduce(lambda p, q: p + q, 0.0), (x32,)),
    "zip": (hetc.zip().map(lambda t: divmod(t[0], t[1])), ([1, 2], [3, 4])),
    "steps": (hetc.map(lambda n: sum_of(n) + 1), ([1, 2],)),
}


def sum_of(n):
    s = 0
    for i in range(n, -n, -2):
        s += i
    return s


def example(name: str) -> hetc.ArrayFunction:
    return getattr(importlib.import_module(f"examples.{name}"), name.removesuffix("_2x2"))


PROGRAMS |= {
    "saxpy": (example("saxpy"), (x32, x32)),
    "black_scholes": (example("black_scholes"), (x32, x32, x32)),
    "mandelbrot": (example("mandelbrot"), (range(7),)),
}


def stages(af: hetc.ArrayFunction, inputs: tuple[Any, ...], device: str) -> Any:
    resolution = resolve(functions(af.stages))
    signature, captures = describe(inputs, resolution.captures)
    return driver.levels(driver.Request(af.stages, signature, captures, resolution, DEVICE_TRAITS[device]))


def placeless(module: ModuleOp) -> set[Operation]:
    return {
        op for op in module.walk() if not isinstance(op.location, FileLineColLoc) and not isinstance(op, WITHOUT_PLACE)
    }


@pytest.mark.parametrize("device", ["intel-cpu", "gpu"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_op_has_a_place(program: str, device: str):
    before: set[str] = set()
    for name, module in stages(*PROGRAMS[program], device):
        now = {op.name for op in placeless(module)}
        if name in HETC_UNIVERSE.all_passes or name == driver.FRONTEND:
            # A copy of an op without a place has none.
            assert now <= before, f"{name} makes ops without a place"
        else:  # xDSL's own passes keep no places; they make nothing but arithmetic out of arithmetic
            assert all(op.startswith("arith.") for op in now), name
        before = now


@pytest.mark.parametrize("device", ["intel-cpu", "gpu"])
def test_guards_and_kernels_point_into_the_user_s_file(device: str):
    *_, (_, module) = stages(*PROGRAMS["search"], device)
    lines = range(search.__code__.co_firstlineno, search.__code__.co_firstlineno + 10)
    checks = [op for op in module.walk() if isinstance(op, guard.CheckOp)]
    assert checks
    for op in [*checks, *(op for op in module.walk() if isinstance(op, gpu.FuncOp))]:
        place = source_location(op.location)
        assert place is not None
        assert place.filename == __file__
        assert place.line in lines


def line_of(text: str) -> int:
    with open(__file__) as file:  # noqa: PTH123 (this very file)
        return next(number for number, line in enumerate(file, 1) if text in line)


def test_inlined_ops_keep_their_place_in_the_callee():
    *_, (_, module) = stages(*PROGRAMS["steps"], "intel-cpu")
    places = {place.line for op in module.walk() if (place := source_location(op.location))}
    assert line_of("s += " + "i") in places


def test_columns_are_those_of_the_expression():
    _, module = next(stages(hetc.map(lambda a, b: 2 * (a + b)), ([1], [2]), "intel-cpu"))
    (add,) = [op for op in module.walk() if isinstance(op, dyn.BinaryOp) and op.operator.data == "add"]
    place = source_location(add.location)
    assert place is not None
    with open(__file__) as file:  # noqa: PTH123 (this very file)
        line = file.readlines()[place.line - 1]
    assert line[place.column :].startswith("a + b")


def test_constants_that_canonicalisation_makes_are_arithmetic():
    """Why the test above lets xDSL's passes off: a folded constant has no place, and is no place to point at."""
    folded = {
        type(op)
        for program in PROGRAMS.values()
        for name, module in stages(*program, "intel-cpu")
        if name == "canonicalize"
        for op in placeless(module)
    }
    assert folded <= {arith.ConstantOp, arith.AddiOp, arith.MuliOp, arith.XOrIOp, arith.SubiOp}
