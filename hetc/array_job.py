"""A plan for array statements, made ready to run: each of its loops as a job for the compiler, the rest by NumPy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from hetc.arrays.result_memory import empty_result
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher
from hetc.division import check_room
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.bodies import (
    Captured,
    CapturedArray,
    CapturedLength,
    CapturedMade,
    CapturedNumber,
    LoopBody,
    NewArray,
    first_of,
    loop_body,
)
from hetc.frontends.array_code.numbers import number_value, quietly
from hetc.frontends.array_code.steps import LoopStep, Outcome, Plan, ProductStep, Step
from hetc.frontends.array_code.typed import Applied, Elements, Fold, Made, Number, Value
from hetc.frontends.array_code.values import Values
from hetc.frontends.python.made_functions import BodyFunction, compile_inside
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import ForAll, Reduce, Stages, functions
from hetc.jobs import CallOptions, Job, check_error_state, select_device
from hetc.runtime.describe_loop import describe_loop
from hetc.settings import Settings

if TYPE_CHECKING:  # importing it imports pyopencl
    from hetc.runtime.executor import Executable

_NAMES: dict[str, Any] = {"np": np, "range": range}
"""The global names of the functions that loops are made of."""

_COMBINED: dict[str, np.ufunc] = {
    "sum": np.add, "mean": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "any": np.logical_or,
    "all": np.logical_and,
}  # fmt: skip
"""What combines the elements of a fold."""


Results = dict[int | None, Any]
"""What a step has made: arrays by the number of their statement, and without one what it comes to."""


@dataclass
class ReadyLoop:
    """A loop of a plan, and what runs it, once it has been compiled."""

    step: LoopStep
    body: LoopBody
    made: BodyFunction
    executable: Executable | None = None
    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What it captures that is the same in all runs."""


@dataclass
class ReadyPlan:
    """A plan and its loops; what they were compiled for is the same for all of its runs."""

    plan: Plan
    host: FunctionType
    options: CallOptions
    loops: list[ReadyLoop | None] = field(default_factory=list["ReadyLoop | None"])

    @staticmethod
    def of(plan: Plan, values: Values, host: FunctionType, options: CallOptions) -> ReadyPlan:
        """Write the bodies of the plan's loops. Raises UnsupportedError."""
        ready = ReadyPlan(plan, host, options)
        for step in plan.steps:
            if isinstance(step, ProductStep):
                ready.loops.append(None)
                continue
            _check_total(step)
            body = loop_body(step, values, host.__name__)
            made = BodyFunction(compile_inside(body.function, sorted(body.captured), host.__code__), body.function)
            ready.loops.append(ReadyLoop(step, body, made))
        return ready

    @property
    def points(self) -> int:
        """The number of points of all loops."""
        return sum(math.prod(step.space) for step in self.plan.steps if isinstance(step, LoopStep))

    def jobs(self, values: Values, current: Settings) -> list[Job]:
        """The loops as the compiler sees them, without any of them being run. Raises CompileError."""
        made = [_stand_in(step) for step in self.plan.steps]
        loops = [loop for loop in self.loops if loop is not None]
        return [self._job(loop, _captures(loop.body.captured, values, made), current) for loop in loops]

    def run(self, values: Values, dispatcher: Dispatcher, current: Settings) -> dict[int, Any]:
        """Run the steps: what statements come to, by number. Raises CompileError, DeviceError, GuardFailed.

        Then nothing has changed that anyone else can see.
        """
        made: list[Results] = []
        for step, loop in zip(self.plan.steps, self.loops, strict=True):
            if loop is None:
                assert isinstance(step, ProductStep)
                made.append(_product(step, values, made))
            else:
                made.append(self._run(loop, values, made, dispatcher, current))
        results: dict[int, Any] = {}
        for outcome in self.plan.outcomes:
            result = _result(outcome, values, made)
            if outcome.copied_to is not None:
                values.leaves[outcome.statement][outcome.copied_to.leaf][...] = result
            elif outcome.value is not None:
                results[outcome.statement] = result
        return results

    def _run(
        self,
        loop: ReadyLoop,
        values: Values,
        made: Sequence[Results],
        dispatcher: Dispatcher,
        current: Settings,
    ) -> Results:
        captures = _captures(loop.body.captured, values, made)
        if loop.executable is None:
            job = self._job(loop, captures, current)
            executable, _ = dispatcher.executable(job)
            job.loop_objects(executable.package)  # looks for arrays that overlap
            check_room(job, executable.package, {})
            loop.executable = executable
            loop.constants = {k: v for k, v in job.resolution.captures.items() if k not in captures}
        result = loop.executable.run(loop.body.ranges, {**loop.constants, **captures})
        found: dict[int | None, Any] = {
            what.statement: captures[name].reshape(loop.step.space)
            for name, what in loop.body.captured.items()
            if isinstance(what, NewArray)
        }
        if loop.step.total is not None:
            found[None] = _total(loop.step.total, result)
        return found

    def _job(self, loop: ReadyLoop, captures: Mapping[str, Any], current: Settings) -> Job:
        """A loop as a job. Raises CompileError."""
        function = loop.made.function(captures, _NAMES)
        total = loop.step.total
        stages: Stages = (ForAll(function, yields=total is not None),)
        if total is not None:
            stages += (Reduce(_COMBINED[total.name], total.total.type(first_of(total))),)
        resolution = resolve_program(functions(stages), stores=True)
        signature, types = describe_loop(loop.body.ranges, resolution.captures)
        check_error_state(signature, types, resolution)
        options = self.options
        device = select_device(options.device if options.device is not None else current.device)
        warns = "warn" in np.geterr().values() and total is None
        return Job(
            stages, loop.body.ranges, loop.body.ranges, signature, types, resolution, device, current.debug, warns,
            verify=current.verifies, fastmath=options.is_fast(current),
        )  # fmt: skip


def _check_total(step: LoopStep) -> None:
    if step.total is not None and step.total.name not in _COMBINED:
        raise UnsupportedError(f"{step.total.name} of all elements is NumPy's")


def _captures(captured: Mapping[str, Captured], values: Values, made: Sequence[Results]) -> dict[str, Any]:
    """What the variables of a loop's body are. Raises UnsupportedError for a number that does not fit its dtype."""
    found: dict[str, Any] = {}
    for name, what in captured.items():
        match what:
            case CapturedArray():
                found[name] = what.of(values)
            case CapturedNumber(statement=statement, tree=tree, dtype=dtype):
                found[name] = converted(number_value(tree, values.leaves[statement]), dtype)
            case CapturedMade(step=step, statement=statement, flat=flat):
                array = made[step][statement]
                found[name] = array.reshape(-1) if flat and isinstance(array, np.ndarray) else array
            case CapturedLength(length=length):
                found[name] = length
            case _:
                found[name] = empty_result(math.prod(what.shape), what.dtype).reshape(what.shape)
    return found


def converted(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number as one of a dtype, as NumPy converts an operand. Raises UnsupportedError if it does not fit."""
    try:
        with np.errstate(all="raise"):
            return dtype.type(value)
    except (ArithmeticError, TypeError, ValueError):
        raise UnsupportedError(f"a number does not fit {dtype}") from None


def _stand_in(step: Step) -> Results:
    """Something of the types that a step makes, to describe those after it with."""
    if isinstance(step, ProductStep):
        left, right = step.operands
        dtype = np.result_type(left.dtype, right.dtype)
        return {None: np.empty((*left.shape[:-1], *right.shape[1:]), dtype)}
    found: Results = {
        action.statement: np.empty(step.space, action.value.dtype) for action in step.actions if action.kept
    }
    if step.total is not None:
        found[None] = step.total.dtype.type(0)
    return found


def _product(step: ProductStep, values: Values, made: Sequence[Results]) -> Results:
    """A product, by NumPy."""
    operands: list[Any] = []
    for operand in step.operands:
        if isinstance(operand, Made):
            operands.append(made[operand.step][operand.statement])
        else:
            assert isinstance(operand, Elements)
            operands.append(values.leaves[step.statement][operand.leaf])
    return {None: quietly(lambda: getattr(np, step.name)(*operands))}


def _total(total: Fold, result: Any) -> Any:
    """What all elements come to."""
    if total.name == "mean":
        result = quietly(lambda: result / math.prod(total.operand.shape))
    return result if type(result) is total.dtype.type else total.dtype.type(result)


def _result(outcome: Outcome, values: Values, made: Sequence[Results]) -> Any:
    """What a statement comes to."""
    if outcome.value is None:
        return None
    return _computed(outcome.value, values.leaves[outcome.statement], made)


def _computed(value: Value, leaves: Sequence[Any], made: Sequence[Results]) -> Any:
    """A number computed of what steps have made, by NumPy; or what a step has made itself."""
    match value:
        case Made(step=step, statement=statement):
            return made[step][statement]
        case Number(tree=tree):
            return number_value(tree, leaves)
        case Applied(name="cast", operands=(operand,), dtype=dtype):
            return dtype.type(_computed(operand, leaves, made))
        case Applied(name=name, operands=operands) if name != "where":
            parts = [_computed(operand, leaves, made) for operand in operands]
            return quietly(lambda: getattr(np, name)(*parts))
        case _:
            raise UnsupportedError("a number is computed in a way that is not looked into")
