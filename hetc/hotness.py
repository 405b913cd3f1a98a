"""Is a call worth a kernel? With offload="auto", functions run in Python until a kernel is estimated to pay.

A kernel costs time to compile, and each call of it some more; it pays where Python would take longer than both. All of
it is measured as the program runs, nothing is run for the measurement alone:

* Python's time: the first elements of a call run in Python, are timed, and their results are kept if the rest follows
  there. What a function has taken before is remembered.
* The device's time: that of earlier calls, as a straight line over the number of elements.
* The compiler's time: that of earlier compilations.

A call runs on the device if the time that it is estimated to save, together with what earlier calls that ran in Python
would have saved, is more than compiling costs. So a function that is called often with little data is compiled too, and
one that is called once is not. It is the ski rental rule: it takes at most twice the time of a decision that knows the
future (Karlin et al., Competitive snoopy caching, Algorithmica 3, 1988).

If the first elements have run in Python and the call goes to the device, it runs there as a whole: what is compiled has
no side effects, but for the warnings of NumPy, which the first elements may give twice. What turns out not to be
compiled goes on in Python after them: no element of it runs twice. See `docs/adr/0011-where-auto-runs-a-call.md`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from hetc.abi import Container
from hetc.arrays.base import Array
from hetc.dataclass import dataclass
from hetc.frontends.skeleton.composition import Stages, functions
from hetc.runtime import profile
from hetc.runtime.describe import container_of
from hetc.timeline.events import Kind
from hetc.timeline.units import spelled

if TYPE_CHECKING:
    from hetc.errors import HetcError
    from hetc.frontends.skeleton.sequential import SequentialRun
    from hetc.runtime.devices import Device

Result = Any
T = TypeVar("T")

clock = time.perf_counter
"""What calls, parts of calls and compilations are timed by, in seconds."""

# What is taken to be so until it is measured; from two cores of an AMD EPYC with Intel's runtime.
CALL_SECONDS = 50e-6
"""A call of a compiled kernel on next to no data."""
ARRAY_SECONDS = 0.5e-9
"""An element of an array or range, in or out: as memory has it, and less than a copy costs. What is taken for too cheap
is measured by its first call, what is taken for too dear never is."""
LIST_SECONDS = 30e-9
"""An element of a list or tuple, in or out: it is a Python object, which has to be taken apart or made."""
COMPILE_SECONDS = 0.1
"""Compiling a kernel."""
LOAD_SECONDS = 0.02
"""Finding a kernel that another process has stored, and bringing it to the device."""
START_SECONDS = 0.4
"""What the first compilation of a process takes more: importing the compiler and looking for devices."""

TRUSTED_SECONDS = 100e-6
"""So long must a part of a call take for its time to say something about the rest."""
EXPLORE = 20
"""A compiled kernel is tried again after Python has taken so many times what a call of it is estimated to take."""
MAX_FUNCTIONS = 1024
"""Functions whose times are remembered; the oldest go first."""


@dataclass
class Decision:
    """Where a call runs, and the estimates that say so, in seconds; None for what is not known or was not asked.

    `python_seconds` and `device_seconds` are for the `elements` that are still to come, `compile_seconds` is 0 for a
    kernel that there is, `saved_seconds` is what earlier calls, in Python, would have saved on the device, and
    `because` says what else is the reason. Where there were several devices to choose from, `device` is the one that
    was chosen, and `compared` says what each was estimated to take.
    """

    offload: bool
    because: str = ""
    elements: int | None = None
    python_seconds: float | None = None
    device_seconds: float | None = None
    compile_seconds: float | None = None
    saved_seconds: float = 0.0
    device: Device | None = None
    compared: str = ""

    @property
    def reason(self) -> str:
        """The decision's reason, with its numbers, as a sentence.

        >>> Decision(False, elements=3, python_seconds=2e-6, device_seconds=5e-5).reason
        'Python takes about 2 us for 3 elements, the device about 50 us'
        """
        parts: list[str] = []
        if self.python_seconds is not None and self.device_seconds is not None and self.elements is not None:
            elements = "1 element" if self.elements == 1 else f"{self.elements:,} elements"
            python, device = spelled(self.python_seconds), spelled(self.device_seconds)
            parts.append(f"Python takes about {python} for {elements}, the device about {device}")
        if self.compile_seconds:
            parts.append(f"compiling costs about {spelled(self.compile_seconds)}")
        if self.saved_seconds:
            parts.append(f"earlier calls could have saved {spelled(self.saved_seconds)}")
        return "; ".join([*parts, self.because] if self.because else parts)


@dataclass
class CompilerTimes:
    """How long compiling takes in this process: a running estimate."""

    seconds: float = COMPILE_SECONDS
    count: int = 0

    def add(self, seconds: float) -> None:
        """A call has been compiled; from the second on, half of the estimate is what was measured last."""
        self.seconds = (self.seconds + seconds) / 2 if self.count else seconds
        self.count += 1

    def loaded(self) -> None:
        """A call has been made ready without compiling: its time tells nothing about the compiler's."""
        self.count += 1

    def estimate(self) -> float:
        """The seconds that the next compilation takes."""
        return self.seconds + (0.0 if "hetc.driver" in sys.modules else START_SECONDS)


@dataclass
class FunctionTimes:
    """What the calls of one composition, with one kind of data, have taken.

    `per_element` is Python's time, `saved` what its calls in Python would have saved, `idle` the time in Python since
    the kernel ran last. `runs` holds the size and time of calls of the kernel. `deciding` is what it takes to find out
    where a call runs, which Python alone would not take.
    """

    moving: float
    deciding: float = 0.0
    per_element: float | None = None
    saved: float = 0.0
    idle: float = 0.0
    compiled: bool = False
    runs: deque[tuple[int, float]] = field(default_factory=lambda: deque[tuple[int, float]](maxlen=8))
    starting: float = CALL_SECONDS
    """What a call of the kernel takes on next to no data, until it is measured."""

    def device(self, size: int) -> float:
        """The seconds that a call of the kernel takes: a line through the smallest and the largest measured.

        Of several calls of the largest size it is the median, as Python's time is a mean: what else the machine has to
        do slows both.
        """
        runs = list(self.runs)  # other threads may add to them
        if not runs:
            return self.starting + self.deciding + self.moving * size
        small, first = min(runs)
        large = max(runs)[0]
        lasting = sorted(seconds for elements, seconds in runs if elements == large)
        last = lasting[(len(lasting) - 1) // 2]
        if small == large:
            small, first = 0, min(first, self.starting + self.deciding)
        slope = max(0.0, (last - first) / max(1, large - small))
        return max(0.0, first + slope * (size - small))

    def runs_like(self, size: int) -> int:
        """How many calls have been measured of about this size."""
        return sum(size <= 2 * elements and elements <= 2 * size for elements, _ in list(self.runs))

    def ran_in_python(self, seconds: float, size: int, *, refused: bool) -> None:
        """A call has run in Python; `refused` if it cannot be compiled, so that the device would have saved nothing."""
        if size:
            measured = seconds / size
            self.per_element = measured if self.per_element is None else (self.per_element + measured) / 2
        self.saved = 0.0 if refused else self.saved + max(0.0, seconds - self.device(size))
        self.idle += seconds

    def passed_by(self, calls: int, size: int) -> None:
        """So many calls have run in Python, or will, without being timed: each about as the last one."""
        if self.per_element is not None:
            seconds = self.per_element * size
            self.saved += calls * max(0.0, seconds - self.device(size))
            self.idle += calls * seconds

    def ran_on_device(self, size: int, seconds: float | None) -> None:
        """A call has run on the device; `seconds` is None if it had to be compiled."""
        self.saved, self.idle, self.compiled = 0.0, 0.0, True
        if seconds is not None:
            self.runs.append((size, seconds))


@dataclass
class Hotness:
    """The measurements of a process, and the decisions that follow from them."""

    compiler: CompilerTimes = field(default_factory=CompilerTimes)
    times: dict[Hashable, FunctionTimes] = field(default_factory=dict[Hashable, FunctionTimes])
    may_find: Callable[[], bool] = bool
    """Whether other processes may have stored kernels."""
    watched: type[WatchedCall] | None = None
    """What a call is watched by, if not by a `WatchedCall`."""
    records: dict[Hashable, object] = field(default_factory=dict[Hashable, object])
    """What else is remembered of calls, by whom it concerns."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def watch(
        self, stages: Stages, inputs: Sequence[Any], threshold: float | None, container: Container
    ) -> WatchedCall | None:
        """A call whose place is to be decided; None if its inputs are not known to be of one length.

        None too for empty arrays: only compiling tells the dtype of their result.
        `threshold` is the time that has to be saved for a compilation; None stands for the time that it takes. The
        result comes in `container`.
        """
        size = common_length(inputs)
        if size is None or _is_empty_array(size, container):
            return None
        kind = kind_of(stages, inputs)
        times = self.times_of(kind, moving(inputs))
        run = sequential_run(stages, inputs, container)
        return (self.watched or WatchedCall)(self, times, run, size, threshold, (stages, inputs, kind))

    def times_of(self, key: Hashable, moving: float, starting: float = CALL_SECONDS) -> FunctionTimes:
        """What has been measured of the calls of a kind; `moving` is an estimate of moving an element."""
        return self._remembered(self.times, key, lambda: FunctionTimes(moving, starting=starting))

    def record_of(self, key: Hashable, make: Callable[[], object]) -> object:
        """What else has been remembered under a key; made where there is nothing yet."""
        return self._remembered(self.records, key, make)

    def _remembered(self, known: dict[Hashable, T], key: Hashable, make: Callable[[], T]) -> T:
        found = known.get(key)
        if found is None:
            found = make()
            with self.lock:
                while len(known) >= MAX_FUNCTIONS:
                    known.pop(next(iter(known)))
                known[key] = found
        return found

    def decide(
        self, times: FunctionTimes, size: int, threshold: float | None, is_compiled: Callable[[], bool], done: int = 0
    ) -> Decision:
        """Where the rest of a call of `size` elements runs, of which `done` have run in Python.

        `is_compiled` says whether there is a kernel for it; it is asked only where that matters, since it costs time.
        """
        if times.per_element is None:
            return Decision(False, "its time is not known yet: Python runs the first elements and is timed", size)
        left = size - done
        python, device = times.per_element * left, times.device(size)
        saving = python - device
        explores = times.compiled and times.idle > EXPLORE * device
        if saving <= 0 and not explores:
            return Decision(False, "", left, python, device)
        cost = self.compiler.estimate() if threshold is None else threshold
        pays = saving > 0 and saving + times.saved > cost
        if (times.compiled or pays or self._may_be_stored(saving + times.saved, threshold)) and is_compiled():
            because = "there is a kernel for it" if saving > 0 else "the kernel is measured again from time to time"
            return Decision(True, because, left, python, device, 0.0)
        because = "" if threshold is None else "the cost is the threshold that is set"
        return Decision(pays, because, left, python, device, cost, times.saved)

    def _may_be_stored(self, saved: float, threshold: float | None) -> bool:
        """Whether it pays to look for a kernel on disk."""
        if threshold is not None or saved <= LOAD_SECONDS + (0.0 if "pyopencl" in sys.modules else START_SECONDS / 2):
            return False
        return self.may_find()

    def forecast(
        self, stages: Stages, inputs: Sequence[Any], threshold: float | None, is_compiled: Callable[[], bool]
    ) -> Decision:
        """Where a call would run now."""
        size = common_length(inputs)
        if size is None:
            return Decision(True, "an input is on a device alone, or not of a known length: it cannot be estimated")
        if _is_empty_array(size, container_of(inputs)):
            return Decision(True, "only compiling it tells the dtype of an empty result")
        times = self.times.get(kind_of(stages, inputs)) or FunctionTimes(moving(inputs))
        return self.decide(times, size, threshold, is_compiled)


class WatchedCall:
    """A call that starts in Python, as long as that is the faster way."""

    def __init__(
        self,
        hotness: Hotness,
        times: FunctionTimes,
        run: SequentialRun,
        size: int,
        threshold: float | None,
        call: tuple[Stages, Sequence[Any], Hashable],
    ) -> None:
        self.hotness = hotness
        self.times = times
        self.size = size
        self.threshold = threshold
        self.run = run
        self.stages, self.inputs, self.kind = call
        self.seconds = 0.0

    def stays_in_python(self, is_compiled: Callable[[], bool]) -> bool:
        """Run elements in Python, and decide again after each part; False if the device is to take the call."""
        per_element = self.times.per_element
        part = 1 if not per_element else max(1, int(TRUSTED_SECONDS / per_element))
        while self.run.done < self.size:
            if self.times.per_element is not None and self.decide(is_compiled).offload:
                return False
            self._advance(part)
            part *= 2
        return True

    def decide(self, is_compiled: Callable[[], bool]) -> Decision:
        """Where the rest of the call runs."""
        return self.hotness.decide(self.times, self.size, self.threshold, is_compiled, self.run.done)

    @property
    def device(self) -> Device | None:
        """The device that runs the call, if one was chosen for it."""
        return None

    def refused(self, error: HetcError) -> bool:
        """The call does not run on its device, for a reason: whether another one takes its place."""
        return False

    def _advance(self, count: int | None) -> None:
        before, start = self.run.done, clock()
        if profile.active():
            left = self.size - before
            with profile.span(Kind.PYTHON, "where it is faster", count=left if count is None else min(count, left)):
                self.run.advance(count)
        else:
            self.run.advance(count)
        self.seconds += clock() - start
        if self.seconds >= TRUSTED_SECONDS and self.run.done > before:
            self.times.per_element = self.seconds / self.run.done

    def finish(self, *, refused: bool = False) -> Result:
        """The result, by running in Python what is left; `refused` says that there cannot be a kernel."""
        self._advance(None)
        self.times.ran_in_python(self.seconds, self.size, refused=refused)
        return self.run.result()

    def on_device(self, run: Callable[[], Result]) -> Result:
        """The result of running the whole call on the device. A call that is compiled meanwhile does not count."""
        before, start = self.hotness.compiler.count, clock()
        result = run()
        seconds = clock() - start
        self.times.ran_on_device(self.size, seconds if self.hotness.compiler.count == before else None)
        return result


def sequential_run(stages: Stages, inputs: Sequence[Any], container: Container) -> SequentialRun:
    """A call as Python runs it, part by part. What that takes is not imported for calls that go to a device at once."""
    from hetc.frontends.skeleton.sequential import SequentialRun

    return SequentialRun(stages, inputs, container)


def common_length(inputs: Sequence[Any]) -> int | None:
    """The length of inputs that are arrays, lists, tuples or ranges of one length; None of others.

    None too if one is on a device alone: Python would first have to bring it back.
    """
    lengths: set[int] = set()
    for value in inputs:
        if not isinstance(value, np.ndarray | list | tuple | range | Array):
            return None
        if isinstance(value, Array) and not value.is_on_host:
            return None
        try:
            lengths.add(len(cast("Sequence[Any]", value)))
        except (TypeError, OverflowError):  # an array without dimensions, a range that is too long
            return None
    return lengths.pop() if len(lengths) == 1 else None


def _is_empty_array(size: int, container: Container) -> bool:
    return size == 0 and container in (Container.NDARRAY, Container.MASKED, Container.ARRAY)


def kind_of(stages: Stages, inputs: Sequence[Any]) -> Hashable:
    """What calls have in common that take about the same time an element."""
    codes = tuple(_function_key(function) for function in functions(stages))
    return tuple(map(type, stages)), codes, tuple(map(_kind, inputs))


def _function_key(function: object) -> Hashable:
    if isinstance(function, FunctionType):
        return function.__code__
    if isinstance(function, BuiltinFunctionType | np.ufunc):
        return function
    from hetc.windows import Points  # of stencils

    if isinstance(function, Points):
        return Points, _function_key(function.function)
    return type(function)


def _kind(value: Any) -> Hashable:
    """The type of an input and, where it costs nothing to ask, of its elements."""
    if isinstance(value, Array):
        return value.element
    if type(value) is np.ndarray:
        return value.dtype
    first = value[0] if type(value) in (list, tuple) and value else None
    return cast("Hashable", type(value)), cast("Hashable", type(first))


def moving(inputs: Sequence[Any]) -> float:
    """The seconds that it takes to bring one element of each input into shape, and one result back."""
    costs = [ARRAY_SECONDS if isinstance(value, np.ndarray | range | Array) else LIST_SECONDS for value in inputs]
    gives_array = any(isinstance(value, np.ndarray | Array) for value in inputs)
    return sum(costs) + (ARRAY_SECONDS if gives_array else LIST_SECONDS)
