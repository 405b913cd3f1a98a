"""The step that launches a kernel in one of several layouts (`hetc.runtime.tuning`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from hetc.runtime.call import Action, Call
from hetc.runtime.launch_parts import items_of_launch, parts_of_launch
from hetc.runtime.opencl import cl

if TYPE_CHECKING:  # it is made where plans are prepared
    from hetc.runtime.tuning import TunedLaunch


def prepare_tuned(tuned: TunedLaunch, kernel: cl.Kernel, queue: cl.CommandQueue) -> Action:
    """What launches a kernel in the layout that is the fastest, as far as that is known."""
    step, set_args = tuned.step, cast("Callable[..., None]", kernel.set_args)
    launch, arguments = cl.enqueue_nd_range_kernel, step.arguments

    def run(call: Call) -> None:
        items = items_of_launch(step, call.values)
        if items <= 0:
            return
        layout, timer = tuned.layout(items)
        set_args(*[call.values[register] for register in arguments])
        events = [
            launch(queue, kernel, part, local, offset)
            for part, local, offset in parts_of_launch(step, call.values, layout)
        ]
        call.kernels += events
        if timer is not None:
            timer.started(events)

    return run
