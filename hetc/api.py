"""Array functions: a composition of skeletons, as a value to be called.

An array function is a composition of skeletons. It is lazy (building it does nothing), and reusable on any input: each
call looks at the data, at captured variables and at settings afresh. After Marawacc's `ArrayFunction` (Fumero, PhD
thesis 2017, section 4.2).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, cast

from hetc.arrays.base import Array
from hetc.containers import as_array, nan_as_missing
from hetc.dataclass import dataclass
from hetc.dispatch import LeftDevice, leave_device, on_device_alone
from hetc.division import DividingDispatcher
from hetc.errors import CompileError, InputError, UnsupportedError
from hetc.foreign import ForeignInputs, read_inputs, refuse_foreign
from hetc.frontends.skeleton.composition import (
    Filter,
    Iterate,
    Map,
    Nothing,
    Reduce,
    Scan,
    Sort,
    Stages,
    Stencil,
    all_of,
    any_of,
    asks_in_between,
    check_inputs,
    compose,
    composition_text,
    greatest_place,
    has_iteration,
    has_sort,
    has_stencil,
    is_taken_apart,
    least_place,
)
from hetc.inline_cache import InlineCache
from hetc.jobs import CallOptions, Job, arrays_of, captured_by, chosen_fastmath, chosen_layout
from hetc.loops import SkeletonCode
from hetc.runtime.describe import container_of
from hetc.runtime.devices import Device, list_devices
from hetc.runtime.profile import Profile, profile
from hetc.settings import Configured, bytes_of, configure, current
from hetc.tracebacks import hide_own_frames

if TYPE_CHECKING:  # what most programs do not use is imported when it is; xDSL, by the driver, for compiling alone
    from hetc import driver
    from hetc.explanation.report import Explanation
    from hetc.futures import Future

__all__ = ["ArrayFunction", "Configured", "Device", "Lowered", "Profile", "configure", "devices", "profile"]

Separate = Callable[[Iterable[object]], None]

_dispatcher = DividingDispatcher()


def dispatcher() -> DividingDispatcher:
    """What compiles and remembers for the whole process."""
    return _dispatcher


@dataclass(frozen=True)
class ArrayFunction(SkeletonCode):
    """A composition of skeletons, to be called on arrays, lists, tuples and ranges.

    Several inputs are zipped: a first `map` receives one argument for each. The result comes in the kind of container
    that went in: an ndarray if any input is one, a tuple for tuples, else a list. Where elements are tuples, an ndarray
    result is a tuple of ndarrays, one a component, as NumPy's functions with several outputs return them. An empty
    array gives an empty array of the dtype that its elements would have given.

    Where a masked array is masked, the functions see None; where they give None, the result, a masked array, is masked.

    >>> import hetc
    >>> square_sum = hetc.map(lambda x: x * x).reduce(lambda a, b: a + b, 0)
    >>> square_sum([1, 2, 3])
    14
    """

    stages: Stages
    call_options: CallOptions = field(default_factory=CallOptions)
    _cache: InlineCache[Job] = field(default_factory=InlineCache[Job], init=False, repr=False, compare=False)
    _elsewhere: dict[Device, ArrayFunction] = field(
        default_factory=dict[Device, "ArrayFunction"], init=False, repr=False, compare=False
    )

    def __call__(self, *inputs: Any) -> Any:
        """Apply to inputs of equal length.

        Raises InputError for inputs that do not fit together, DeviceError for a device that is not there, and what the
        functions themselves raise, from their own lines.
        """
        try:
            if self.call_options.devices:
                from hetc import several

                refuse_foreign(inputs)
                options = replace(self.call_options, results=None)
                result = several.call(_dispatcher, self.stages, inputs, options, lambda each: self._with(each)(*inputs))
            elif self._is_taken_apart:
                from hetc import iteration

                result = iteration.call(_dispatcher, self.stages, inputs, self.call_options)
            else:
                result = _dispatcher.call(self.stages, inputs, self.call_options, self._cache)
        except ForeignInputs:
            pass  # they are read below, so that what is raised there has no other error as context
        except Exception as error:
            hide_own_frames(error)
            raise
        else:
            kept = self.call_options.results == "array" and not isinstance(self.stages[-1], Reduce)
            return as_array(result) if kept else result
        return self._on_foreign(inputs)

    def _on_foreign(self, inputs: tuple[Any, ...]) -> Any:
        """Apply to inputs of which some are containers of other packages."""
        kept = self.call_options.results == "array"
        try:
            leave_device()
            given = read_inputs(inputs, copy=kept or any(isinstance(value, Array) for value in inputs))
        except Exception as error:
            hide_own_frames(error)
            raise
        result = self(*given.inputs)
        if kept or self.gives_number:
            return result
        try:
            return given.made(result)
        except Exception as error:
            hide_own_frames(error)
            raise

    def on_device_alone(self, given: tuple[Any, ...], inputs: tuple[Any, ...], separate: Separate) -> Any:
        """Apply to `given`, on a device alone: `inputs`, of which some arrays are portable ones.

        `separate` is told of what the functions capture. Raises LeftDevice and HetcError for what `__call__` is to do.
        """
        options = self.call_options
        if options.missing == "nan" or options.devices or asks_in_between(self.stages):
            raise LeftDevice
        function = self
        if current().offload == "auto" and options.device is None:
            decision = _dispatcher.decision(self.stages, inputs, options, lambda: self._job(given))
            if not decision.offload:
                raise LeftDevice
            if decision.device is not None:  # of several: where the arrays are, if they are on one alone
                from hetc.chosen_calls import chosen_for_data

                away = chosen_for_data(_dispatcher.hotness, self.stages, given)
                device = decision.device if away is None or away.device is None else away.device
                function = self._elsewhere.get(device) or self.on(device)
                self._elsewhere[device] = function
        known = function._cache.find(given, current())  # noqa: SLF001 - one of its own
        separate(captured_by(self.stages) if known is None else (*known[1].values(), *arrays_of(self.stages)))
        with on_device_alone():
            return function(*given)

    @property
    def gives_number(self) -> bool:
        """Whether calls give one value rather than an array."""
        return isinstance(self.stages[-1], Reduce)

    @functools.cached_property
    def _is_taken_apart(self) -> bool:
        return is_taken_apart(self.stages)

    def submit(self, *inputs: Any) -> Future:
        """Apply to inputs in the background: a future, whose `result()` is what the call gives or raises.

        Submitted calls run one after the other, while the program goes on. The settings are those of now; the inputs
        and what the functions capture are read when the call runs, so they are the call's until it is done:
        `submit(x.copy())` is for arrays that must change before.

        >>> import hetc
        >>> future = hetc.map(lambda x: x * x).submit([1, 2, 3])
        >>> future.result()
        [1, 4, 9]
        """
        from hetc.futures import submit

        return submit(functools.partial(self, *inputs))

    def map(self, function: Callable[..., Any]) -> ArrayFunction:
        """Then apply a function to each element.

        >>> import hetc
        >>> hetc.map(lambda x: x + 1).map(lambda x: x * 2)([1, 2])
        [4, 6]
        """
        return self._then((Map(function),))

    def reduce(self, operator: Callable[[Any, Any], Any], init: object = Nothing.NOTHING) -> ArrayFunction:
        """Then combine all elements, in order, with an associative operator, from an initial value.

        Without one it starts from the first element, and raises TypeError if there is none.

        The grouping is free, the order is not; for floating-point numbers the result is that of one such grouping, the
        same each time for a given length and device.

        >>> import hetc
        >>> hetc.map(lambda x: x * x).reduce(lambda a, b: a + b, 0.0)([1.0, 2.0])
        5.0
        """
        return self._then((Reduce(operator, init),))

    def scan(self, operator: Callable[[Any, Any], Any], init: object = None, exclusive: bool = False) -> ArrayFunction:
        """Then combine, for each element, all elements up to it, in order, with an associative operator.

        The result has the length of the input: element i is `init op x[0] op ... op x[i]`, without `init` if it is
        None. `exclusive` leaves x[i] out, so that the first element is the initial value, which it needs. As in
        `reduce`, the grouping is free and the order is not.

        >>> import hetc
        >>> hetc.map(lambda x: x * x).scan(lambda a, b: a + b)([1, 2, 3])
        [1, 5, 14]
        """
        return self._then((Scan(operator, init, exclusive),))

    def filter(self, predicate: Callable[..., Any]) -> ArrayFunction:
        """Then keep the elements of which a function is true, in their order.

        As the first stage it takes one argument for each input, and keeps the elements of all of them. An array keeps
        its dtype, also if nothing is kept; what a list keeps are its very objects.

        >>> import hetc
        >>> hetc.map(lambda x: x * x).filter(lambda x: x % 2)([1, 2, 3])
        [1, 9]
        """
        return self._then((Filter(predicate),))

    def gather(self, indices: Any) -> ArrayFunction:
        """Then take the elements at some indices; see `hetc.gather`.

        >>> import hetc
        >>> hetc.map(lambda x: x * x).gather([2, 0])([1, 2, 3])
        [9, 1]
        """
        from hetc.frontends.skeleton.indexed import gathering

        return self._then((gathering(indices),))

    def scatter(
        self, indices: Any, size: int, combine: Callable[[Any, Any], Any] | None = None, init: object = None
    ) -> ArrayFunction:
        """Then put each element in its place in an array; see `hetc.scatter`."""
        from hetc.frontends.skeleton.indexed import scattering

        return self._then((scattering(indices, size, combine, init),))

    def reduce_by_key(
        self, operator: Callable[[Any, Any], Any], init: object, keys: Any, size: int | None = None
    ) -> ArrayFunction:
        """Then combine the elements of each key; see `hetc.reduce_by_key`."""
        from hetc.frontends.skeleton.indexed import reducing_by_key

        return self._then((reducing_by_key(operator, init, keys, size),))

    def histogram(self, bins: int, range: tuple[float, float] | None = None) -> ArrayFunction:  # noqa: A002 (NumPy's)
        """Then count the elements of each bin; see `hetc.histogram`."""
        from hetc.frontends.skeleton.indexed import histogram_of

        return self._then(histogram_of(bins, range))

    def any(self, predicate: Callable[..., Any]) -> ArrayFunction:
        """Then tell whether a function is true of an element, as Python's `any` does; see `hetc.any`."""
        return self._then(any_of(predicate))

    def argmin(self) -> ArrayFunction:
        """Then give the place of the least element; see `hetc.argmin`."""
        return self._then(least_place())

    def argmax(self) -> ArrayFunction:
        """Then give the place of the greatest element; see `hetc.argmax`."""
        return self._then(greatest_place())

    def all(self, predicate: Callable[..., Any]) -> ArrayFunction:
        """Then tell whether a function is true of all elements, as Python's `all` does; see `hetc.all`."""
        return self._then(all_of(predicate))

    def stencil(
        self,
        function: Callable[..., Any],
        radius: int | tuple[int, ...] = 1,
        boundary: str = "clamp",
        value: object = 0,
    ) -> ArrayFunction:
        """Then apply a function to the window around each point; see `hetc.stencil`.

        >>> import hetc
        >>> hetc.map(lambda x: 10 * x).stencil(lambda w: w[-1] + w[1])([1, 2, 3])
        [30, 40, 50]
        """
        from hetc.windows import neighbourhood

        return self._then((Stencil(function, neighbourhood(radius, boundary, value)),))

    def sort(self, key: Callable[..., Any] | None = None, *, reverse: bool = False) -> ArrayFunction:
        """Then put the elements in order; see `hetc.sort`.

        >>> import hetc
        >>> hetc.map(lambda x: x * x).sort(reverse=True)([1, -3, 2])
        [9, 4, 1]
        """
        return self._then((Sort(key, reverse),))

    def argsort(self, key: Callable[..., Any] | None = None, *, reverse: bool = False) -> ArrayFunction:
        """Then tell where the elements of a sort are; see `hetc.argsort`."""
        return self._then((Sort(key, reverse, places=True),))

    def iterate(
        self, function: ArrayFunction, times: int | None = None, until: Callable[..., Any] | None = None
    ) -> ArrayFunction:
        """Then apply an array function again and again; see `hetc.iterate`."""
        return self._then((iterating(function, times, until),))

    def then(self, following: ArrayFunction) -> ArrayFunction:
        """This array function, then another.

        >>> import hetc
        >>> hetc.map(lambda x: x + 1).then(hetc.reduce(lambda a, b: a * b, 1))([1, 2])
        6
        """
        _expect(following, ArrayFunction, "then() takes an array function; map() takes a function")
        return self._then(following.stages)

    def __or__(self, following: ArrayFunction | Callable[..., Any]) -> ArrayFunction:
        """`af | g` is `af.then(g)` for an array function and `af.map(g)` for a plain function."""
        return self.then(following) if isinstance(following, ArrayFunction) else self.map(following)

    def on(self, device: Device | str | int | Sequence[Device | str | int]) -> ArrayFunction:
        """The same array function, always on this device, or on several.

        A device is one of `hetc.devices()`, an index into them, or part of a device's name. Of a list of devices, or
        "all", each takes some consecutive elements of a call, as many as it has been measured to do in the same time;
        maps, filters without reductions, and reductions are divided, and others run on the first device.

        >>> import hetc, numpy as np
        >>> hetc.map(lambda x: 2 * x).on("all")(np.arange(4))
        array([0, 2, 4, 6])
        """
        if isinstance(device, list | tuple) or (isinstance(device, str) and device.strip().lower() == "all"):
            from hetc import several

            listed = several.devices_of(device)
            return self._with(replace(self.call_options, device=None, devices=listed)) if listed else self
        _expect(device, (Device, str, int), "a device is one of hetc.devices(), an index into them, or a name")
        chosen = str(device) if isinstance(device, int) else cast("Device | str", device)
        return self._with(replace(self.call_options, device=chosen, devices=()))

    def _with(self, options: CallOptions) -> ArrayFunction:
        return replace(self, call_options=options)

    def batched(self, size: int | str | None = None, queues: int = 2) -> ArrayFunction:
        """The same array function, whose calls on a device run in batches of their elements.

        A batch takes at most `size` bytes of the device's memory, or "256MB" with units of 1024, for its part of the
        inputs and results and for what the kernels need beside; without a size hetc chooses. So many `queues` work side
        by side, each on a batch of its own: one copies while another computes. Calls for which the device, or
        `hetc.configure(memory_limit=...)`, has too little memory run in batches unasked; where data finds room, maps
        are faster without batches, since they copy both ways at once anyway.

        The result is the same, but for the rounding of sums of floats, which reductions and scans may group as they
        like. Raises ValueError for a size or number of queues that there is not; the call raises InputError if not even
        one element fits a batch.

        >>> import hetc, numpy as np
        >>> hetc.map(lambda x: 2 * x).batched("1MB")(np.arange(4))
        array([0, 2, 4, 6])
        """
        from hetc.batching import BatchRequest

        request = BatchRequest(bytes_of("size", size), queues)
        return replace(self, call_options=replace(self.call_options, batches=request))

    def options(
        self,
        *,
        fallback: str | None = None,
        missing: str | None = None,
        heap: int | str | None = None,
        layout: str | None = None,
        results: str | None = None,
        fastmath: bool | None = None,
    ) -> ArrayFunction:
        """The same array function with its own settings; those that are not given stay as they are.

        `fallback` is "warn", "silent" or "error". `missing="nan"` says that NaN stands for an element that is not
        there: the function sees None in its place, and where it gives None, a result array holds NaN; "none" takes that
        back.

        `heap` is the size of the heap in which a kernel makes lists, in bytes or as "64MB"; "auto" leaves it to hetc,
        by the number of elements and what earlier calls have taken. A full heap is emptied, and what is left of the
        elements runs after that. If the heap does not hold what one element makes, DeviceError says which size does.

        `layout` says how the fields of objects lie in the device's memory: "soa" (struct of arrays) each as an array,
        "aos" (array of structs) those that a kernel reads beside each other. The fields of structured arrays are read
        where they lie with "aos", and from copies that are contiguous with "soa". "auto" leaves it to hetc, by what
        the kernel reads. ValueError for other words.

        `results="array"` asks for portable arrays, whatever the inputs are. Objects among the results are made when
        someone looks at them: until then they are the numbers in their fields, which stay on the device for the next
        call. "auto" takes that back.

        `fastmath=True` licenses floats that are computed faster than exactly, False does not, whatever the settings
        say (docs/fastmath.md).

        >>> import hetc, numpy as np
        >>> double = hetc.map(lambda x: None if x is None else 2 * x).options(missing="nan")
        >>> double(np.array([1.5, np.nan]))
        array([ 3., nan])
        """
        if fallback not in (None, "warn", "silent", "error"):
            raise ValueError(f'fallback is "warn", "silent" or "error", not {fallback!r}')
        if missing not in (None, "nan", "none"):
            raise ValueError(f'missing is "nan" or "none", not {missing!r}')
        kept = self.call_options
        size = kept.heap if heap is None else None if heap == "auto" else bytes_of("heap", heap)
        options = replace(kept, fallback=fallback or kept.fallback, missing=missing or kept.missing, heap=size)
        if results not in (None, "array", "auto"):
            raise ValueError(f'results is "array" or "auto", not {results!r}')
        results = kept.results if results is None else None if results == "auto" else results
        options = replace(options, layout=chosen_layout(layout, kept.layout), results=results)
        options = replace(options, fastmath=chosen_fastmath(fastmath, kept.fastmath))
        return replace(self, call_options=options)

    def lower(self, *inputs: Any) -> Lowered:
        """What the compiler makes of a call with these inputs: the text of every stage.

        Raises UnsupportedError where the call itself would run in Python.
        """
        check_inputs(self.stages, len(inputs))
        inputs = read_inputs(inputs).inputs
        if self.call_options.devices:
            return self._with(replace(self.call_options, device=self.call_options.devices[0], devices=())).lower(
                *inputs
            )
        job = self._job(self._present(inputs))
        return Lowered(job.request(_dispatcher.known(job)))

    def _job(self, inputs: tuple[Any, ...]) -> Job:
        """A call as the compiler sees it; of a composition with stencils, the first one with what follows it."""
        if has_iteration(self.stages):
            raise UnsupportedError("an iteration is compiled round by round", hint="look at the function of its rounds")
        if has_sort(self.stages):
            raise UnsupportedError("a sort is compiled in parts", hint="look at what comes before it, or at its key")
        if not has_stencil(self.stages):
            return Job.of(self.stages, inputs, self.call_options, current())
        from hetc import grids

        run, _ = grids.first_run(_dispatcher, self.stages, inputs, self.call_options, container_of(inputs))
        return run.job(self.call_options)

    def explain(self, *inputs: Any) -> Explanation:
        """Where a call with these inputs would run now and why, line by line.

        Nothing is run, but for what comes before a stencil or a sort.
        Printed, it shows the source of the functions with the types that values have, the guards of the compiled code,
        kept or removed with the proof, and how often they have failed. A call that cannot be compiled is explained too.

        Raises InputError for inputs that do not fit together, and DeviceError for a device that is not there.

        >>> import hetc
        >>> with hetc.configure(offload="never"):
        ...     print(str(hetc.map(abs).explain([-1])).splitlines()[1])
          runs in Python: the setting is offload="never"
        """
        from hetc.explanation.explain import explain
        from hetc.explanation.sorts import explain_sort

        foreign = read_inputs(inputs)
        if foreign.foreign:
            found = self.explain(*foreign.inputs)
            return replace(found, notes=(*foreign.notes, *found.notes))
        if self.call_options.devices:
            return self._explain_on_several(inputs)
        present = self._present(inputs)
        if has_sort(self.stages):
            return explain_sort(_dispatcher, self.stages, present, self.call_options, repr(self))
        return explain(_dispatcher, self.stages, present, self.call_options, repr(self), lambda: self._job(present))

    def _explain_on_several(self, inputs: tuple[Any, ...]) -> Explanation:
        """What the first device would do, and what part of the elements each gets."""
        from hetc import several

        options = self.call_options
        try:
            note = several.shares_text(self.stages, inputs, options, several.divided(self.stages, inputs, options))
        except UnsupportedError as error:
            note = error.reason
        found = self._with(replace(options, device=options.devices[0], devices=())).explain(*inputs)
        return replace(found, notes=(note, *found.notes))

    def _present(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs with holes where this array function takes NaN for one."""
        if self.call_options.missing != "nan":
            return inputs
        return tuple(nan_as_missing(value) for value in inputs)

    def _then(self, stages: Stages) -> ArrayFunction:
        return replace(self, stages=compose(self.stages, stages))

    def __repr__(self) -> str:
        """The composition as the calls that make it."""
        return composition_text(self.stages)

    def _repr_html_(self) -> str:
        """The composition as a drawing, for notebooks."""
        from hetc.explanation.drawing import drawing

        return drawing(self.stages)


@dataclass(frozen=True)
class Lowered:
    """A call as the compiler sees it, stage by stage."""

    request: driver.Request

    def mlir(self, stage: str = "frontend") -> str:
        """The module after a stage: "frontend" (level 0), or the last pass of that name, such as "specialize".

        Raises UnsupportedError if the call is not compiled as far as that.
        """
        from hetc import driver

        known = dict.fromkeys(driver.stages(self.request.traits, checks=self.request.checks))
        if stage not in known:
            raise InputError(f"there is no stage '{stage}'", hint=f"the stages are {', '.join(known)}")
        texts: dict[str, str] = {}
        try:
            for name, module in driver.levels(self.request):
                texts[name] = driver.module_text(module)
        except CompileError:
            if stage not in texts:
                raise
        return texts[stage]

    def opencl(self) -> str:
        """The OpenCL C program."""
        from hetc import driver

        return driver.compile(self.request).source

    def plan(self) -> str:
        """The steps that the host executes, one a line."""
        from hetc import driver
        from hetc.backends.opencl.target import plan_text

        return plan_text(driver.compile(self.request))


def devices() -> tuple[Device, ...]:
    """The OpenCL devices that hetc finds, the best first."""
    return list_devices()


def iterating(function: ArrayFunction, times: int | None, until: Callable[..., Any] | None) -> Iterate:
    """The stage that applies an array function again and again."""
    _expect(function, ArrayFunction, "iterate() takes an array function, such as hetc.map(f)")
    return Iterate(function.stages, times, until)


def _expect(value: object, kinds: type | tuple[type, ...], what: str) -> None:
    """Raise TypeError for an argument that is of none of these kinds."""
    if not isinstance(value, kinds):
        raise TypeError(f"{what}, not {type(value).__name__}")
