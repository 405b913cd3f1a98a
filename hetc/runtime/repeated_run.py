"""A plan that is run again on data of the same shape: which launches it comes to is known, and its numbers are set.

Most steps of a plan are about sizes: those of the data, of launches, of what is left of groups. Where they follow from
what is the same in all calls that look alike, they are done once. What is left of a run are the buffers of its arrays,
the numbers that may differ, the launches, and their end. Each launch has a kernel object of its own, so that arguments
that stay need not be set again (an OpenCL kernel keeps its arguments).

A plan with any other step has no such form, and is run step by step (`hetc.runtime.executor`).
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc import abi
from hetc.arrays.memory import HostArray, Memory
from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import DeviceError
from hetc.runtime import marshal
from hetc.runtime.buffers import host_buffer, map_to_read
from hetc.runtime.call import Call
from hetc.runtime.devices import Device
from hetc.runtime.host_steps import prepare_host_step
from hetc.runtime.launch_parts import items_of_launch, parts_of_launch
from hetc.runtime.opencl import cl
from hetc.runtime.residence import BufferCopy, copy_in, make_room, save_copy, share
from hetc.runtime.row_parts import Part
from hetc.runtime.under_way import UnderWay

if TYPE_CHECKING:
    from hetc.runtime.executor import Executable
    from hetc.runtime.tuning import TunedLaunch

Number = Callable[[Any], Any]
"""A captured number as a kernel's argument."""


@dataclass(frozen=True)
class Place:
    """An array of a plan: its captured variable and the register of its buffer."""

    name: str
    buffer: abi.Register
    saved: bool
    """Whether a guard that fails has to bring back what it was before."""
    written: bool
    in_place: bool
    """Whether it is a NumPy array; else it is a portable one."""
    shared: bool
    """Whether the buffer is the array's memory on the host."""


class Sent:
    """A launch whose size is known, by a kernel object of its own: `changing` are the arguments set for each run."""

    def __init__(self, kernel: cl.Kernel, changing: Sequence[tuple[int, abi.Register]], part: Part) -> None:
        self.kernel = kernel
        self.set_arg: Callable[[int, Any], None] = kernel.set_arg
        self.changing = tuple(changing)
        self.size, self.local, self.offset = part

    def launch(self, queue: cl.CommandQueue) -> None:
        """Launch it; its arguments are set."""
        cl.enqueue_nd_range_kernel(queue, self.kernel, self.size, self.local, self.offset)


class SentTuned(Sent):
    """The same of several layouts. A kernel keeps its arguments, which all parts of a launch share."""

    def __init__(
        self,
        kernel: cl.Kernel,
        changing: Sequence[tuple[int, abi.Register]],
        tuned: TunedLaunch,
        values: Sequence[Any],
    ) -> None:
        super().__init__(kernel, changing, parts_of_launch(tuned.step, values)[0])
        self.tuned, self.items = tuned, items_of_launch(tuned.step, values)
        self.parts = {layout: parts_of_launch(tuned.step, values, layout) for layout in tuned.layouts}

    def launch(self, queue: cl.CommandQueue) -> None:
        layout, timer = self.tuned.layout(self.items)
        launch, kernel = cl.enqueue_nd_range_kernel, self.kernel
        events = [launch(queue, kernel, size, local, offset) for size, local, offset in self.parts[layout]]
        if timer is not None:
            timer.started(events)


class RepeatedRun:
    """Runs a plan again. For which data it holds is for its maker to say."""

    def __init__(
        self,
        executable: Executable,
        places: Sequence[Place],
        numbers: Mapping[abi.Register, tuple[str, Number]],
        sent: Sequence[Sent],
        guards: tuple[cl.Buffer, HostArray] | None,
        own: Mapping[abi.Register, cl.Buffer],
    ) -> None:
        self.device: Device = executable.device
        self.waits = guards is not None or not executable.asynchronous
        self.places = tuple(places)
        self.numbers = tuple((register, name, number) for register, (name, number) in numbers.items())
        self.sent = tuple(sent)
        self.guards = guards
        self.own = own
        """The buffers of flags and marks, which hold zeros as long as no guard fails."""
        self.registers = executable.package.registers
        self.lock = threading.Lock()
        """The arguments of a kernel are part of its state, and so are the flags."""
        self.nothing_fired = b"" if guards is None else bytes(guards[1].nbytes)
        in_place = self.device.kind == "cpu" and all(place.in_place and place.shared for place in self.places)
        self.may_wait_later = guards is None and in_place
        """Whether nothing has to be known of a run before the next one is sent off: see `run_ahead`."""

    def run_ahead(self, captures: Mapping[str, object], under_way: UnderWay) -> None:
        """Send the plan off, for somebody to wait for. Raises DeviceError.

        Runs that are under way follow each other on the device in the order in which they were sent off.
        """
        if under_way.runs and under_way.device is not self.device:
            under_way.settle()
        under_way.device = self.device
        run = _Run(self.registers)
        with self.lock:
            try:
                self._launch(run, captures, ())
                queue = self.device.queue
                for place in self.places:
                    if place.written:
                        host = cast("HostArray", captures[place.name])
                        map_to_read(queue, run.values[place.buffer], host, wait=False).release(queue)
                queue.flush()
            except (cl.Error, MemoryError) as error:
                from hetc.runtime.executor import device_error

                under_way.runs.append(run)
                under_way.settle()
                told = device_error(error, self.device)
                told.launched = run.launched
                raise told from None
        under_way.runs.append(run)

    def run(self, captures: Mapping[str, object], overwritten: Collection[Memory] = ()) -> bool:
        """Run the plan; False if a guard fails: then nothing has changed, and this is not to be run any more.

        The numbers of `overwritten` are all stored to and not read. Raises DeviceError; if it has not `launched`
        anything, nothing has changed.
        """
        run = _Run(self.registers)
        with self.lock:
            try:
                self._launch(run, captures, overwritten)
                if self.guards is not None and self._fired(*self.guards):
                    return False
                self._end(run, captures)
                run.done = True
            except (cl.Error, MemoryError, DeviceError) as error:
                from hetc.runtime.executor import device_error

                told = error if isinstance(error, DeviceError) else device_error(error, self.device)
                told.launched = run.launched
                raise told from None
            finally:
                if not run.done:
                    run.take_back(self.device)
        return True

    def _launch(self, run: _Run, captures: Mapping[str, object], overwritten: Collection[Memory]) -> None:
        values, device = run.values, self.device
        for register, buffer in self.own.items():
            values[register] = buffer
        for place in self.places:
            if place.in_place:
                run.share(place, cast("HostArray", captures[place.name]), device)
            else:
                run.bring(place, cast("NumberArray", captures[place.name]).owner, device, overwritten)
        for register, name, number in self.numbers:
            values[register] = number(captures[name])
        queue = device.queue
        for sent in self.sent:
            for index, register in sent.changing:
                sent.set_arg(index, values[register])
            run.launched = True
            sent.launch(queue)

    def _fired(self, buffer: cl.Buffer, flags: HostArray) -> bool:
        """Whether a guard has failed, once all launches are done."""
        cl.enqueue_copy(self.device.queue, flags, buffer, is_blocking=True)
        return flags.tobytes() != self.nothing_fired

    def _end(self, run: _Run, captures: Mapping[str, object]) -> None:
        """Make what was written visible; on devices with memory of their own it may still be under way."""
        queue, device = self.device.queue, self.device
        if self.waits and self.guards is None and not any(p.shared and p.written for p in self.places):
            queue.finish()
        elif not self.waits:
            self.go_on(run)
        for place in self.places:
            if not place.written:
                continue
            array = captures[place.name]
            memory = array.owner if isinstance(array, NumberArray) else None
            if place.shared:
                host = cast("HostArray", array) if memory is None else memory.read()
                map_to_read(queue, run.values[place.buffer], host, wait=True).release(queue)
            if memory is not None:
                memory.written_on(device)

    def go_on(self, run: _Run) -> None:
        """Wait for the copies to the device alone, since the host may change what they read."""
        self.device.queue.flush()
        for copy in run.copies:
            cl.wait_for_events(list(copy.events))


class _Run:
    """What one run has done so far."""

    def __init__(self, registers: int) -> None:
        self.values: list[Any] = [None] * registers
        self.undo: list[Callable[[], None]] = []
        self.made: list[Memory] = []
        self.copies: list[Any] = []
        self.launched = False
        self.done = False

    def share(self, place: Place, host: HostArray, device: Device) -> None:
        """The buffer that a NumPy array is."""
        self.values[place.buffer] = host_buffer(device.context, host)
        if place.saved:
            self.undo.append(functools.partial(np.copyto, host, host.copy()))

    def bring(self, place: Place, memory: Memory, device: Device, overwritten: Collection[Memory]) -> None:
        """The buffer that has the numbers of a portable array, or is to have them."""
        copy = memory.copy_on(device)
        if copy is None:
            if place.shared:
                memory.keep(device, share(memory, device))
            elif any(memory is other for other in overwritten):
                make_room(memory, device)
                self.made.append(memory)
            else:
                call = Call((), {}, 0)
                memory.keep(device, copy_in(memory, device, call))
                self.copies += call.copies
            copy = memory.copy_on(device)
        assert isinstance(copy, BufferCopy)
        self.values[place.buffer] = copy.buffer
        if place.saved and not memory.empty:
            self.undo.append(save_copy(memory, device, copy))

    def take_back(self, device: Device) -> None:
        """Something has gone wrong: have all arrays as they were, once nothing is under way any more."""
        with contextlib.suppress(cl.Error):  # it has failed before; that error is the one to report
            device.queue.finish()
        for restore in self.undo:
            restore()
        for memory in self.made:
            if memory.is_on_host:
                memory.forget(device)


# --- which plans have such a form ------------------------------------------------------------------------------------


def repeated_run(
    executable: Executable, inputs: Sequence[object], captures: Mapping[str, object]
) -> RepeatedRun | None:
    """What runs a plan again on data like this; None for a plan that has other steps.

    It holds for the same inputs, arrays of the same shapes, strides and dtypes, portable where these are, and the same
    integers of Python's; other numbers may have other values of the same types.
    """
    try:
        return _Repeatable(executable, inputs, captures).made()
    except (cl.Error, MemoryError):  # there is no room for more, which is not a matter of the run that has been
        return None


class _Repeatable:
    """Looks through a plan, step by step."""

    def __init__(self, executable: Executable, inputs: Sequence[object], captures: Mapping[str, object]) -> None:
        self.executable = executable
        self.package = executable.package
        self.device: Device = executable.device
        self.captures = captures
        self.call = Call(inputs, captures, self.package.registers)
        self.numbers: dict[abi.Register, tuple[str, abi.Scalar]] = {}
        self.types: dict[abi.Register, np.dtype[Any]] = {}
        self.fixed: set[abi.Register] = set()
        self.marshalled: dict[abi.Register, str] = {}
        self.saved: set[abi.Register] = set()
        self.arrays: dict[abi.Register, tuple[str, bool, bool]] = {}
        """By the register of its buffer an array's name, whether it is saved, and whether its memory is shared."""
        self.written: set[abi.Register] = set()
        self.launches: list[abi.Launch] = []
        self.checks: list[abi.CheckGuards] = []
        self.allocated: dict[abi.Register, abi.Alloc] = {}

    def made(self) -> RepeatedRun | None:
        if not all(map(self.takes, self.package.steps)) or len(self.checks) > 1 or not self.launches:
            return None
        names = {name for name, _, _ in self.arrays.values()}
        portable = names - set(self.marshalled.values())
        if (portable and portable != names) or not self.allocates_for_guards():
            return None
        own = {register: self.zeros(alloc) for register, alloc in self.allocated.items()}
        guards = None
        if self.checks:
            flags = self.allocated[self.checks[0].flags]
            guards = own[flags.result], np.zeros(self.call.values[flags.count], flags.dtype)
        places = [
            Place(name, buffer, saved, buffer in self.written, name in self.marshalled.values(), shared)
            for buffer, (name, saved, shared) in self.arrays.items()
        ]
        sent = list(self.sent(own))
        numbers = {
            register: (name, _number(step, self.types[register]))
            for register, (name, step) in self.numbers.items()
            if register in self.types
        }
        return RepeatedRun(self.executable, places, numbers, sent, guards, own)

    def takes(self, step: abi.Step) -> bool:
        """Note what a step does; False for one that is to be done in each run."""
        match step:
            case abi.Scalar() | abi.Size() | abi.Constant() | abi.Compute():
                return self.takes_number(step)
            case abi.Marshal(source=source, stride=stride) if stride <= 1 and not source.path:
                return source.name is not None and self.takes_marshalled(step, source.name)
            case abi.Save(host=host):
                self.saved.add(host)
                return host in self.marshalled
            case abi.CopyIn(shared=True, host=host) if host in self.marshalled:
                self.arrays[step.result] = self.marshalled[host], host in self.saved, True
                return not step.in_parts
            case abi.Present(shared=shared, source=source) if source.name is not None and not source.path:
                value = self.captures[source.name]
                self.arrays[step.result] = source.name, step.saved, shared
                if not isinstance(value, NumberArray) or value.is_view or not value.size:
                    return False
                return value.owner.formula is None
            case abi.Alloc(shared=False, zeroed=True) if step.count in self.fixed:
                self.allocated[step.result] = step
                return True
            case abi.Launch(in_parts=False):
                self.launches.append(step)
                needed = {*step.box, *step.start, *(() if step.box else (step.extent,))}
                return needed <= self.fixed and not self.checks
            case abi.CheckGuards():
                self.checks.append(step)
                return True
            case abi.WriteBack(shared=shared) | abi.Written(shared=shared):
                self.written.add(step.buffer)
                return step.buffer in self.arrays and shared == self.arrays[step.buffer][2]
            case _:
                return False

    def takes_number(self, step: abi.Scalar | abi.Size | abi.Constant | abi.Compute) -> bool:
        """Compute what is the same in all runs, and note the numbers that are not."""
        if isinstance(step, abi.Compute) and not {step.left, step.right} <= self.fixed:
            return False
        name = step.source.name if isinstance(step, abi.Scalar) else None
        if isinstance(step, abi.Scalar) and name is not None and type(self.captures[name]) is not int:
            self.numbers[step.result] = name, step
            return True
        prepare_host_step(step)(self.call)
        self.fixed.add(step.result)
        return True

    def takes_marshalled(self, step: abi.Marshal, name: str) -> bool:
        """Whether an array goes to the device as it is."""
        array: Any = self.captures[name]
        self.marshalled[step.result] = name
        if type(array) is not np.ndarray or array.dtype != np.dtype(step.dtype) or not array.size:
            return False
        return array.flags.c_contiguous and array.flags.aligned

    def allocates_for_guards(self) -> bool:
        """Whether all that the plan allocates are flags and marks, to which kernels store where a guard fails."""
        check = self.checks[0] if self.checks else None
        known: set[int | None] = set() if check is None else {check.flags, check.marks, check.warned}
        return self.allocated.keys() <= known and (check is None or check.flags in self.allocated)

    def zeros(self, alloc: abi.Alloc) -> cl.Buffer:
        size = self.call.values[alloc.count] * np.dtype(alloc.dtype).itemsize
        buffer = cast("cl.Buffer", self.device.pool.allocate(size or 1))
        if size:
            cl.enqueue_fill_buffer(self.device.queue, buffer, np.zeros(1, np.uint8), 0, size)
        return buffer

    def sent(self, own: Mapping[abi.Register, cl.Buffer]) -> Iterator[Sent]:
        """The launches, each by a kernel that has been given what stays."""
        tuning = self.executable.tuning
        for step in self.launches:
            tuned = None if tuning is None else tuning.launches.get(step)
            whole = parts_of_launch(step, self.call.values)
            for part in whole if tuned is None else whole[:1]:
                kernel = self.executable.new_kernel(step.kernel)
                parameters = self.executable.parameters(step.kernel)
                changing: list[tuple[int, abi.Register]] = []
                for index, (register, parameter) in enumerate(zip(step.arguments, parameters, strict=True)):
                    if register in self.fixed:
                        kernel.set_arg(index, np.dtype(parameter.dtype).type(self.call.values[register]))
                    elif register in own:
                        kernel.set_arg(index, own[register])
                    else:
                        changing.append((index, register))
                        self.types[register] = np.dtype(parameter.dtype)
                if tuned is None:
                    yield Sent(kernel, changing, part)
                else:
                    yield SentTuned(kernel, changing, tuned, self.call.values)


def _number(step: abi.Scalar, dtype: np.dtype[Any]) -> Number:
    """What makes a captured number an argument of the type that kernels take."""
    path, part, read, make = step.source.path, step.part, np.dtype(step.dtype), dtype.type
    return lambda value: make(marshal.marshal_scalar(value, path, part, read))
