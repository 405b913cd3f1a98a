"""Sorts: on a device by the digits of keys, in Python as `hetc.frontends.skeleton.ordering` says.

```text
keys   = map(key)(x)                               of any types that can be sorted by digits; tuples: an array an item
codes  = map(of_float32)(keys)                     hetc.order_codes: unsigned integers in the same order
places = map(np.uint32)(range(n))
for each digit that the codes differ in, the lowest first:
    codes, places = partition(digit)(codes, places)     stable, so that what lower digits have ordered stays in order
result = gather(places)(x)
```

Of a tuple's items, the last is the first to be sorted by. Integers that are sorted by themselves need no places: their
codes tell what they are. All of it is composed of array functions, whose results stay on the device in between.

Radix sorts by the least significant digit are as old as punched cards (Knuth, "The Art of Computer Programming", volume
3, 1973, section 5.2.5). How far apart the codes are is asked first, so that integers of a small range take few digits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from hetc import hotness, order_codes, settings
from hetc.abi import Container, Retain
from hetc.arrays.base import Array
from hetc.arrays.making import portable
from hetc.arrays.numbers import NumberArray
from hetc.arrays.tuples import TupleArray
from hetc.candidates import LEAST_KINDS, candidates
from hetc.choice import Choice, compared
from hetc.dataclass import dataclass
from hetc.diagnostics import Category
from hetc.dispatch import Dispatcher
from hetc.errors import CompileError, DeviceError, InputError, UnsupportedError
from hetc.frontends.skeleton.composition import Gather, Map, Nothing, Partition, Reduce, Sort, Stages, Zip
from hetc.frontends.skeleton.ordering import placed, sorted_in_python, taken
from hetc.hotness import Decision, FunctionTimes, common_length
from hetc.jobs import CallOptions, Job, select_device
from hetc.place_times import PlaceTimes
from hetc.places import COPIED_SECONDS, places_of, settle
from hetc.runtime import devices, profile
from hetc.runtime.describe import container_of
from hetc.runtime.devices import Device
from hetc.speculation import MAX_RECOMPILATIONS, Compiled
from hetc.timeline.events import Kind

DIGITS = {"gpu": 4}
"""The bits of a digit, where they are not 8: a GPU counts in local memory, which has no room for 256 classes."""

COMPARISON_SECONDS = {True: 7e-9, False: 10e-9}
"""What an element takes in Python for each time that their number can be halved: of arrays, and of lists.

From two cores of an AMD EPYC, as long as nothing is measured: `numpy.argsort(kind="stable")`, and `sorted`.
"""
NARROW_SECONDS = 8e-9
"""What an element of 8 or 16 bits takes: NumPy sorts these by digits, too."""
KEY_SECONDS = 100e-9
"""What a call of a key takes in Python, likewise."""
ELEMENT_SECONDS = 25e-9
"""What an element takes on a device, likewise, beside what it takes to move it."""
CALL_SECONDS = 4e-3
"""What the calls that a sort is made of take for next to no data."""
PROGRAMS = 5
"""How many programs a sort is made of, which have to be compiled once."""
MOST = 1 << 31
"""Places in more elements do not fit the integers that they are kept in."""


def sort(
    dispatcher: Dispatcher, stage: Sort, inputs: Sequence[Any], options: CallOptions, *, zipped: bool = False
) -> list[Any]:
    """The inputs in order, or the places of their elements in it; see `sorted_in_python`.

    Arrays that went to a device are portable ones that are there. Raises InputError for inputs of different lengths,
    and what the key raises; with fallback="error" also the CompileError that says why Python sorts.
    """
    container = container_of(inputs)
    lengths = {len(value) for value in inputs if hasattr(value, "__len__")}
    if len(lengths) > 1:
        stated = ", ".join(str(len(value)) for value in inputs)
        raise InputError(
            f"the inputs have different lengths: {stated}",
            hint="each input gives one element a call",
            category=Category.LENGTHS,
        )
    times, decision, choice = decide(dispatcher, stage, inputs, options)
    start = hotness.clock()
    if decision.offload:
        work = functools.partial(DeviceSort, dispatcher, stage, zipped=zipped)
        result = _on_device(dispatcher, work, options, inputs, times, choice)
        if result is not None:
            return result
    if not decision.offload and profile.active():
        profile.record(in_python=1)
    with profile.span(Kind.PYTHON, "a sort", count=len(inputs[0]) if lengths else 0):
        result = sorted_in_python(stage, inputs, container, zipped=zipped)
    seconds = hotness.clock() - start
    times.ran_in_python(seconds, next(iter(lengths), 0), refused=decision.offload)
    if choice is not None and not decision.offload:
        choice.ran_in_python(seconds)
    return result


def _on_device(
    dispatcher: Dispatcher,
    work: Callable[[CallOptions], DeviceSort],
    options: CallOptions,
    inputs: Sequence[Any],
    times: FunctionTimes,
    choice: Choice | None,
) -> list[Any] | None:
    """The sorted inputs, by the device or one that was chosen; None where Python has to sort."""
    while True:
        before, start = dispatcher.hotness.compiler.count, hotness.clock()
        try:
            if choice is not None:
                choice.start()
            chosen = options if choice is None else replace(options, device=choice.device)
            result = work(chosen).sorted(inputs, container_of(inputs))
        except (CompileError, DeviceError) as error:
            why = _refused_by(dispatcher, error, choice, options)
            if why is None:
                continue
            dispatcher.fall_back(why, options.fallback or settings.current().fallback)
            return None
        seconds = hotness.clock() - start
        if result is None:
            profile.record(deopts=1)
            profile.note_instant(Kind.DEOPTIMISATION, f"value: {_NAN}")
        elif choice is not None:
            choice.ran(choice.size, seconds)
            settle(result)
        else:
            if not times.compiled:
                times.runs.clear()  # what was taken to be so is not needed any more
            times.ran_on_device(len(inputs[0]), None if dispatcher.hotness.compiler.count != before else seconds)
        return result


def _refused_by(
    dispatcher: Dispatcher, error: CompileError | DeviceError, choice: Choice | None, options: CallOptions
) -> CompileError | None:
    """Why Python sorts, where a device does not; None if another candidate does.

    Raises DeviceError where nothing was chosen.
    """
    try:
        if choice is not None and dispatcher.goes_on(error, choice, options):
            return None
    except CompileError as failed:
        return failed
    if isinstance(error, DeviceError):
        raise error
    return error


_NAN = "a key in a list is NaN, and what sorted() makes of that hangs on the comparisons that it makes"


def decide(
    dispatcher: Dispatcher, stage: Sort, inputs: Sequence[Any], options: CallOptions
) -> tuple[FunctionTimes, Decision, Choice | None]:
    """Where a sort runs now and why, what the sorts of its kind have taken, and the choice where there are devices."""
    current, size = settings.current(), common_length(inputs)
    is_array = container_of(inputs) in (Container.NDARRAY, Container.ARRAY)
    moving = ELEMENT_SECONDS + (hotness.ARRAY_SECONDS if is_array else 2 * hotness.LIST_SECONDS) * len(inputs)
    times = dispatcher.hotness.times_of(_kind(stage, inputs), moving)
    if size is not None and size < 2:
        return times, Decision(False, "there is nothing to sort"), None
    if current.offload == "never":
        return times, Decision(False, 'the setting is offload="never"'), None
    if current.offload == "always":
        return times, Decision(True, 'the setting is offload="always"'), None
    if options.device is not None:
        return times, Decision(True, "a device was asked for with .on(...)"), None
    if size is None:
        is_away = any(isinstance(value, Array) and not value.is_on_host for value in inputs)
        reason = "an input is on a device alone" if is_away else "an input has no length that is known"
        return times, Decision(is_away, reason), None
    if not times.runs:
        # A line from the first call, which there has not been: what the parts of a sort take each is in it.
        times.runs.append((0, CALL_SECONDS))
        times.runs.append((MOST, CALL_SECONDS + moving * MOST))
    if times.per_element is None:
        comparisons = COMPARISON_SECONDS[is_array] * np.log2(size)
        if is_array and stage.key is None and all(getattr(value, "itemsize", 8) <= 2 for value in inputs):
            comparisons = NARROW_SECONDS
        times.per_element = float(comparisons) + (0.0 if stage.key is None else KEY_SECONDS)
    compiled, before = times.compiled, times.saved
    found = dispatcher.hotness.decide(times, size, current.threshold, functools.partial(bool, compiled))
    # Devices are looked for when one is worth it, since that loads their drivers.
    looks = current.decides and (found.offload or devices.are_listed())
    choice = _choice(dispatcher, stage, inputs, size, moving, times) if looks else None
    if choice is not None:
        found = choice.decide(times.per_element, 0, current.threshold, lambda: _has_run(choice))
        compiled, before = _has_run(choice), 0.0 if choice.place is None else choice.place.record.saved
    if found.offload and not compiled and current.threshold is None:
        cost = PROGRAMS * dispatcher.hotness.compiler.estimate()
        assert found.python_seconds is not None
        assert found.device_seconds is not None
        saved = found.python_seconds - found.device_seconds + before
        found = replace(found, offload=saved > cost, compile_seconds=cost)
    if choice is not None:
        found = replace(found, device=choice.device, compared=compared(choice.found))
    return times, found, choice


def _has_run(choice: Choice) -> bool:
    """Whether the device that was chosen has sorted such data."""
    return choice.place is not None and choice.place.record.compiled


def _choice(
    dispatcher: Dispatcher, stage: Sort, inputs: Sequence[Any], size: int, moving: float, times: FunctionTimes
) -> Choice | None:
    """The candidates for a sort; None if there is nothing to choose."""
    among = candidates(settings.current())
    if len(among) < LEAST_KINDS:
        return None
    known, kind = dispatcher.hotness, _kind(stage, inputs)

    def least(where: Sequence[str], device: Device) -> PlaceTimes:
        """What a sort takes at least, until it is measured."""
        if device.shared_memory:
            return PlaceTimes(moving - ELEMENT_SECONDS / 2, deciding=CALL_SECONDS / 2)
        copied = sum(COPIED_SECONDS * getattr(value, "itemsize", 8) for value, at in zip(inputs, where, strict=True)
                     if at != "here")  # fmt: skip
        return PlaceTimes(moving - ELEMENT_SECONDS * 0.95 + 2 * copied, deciding=CALL_SECONDS / 2)

    found = places_of(known, kind, inputs, size, among, least, times.saved)
    return replace(Choice.of(known, found, size, inputs, kind), programs=PROGRAMS) if found else None


def _kind(stage: Sort, inputs: Sequence[Any]) -> Hashable:
    """What sorts have in common that take about the same time an element."""
    stages: Stages = () if stage.key is None else (Map(stage.key),)
    return Sort, stage.places, hotness.kind_of(stages, inputs)


@dataclass
class DeviceSort:
    """A sort on a device. Its methods raise CompileError where it cannot be done there."""

    dispatcher: Dispatcher
    stage: Sort
    options: CallOptions
    zipped: bool

    def __post_init__(self) -> None:
        chosen = self.options.device if self.options.device is not None else settings.current().device
        self.device: Device = select_device(chosen)
        self.inner = replace(self.options, device=self.device, fallback="error", batches=None, missing=None)
        self.width = DIGITS.get(self.device.traits.family, 8)

    def sorted(self, inputs: Sequence[Any], container: Container) -> list[Any] | None:
        """The inputs in order, or the places; None if Python alone tells the order."""
        size = len(inputs[0])
        _check(inputs, container)
        sources = [_source(value) for value in inputs]
        if self.stage.key is None and not self.stage.places and len(sources) == 1:
            (source,) = sources
            if isinstance(source, NumberArray) and source.dtype.name in order_codes.NUMBERS:
                return [self.integers(source)]
        keys = self.keys(sources, container)
        codes = [self.codes(key) for key in keys]
        is_list = container in (Container.LIST, Container.TUPLE)
        places: NumberArray | None = None
        for key, code in zip(reversed(keys), reversed(codes), strict=True):
            own = code if places is None or not size else self.call((Gather(places),), code)
            low, high = self.range(own)
            if is_list and self.has_nan(key, low, high):
                return None
            places = self.ordered(own, places, low, high)
        if places is None:
            places = self.numbered(size)
        return self.results(sources, places, container)

    def description(self, inputs: Sequence[Any]) -> str:
        """How the inputs are sorted, or would be. Raises UnsupportedError for what is known not to be."""
        _check(inputs, container_of(inputs))
        sources = [_source(value) for value in inputs]
        digits = f"digits of {self.width} bits, the lowest first"
        if self.stage.key is None and all(isinstance(source, NumberArray) for source in sources):
            names = ", ".join(_checked(source).dtype.name for source in sources)
            return f"sorted by the digits of {names}: {digits}, as many as the numbers differ in"
        return f"sorted by the digits of keys, which a map computes: {digits}, as many as the keys differ in"

    def call(self, stages: Stages, *inputs: Any) -> Any:
        """What array functions of hetc's own make of portable arrays, on the device."""
        return self.dispatcher.call(stages, inputs, self.inner)

    # ---------------------------------------------------------------------------------------------------------------
    # Keys
    # ---------------------------------------------------------------------------------------------------------------

    def keys(self, sources: Sequence[Any], container: Container) -> list[NumberArray]:
        """What the elements are ordered by, as portable arrays: first by the first."""
        if self.stage.key is None:
            found = [
                source
                if isinstance(source, NumberArray | TupleArray)
                else self.mapped((Map(_itself),), [source], container)
                for source in sources
            ]
        else:
            stages: Stages = (*((Zip(),) if self.zipped else ()), Map(self.stage.key))
            found = [self.mapped(stages, sources, container)]
        return [leaf for key in found for leaf in _leaves(key)]

    def mapped(self, stages: Stages, sources: Sequence[Any], container: Container) -> Any:
        """What a map makes of the elements, as portable arrays whatever they are in.

        Of lists, no branch is left out that a sample of the elements does not take: what it gives might be of another
        type, and numbers of several types are compared as they are, in Python.
        """
        job = Job.of(stages, sources, self.inner, settings.current(), may_loop=False)
        if job.signature.container is not Container.ARRAY:
            job = replace(job, signature=replace(job.signature, container=Container.ARRAY))
        versions = (job, job.with_constants()) if container in (Container.LIST, Container.TUPLE) else ()
        for version in versions:
            self.dispatcher.compiled.setdefault(version.key, Compiled(recompilations=MAX_RECOMPILATIONS))
        result = self.dispatcher.run(stages, sources, self.inner, lambda: job, Container.ARRAY)
        known = [self.dispatcher.known(version).executable for version in versions]
        last = [None if each is None or isinstance(each, CompileError) else each.package.steps[-1] for each in known]
        if versions and not any(isinstance(step, Retain) for step in last):  # numbers of one type stay on the device
            raise _refused("the elements are ordered by keys of several types")
        return result

    def codes(self, key: NumberArray) -> NumberArray:
        """The codes of keys, as unsigned integers."""
        stages: Stages = (Map(order_codes.CODES[key.dtype.name]),)
        if self.stage.reverse:
            stages = (*stages, Map(order_codes.reversed_code))
        return self.call(stages, key)

    def has_nan(self, key: NumberArray, low: Any, high: Any) -> bool:
        """Whether a NaN is among the keys whose codes are in a range."""
        if key.dtype.kind != "f" or not len(key):
            return False
        nan = order_codes.NAN64 if key.dtype == np.float64 else order_codes.NAN32
        return low == ~nan if self.stage.reverse else high == nan

    def range(self, codes: NumberArray) -> tuple[Any, Any]:
        """The least and the greatest code."""
        if not len(codes):
            return codes.dtype.type(0), codes.dtype.type(0)
        return self.call((Map(order_codes.twice), Reduce(order_codes.widened, Nothing.NOTHING)), codes)

    # ---------------------------------------------------------------------------------------------------------------
    # Digits
    # ---------------------------------------------------------------------------------------------------------------

    def numbered(self, size: int) -> NumberArray:
        """The places of so many elements as they are."""
        if not size:
            return NumberArray.of(np.empty(0, np.uint32))
        return self.mapped((Map(np.uint32),), [range(size)], Container.ARRAY)

    def ordered(self, codes: NumberArray, places: NumberArray | None, low: Any, high: Any) -> NumberArray | None:
        """Places, in the order of their codes, which are in a range."""
        codes, low, digits = self.digits(codes, low, high)
        if places is None and digits:
            places = self.numbered(len(codes))
        for number, function in enumerate(digits, start=1):
            if number < len(digits):
                found = self.call((Partition(function, 1 << self.width),), codes, places)
                codes, places = found.fields
            else:
                places = self.call((Partition(function, 1 << self.width, dropped=1),), codes, places)
        return places

    def digits(self, codes: NumberArray, low: Any, high: Any) -> tuple[NumberArray, Any, list[Any]]:
        """The codes and the least one, in 32 bits where these hold the range; what tells the digits, the last first."""
        bits = (int(high) - int(low)).bit_length()
        if codes.dtype == np.uint64 and bits <= 32:
            codes, low = self.call((Map(order_codes.narrowed(low)),), codes), np.uint32(0)
        shifts = range(0, bits, self.width)
        return codes, low, [order_codes.digit(self.width, low, codes.dtype.type(shift)) for shift in shifts]

    def integers(self, source: NumberArray) -> NumberArray:
        """Integers in order, which are told by their codes."""
        name, codes = source.dtype.name, self.codes(source)
        low, high = self.range(codes)
        own, _, digits = self.digits(codes, low, high)
        for function in digits:
            own = self.call((Partition(function, 1 << self.width),), own)
        stages: Stages = (Map(order_codes.NUMBERS[name]),)
        if self.stage.reverse:
            stages = (Map(order_codes.reversed_code), *stages)
        if own.dtype != codes.dtype:
            stages = (Map(order_codes.widened_by(low)), *stages)
        return self.call(stages, own)

    # ---------------------------------------------------------------------------------------------------------------
    # Results
    # ---------------------------------------------------------------------------------------------------------------

    def results(self, sources: Sequence[Any], places: NumberArray, container: Container) -> list[Any]:
        """The elements at the places, or these."""
        if self.stage.places:
            if container in (Container.LIST, Container.TUPLE):
                return [placed(np.asarray(places).astype(np.intp), container)]
            return [self.call((Map(np.int64),), places)]
        return [
            self.call((Gather(places),), source)
            if isinstance(source, NumberArray | TupleArray)
            else taken(source, np.asarray(places), container)
            for source in sources
        ]


def _itself(x: Any) -> Any:
    return x


def _source(value: Any) -> Any:
    """An input as a portable array, where it can be one whose elements are the numbers of a result."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        found = portable(cast("Any", value))
        return found if isinstance(found, NumberArray) else cast("Any", value)
    return value


def _check(inputs: Sequence[Any], container: Container) -> None:
    """Raise UnsupportedError for inputs that are not sorted on devices, whatever is in them."""
    if container is Container.MASKED:
        raise _refused("masked arrays have elements that are missing")
    if len(inputs[0]) >= MOST:
        raise _refused("there are more elements than a device numbers here")


def _checked(key: Any) -> NumberArray:
    """A key that can be sorted by. Raises UnsupportedError for others."""
    if isinstance(key, NumberArray) and key.ndim == 1 and key.dtype.name in order_codes.CODES:
        return key
    what = f"{key.dtype} in {key.ndim} dimensions" if isinstance(key, NumberArray | np.ndarray) else "of several types"
    raise _refused(f"the elements are ordered by keys that are {what}")


def _leaves(key: Any) -> list[NumberArray]:
    if isinstance(key, TupleArray):
        return [leaf for field in key.fields for leaf in _leaves(field)]
    return [_checked(key)]


def _refused(reason: str) -> UnsupportedError:
    return UnsupportedError(
        f"the sort runs in Python: {reason}",
        hint="sort by real numbers, or tuples of them",
        category=Category.ORDER,
    )
