"""Calls of a `hetc.jit` function whose arrays stay on the device between its loops.

For each kind of call (`CallFacts`) the compiler says once where arrays are copied (`hetc.abi.HostPlan`), and the
function is compiled again with a question at each of these places. Where the device shares the host's memory, nothing
is copied anyway, and the function runs without questions.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import field
from types import CellType, FrameType, FunctionType
from typing import Any

import numpy as np

from hetc import settings
from hetc.abi import HostPlan, Transfer
from hetc.arrays.base import Array
from hetc.candidates import LEAST_KINDS, candidates
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher, LeftDevice
from hetc.errors import CompileError, DeviceError, HetcError
from hetc.frontends.loops.host_names import CallFacts, call_facts, global_names
from hetc.frontends.loops.rewrite import HostFunction, Position, Run
from hetc.jobs import CallOptions, select_device
from hetc.loops import HostCode, SkeletonCode
from hetc.runtime import profile
from hetc.runtime.kept_arrays import KeptArrays
from hetc.runtime.kept_calls import KeptCall
from hetc.runtime.marshal import SCALARS
from hetc.storage import store
from hetc.storage.host_plan_keys import host_plan_key
from hetc.timeline.events import Kind

_kept: ContextVar[KeptArrays | None] = ContextVar("hetc_kept_arrays", default=None)
"""The arrays of the innermost call that keeps any."""

MOST_VERSIONS = 64
"""Versions of a function that are kept; the oldest go first."""


@dataclass(frozen=True)
class Version:
    """A function as it runs for calls of one kind, and the plan that it asks."""

    function: FunctionType
    plan: HostPlan

    @property
    def keeps(self) -> bool:
        """Whether there is anything in it that an array may stay on a device for."""
        return bool(self.plan.regions or self.plan.calls)


class _Look:
    """What a call looked like that a version was found for, to be compared with the next one.

    It holds no array. None of the arguments is an object that a look from outside does not tell all of.
    """

    def __init__(self, version: Version, host: HostFunction, names: Sequence[str], *, handed: bool) -> None:
        self.version = version
        self.handed = handed
        self.kinds: list[Any] = []
        self.scope = host.original.__globals__
        self.cells = host.original.__closure__ or ()
        self.outside = [(name, _remembered(self._global(name))) for name in names]
        self.contents = [_remembered(_content(cell)) for cell in self.cells]

    def takes(self, arguments: Sequence[Any]) -> bool:
        """Note the arguments; False if they are of kinds that are looked at more closely."""
        self.kinds = [(value.dtype, value.ndim) if type(value) is np.ndarray else type(value) for value in arguments]
        return all(type(kind) is tuple or kind in _PLAIN for kind in self.kinds) and self.fits(arguments, self.handed)

    def fits(self, arguments: Sequence[Any], handed: bool) -> bool:
        """Whether a call with these arguments has the same facts."""
        if handed is not self.handed or len(arguments) != len(self.kinds):
            return False
        arrays: list[Any] = []
        for value, kind in zip(arguments, self.kinds, strict=True):
            if type(kind) is tuple:
                if type(value) is not np.ndarray or value.ndim != kind[1] or value.dtype is not kind[0]:
                    return False
                for other in arrays:
                    if np.may_share_memory(value, other):
                        return False
                arrays.append(value)
            elif type(value) is not kind:
                return False
        # Written out, since this is done in each call: a generator takes longer than what it looks at.
        for name, found in self.outside:
            value = self._global(name)
            if value is not found and _remembered(value) is not found:
                return False
        for cell, found in zip(self.cells, self.contents, strict=True):
            value = _content(cell)
            if value is not found and _remembered(value) is not found:
                return False
        return True

    def _global(self, name: str) -> object:
        return self.scope[name] if name in self.scope else getattr(builtins, name, _ABSENT)


_ABSENT = object()
_PLAIN: frozenset[type] = frozenset({*SCALARS, type(None)})
"""Types of arguments whose values do not change the facts."""


def _remembered(value: object) -> object:
    """What is remembered of a value outside: itself, or of an array, that it is one. Never an array."""
    return type(value) if isinstance(value, np.ndarray | Array) else value


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


@dataclass
class Versions:
    """The versions of one function. `run` starts a loop, as in `host_function`."""

    host: HostFunction
    run: Run
    signature: inspect.Signature = field(init=False)
    names: tuple[str, ...] = field(init=False)
    found: dict[CallFacts, Version] = field(default_factory=dict[CallFacts, Version])
    look: _Look | None = None
    """What the last call looked like; replaced as a whole, for other threads may be reading it."""

    def __post_init__(self) -> None:
        self.signature = inspect.signature(self.host.original)
        kinds = {parameter.kind for parameter in self.signature.parameters.values()}
        self.in_order = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY}
        self.names = global_names(self.host.node, self.host.original)

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapping[str, Any]:
        """The values of the parameters. Raises TypeError, as the call does."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def of(self, arguments: Mapping[str, Any], *, handed: bool = False) -> Version:
        """The version for a call."""
        facts = call_facts(self.host.original, self.names, arguments, handed=handed)
        version = self.found.get(facts)
        if version is None:
            plan = self.plan(facts)
            function = self.host.bringing(plan.accesses, plan.calls, self.run, _bring, made_by_plan)
            while len(self.found) >= MOST_VERSIONS:
                self.found.pop(next(iter(self.found)))
            version = self.found[facts] = Version(function, plan)
        return version

    def plan(self, facts: CallFacts) -> HostPlan:
        """Where arrays are copied in calls with these facts: stored by another process, or found out now."""
        current = settings.current()
        key = host_plan_key(self.host, facts, current) if current.cache else None
        with profile.span(Kind.LOAD, "looking for a stored plan") if key else nullcontext():
            found = None if key is None else store.load(key, HostPlan, current)
        if found is None:
            from hetc import driver

            found = driver.host_plan(self.host, facts)
            if key is not None:
                store.save(key, found, current)
        return found

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any], caller: KeptArrays | None = None) -> Any:
        """Call the function. However it is left, all arrays that others can see are up to date then.

        The arrays that its `caller` keeps may stay on the device, those that it gives back among them.
        """
        version, values = self.chosen(args, kwargs, handed=caller is not None)
        if not version.keeps and caller is None:
            return self.host.function(*args, **kwargs)
        held = [value for value in values if isinstance(value, np.ndarray)]
        arrays = KeptArrays(version.plan, held, caller)
        token = _kept.set(arrays)
        try:
            result = version.function(*args, **kwargs)
            arrays.finish(result)
        except BaseException:
            arrays.bring_all()
            raise
        finally:
            _kept.reset(token)
            if caller is not None:
                caller.take_back(arrays)
        return result

    def chosen(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, handed: bool) -> tuple[Version, Collection[Any]]:
        """The version for a call, and the values of the parameters. Raises TypeError, as the call does."""
        look = self.look
        if look is not None and not kwargs and look.fits(args, handed):
            return look.version, args
        arguments = self.arguments(args, kwargs)
        version = self.of(arguments, handed=handed)
        if self.in_order and not kwargs and len(args) == len(arguments):
            made = _Look(version, self.host, self.names, handed=handed)
            if made.takes(args):
                self.look = made
        return version, arguments.values()

    def look_at(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Run the function in Python, with loops that look at what would be kept; as it is, if nothing would be."""
        held = [value for value in (*args, *kwargs.values()) if isinstance(value, np.ndarray)]
        version = self.of(self.arguments(args, kwargs))
        if not version.keeps:
            self.host.function(*args, **kwargs)
            return
        plan = version.plan

        def look(number: int, space: Any, frame: FrameType | None) -> Any:
            token = _kept.set(KeptArrays(plan, held))
            try:
                return self.run(number, space, frame)
            finally:
                _kept.reset(token)

        self.host.bringing((), (), look, _bring, made_by_plan)(*args, **kwargs)

    def text(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """The host's code in a call, as MLIR text, with what is decided about copies."""
        from hetc import driver

        facts = call_facts(self.host.original, self.names, self.arguments(args, kwargs))
        return driver.module_text(driver.host_module(self.host, facts))

    def transfers(self, options: CallOptions, arguments: Mapping[str, Any]) -> str | tuple[Transfer, ...]:
        """What would be copied in a call with these arguments; or a sentence, where nothing is decided.

        Raises CompileError and DeviceError without the device that is asked for.
        """
        current = settings.current()
        device = select_device(options.device if options.device is not None else current.device)
        if device.traits.shared_memory:
            return "nothing is copied: the device shares the host's memory"
        if not current.transfer_elimination:
            return "each loop copies its arrays there and back: the setting is transfer_elimination=False"
        if not has_plan(self.host):
            return "each loop copies its arrays there and back: the function is a generator, or no loop is compiled"
        return self.of(arguments).plan.transfers


def current_arrays() -> KeptArrays | None:
    """The arrays of the call that is running now, if it keeps any."""
    return _kept.get()


def keeps_arrays(host: HostFunction, options: CallOptions, dispatcher: Dispatcher) -> bool:
    """Whether calls keep arrays on the device now: it has memory of its own, and there are loops for it."""
    current = settings.current()
    if current.offload == "never" or not current.transfer_elimination or not has_plan(host):
        return False
    chosen = options.device if options.device is not None else current.device
    if chosen is None and current.decides and not dispatcher.compiled:
        return False  # nothing has been compiled so far: there is no need to look for devices
    try:
        among = candidates(current) if chosen is None and current.decides else ()
        if len(among) >= LEAST_KINDS:
            return not all(device.traits.shared_memory for device in among)
        return not select_device(chosen).traits.shared_memory
    except (CompileError, DeviceError):  # the loops say so
        return False


def has_plan(host: HostFunction) -> bool:
    """Whether there is host code to plan for. A generator is left and entered in the middle, by anyone."""
    return host.is_planned


def made_by_plan(number: int, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Make a call whose arrays may stay on the device. Raises what it does."""
    arrays = _kept.get()
    assert arrays is not None, "a version runs with the arrays of its call"
    plan = arrays.plan.calls[number]
    call = KeptCall(arrays, plan)
    if plan.hands:
        return _hand_over(call, function, arguments)
    if isinstance(function, SkeletonCode) and arrays.trusted and (given := call.given(arguments)) is not None:
        try:
            return call.result(function.on_device_alone(given, arguments, call.separate))
        except (LeftDevice, HetcError):  # nothing has happened: the call says what is wrong, or Python runs it
            pass
    arrays.bring_all()
    result: Any = function(*arguments)
    call.check(result)
    return result


def _hand_over(call: KeptCall, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Call a function with parallel loops, which goes on from where the arrays are."""
    arrays, plan = call.arrays, call.plan
    result: Any
    if isinstance(function, HostCode) and arrays.trusted:
        result = function.called_by(arrays, arguments)
    else:
        arrays.bring_all()
        result = function(*arguments)
    call.check(result)
    if plan.makes and isinstance(result, np.ndarray):
        arrays.name(result, plan.makes, seen=plan.makes in plan.seen, alone=plan.makes in plan.alone)
    else:
        arrays.fetch_held(result)
    return result


def _bring(place: Position, frame: FrameType | None) -> None:
    arrays = _kept.get()
    if arrays is not None and arrays.entries and frame is not None:
        arrays.bring(place, frame.f_locals)
