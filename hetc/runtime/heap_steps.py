"""The steps of a plan that make a heap, and that drain it once all iterations have found room in it."""

from __future__ import annotations

from typing import cast

import numpy as np

from hetc import abi
from hetc.runtime.call import Action, Call
from hetc.runtime.heap_launches import Launches, LaunchOf
from hetc.runtime.heap_size import HeapSize


def prepare_heap(
    step: abi.Heap, drain: abi.Drain, launched: abi.Launch, launch: LaunchOf, size: HeapSize
) -> tuple[Action, Action]:
    """What makes a heap, and what drains it. What calls have taken is learnt from one to the next."""
    results = {
        register: result
        for area, hosts in zip(step.buffers, drain.results, strict=True)
        for register, result in zip(area, hosts, strict=False)
    }
    wanted = frozenset(results)

    def make(call: Call) -> None:
        call.heaps[step.state] = Launches.begin(call, step, size, size.device, launched.group, wanted)

    def run(call: Call) -> None:
        launches = cast("Launches", call.heaps[step.state])
        launches.repeat(launch)
        for register, result in results.items():
            call.values[result] = np.concatenate(launches.drained[register])

    return make, run
