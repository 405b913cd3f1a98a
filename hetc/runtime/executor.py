"""Running a compiled package on a device.

An `Executable` is a package brought to one device: its program built, the steps of its plan prepared. It decides
nothing that a pass could decide, and knows nothing of the IR the package came from.
Importing this module imports pyopencl.
"""

from __future__ import annotations

import contextlib
import functools
import re
import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc import abi
from hetc.errors import DeviceError
from hetc.runtime import profile
from hetc.runtime.buffers import device_bytes
from hetc.runtime.call import Action, Call, GuardFailed, Partial
from hetc.runtime.declarations import with_declarations
from hetc.runtime.device_steps import prepare_steps
from hetc.runtime.devices import Device
from hetc.runtime.observed_run import run_steps
from hetc.runtime.opencl import cl
from hetc.timeline.events import Kind

if TYPE_CHECKING:  # few plans have heaps; what launches are measured by is made by who makes this
    from hetc.runtime.heap_size import HeapSize
    from hetc.runtime.tuning import Tuning

__all__ = ["Executable", "GuardFailed", "Partial"]

NO_WARNINGS = "-w"
"""A kernel's warnings say nothing to the user, whose code it is not."""

PROGRAMS = 256
"""Built programs that are kept in memory."""

_COMMENT = re.compile("//.*")
"""Comments name lines of the user's files. With a line more above it a function is the same program, which the caches
of the device's compiler know; and lines keep their numbers in its messages."""

_ALL = slice(None)

# Silencing warnings is a matter of the whole process; one build at a time keeps it orderly.
_build_lock = threading.Lock()


class Executable:
    """A package on a device, ready to be run any number of times, from any thread.

    Raises DeviceError, with the compiler's log, if the device's compiler does not take the program.
    """

    def __init__(self, package: abi.Package, device: Device, tuning: Tuning | None = None) -> None:
        start = profile.now()
        self.tuning = tuning
        """What is measured of its launches; None if nothing is."""
        self.package = package
        self.device = device
        self._program, self._kernels = _build_kernels(package, device)
        self._heaps: dict[abi.Register, HeapSize] = {}
        with device.taking_no_times():
            self._actions = prepare_steps(package, device, self._kernels, self._heaps, tuning)
        # The arguments of a kernel are part of the kernel's state.
        self._lock = threading.Lock()
        end = profile.now()
        profile.note(Kind.BUILD, ", ".join(self._kernels), start, end)
        profile.record(compile_ms=(end - start) / 1e6)

    def __repr__(self) -> str:
        return f"<Executable of {', '.join(kernel.name for kernel in self.package.kernels)} on {self.device.name}>"

    def run(
        self,
        inputs: Sequence[object],
        captures: Mapping[str, object],
        originals: Sequence[object] | None = None,
        heap: int | None = None,
    ) -> object:
        """The result of the package's plan for these inputs and captured variables.

        `originals` are the inputs as they were given, where `inputs` are the fields of objects; `heap` is the size of
        the heap in bytes, where the user has given one.

        They must fit the signature that the package was compiled for. Raises GuardFailed if a guard in a kernel fired
        (the inputs and captured arrays are unchanged; it holds what is right of the result, if the plan can tell),
        DeviceError if the device refuses or runs out of memory, or if the heap does not hold what one element makes.
        """
        call = Call(inputs, captures, self.package.registers, originals, heap)
        self.perform(call)
        return call.result

    def perform(self, call: Call, steps: slice = _ALL) -> None:
        """Do some of the plan's steps, by default all, for a call. Raises what `run` does."""
        if not profile.active():
            self._perform(call, steps, None)
            return
        with self.device.taking_times():
            self._perform(call, steps, self._timed_actions)

    @functools.cached_property
    def _timed_actions(self) -> tuple[Action, ...]:
        """The steps prepared where commands' times are taken."""
        if self.device.takes_times:
            return self._actions
        return prepare_steps(self.package, self.device, self._kernels, self._heaps, self.tuning)

    def _perform(self, call: Call, steps: slice, timed: Sequence[Action] | None) -> None:
        done = False
        try:
            with self._lock:
                if timed is not None:
                    run_steps(self.package.steps[steps], timed[steps], call, self.device.name)
                else:
                    for action in self._actions[steps]:
                        action(call)
            done = True
        except (cl.Error, MemoryError, DeviceError) as error:
            told = error if isinstance(error, DeviceError) else device_error(error, self.device)
            told.launched = bool(call.kernels)
            raise told from None
        finally:
            if not done:
                # Commands still under way use memory that is about to be freed.
                _finish(self.device.queue)
                call.restore()
            if timed is not None:
                _record(call)

    def new_kernel(self, name: str) -> cl.Kernel:
        """A kernel of the package that has arguments of its own."""
        return cl.Kernel(self._program, name)

    def parameters(self, name: str) -> tuple[abi.KernelParameter, ...]:
        """The parameters of a kernel, in order."""
        return next(kernel.parameters for kernel in self.package.kernels if kernel.name == name)

    @functools.cached_property
    def asynchronous(self) -> bool:
        """Whether runs end before the device has done their work."""
        return any(isinstance(step, abi.Written | abi.Retain) and step.asynchronous for step in self.package.steps)

    def finish(self) -> None:
        """Wait for all work. Raises DeviceError if the device has failed."""
        try:
            self.device.queue.finish()
        except cl.Error as error:
            raise device_error(error, self.device) from None

    @functools.cached_property
    def lanes(self) -> Lanes:
        """The same package on queues of its own, for batches that run side by side."""
        return Lanes(self.package, self.device)


class Lanes:
    """A package on several queues of a device, made when they are first asked for."""

    def __init__(self, package: abi.Package, device: Device) -> None:
        self._package, self._device = package, device
        self._executables: list[Executable] = []
        self._making = threading.Lock()
        self.lock = threading.Lock()
        """Held by the call that uses them."""

    def __getitem__(self, number: int) -> Executable:
        with self._making:
            while len(self._executables) <= number:
                queue = len(self._executables)
                self._executables.append(Executable(self._package, self._device.on_queue(queue)))
            return self._executables[number]


def _build_kernels(package: abi.Package, device: Device) -> tuple[cl.Program, dict[str, cl.Kernel]]:
    """Build the program and give each kernel the types of its scalar arguments.

    Intel's runtime does not keep a program for its kernels, so that more of them are made only as long as it is kept.
    """
    try:
        with _build_lock, warnings.catch_warnings():
            # Both CPU compilers tell of every success, which pyopencl passes on as a warning. PoCL writes the number of
            # its own warnings to the terminal, unless told to have none.
            warnings.simplefilter("ignore")
            source = _COMMENT.sub("//", package.source)
            program = _build_program(device.context, source, (*package.build_options, NO_WARNINGS))
            kernels = {kernel.name: cl.Kernel(program, kernel.name) for kernel in package.kernels}
            for kernel in package.kernels:
                types = [None if p.kind == "buffer" else np.dtype(p.dtype) for p in kernel.parameters]
                cast("Any", kernels[kernel.name]).set_scalar_arg_dtypes(types)
    except cl.Error as error:
        names = ", ".join(kernel.name for kernel in package.kernels)
        raise DeviceError(f"{device.name} cannot build {names}: {error}") from None
    return program, kernels


@functools.lru_cache(maxsize=PROGRAMS)
def _build_program(context: cl.Context, source: str, options: tuple[str, ...]) -> cl.Program:
    """Build with pyopencl's cache on disk, which saves 35 ms with Intel's runtime; without it if it does not work.

    Functions that differ in their names only, as those that are made anew for each call, share a program.
    """
    if (sooner := with_declarations(context.devices[0], source, options)) is not None:
        # What this does not build, the whole header may; if not, the message is about the program as it is.
        with contextlib.suppress(cl.Error):
            return cl.Program(context, sooner[0]).build(sooner[1])
    try:
        return cl.Program(context, source).build(list(options))
    except cl.Error:
        raise
    except (LookupError, OSError, RuntimeError):
        # A damaged cache, or the lock of a process that was killed. (pyopencl means to fall back itself, but looks up
        # a variable that need not be set.)
        return cast("Any", cl.Program(context, source)).build(list(options), cache_dir=False)


def device_error(error: Exception, device: Device) -> DeviceError:
    """What the device has refused, as an error of hetc's."""
    if isinstance(error, MemoryError | cl.MemoryError):
        told = DeviceError(f"{device.name} is out of memory: {error}", hint="give it less data at a time")
        told.out_of_memory = True
        return told
    return DeviceError(f"{device.name} refused the work: {error}")


def _finish(queue: cl.CommandQueue) -> None:
    try:
        queue.finish()
    except cl.Error:  # it has failed before; that error is the one to report
        return


def _record(call: Call) -> None:
    """Count a call that has come to its end, well or not."""
    kernel_ns = 0
    for event in call.kernels:
        try:
            kernel_ns += event.profile.end - event.profile.start
        except cl.Error:  # a launch that failed has no times
            continue
    profile.record(
        launches=len(call.kernels),
        kernel_ns=kernel_ns,
        bytes_h2d=call.bytes_h2d,
        bytes_d2h=call.bytes_d2h,
        heap_retries=call.heap_retries,
    )
    profile.peak(device_bytes(call.values))
