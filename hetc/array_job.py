"""A plan for array statements, made ready to run: each of its loops as a job for the compiler, the rest by NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.arrays.result_memory import empty_result
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher
from hetc.division import check_room
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.bodies import LoopBody, first_of, loop_body
from hetc.frontends.array_code.captured import (
    CapturedArray,
    CapturedLength,
    CapturedMade,
    CapturedNumber,
    NewArray,
)
from hetc.frontends.array_code.forms import Form, Sizes
from hetc.frontends.array_code.numbers import number_value, quietly
from hetc.frontends.array_code.steps import LoopStep, Outcome, Plan, ProductStep, Step
from hetc.frontends.array_code.typed import Applied, Elements, Fold, Made, Number, Shape, Value
from hetc.frontends.array_code.values import Values
from hetc.frontends.python.made_functions import BodyFunction, compile_inside
from hetc.frontends.python.objects import resolve_program
from hetc.frontends.skeleton.composition import ForAll, Reduce, Stages, functions
from hetc.jobs import CallOptions, Job, check_error_state, select_device
from hetc.runtime import profile
from hetc.runtime.describe import is_positive
from hetc.runtime.describe_loop import describe_loop
from hetc.runtime.under_way import UnderWay
from hetc.settings import Settings

if TYPE_CHECKING:  # importing it imports pyopencl
    from hetc.runtime.devices import Device
    from hetc.runtime.executor import Executable
    from hetc.runtime.repeated_run import RepeatedRun

_NAMES: dict[str, Any] = {"np": np, "range": range}
"""The global names of the functions that loops are made of."""

_COMBINED: dict[str, np.ufunc] = {
    "sum": np.add, "mean": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "any": np.logical_or,
    "all": np.logical_and,
}  # fmt: skip
"""What combines the elements of a fold."""


NewArrays = Callable[[Shape, np.dtype[Any]], Any]
"""What makes an array of a shape and dtype that a loop is to fill."""

Results = dict[int | None, Any]
"""What a step has made: arrays by the number of their statement, and without one what it comes to."""


REPEATED_AFTER = 2
"""After so many runs what is left of a plan's steps is found out, for the runs that follow."""

RUNS_UNTIL_STEADY = REPEATED_AFTER + 2
"""The first runs of a plan find things out, and meet a device whose threads sleep: they are not measured."""

MAX_KERNELS = 512
"""What runs a loop is kept for so many combinations of its arrays' shapes; the oldest go first."""


def new_host_array(shape: Shape, dtype: np.dtype[Any]) -> Any:
    """A NumPy array for a loop to fill."""
    return empty_result(math.prod(shape), dtype).reshape(shape)


@dataclass
class ReadyLoop:
    """A loop of a plan, and what runs it, for each combination of its arrays' shapes that it has been run with."""

    step: LoopStep
    body: LoopBody
    made: BodyFunction
    executables: dict[Hashable, Runner] = field(default_factory=dict[Hashable, "Runner"])
    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What it captures that is the same in all runs."""


class Runner:
    """What runs a loop on arrays of some shapes: step by step, or as in the run before, if its plan has that form."""

    def __init__(self, executable: Executable) -> None:
        self.executable = executable
        self.runs = 0
        self.repeated: RepeatedRun | None = None

    def run(self, ranges: tuple[range, ...], captures: Mapping[str, Any], under_way: UnderWay | None = None) -> Any:
        """Run it. Raises what `Executable.run` does.

        If runs may be `under_way`, this one becomes one of them if it can; else these are waited for.
        """
        repeated = None if profile.active() else self.repeated
        if under_way is not None:
            if repeated is not None and repeated.may_wait_later:
                repeated.run_ahead(captures, under_way)
                return None
            under_way.settle()
        if profile.active():
            return self.executable.run(ranges, captures)
        if repeated is not None:
            if repeated.run(captures):
                return None
            self.repeated = None  # a guard has failed, and nothing has changed: the plan says what is wrong
        result = self.executable.run(ranges, captures)
        self.runs += 1
        if self.runs == REPEATED_AFTER:
            from hetc.runtime.repeated_run import repeated_run

            self.repeated = repeated_run(self.executable, ranges, captures)
        return result


@dataclass
class ReadyPlan:
    """A plan and its loops, for all leaves whose form has the same key as the one that it was made for."""

    plan: Plan
    host: FunctionType
    options: CallOptions
    form: Form
    new_array: NewArrays = new_host_array
    loops: list[ReadyLoop | None] = field(default_factory=list["ReadyLoop | None"])
    elsewhere: dict[Device, ReadyPlan] = field(default_factory=dict["Device", "ReadyPlan"])
    """The same plan on devices that have been chosen."""
    runs: int = 0
    """How often it has run."""

    @staticmethod
    def of(
        plan: Plan,
        values: Values,
        form: Form,
        host: FunctionType,
        options: CallOptions,
        new_array: NewArrays = new_host_array,
    ) -> ReadyPlan:
        """Write the bodies of the plan's loops. Raises UnsupportedError."""
        ready = ReadyPlan(plan, host, options, form, new_array)
        for step in plan.steps:
            if isinstance(step, ProductStep):
                ready.loops.append(None)
                continue
            _check_total(step)
            body = loop_body(step, values, host.__name__)
            made = BodyFunction(compile_inside(body.function, sorted(body.captured), host.__code__), body.function)
            ready.loops.append(ReadyLoop(step, body, made))
        return ready

    def on(self, device: Device | None) -> ReadyPlan:
        """The plan on a device that was chosen; as it is where there was nothing to choose."""
        if device is None:
            return self
        found = self.elsewhere.get(device)
        if found is None:
            loops = [loop and ReadyLoop(loop.step, loop.body, loop.made) for loop in self.loops]
            options = replace(self.options, device=device)
            found = replace(self, options=options, loops=loops, elsewhere={}, runs=0)
            self.elsewhere[device] = found
        return found

    @property
    def copies(self) -> int:
        """How many arrays as large as a loop itself are copied for it, since their elements are not in a row."""
        return sum(
            isinstance(what, CapturedArray)
            and what.access.whole
            and not what.access.packed
            and len(what.access.dims) == len(loop.step.space)
            for loop in self.loops
            if loop is not None
            for what in loop.body.captured.values()
        )

    @property
    def is_steady(self) -> bool:
        """Whether what its next run takes tells what those after it take."""
        return self.runs >= RUNS_UNTIL_STEADY

    @property
    def started(self) -> bool:
        """Whether any of its loops has been compiled."""
        return any(loop is not None and loop.executables for loop in self.loops)

    def points(self, sizes: Sizes) -> int:
        """The number of points of all loops in a run."""
        return sum(math.prod(_sized(step.space, sizes)) for step in self.plan.steps if isinstance(step, LoopStep))

    def jobs(self, values: Values, sizes: Sizes, current: Settings) -> list[Job]:
        """The loops as the compiler sees them, without any of them being run. Raises CompileError."""
        made = [_stand_in(step, sizes) for step in self.plan.steps]
        return [
            self._job(loop, loop.body.ranges(sizes), self._captures(loop, values, sizes, made), current)
            for loop in self.loops
            if loop is not None
        ]

    def run(self, values: Values, sizes: Sizes, dispatcher: Dispatcher, current: Settings) -> dict[int, Any]:
        """Run the steps: what statements come to, by number. Raises CompileError, DeviceError, GuardFailed.

        `sizes` are the lengths of this run. When it raises, nothing has changed that anyone else can see.
        """
        made: list[Results] = []
        for step, loop in zip(self.plan.steps, self.loops, strict=True):
            if loop is None:
                assert isinstance(step, ProductStep)
                made.append(_product(step, values, made))
            else:
                ranges = loop.body.ranges(sizes)
                captures = self._captures(loop, values, sizes, made)
                made.append(self.run_loop(loop, ranges, captures, sizes, dispatcher, current))
        return self.results(values, made)

    def results(self, values: Values | None, made: Sequence[Results]) -> dict[int, Any]:
        """What statements come to, by number, once all steps have run; `values` may be missing if steps make it all."""
        results: dict[int, Any] = {}
        for outcome in self.plan.outcomes:
            result = _result(outcome, values, made)
            if outcome.copied_to is not None:
                assert values is not None
                values.leaves[outcome.statement][outcome.copied_to.leaf][...] = result
            elif outcome.value is not None:
                results[outcome.statement] = result
        return results

    def run_loop(
        self,
        loop: ReadyLoop,
        ranges: tuple[range, ...],
        captures: Mapping[str, Any],
        sizes: Sizes,
        dispatcher: Dispatcher,
        current: Settings,
        runner: Runner | None = None,
        under_way: UnderWay | None = None,
    ) -> Results:
        """Run the loop of a step; by `runner`, if it is known. `under_way` is for `Runner.run`; raises as `run`."""
        divisor = 1 if loop.step.total is None else _divisor(loop.step.total, sizes)
        seen: Hashable = None
        if runner is None:
            seen = ranges, *map(compiled_for, captures.values())
            runner = loop.executables.get(seen)
        if runner is None:
            if under_way is not None:
                under_way.settle()
            job = self._job(loop, ranges, captures, current)
            executable, _ = dispatcher.executable(job)
            job.loop_objects(executable.package)  # looks for arrays that overlap
            check_room(job, executable.package, {})
            while len(loop.executables) >= MAX_KERNELS:
                loop.executables.pop(next(iter(loop.executables)))
            runner = loop.executables[seen] = Runner(executable)
            loop.constants = {k: v for k, v in job.resolution.captures.items() if k not in captures}
        result = runner.run(ranges, {**loop.constants, **captures}, under_way)
        space = _sized(loop.step.space, sizes)
        found: dict[int | None, Any] = {
            what.statement: captures[name].reshape(space)
            for name, what in loop.body.captured.items()
            if isinstance(what, NewArray)
        }
        if loop.step.total is not None:
            found[None] = _total(loop.step.total, result, divisor)
        return found

    def _captures(self, loop: ReadyLoop, values: Values, sizes: Sizes, made: Sequence[Results]) -> dict[str, Any]:
        """What the variables of a loop's body are. Raises UnsupportedError for a number that does not fit its dtype."""
        found: dict[str, Any] = {}
        for name, what in loop.body.captured.items():
            match what:
                case CapturedArray():
                    found[name] = what.of(values)
                case CapturedNumber():
                    found[name] = number_captured(what, values.leaves[what.statement])
                case CapturedMade(step=step, statement=statement):
                    found[name] = what.of(made[step][statement])
                case CapturedLength():
                    found[name] = what.length_in(sizes)
                case _:
                    found[name] = self.new_array(what.shape_in(sizes), what.dtype)
        return found

    def _job(self, loop: ReadyLoop, ranges: tuple[range, ...], captures: Mapping[str, Any], current: Settings) -> Job:
        """A loop as a job. Raises CompileError."""
        function = loop.made.function(captures, _NAMES)
        total = loop.step.total
        stages: Stages = (ForAll(function, yields=total is not None),)
        if total is not None:
            stages += (Reduce(_COMBINED[total.name], total.total.type(first_of(total))),)
        resolution = resolve_program(functions(stages), stores=True)
        signature, types = describe_loop(ranges, resolution.captures)
        check_error_state(signature, types, resolution)
        options = self.options
        device = select_device(options.device if options.device is not None else current.device)
        warns = "warn" in np.geterr().values() and total is None
        return Job(
            stages, ranges, ranges, signature, types, resolution, device, current.debug, warns,
            verify=current.verifies, fastmath=options.is_fast(current),
        )  # fmt: skip


def _check_total(step: LoopStep) -> None:
    if step.total is not None and step.total.name not in _COMBINED:
        raise UnsupportedError(f"{step.total.name} of all elements is NumPy's")


def _sized(shape: Shape, sizes: Sizes) -> Shape:
    """A shape of a plan in a run."""
    return tuple(sizes[size] for size in shape)


def compiled_for(value: Any) -> Hashable:
    """What a kernel may be compiled for of a captured value: the shape of an array, what is known of a number."""
    if isinstance(value, np.ndarray):
        return value.shape, value.strides, value.flags.aligned, type(value)
    if isinstance(value, NumberArray):  # the elements of a view are put in a row, but none is stored to
        return value.shape, value.is_view
    return value if type(value) is int else is_positive(value)


def number_captured(what: CapturedNumber, leaves: Sequence[Any]) -> Any:
    """A number that a loop captures, of its statement's leaves. Raises UnsupportedError if it is not as it was seen."""
    number = number_value(what.tree, leaves)
    if type(number) is not what.kind and (what.kind is not np.bool or type(number) is not bool):
        raise UnsupportedError("a number is of another type than when it was looked at")
    return converted(number, what.dtype)


def converted(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number as one of a dtype, as NumPy converts an operand. Raises UnsupportedError if it does not fit."""
    if type(value) is dtype.type or (type(value) is float and dtype.type is np.float64):
        return dtype.type(value)  # to ask costs more than to convert
    try:
        with np.errstate(all="raise"):
            return dtype.type(value)
    except (ArithmeticError, TypeError, ValueError):
        raise UnsupportedError(f"a number does not fit {dtype}") from None


def _stand_in(step: Step, sizes: Sizes) -> Results:
    """Something of the types that a step makes, to describe those after it with."""
    if isinstance(step, ProductStep):
        left, right = step.operands
        dtype = np.result_type(left.dtype, right.dtype)
        return {None: np.empty(_sized((*left.shape[:-1], *right.shape[1:]), sizes), dtype)}
    found: Results = {
        action.statement: np.empty(_sized(step.space, sizes), action.value.dtype)
        for action in step.actions
        if action.kept
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


def _divisor(total: Fold, sizes: Sizes) -> int:
    """What the sum of all elements is divided by. Raises UnsupportedError for nothing to divide by."""
    return CapturedLength(total.operand.shape, total.less).length_in(sizes) if total.name == "mean" else 1


def _total(total: Fold, result: Any, divisor: int) -> Any:
    """What all elements come to."""
    if total.name == "mean":
        result = quietly(lambda: result / divisor)
    return result if type(result) is total.dtype.type else total.dtype.type(result)


def _result(outcome: Outcome, values: Values | None, made: Sequence[Results]) -> Any:
    """What a statement comes to."""
    if outcome.value is None:
        return None
    return _computed(outcome.value, () if values is None else values.leaves[outcome.statement], made)


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
