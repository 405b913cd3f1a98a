"""Running a plan while somebody profiles: when each step ran on the host, and each command on its queue.

A device's clock has its own zero. But a command is queued between the moments at which the host begins and ends to
enqueue it, in the host's clock and in the device's; all commands of a call together say where the zeros are apart, to
within the time that the quickest of them takes to be enqueued.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hetc import abi
from hetc.dataclass import dataclass
from hetc.runtime import profile
from hetc.runtime.call import Action, Call
from hetc.runtime.opencl import cl
from hetc.timeline.events import Kind, Lane

_KINDS: dict[type[abi.Step], Kind] = {
    abi.Marshal: Kind.MARSHAL,
    abi.MarshalRecords: Kind.MARSHAL,
    abi.Scalar: Kind.MARSHAL,
    abi.Save: Kind.MARSHAL,
    abi.Alloc: Kind.ENQUEUE,
    abi.CopyIn: Kind.ENQUEUE,
    abi.Present: Kind.ENQUEUE,
    abi.Launch: Kind.ENQUEUE,
    abi.Heap: Kind.ENQUEUE,
    abi.Drain: Kind.ENQUEUE,
    abi.CopyOut: Kind.ENQUEUE,
    abi.Last: Kind.ENQUEUE,
    abi.CheckGuards: Kind.GUARDS,
    abi.WriteBack: Kind.RESULT,
    abi.Written: Kind.RESULT,
    abi.Unmarshal: Kind.RESULT,
    abi.Retain: Kind.RESULT,
    abi.Pick: Kind.RESULT,
}
"""What the steps that take time are, on the host."""


@dataclass(frozen=True)
class Command:
    """A command on a queue, or several in order for one thing, enqueued between two moments of the host."""

    events: Sequence[cl.Event]
    kind: Kind
    name: str
    size: int
    before: int
    after: int


def run_steps(steps: Sequence[abi.Step], actions: Sequence[Action], call: Call, device: str) -> None:
    """Run the prepared steps of a plan for a call, and tell the profiles. Raises what the steps raise."""
    commands: list[Command] = []
    of = {getattr(step, "result", None): name for step, name in zip(steps, _names(steps), strict=True)}
    try:
        for step, name, action in zip(steps, _names(steps), actions, strict=True):
            kernels, copies, waited = len(call.kernels), len(call.copies), call.waited
            start = profile.now()
            try:
                action(call)
            finally:
                end = profile.now()
                kind = _KINDS.get(type(step))
                if kind is not None:
                    waits = kind is Kind.ENQUEUE and call.waited and not waited
                    profile.note(Kind.WAIT if waits else kind, name, start, end)
                commands += [Command([event], Kind.KERNEL, name, 0, start, end) for event in call.kernels[kernels:]]
                for copy in call.copies[copies:]:
                    kind = Kind.COPY_IN if copy.to_device else Kind.COPY_OUT
                    copied = name if copy.of is None else of[copy.of]
                    how = "in parts" if copy.direct else "staged"
                    told = copied if len(copy.events) == 1 else f"{copied}, {how}"
                    commands += [Command(copy.events, kind, told, copy.size, start, end)]
    finally:
        note_commands(commands, device)


def note_commands(commands: Sequence[Command], device: str) -> None:
    """Tell the profiles of commands that have come to their end; those that failed have no times."""
    timed: list[tuple[Command, int, int, int]] = []
    for command in commands:
        try:
            first, last = command.events[0].profile, command.events[-1].profile
            timed.append((command, first.queued, first.start, last.end))
        except cl.Error:
            continue
    if not timed:
        return
    # The clocks are apart by at least `least`, and by at most `most`; a step may take far longer than to enqueue.
    least = max(command.before - queued for command, queued, _, _ in timed)
    most = min(command.after - queued for command, queued, _, _ in timed)
    apart = (least + most) // 2
    for command, _, start, end in timed:
        lane = Lane(device, command.events[0].command_queue.int_ptr)
        profile.note(command.kind, command.name, start + apart, end + apart, lane=lane, bytes=command.size)


def _names(steps: Sequence[abi.Step]) -> Iterator[str]:
    """What each step concerns: an input or captured variable, a kernel, guards, or results."""
    sources: dict[abi.Register, str] = {}
    for step in steps:
        match step:
            case abi.Marshal(result, source, _) | abi.Scalar(result, source, _, _):
                sources[result] = str(source)
                yield str(source)
            case abi.MarshalRecords(result):
                sources[result] = ", ".join(map(str, step.sources))
                yield sources[result]
            case abi.PresentRecords(members=members):
                yield ", ".join(str(member.source) for member in members)
            case abi.Present(source=source) | abi.WriteBack(source=source) | abi.Written(source=source):
                yield str(source)
            case abi.CopyIn(host=register) | abi.Save(host=register):
                yield sources.get(register, "buffer")
            case abi.Launch(kernel=kernel) | abi.Drain(kernel=kernel):
                yield kernel
            case abi.CheckGuards():
                yield "guards"
            case abi.Alloc() | abi.Heap():
                yield "buffer"
            case _:
                yield "result"
