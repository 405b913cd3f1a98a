"""Calls on several devices: each takes some consecutive elements, and what they make is put together in order.

A map or filter gives its elements one after the other; a reduction has what the devices come to combined by its
operator, in Python, in the order of the elements. What a batch could not be (`hetc.batching`) no device gets a part of,
and objects, whose attributes may be assigned, stay together: then the first device has all.

How much a device gets is measured: how many elements a second it has done in the calls before, of the same functions
with data of the same types. At first all get the same. A device that is much slower than another gets something now and
then alone, to be measured again.
So did Qilin (Luk, Hong and Kim, "Adaptive mapping", MICRO 2009), from a training run; here each call trains the next.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import functools
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field, replace
from typing import Any, cast

import numpy as np

from hetc import batching, hotness
from hetc.abi import Container
from hetc.arrays.base import Array
from hetc.arrays.making import components, portable
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dispatch import Dispatcher
from hetc.errors import DeviceError, InputError, UnsupportedError
from hetc.frontends.skeleton.composition import (
    Enumerate,
    Filter,
    Iterate,
    Nothing,
    Reduce,
    Scan,
    Sort,
    Stages,
    Stencil,
    check_inputs,
)
from hetc.jobs import CallOptions, Job
from hetc.runtime import devices, profile
from hetc.runtime.describe import container_of
from hetc.runtime.devices import Device
from hetc.settings import current
from hetc.timeline.events import Kind

LEAST = 1 << 14
"""Fewer elements are not worth a part of their own: a call of a kernel takes as long as some thousands of them."""
SLOW = 1 / 20
"""A device that does less than this of what the fastest does gets nothing: to wait for it would take longer."""
AGAIN = 16
"""But of so many calls one, in which it is measured again."""
LAST = 0.75
"""How much what was measured last counts; the measurements before are the rest."""
TRIALS = 3
"""So often are all measured together before one has all: the first calls of several threads may take much longer."""
MOST_KINDS = 256
"""Kinds of calls whose measurements are kept; the oldest go first."""


def devices_of(specs: str | Sequence[object]) -> tuple[Device, ...]:
    """The devices that `ArrayFunction.on` is given a list of, each once; or those of "all", which may be none.

    Raises InputError for an empty list, TypeError for what is no device, DeviceError for one that is not there.
    """
    if isinstance(specs, str):
        return devices.list_devices()
    if not specs:
        raise InputError("there is no device in the list", category=Category.USAGE)
    for spec in specs:
        if not isinstance(spec, Device | str | int) or isinstance(spec, bool):
            raise TypeError(f"a device is one of hetc.devices(), an index into them, or a name, not {spec!r}")
    found = [devices.select(str(spec) if isinstance(spec, int) else cast("Device | str", spec)) for spec in specs]
    return tuple(dict.fromkeys(found))


@dataclass
class Throughputs:
    """What the devices have done of calls of one kind: elements a second; None for what is not measured."""

    by_device: dict[Device, float] = field(default_factory=dict[Device, float])
    lost: set[Device] = field(default_factory=set[Device])
    """Devices that have failed; they get nothing any more."""
    together: float | None = None
    """What they have done together, with what it takes to divide a call and to put together what they make."""
    tried: int = 0
    """How often that has been measured."""
    calls: int = 0
    """How many calls there have been."""
    whole: bool = False
    """Whether it has turned out that what parts make is not put together."""

    def ran(self, device: Device, count: int, seconds: float) -> None:
        """A device has done a part."""
        measured = count / max(seconds, 1e-9)
        before = self.by_device.get(device, measured)
        self.by_device[device] = LAST * measured + (1 - LAST) * before

    def ran_together(self, count: int, seconds: float) -> None:
        """All have done a call."""
        measured = count / max(seconds, 1e-9)
        before = measured if self.together is None else self.together
        self.tried += 1
        early = self.tried <= TRIALS
        self.together = max(before, measured) if early else LAST * measured + (1 - LAST) * before

    def shares(self, among: Sequence[Device]) -> list[float]:
        """The part of the next call that each device gets: all the same, until all are measured."""
        left = [device for device in among if device not in self.lost] or list(among[:1])
        known = [self.by_device.get(device) for device in left]
        rates = [1.0] * len(left) if None in known else [cast("float", rate) for rate in known]
        least = SLOW * max(rates)
        if self.calls % AGAIN == AGAIN - 1:
            rates = [max(rate, least) for rate in rates]
        elif None not in known and self.tried >= TRIALS and cast("float", self.together) < max(rates):
            least = max(rates)  # the fastest does it sooner alone
        weights = {device: rate if rate >= least else 0.0 for device, rate in zip(left, rates, strict=True)}
        return [weights.get(device, 0.0) / sum(weights.values()) for device in among]


@dataclass
class Measurements:
    """The throughputs of a process, by the kind of call."""

    kinds: dict[Hashable, Throughputs] = field(default_factory=dict[Hashable, Throughputs])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, kind: Hashable) -> Throughputs:
        """What is known of calls of a kind."""
        with self.lock:
            if kind not in self.kinds:
                while len(self.kinds) >= MOST_KINDS:
                    self.kinds.pop(next(iter(self.kinds)))
                self.kinds[kind] = Throughputs()
            return self.kinds[kind]


MEASUREMENTS = Measurements()


def call(
    dispatcher: Dispatcher,
    stages: Stages,
    inputs: Sequence[Any],
    options: CallOptions,
    whole: Callable[[CallOptions], object],
) -> object:
    """The result of a composition on several devices; `whole` runs all of it with other options.

    Raises what `Dispatcher.call` does; where parts raise, that of the first elements counts.
    """
    check_inputs(stages, len(inputs))
    try:
        parts = divided(stages, inputs, options)
    except UnsupportedError:
        return whole(replace(options, device=options.devices[0], devices=()))
    known = MEASUREMENTS.of(_kind(stages, inputs))
    known.calls += 1
    before, start = dispatcher.hotness.compiler.count, hotness.clock()
    total = sum(len(part.span) for part in parts)
    if len(parts) == 1:
        result = whole(replace(options, device=parts[0].device, devices=()))
        if dispatcher.hotness.compiler.count == before and total >= LEAST:
            known.ran(parts[0].device, total, hotness.clock() - start)
        return result
    results = _Work(dispatcher, stages, inputs, options, known).run(parts)
    try:
        result = joined(stages, results, container_of(inputs))
    except UnsupportedError:
        known.whole = True
        return whole(replace(options, device=options.devices[0], devices=()))
    if dispatcher.hotness.compiler.count == before:
        known.ran_together(total, hotness.clock() - start)
    return result


@dataclass(frozen=True)
class PartOfCall:
    """Consecutive elements, and the device that takes them."""

    device: Device
    span: range


def divided(stages: Stages, inputs: Sequence[Any], options: CallOptions) -> list[PartOfCall]:
    """The parts of a call, in order. Raises UnsupportedError, with the reason, for one that stays together."""
    total = hotness.common_length(inputs)
    if current().offload == "never":
        raise _whole('the setting is offload="never"')
    if total is None:
        raise _whole("an input is on a device alone, or has no length that is known")
    check(stages)
    job = Job.of(stages, inputs, replace(options, device=options.devices[0], devices=()), current())
    if job.resolution.program is not None and job.resolution.program.known_classes():
        raise _whole("functions may assign the attributes of objects")
    known = MEASUREMENTS.of(_kind(stages, inputs))
    if known.whole:
        raise _whole("the initial value is of another type than what the devices come to")
    shares = known.shares(options.devices)
    order = sorted(range(len(shares)), key=lambda k: -shares[k])
    at_most = max(1, total // LEAST)
    kept = sorted(order[:at_most])
    weight = sum(shares[k] for k in kept)
    parts: list[PartOfCall] = []
    start, before = 0, 0.0
    for k in kept:
        before += shares[k] / weight
        end = total if k == kept[-1] else min(total, round(total * before))
        if end > start or not parts:
            parts.append(PartOfCall(options.devices[k], range(start, end)))
        start = end
    return [part for part in parts if len(part.span)] or parts[:1]


def check(stages: Stages) -> None:
    """Raise UnsupportedError for a composition that is not put together from parts that know nothing of each other."""
    for stage in stages:
        if isinstance(stage, Stencil | Iterate | Sort):
            raise _whole("stencils, iterations and sorts have all elements at once")
        if isinstance(stage, Scan):
            raise _whole("a scan goes on from what comes before")
        if isinstance(stage, Enumerate):
            raise _whole("the elements are numbered")
    if isinstance(stages[-1], Reduce) and any(isinstance(stage, Filter) for stage in stages):
        raise _whole("a filter may leave nothing for a device to reduce")
    batching.check_stages(stages)


def _whole(reason: str) -> UnsupportedError:
    """Why a call is not divided."""
    return UnsupportedError(f"the first device has all elements: {reason}", category=Category.BATCHES)


@dataclass
class _Work:
    """The parts of one call under way."""

    dispatcher: Dispatcher
    stages: Stages
    inputs: Sequence[Any]
    options: CallOptions
    known: Throughputs

    def run(self, parts: Sequence[PartOfCall]) -> list[object]:
        """What the parts make, in order: at the same time, or one after the other as long as there is to compile."""
        if any(part.device not in self.known.by_device for part in parts):
            return [self.on(part) for part in parts]
        with concurrent.futures.ThreadPoolExecutor(len(parts), thread_name_prefix="hetc-device") as threads:
            tasks = [threads.submit(contextvars.copy_context().run, self.on, part) for part in parts]
            concurrent.futures.wait(tasks)
        return [task.result() for task in tasks]

    def on(self, part: PartOfCall) -> object:
        """What a part makes on its device; on another one, if that fails."""
        columns = [value[part.span.start : part.span.stop] for value in self.inputs]
        try:
            return self.timed(part, columns)
        except DeviceError as error:
            self.known.lost.add(part.device)
            others = [device for device in self.options.devices if device not in self.known.lost]
            if not others:
                raise
            told = UnsupportedError(
                f"{part.device.name} has failed, and {others[0].name} works in its place: {error.reason}",
                hint=error.hint,
                category=Category.DEVICE,
            )
            self.dispatcher.tell(told, self.options.fallback or current().fallback)
            return self.timed(PartOfCall(others[0], part.span), columns)

    def timed(self, part: PartOfCall, columns: Sequence[Any]) -> object:
        """What a part makes; its time counts if nothing was compiled for it."""
        options = replace(self.options, device=part.device, devices=())
        before, start = self.dispatcher.hotness.compiler.count, hotness.clock()
        stages, last = self.stages, self.stages[-1]
        if isinstance(last, Reduce) and last.last is None:
            stages = (*stages[:-1], replace(last, init=Nothing.NOTHING))
        with profile.span(Kind.CALL, f"a part on {part.device.name}", count=len(part.span)):
            result = self.dispatcher.call(stages, columns, options)
        seconds = hotness.clock() - start
        if self.dispatcher.hotness.compiler.count == before:
            self.known.ran(part.device, len(part.span), seconds)
        return result


def joined(stages: Stages, results: Sequence[Any], container: Container) -> object:
    """What parts have made, put together.

    Raises UnsupportedError for a reduction that accumulates in another type than that of its elements.
    """
    last = stages[-1]
    if isinstance(last, Reduce):
        start = () if last.init is Nothing.NOTHING or last.last is not None else (last.init,)
        with np.errstate(over="ignore"):  # as on devices
            total = functools.reduce(last.operator, results, *start)
        if start and type(total) is not type(results[0]):
            raise _whole("the initial value is of another type than what the devices come to")
        return total
    if container is Container.LIST:
        return [element for result in results for element in result]
    if container is Container.TUPLE:
        return tuple(element for result in results for element in result)
    found = _concatenated(results)
    return portable(found) if container is Container.ARRAY else found


def _concatenated(results: Sequence[Any]) -> Any:
    """Arrays one after the other, or tuples of such."""
    if isinstance(results[0], tuple):
        return tuple(_concatenated(parts) for parts in zip(*results, strict=True))
    arrays = [components(result) if isinstance(result, Array) else result for result in results]
    if isinstance(arrays[0], tuple):
        return _concatenated(arrays)
    module: Any = np.ma if any(isinstance(array, np.ma.MaskedArray) for array in arrays) else np
    return module.concatenate(arrays)


def _kind(stages: Stages, inputs: Sequence[Any]) -> Hashable:
    return hotness.kind_of(stages, inputs)


def shares_text(stages: Stages, inputs: Sequence[Any], options: CallOptions, parts: Sequence[PartOfCall]) -> str:
    """How a call is divided, and why, for people."""
    total = sum(len(part.span) for part in parts)
    known = MEASUREMENTS.of(_kind(stages, inputs))
    measured = all(device in known.by_device for device in options.devices if device not in known.lost)
    why = "by the elements a second that each has done" if measured else "evenly, as not all are measured yet"
    percent = [f"{len(part.span) / max(total, 1):.0%} on {part.device.name} ({part.device.platform})" for part in parts]
    return f"divided {why}: {', '.join(percent)}"
