"""Calls in batches: the steps of a plan for each part of the elements, on several queues, and what they come to.

The plan says what is done once and what for each batch (`abi.EachBatch`). Each queue has a thread that runs one batch
after the other, so that the copies of one go on while another one computes; the buffers of a batch come from the pool,
where the batch before has left them. What comes back goes to its place in the whole result at once, where the plan
tells how much it will be. A batch for which the device has no memory is cut in two, and what is done stays done.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import contextvars
import itertools
import math
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from hetc import abi
from hetc.containers import select
from hetc.dataclass import dataclass
from hetc.errors import DeviceError
from hetc.progress import progress
from hetc.runtime import marshal, profile
from hetc.runtime.batch_threads import batch_threads
from hetc.runtime.buffers import device_bytes
from hetc.runtime.call import Call, Foretell, GuardFailed, Partial
from hetc.runtime.executor import Executable
from hetc.runtime.footprint import LARGE
from hetc.runtime.joining import Joined
from hetc.runtime.marshal import HostArray
from hetc.runtime.opencl import cl
from hetc.runtime.parts import Cut

Values = tuple[Any, ...]
Ends = dict[int, "concurrent.futures.Future[Values]"]
"""By the number of elements that have come before: what they have come to, for the batch that goes on from there."""


@dataclass(frozen=True)
class BatchedCall:
    """A call to be run in batches.

    `first` runs the first batch, `following` the others: with carried variables it is another program. `cut` says what
    a batch has of the inputs and captured variables. `originals` are those of `Executable.run`.
    """

    first: Executable
    following: Executable
    cut: Cut
    originals: Sequence[Any]


def run_in_batches(call: BatchedCall, count: int, queues: int, shrunk: Callable[[DeviceError], None]) -> object:
    """The result of a call in batches of `count` elements, of which the last may have fewer, on so many queues.

    Where the device has no memory for that, `shrunk` is told, and batches become smaller, on one queue. Raises what
    `Executable.run` does.
    """
    device = call.first.device
    times = device.taking_times() if profile.active() else contextlib.nullcontext()
    # Batches that wait for each other must not wait for those of another call.
    with times, call.following.lanes.lock:
        rounds = _Rounds(call)
        spans = _spans(range(call.cut.total), count)
        try:
            while spans := _watched(rounds, call, spans, queues):
                error = rounds.refused
                assert error is not None
                if count == 1:
                    raise error
                shrunk(error)
                count, queues = _half(max(map(len, spans))), 1
                device.free_held()
                spans = [part for span in spans for part in _spans(span, count)]
        finally:
            device.free_lanes()
        return rounds.result()


def _watched(rounds: _Rounds, call: BatchedCall, spans: Sequence[range], queues: int) -> list[range]:
    """`_Rounds.run`, with its progress for people who watch: which batch, and how many bytes of the inputs."""
    size = sum(getattr(value, "nbytes", 8 * len(value)) for value in call.originals) / max(call.cut.total, 1)
    elements = sum(map(len, spans))
    with progress("hetc: batches", size * elements, "B", scaled=True) as advance:
        numbers = itertools.count(1)
        return rounds.run(spans, queues, lambda span: advance(size * len(span), f"{next(numbers)} of {len(spans)}"))


def _nothing(_span: range) -> None:
    pass


def _spans(whole: range, count: int) -> list[range]:
    return [whole[start : start + count] for start in range(0, len(whole), count)]


def _half(count: int) -> int:
    half = max(count // 2, 1)
    return half - half % LARGE if half > LARGE else half


class _Rounds:
    """The batches of one call, as far as they are done."""

    def __init__(self, call: BatchedCall) -> None:
        self.call = call
        self.refused: DeviceError | None = None
        """Why the device had no memory for a batch."""
        self._stopped = False
        self._done: Callable[[range], None] = _nothing
        self._queues = 1
        self._ends: Ends = {}
        self._joined = Joined(call.first.package, call.following.package, call.cut, call.first.device)
        self._sites: dict[abi.GuardSite, None] = {}
        self._warned: dict[abi.GuardSite, None] = {}
        self._wrong: list[range] = []
        self._block = 0
        self._partial = False
        programs = {id(e): e for e in (call.first, call.following)}
        self._carried = {key: _names(executable.package) for key, executable in programs.items()}
        self._once = {key: self._done_once(executable) for key, executable in programs.items()}
        self._resident = sum(device_bytes(once.values) for once in self._once.values()) if profile.active() else 0

    def _done_once(self, executable: Executable) -> Call:
        """The steps that are for all batches."""
        package = executable.package
        once = Call((), self.call.cut.captures, package.registers)
        executable.perform(once, slice(0, package.each_batch))
        try:
            executable.device.queue.finish()
        except cl.Error as error:
            raise DeviceError(f"{executable.device.name} refused the work: {error}") from None
        return once

    def run(self, spans: Sequence[range], queues: int, done: Callable[[range], None]) -> list[range]:
        """Run batches, and give those that the device had no memory for. Raises what else went wrong in the first.

        `done` is told of each batch that is done, by the thread that has run it.
        """
        self._stopped, self.refused, self._done = False, None, done
        self._ends |= {span.stop: concurrent.futures.Future() for span in spans}
        self._joined.begin(spans)
        self._queues = queues = min(queues, len(spans))
        if queues == 1:
            return [span for span in spans if not self._run(span, 0)]
        lanes: queue.SimpleQueue[int] = queue.SimpleQueue()
        for lane in range(queues):
            lanes.put(lane)

        def run(span: range) -> bool:
            lane = lanes.get()
            try:
                return self._run(span, lane)
            finally:
                lanes.put(lane)

        with batch_threads(queues) as threads:
            tasks = [threads.submit(contextvars.copy_context().run, run, span) for span in spans]
            try:
                return [span for span, task in zip(spans, tasks, strict=True) if not task.result()]
            finally:
                self._stopped = True
                concurrent.futures.wait(tasks)

    def _run(self, span: range, lane: int) -> bool:
        """Run a batch on a queue; False if it is not done, since the device had no memory, or others have failed."""
        end = self._ends[span.stop]
        try:
            if self._stopped:
                end.cancel()
                return False
            _tell(end, self._come_to(span, lane))
            self._done(span)
        except DeviceError as error:
            _tell(end, error)
            if not error.out_of_memory:
                self._stopped = True
                raise
            self.refused, self._stopped = error, True
            return False
        except concurrent.futures.CancelledError:  # the batch before has not been run
            end.cancel()
            return False
        except BaseException as error:
            self._stopped = True
            _tell(end, error)
            raise
        finally:
            self._joined.end(span)
        return True

    def _come_to(self, span: range, lane: int) -> Values:
        """Run a batch on a queue, put what it makes in its place, and give what the next one goes on from."""
        whole = self.call.first if span.start == 0 else self.call.following
        package, once = whole.package, self._once[id(whole)]
        carried = self._carried[id(whole)]
        part = self.call.cut.part(span)
        captures = _Captures(part.captures, carried, self._ends.get(span.start)) if carried else part.captures
        call = Call(part.inputs, captures, package.registers)
        call.values, call.hosts, call.counts = once.values.copy(), once.hosts.copy(), once.counts.copy()
        call.places = self._joined.places(package, span)
        call.own = self._joined.own(package, span, part)
        call.foretell = self._foretell(package, span)
        assert package.each_batch is not None
        failure: GuardFailed | None = None
        try:
            whole.lanes[lane].perform(call, slice(package.each_batch + 1, None))
        except GuardFailed as error:
            if error.untold or error.partial is None or self._carried[id(self.call.following)]:
                raise
            failure = error
        if profile.active():
            profile.record(batches=1)
            # The buffers of all queues together, as if they were all at their peak at once.
            kept = device_bytes(once.values)
            profile.peak(self._resident + self._queues * (device_bytes(call.values) - kept))
        if failure is not None:
            self._note(failure, span, part.skip)
        return self._joined.put(span, cast("list[HostArray]", call.result), part)

    def _foretell(self, package: abi.Package, span: range) -> Foretell | None:
        """What tells the next batch what this one has come to, before all of it is copied to the host.

        If something is found to be wrong with it afterwards, all that follows is in vain.
        """
        hosts, last = self._joined.foretold(package), dict[abi.Register, HostArray]()
        if not hosts:
            return None

        def foretell(register: abi.Register, read: Callable[[], HostArray]) -> None:
            if register in hosts:
                last[register] = read()
                if len(last) == len(set(hosts)):
                    _tell(self._ends[span.stop], self._joined.carried([last[host] for host in hosts]))

        return foretell

    def _note(self, failure: GuardFailed, span: range, skip: int) -> None:
        """Elements of a batch are for Python, if it is to have them: `skip` come before its own."""
        partial, width = failure.partial, self.call.cut.width
        assert partial is not None
        first, end = span.start * width, span.stop * width
        starts = [first - skip + block * partial.block for block in partial.blocks]
        wrong = [range(max(start, first), min(start + partial.block, end)) for start in starts]
        self._wrong += filter(None, wrong)
        if any(wrong):
            self._sites |= dict.fromkeys(failure.sites)
            self._warned |= dict.fromkeys(failure.warned)
            self._block, self._partial = partial.block, True

    def result(self) -> object:
        """What all batches have come to. Raises GuardFailed if some of it is for Python."""
        call, last = self.call, self.call.first.package.steps[-1]
        arrays = self._joined.arrays()
        if isinstance(last, abi.Pick):
            return select(call.originals, arrays[0].tolist(), last.container, rows=last.rows)
        assert isinstance(last, abi.Unmarshal)
        while_wrong = abi.Container.LIST if marshal.has_union(last.element) else last.container
        container = while_wrong if self._partial else last.container
        result = marshal.unmarshal(arrays, last.element, container, call.cut.captures, scalar=last.scalar)
        if self._partial:
            unit = math.gcd(self._block, *(number for span in self._wrong for number in (span.start, len(span))))
            blocks = {start // unit for span in self._wrong for start in range(span.start, span.stop, unit)}
            partial = Partial(result, container, tuple(sorted(blocks)), unit)
            raise GuardFailed(tuple(self._sites), partial, warned=tuple(self._warned))
        return result


def _tell(end: concurrent.futures.Future[Values], found: Values | BaseException) -> None:
    """What a batch has come to, or why to nothing, unless that has been told sooner."""
    if end.done():
        return
    if isinstance(found, BaseException):
        end.set_exception(found)
    else:
        end.set_result(found)


class _Captures(Mapping[str, object]):
    """The captured variables of a batch, of which it waits for those that the batch before has to come to."""

    def __init__(
        self, others: Mapping[str, object], names: Sequence[str], before: concurrent.futures.Future[Values] | None
    ) -> None:
        self._others, self._names, self._before = others, names, before

    def __getitem__(self, name: str) -> object:
        if name not in self._names:
            return self._others[name]
        assert self._before is not None
        return self._before.result()[self._names.index(name)]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._others, **dict.fromkeys(self._names)})

    def __len__(self) -> int:
        return len(self._others.keys() | set(self._names))


def _names(package: abi.Package) -> tuple[str, ...]:
    """The captured variables that go from batch to batch."""
    return next(step.carried for step in package.steps if isinstance(step, abi.EachBatch))
