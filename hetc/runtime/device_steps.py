"""The steps of a plan as Python closures over their device, prepared once and run at every call.

Every decision that does not depend on the call's data is made while preparing, so that a step at run time is a few
lookups and one or two calls of pyopencl. A step reads and writes a `Call`: the state of one run of the plan.

Commands go to one in-order queue, and only the plan's last command waits; copies of large arrays to the host do, too
(`copies`). On a device that shares the host's memory an array and its buffer are the same memory, and *mapping* the
buffer is what makes the device's writes visible.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hetc import abi
from hetc.containers import select
from hetc.runtime import marshal, profile
from hetc.runtime.buffers import host_buffer, map_to_read
from hetc.runtime.call import Action, Call, GuardFailed, Partial, Partly
from hetc.runtime.copies import download, upload
from hetc.runtime.devices import Device
from hetc.runtime.host_steps import find_source, prepare_host_step
from hetc.runtime.marshal import HostArray
from hetc.runtime.opencl import cl
from hetc.runtime.pinned_results import result_array
from hetc.runtime.row_parts import parts_in_row

if TYPE_CHECKING:  # heaps, parts, portable arrays, changed arrays and boxes are imported for plans that have them
    from hetc.runtime.heap_launches import LaunchOf
    from hetc.runtime.heap_size import HeapSize
    from hetc.runtime.in_parts import InParts
    from hetc.runtime.tuning import TunedLaunch, Tuning


def prepare_steps(
    package: abi.Package,
    device: Device,
    kernels: Mapping[str, cl.Kernel],
    heaps: dict[abi.Register, HeapSize],
    tuning: Tuning | None = None,
) -> tuple[Action, ...]:
    """One closure for each step of the package's plan, in order. `heaps` holds how large heaps are, for all closures.

    They use the device's queue of this moment: another one takes times.
    """
    return Preparation(package, device, kernels, heaps, tuning).actions()


class Preparation:
    """What the steps of one plan have in common while they are prepared."""

    def __init__(
        self,
        package: abi.Package,
        device: Device,
        kernels: Mapping[str, cl.Kernel],
        heaps: dict[abi.Register, HeapSize],
        tuning: Tuning | None = None,
    ) -> None:
        self.heap_sizes = heaps
        self.steps = package.steps
        self.tuned: Mapping[abi.Launch, TunedLaunch] = {} if tuning is None else tuning.launches
        self.guards = package.guards
        self.kernels = kernels
        self.context = device.context
        self.device = device
        self.queue = device.queue
        self.pool = device.pool
        # Where each buffer that is copied out comes from: it tells the buffer's element type and size.
        self.origins: dict[abi.Register, abi.Alloc | abi.CopyIn] = {
            step.result: step for step in self.steps if isinstance(step, abi.Alloc | abi.CopyIn)
        }
        # Buffers whose host array is a result already.
        self.taken: set[abi.Register] = set()
        self.copied_out = {step.result for step in self.steps if isinstance(step, abi.CopyOut)}
        self.heaps = dict(self.prepare_heaps())
        self.parts = self.parts_of_plan()
        drained = [area for step in self.steps if isinstance(step, abi.Drain) for area in step.results]
        self.copied_out.update(register for area in drained for register in area)
        self.in_batches = package.each_batch is not None
        commands = (abi.Alloc, abi.CopyIn, abi.Present, abi.PresentRecords, abi.Launch, abi.CopyOut, abi.CheckGuards)
        self.last_command = max((i for i, step in enumerate(self.steps) if isinstance(step, commands)), default=-1)
        self.last_launch = max((i for i, step in enumerate(self.steps) if isinstance(step, abi.Launch)), default=-1)

    def parts_of_plan(self) -> InParts | None:
        """What runs some steps in parts, if the plan says so of any."""
        if not any(isinstance(s, abi.CopyIn | abi.Launch | abi.CopyOut) and s.in_parts for s in self.steps):
            return None
        from hetc.runtime.in_parts import InParts, Stage

        stage = Stage.of(self.steps)
        return None if stage is None else InParts(stage, self.device, self.kernels)

    def actions(self) -> tuple[Action, ...]:
        return tuple(self.prepare(index, step) for index, step in enumerate(self.steps))

    def prepare(self, index: int, step: abi.Step) -> Action:
        wait = index == self.last_command
        match step:
            case abi.Alloc():
                return self.prepare_shared_alloc(step) if step.shared else self.prepare_alloc(step)
            case abi.CopyIn():
                return self.prepare_any_copy_in(step)
            case abi.Present() | abi.PresentRecords() | abi.Written():
                return self.prepare_portable(step)
            case abi.Launch():
                return self.prepare_launch(step)
            case abi.Heap() | abi.Drain():
                return self.heaps[step]
            case abi.CopyOut():
                return self.prepare_copy_out(step, wait=wait)
            case abi.CheckGuards():
                check = self.prepare_check_guards(step, wait=wait, stop=index < self.last_launch)
                return check if index < len(self.steps) - 1 else self.before_settling(check)
            case abi.Save():
                return self.prepare_save(step)
            case abi.WriteBack():
                from hetc.runtime.write_back import prepare_write_back

                return prepare_write_back(step, self.device, self.settle)
            case abi.Last():
                return self.prepare_last(step)
            case abi.Require():
                return self.prepare_require(step)
            case abi.Unmarshal() | abi.Retain() | abi.Pick():
                return self.prepare_result(step)
            case _:
                return prepare_host_step(step)

    def prepare_portable(self, step: abi.Present | abi.PresentRecords | abi.Written) -> Action:
        from hetc.runtime.residence import prepare_present, prepare_written

        if isinstance(step, abi.Written):
            return prepare_written(step, self.device, self.go_on if step.asynchronous else self.settle)
        return prepare_present(step, self.device)

    def prepare_result(self, step: abi.Unmarshal | abi.Retain | abi.Pick) -> Action:
        match step:
            case abi.Unmarshal() if self.in_batches:
                return self.prepare_part(step.hosts)
            case abi.Pick() if self.in_batches:
                return self.prepare_part((step.positions,))
            case abi.Unmarshal():
                return self.prepare_unmarshal(step)
            case abi.Retain():
                from hetc.runtime.residence import prepare_retain

                allocated = {origin.result for origin in self.origins.values() if isinstance(origin, abi.Alloc)}
                conclude = self.leave if step.asynchronous else self.conclude
                return prepare_retain(step, self.device, allocated, conclude)
            case abi.Pick():
                return self.prepare_pick(step)

    def after_finish(self, action: Action) -> Action:
        """An action on host memory that commands still under way may be writing."""
        finish = self.queue.finish

        def finish_first(call: Call) -> None:
            finish()
            action(call)

        return finish_first

    # Buffers ---------------------------------------------------------------------------------------------------------

    def prepare_alloc(self, step: abi.Alloc) -> Action:
        result, count, zeroed, pool, queue = step.result, step.count, step.zeroed, self.pool, self.queue
        itemsize = np.dtype(step.dtype).itemsize
        zero = np.zeros(1, np.uint8)

        def alloc(call: Call) -> None:
            call.counts[result] = call.values[count]
            size = call.values[count] * itemsize
            # OpenCL has no empty buffers.
            buffer = call.values[result] = pool.allocate(size or 1)
            if zeroed and size:
                cl.enqueue_fill_buffer(queue, cast("cl.Buffer", buffer), zero, 0, size)

        return alloc

    def prepare_any_copy_in(self, step: abi.CopyIn) -> Action:
        if self.parts is not None and step.in_parts:
            copy_in = self.parts.prepare_copy_in(step)
        else:
            copy_in = self.prepare_shared_copy_in(step) if step.shared else self.prepare_copy_in(step)
        return self.after_finish(copy_in) if step.host in self.copied_out else copy_in

    def prepare_shared_alloc(self, step: abi.Alloc) -> Action:
        result, count, context, pool = step.result, step.count, self.context, self.pool
        dtype, zeroed = np.dtype(step.dtype), step.zeroed

        def alloc(call: Call) -> None:
            size: int = call.values[count]
            host = call.hosts[result] = np.zeros(size, dtype) if zeroed else call.host_array(result, size, dtype)
            call.values[result] = host_buffer(context, host) if host.size else pool.allocate(1)

        return alloc

    def prepare_copy_in(self, step: abi.CopyIn) -> Action:
        result, source, pool, device = step.result, step.host, self.pool, self.device

        def copy_in(call: Call) -> None:
            host: HostArray = call.values[source]
            call.hosts[result], call.counts[result] = host, host.size
            buffer = call.values[result] = pool.allocate(host.nbytes or 1)
            if host.nbytes:
                call.copied_in(upload(device, buffer, host), host.nbytes)

        return copy_in

    def prepare_shared_copy_in(self, step: abi.CopyIn) -> Action:
        result, source, context, pool = step.result, step.host, self.context, self.pool

        def copy_in(call: Call) -> None:
            host: HostArray = call.values[source]
            call.hosts[result] = host
            call.values[result] = host_buffer(context, host) if host.size else pool.allocate(1)

        return copy_in

    def prepare_copy_out(self, step: abi.CopyOut, *, wait: bool) -> Action:
        # An input's memory is the user's, and two results do not share theirs: those are copied.
        in_place = step.shared and self.is_shared_alloc(step.buffer) and step.buffer not in self.taken
        if in_place:
            self.taken.add(step.buffer)
        read = self.prepare_read(step.buffer, in_place=in_place, wait=wait, result=step.result)

        def copy_out(call: Call) -> None:
            call.values[step.result] = read(call)

        return copy_out if self.parts is None or not step.in_parts else self.parts.prepare_copy_out(copy_out)

    def is_shared_alloc(self, buffer: abi.Register) -> bool:
        origin = self.origins[buffer]
        return isinstance(origin, abi.Alloc) and origin.shared

    def prepare_read(
        self, buffer: abi.Register, *, in_place: bool, wait: bool, result: abi.Register = -1
    ) -> Callable[[Call], HostArray]:
        """Make the contents of a buffer a host array: its own (`in_place`), or one for `result`, once waited for."""
        device, queue, origin = self.device, self.queue, self.origins[buffer]
        make = functools.partial(result_array, device)

        def map_host(call: Call) -> HostArray:
            host = cast("HostArray", call.hosts[buffer])
            if host.size:
                call.maps.append(map_to_read(queue, call.values[buffer], host, wait=wait))
                call.waited = wait
            return host

        def copy(call: Call) -> HostArray:
            first = 0
            if isinstance(origin, abi.Alloc):
                count, dtype = cast("int", call.values[origin.count]), np.dtype(origin.dtype)
                own = None if call.own is None else call.own(result, count, dtype)
                host, first = (call.host_array(result, count, dtype, make), 0) if own is None else own
            else:
                given = cast("HostArray", call.hosts[buffer])
                host = make(given.size, given.dtype)
            if host.size:
                offset = first * host.itemsize
                if call.foretell is not None:
                    place = (first + host.size - 1) * host.itemsize
                    call.foretell(result, functools.partial(self.read_one, call, buffer, host.dtype, place))
                call.copied_out(download(device, host, call.values[buffer], offset=offset, wait=wait), host.nbytes)
                call.waited = wait
            return host

        return map_host if in_place else copy

    def prepare_last(self, step: abi.Last) -> Action:
        origin = cast("abi.Alloc", self.origins[step.buffer])
        device, number = self.device, np.dtype(origin.dtype)

        def last(call: Call) -> None:
            size: int = call.values[origin.count]
            host = np.zeros(1, number)
            if size:
                place = (size - 1) * number.itemsize
                events = download(device, host, call.values[step.buffer], offset=place, wait=True)
                call.copied_out(events, number.itemsize)
            call.values[step.result] = int(host[0])

        return last

    def prepare_require(self, step: abi.Require) -> Action:
        def require(call: Call) -> None:
            if not call.values[step.size]:
                self.settle(call)
                raise GuardFailed(())

        return require

    # Kernels ---------------------------------------------------------------------------------------------------------

    def prepare_launch(self, step: abi.Launch) -> Action:
        launch = self.prepare_whole_launch(step)
        return launch if self.parts is None or not step.in_parts else self.parts.prepare_launch(step, launch)

    def prepare_whole_launch(self, step: abi.Launch) -> Action:
        if (tuned := self.tuned.get(step)) is not None:
            from hetc.runtime.tuned_steps import prepare_tuned

            return prepare_tuned(tuned, self.kernels[step.kernel], self.queue)
        if step.box:
            from hetc.runtime.box_steps import prepare_box

            return prepare_box(step, self.kernels[step.kernel], self.queue)
        launch, extent = self.prepare_launch_of(step), step.extent

        def run(call: Call) -> None:
            launch(call, 0, call.values[extent])

        return run

    def prepare_heaps(self) -> Iterator[tuple[abi.Step, Action]]:
        """What makes a heap, and what drains it, for each."""
        for drain in [step for step in self.steps if isinstance(step, abi.Drain)]:
            heap = next(s for s in self.steps if isinstance(s, abi.Heap) and s.state == drain.state)
            launch = next(s for s in self.steps if isinstance(s, abi.Launch) and s.kernel == drain.kernel)
            from hetc.runtime.heap_size import HeapSize
            from hetc.runtime.heap_steps import prepare_heap

            size = self.heap_sizes.setdefault(heap.state, HeapSize(heap, self.device))
            make, run = prepare_heap(heap, drain, launch, self.prepare_launch_of(launch), size)
            yield from ((heap, make), (drain, run))

    def prepare_launch_of(self, step: abi.Launch) -> LaunchOf:
        """What launches a kernel for some of its work-items: from the first on, so many."""
        kernel, queue, arguments = self.kernels[step.kernel], self.queue, step.arguments
        set_args = cast("Callable[..., None]", kernel.set_args)
        launch = cl.enqueue_nd_range_kernel

        def run(call: Call, first: int, size: int) -> None:
            values, found = call.values, parts_in_row(step, first, size)
            if found:
                set_args(*[values[register] for register in arguments])
            for part, local, offset in found:
                call.kernels.append(launch(queue, kernel, part, local, offset))

        return run

    def prepare_check_guards(self, step: abi.CheckGuards, *, wait: bool, stop: bool) -> Action:
        """Read the flags. If launches follow, stop before them; else the plan's end waits, once, and looks."""
        read = self.prepare_read(step.flags, in_place=self.is_shared_alloc(step.flags), wait=wait or stop)

        def check(call: Call) -> None:
            call.flags.append((read(call), step))
            if stop:
                self.release_maps(call)
                self.raise_if_fired(call)
                call.waited = False

        return check

    def release_maps(self, call: Call) -> None:
        """Give mapped memory back to the device, once it has been waited for: a launch must not write while mapped."""
        while call.maps:
            call.maps.pop().release(self.queue)

    def raise_if_fired(self, call: Call, partial: Partly | None = None) -> None:
        """Raise GuardFailed if a guard failed, with the part of the result that is right if there are marks for it."""
        for flags, step in call.flags:
            if not flags.any():
                continue
            fired = [site for site in self.guards if flags[site.slot]]
            sites = tuple(site for site in fired if site.kind != abi.WARNING)
            if len(sites) < len(fired) and step.warned is None:
                raise GuardFailed(sites, untold=True)
            if partial is None or step.block is None or (sites and step.marks is None):
                raise GuardFailed(sites)
            blocks = set[int]()
            if sites and step.marks is not None:
                blocks.update(np.flatnonzero(self.read_now(call, step.marks)).tolist())
            if len(sites) < len(fired) and step.warned is not None:
                blocks.update(self.first_blocks(self.read_now(call, step.warned)))
            warned = tuple(site for site in fired if site.kind == abi.WARNING)
            raise GuardFailed(sites, Partial(*partial(), tuple(sorted(blocks)), step.block), warned=warned)

    def first_blocks(self, warned: HostArray) -> list[int]:
        """For each site that warns, the first block in which it does."""
        each = sum(site.kind == abi.WARNING for site in self.guards)
        marks = warned.reshape(-1, each)
        return [int(np.argmax(column)) for column in marks.T if column.any()]

    def prepare_save(self, step: abi.Save) -> Action:
        marshalled = next(s for s in self.steps if isinstance(s, abi.Marshal) and s.result == step.host)
        find = find_source(marshalled.source)

        def save(call: Call) -> None:
            host: HostArray = call.values[step.host]
            if np.may_share_memory(host, cast("HostArray", find(call))):
                call.undo.append(functools.partial(np.copyto, host, host.copy()))

        return save

    def settle(self, call: Call) -> None:
        """Wait for all commands and look at the guards, before the user's data changes."""
        if not call.waited:
            self.queue.finish()
            call.waited = True
        self.release_maps(call)
        self.raise_if_fired(call, lambda: (None, abi.Container.LIST))

    def before_settling(self, action: Action) -> Action:
        """An action that ends a plan whose guards are all that it comes to."""

        def settle(call: Call) -> None:
            action(call)
            self.settle(call)

        return settle

    def go_on(self, call: Call) -> None:
        """Wait for the copies to the device alone, since the host may change what they read; for all in a profile."""
        if profile.active():
            self.settle(call)
            return
        self.queue.flush()
        for copy in call.copies:
            cl.wait_for_events(list(copy.events))

    def leave(self, call: Call, partial: Partly) -> None:
        """The same where nothing can be wrong with the result."""
        del partial
        self.go_on(call)

    def conclude(self, call: Call, partial: Partly | None) -> None:
        """Wait for all commands and look at the guards, before the result is made."""
        if not call.waited:
            self.queue.finish()
        self.release_maps(call)
        self.raise_if_fired(call, partial)

    def read_one(self, call: Call, buffer: abi.Register, dtype: np.dtype[Any], place: int) -> HostArray:
        """The number at a byte of a buffer, waiting for it."""
        host = np.empty(1, dtype)
        events = download(self.device, host, call.values[buffer], offset=place, wait=True)
        call.copied_out(events, host.nbytes)
        return host

    def read_now(self, call: Call, buffer: abi.Register) -> HostArray:
        """The contents of a buffer that the plan has allocated, waiting for them."""
        origin = cast("abi.Alloc", self.origins[buffer])
        host = np.empty(call.values[origin.count], origin.dtype)
        call.copied_out(download(self.device, host, call.values[buffer], wait=True), host.nbytes)
        return host

    def prepare_part(self, hosts: tuple[abi.Register, ...]) -> Action:
        """What a batch comes to: these host arrays, which whoever runs the batches puts together."""

        def part(call: Call) -> None:
            call.result = [call.values[host] for host in hosts]
            self.conclude(call, lambda: (None, abi.Container.LIST))

        return part

    def prepare_pick(self, step: abi.Pick) -> Action:
        def pick(call: Call) -> None:
            self.settle(call)
            positions = cast("HostArray", call.values[step.positions]).tolist()
            call.result = select(call.originals, positions, step.container, rows=step.rows)

        return pick

    def prepare_unmarshal(self, step: abi.Unmarshal) -> Action:
        hosts, element, container, scalar = step.hosts, step.element, step.container, step.scalar
        while_wrong = abi.Container.LIST if marshal.has_union(element) else container
        # Results share no memory, with the user's data nor among themselves.
        borrowed = {place for place, host in enumerate(hosts) if host not in self.copied_out or host in hosts[:place]}
        if isinstance(element, abi.ScalarType) and container is abi.Container.NDARRAY and not (scalar or step.writes):
            return self.prepare_unmarshal_array(hosts[0], np.dtype(element.dtype), copies=bool(borrowed))

        def unmarshal(call: Call) -> None:
            def result(container: abi.Container) -> object:
                arrays = [call.values[host] for host in hosts]
                for place in borrowed:
                    arrays[place] = arrays[place].copy()
                if step.writes:
                    from hetc.runtime.object_writes import unmarshal_written

                    return unmarshal_written(arrays, element, container, call.inputs, call.captures, step.writes)
                return marshal.unmarshal(arrays, element, container, call.captures, scalar=scalar)

            # Objects are written if all elements are right, or not at all.
            self.conclude(call, None if step.writes else lambda: (result(while_wrong), while_wrong))
            call.result = result(container)

        return unmarshal

    def prepare_unmarshal_array(self, host: abi.Register, dtype: np.dtype[Any], *, copies: bool) -> Action:
        """What makes the result if it is one array of numbers."""

        def result(call: Call) -> HostArray:
            array: HostArray = call.values[host].copy() if copies else call.values[host]
            return array if array.dtype == dtype else array.view(dtype)

        def unmarshal(call: Call) -> None:
            self.conclude(call, lambda: (result(call), abi.Container.NDARRAY))
            call.result = result(call)

        return unmarshal
