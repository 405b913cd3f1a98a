"""The range analysis is sound: random programs, run on the interpreter, never leave the ranges that it claims."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, func, math, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, f64, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.analysis.float_intervals import FloatInterval
from hetc.analysis.range_facts import Root
from hetc.analysis.ranges import Ranges
from hetc.dialects import guard
from hetc.dialects.guard import GuardKind
from hetc.interpreter.cases import Cases, Stopped, UndefinedError, Value
from hetc.interpreter.program import OPS

INTEGERS = [0, 1, -1, 2, 3, -3, 7, 100, 255, -256, 2**31 - 1, -(2**31), 2**53, 2**62, 2**63 - 1, -(2**63)]
BOUNDS = sorted(INTEGERS)
FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-9, 5e-324, -5e-324, 1e300, -1e300, 1e154, float("inf"), -float("inf"),
    float("nan"), 709.0, 710.0, -745.0, -746.0,
]  # fmt: skip
BINARY = (
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.MinSIOp,
    arith.MaxSIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)
FLOAT_BINARY = (arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp)
FLOAT_UNARY = (math.SqrtOp, math.AbsFOp, math.ExpOp, math.LogOp, math.SinOp, math.TanhOp, math.FloorOp, arith.NegfOp)
FITS = {"add": arith.AddiOp, "sub": arith.SubiOp, "mul": arith.MuliOp}


class Program:
    """A random function of three integers with facts and two floats."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.block = Block(arg_types=[i64, i64, i64, f64, f64, f32])
        self.inputs = list(self.block.args)
        self.facts: list[tuple[int, int]] = []
        self.values: dict[Attribute, list[SSAValue]] = {
            i64: [],
            f64: list(self.inputs[3:5]),
            f32: [self.inputs[5]],
            i1: [],
        }
        for argument in self.inputs[:3]:
            low, high = sorted(self.random.sample(BOUNDS, 2))
            self.facts.append((low, high))
            self.keep(guard.FactOp(argument, low, high))
        self.statements(self.random.randint(4, 14), 0)
        self.add(func.ReturnOp())
        self.function = func.FuncOp("f", (self.block.arg_types, []), Region(self.block))

    def add(self, op: Operation) -> Operation:
        self.block.add_op(op)
        return op

    def keep(self, op: Operation) -> SSAValue:
        self.add(op)
        self.values[op.results[0].type].append(op.results[0])
        return op.results[0]

    def pick(self, type_: Attribute) -> SSAValue:
        if self.random.random() < 0.25 or not self.values[type_]:
            if type_ == i64:
                return self.keep(arith.ConstantOp(IntegerAttr(self.random.choice(INTEGERS), i64)))
            if type_ == i1:
                return self.comparison()
            return self.keep(arith.ConstantOp(FloatAttr(self.random.choice(FLOATS), f64 if type_ == f64 else f32)))
        return self.random.choice(self.values[type_][-8:])

    def comparison(self) -> SSAValue:
        if self.random.random() < 0.6:
            return self.keep(arith.CmpiOp(self.pick(i64), self.pick(i64), self.random.randrange(10)))
        type_ = self.random.choice((f64, f64, f32))
        return self.keep(arith.CmpfOp(self.pick(type_), self.pick(type_), self.random.randrange(16)))

    def condition(self) -> SSAValue:
        one = self.comparison()
        match self.random.randrange(5):
            case 0:
                return self.keep(arith.AndIOp(one, self.pick(i1)))
            case 1:
                return self.keep(arith.OrIOp(one, self.pick(i1)))
            case 2:
                true = self.keep(arith.ConstantOp(IntegerAttr(1, i1)))
                return self.keep(arith.XOrIOp(one, true))
            case _:
                return one

    def statements(self, count: int, depth: int) -> None:
        choices: list[Callable[[int], None]] = [
            self.integer, self.integer, self.integer, self.floating, self.floating, self.select, self.require,
            self.fits, self.divide, self.branch, self.counted, self.conditional,
        ]  # fmt: skip
        for _ in range(count):
            self.random.choice(choices if depth < 2 else choices[:9])(depth)

    def integer(self, _: int) -> None:
        if self.random.random() < 0.15:
            count = self.keep(arith.ConstantOp(IntegerAttr(self.random.choice((0, 1, 5, 63)), i64)))
            self.keep(arith.ShRSIOp(self.pick(i64), count))
            return
        self.keep(self.random.choice(BINARY)(self.pick(i64), self.pick(i64)))

    def floating(self, _: int) -> None:
        type_ = self.random.choice((f64, f64, f32))
        match self.random.randrange(6):
            case 0 | 1:
                self.keep(self.random.choice(FLOAT_BINARY)(self.pick(type_), self.pick(type_)))
            case 2:
                x = self.pick(type_)
                self.keep(arith.MulfOp(x, x))
            case 3:
                self.keep(self.random.choice(FLOAT_UNARY)(self.pick(type_)))
            case 4:
                self.keep(arith.SIToFPOp(self.pick(i64), type_))
            case _:
                self.keep(arith.ExtFOp(self.pick(f32), f64) if type_ == f64 else arith.TruncFOp(self.pick(f64), f32))

    def select(self, _: int) -> None:
        type_ = self.random.choice((i64, f64, f32))
        self.keep(arith.SelectOp(self.condition(), self.pick(type_), self.pick(type_)))

    def require(self, _: int) -> None:
        self.add(guard.RequireOp(self.condition(), GuardKind.VALUE, "random"))

    def fits(self, _: int) -> None:
        name = self.random.choice(list(FITS))
        left, right = self.pick(i64), self.pick(i64)
        self.add(guard.RequireOp(self.keep(guard.FitsOp(name, left, right)), GuardKind.OVERFLOW, "overflow"))
        self.keep(FITS[name](left, right))

    def divide(self, _: int) -> None:
        divisor = self.pick(i64)
        limit = self.keep(arith.ConstantOp(IntegerAttr(self.random.choice((0, -1)), i64)))
        test = self.keep(arith.CmpiOp(divisor, limit, self.random.choice(("sgt", "slt"))))
        self.add(guard.RequireOp(test, GuardKind.ZERO_DIVISION, "division"))
        self.keep(self.random.choice((arith.DivSIOp, arith.RemSIOp))(self.pick(i64), divisor))

    def inside(self, arguments: Sequence[Attribute], fill: Callable[[Block], None]) -> Block:
        """A block of its own, whose values are not seen outside."""
        outer, values = self.block, {type_: list(found) for type_, found in self.values.items()}
        block = self.block = Block(arg_types=arguments)
        for argument in block.args:
            self.values[argument.type].append(argument)
        fill(block)
        self.block, self.values = outer, values
        return block

    def branch(self, depth: int) -> None:
        condition = self.condition()

        def side(_: Block) -> None:
            self.statements(self.random.randint(0, 4), depth + 1)
            self.add(scf.YieldOp(self.pick(i64), self.pick(f64)))

        blocks = [self.inside([], side) for _ in range(2)]
        op = scf.IfOp(condition, [i64, f64], Region(blocks[0]), Region(blocks[1]))
        self.add(op)
        self.values[i64].append(op.results[0])
        self.values[f64].append(op.results[1])

    def next_sum(self, value: SSAValue) -> SSAValue:
        """Often a sum, which the analysis counts; else anything."""
        if self.random.random() < 0.6:
            return self.keep(self.random.choice((arith.AddiOp, arith.SubiOp))(value, self.pick(i64)))
        return self.pick(i64)

    def counted(self, depth: int) -> None:
        start, step = self.random.choice((0, 1, -3, 250)), self.random.choice((1, 1, 2))
        bounds = [start, start + self.random.choice((0, 1, 4)), step]
        low, high, stride = (self.keep(arith.ConstantOp(IntegerAttr(bound, i64))) for bound in bounds)
        if self.random.random() < 0.4:
            high = self.keep(arith.MinSIOp(high, self.pick(i64)))
        inits = [self.pick(i64), self.pick(f64)]

        def body(block: Block) -> None:
            self.statements(self.random.randint(1, 4), depth + 1)
            self.add(scf.YieldOp(self.next_sum(block.args[1]), self.pick(f64)))

        op = scf.ForOp(low, high, stride, inits, Region(self.inside([i64, i64, f64], body)))
        self.add(op)
        self.values[i64].append(op.results[0])
        self.values[f64].append(op.results[1])

    def conditional(self, depth: int) -> None:
        start, limit = self.random.choice((0, 3, -2)), self.random.choice((0, 2, 5))
        zero, bound, one = (self.keep(arith.ConstantOp(IntegerAttr(n, i64))) for n in (start, limit, 1))
        types = [i64, i64, f64]

        def before(block: Block) -> None:
            more = self.keep(arith.CmpiOp(block.args[0], bound, "slt"))
            if self.random.random() < 0.5:
                more = self.keep(arith.AndIOp(more, self.comparison()))
            self.add(scf.ConditionOp(more, *block.args))

        def after(block: Block) -> None:
            self.statements(self.random.randint(1, 3), depth + 1)
            counter = self.keep(arith.AddiOp(block.args[0], one))
            self.add(scf.YieldOp(counter, self.next_sum(block.args[1]), self.pick(f64)))

        inits = [zero, self.pick(i64), self.pick(f64)]
        op = scf.WhileOp(inits, types, Region(self.inside(types, before)), Region(self.inside(types, after)))
        self.add(op)
        self.values[i64] += op.results[:2]
        self.values[f64].append(op.results[2])

    def arguments(self) -> list[Any]:
        """Inputs that the facts allow."""
        numbers: list[Any] = []
        for low, high in self.facts:
            edges = [number for number in (low, high, *INTEGERS) if low <= number <= high]
            numbers.append(np.array([self.random.choice(edges)], np.int64))
        numbers += [np.array([self.random.choice(FLOATS)], np.float64) for _ in range(2)]
        with np.errstate(all="ignore"):
            return [*numbers, np.array([self.random.choice(FLOATS)]).astype(np.float32)]


class Checked(dict[SSAValue, Any]):
    """The values of a run: each that is set is compared with what the analysis says of it."""

    def __init__(self, cases: Cases, ranges: Ranges) -> None:
        super().__init__()
        self.cases = cases
        self.ranges = ranges
        self.count = 0

    def __setitem__(self, value: SSAValue, known: Value) -> None:
        super().__setitem__(value, known)
        if not self.cases.alive[0] or known.poison[0]:
            return
        number: Any = known.data[0]
        self.count += 1
        if known.data.dtype.kind == "f":
            self.check_float(value, float(number))
        else:
            self.check_integer(value, int(number))

    def check_integer(self, value: SSAValue, number: int) -> None:
        interval = self.ranges.intervals.get(value)
        assert interval is None or number in interval, f"{number} of {value} is not in {interval}"
        if isinstance(value.owner, Operation) and value.owner in self.ranges.decided:
            assert bool(number) == self.ranges.decided[value.owner], f"{value.owner} is decided wrongly"
        root, offset = self.ranges.linear_of(value)
        assert number == self.number(root) + offset, f"{value} is not {root} + {offset}"
        for other, constant in self.ranges.uppers.get(value, {}).items():
            assert number <= self.number(other) + constant, f"{value} exceeds {other} + {constant}"

    def number(self, root: Root) -> int:
        assert isinstance(root, SSAValue)
        return int(self[root].data[0])

    def check_float(self, value: SSAValue, number: float) -> None:
        interval = self.ranges.floats.get(value, FloatInterval.whole())
        if np.isnan(number):
            assert interval.nan, f"{value} is NaN, not in {interval}"
        else:
            assert interval.low <= number <= interval.high, f"{number} of {value} is not in {interval}"
            assert number != 0.0 or interval.has_zero, f"{value} is zero, not in {interval}"


@pytest.mark.parametrize("part", range(8))
def test_values_stay_in_their_ranges(part: int) -> None:
    checked = 0
    for seed in range(part * 60, part * 60 + 60):
        program = Program(seed)
        program.function.verify()
        ranges = Ranges(program.function)
        for _ in range(12):
            cases = Cases(1, OPS)
            cases.values = values = Checked(cases, ranges)
            arguments = [cases.plain(argument) for argument in program.arguments()]
            with np.errstate(all="ignore"):
                try:
                    cases.run(program.block, arguments)
                except (Stopped, UndefinedError):
                    pass
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}: {error}\n{program.function}") from error
            checked += values.count
    assert checked > 1000
