"""The steps of a plan that make a heap and drain it: the launch is repeated until all iterations have found room.

The heap is small at first, so that what is done when it is full is checked, too.
"""

from __future__ import annotations

import numpy as np

from hetc.abi import HeapState
from hetc.analysis.attributes import int_values
from hetc.dialects import offload
from hetc.interpreter.cases import Array, UndefinedError, dtype_of
from hetc.interpreter.plans import launch
from hetc.interpreter.program import Program, Steps

CAPACITY = 16
"""How many items a heap has room for at first."""


def _make(run: Program, op: offload.HeapOp) -> None:
    count = int(run.values[op.count])
    state: Array = np.zeros(HeapState.AREAS + 2 * len(op.areas), np.int64)
    state[HeapState.CAPACITY], state[HeapState.UNTIL] = CAPACITY, count
    run.values[op.state], run.values[op.left] = state, np.zeros(count, np.int8)
    _make_areas(run, op)


def _make_areas(run: Program, op: offload.HeapOp) -> None:
    capacity = int(run.values[op.state][HeapState.CAPACITY])
    for buffer in op.buffers:
        made: Array = np.full(capacity, 99, dtype_of(buffer.type.element_type))
        run.values[buffer] = made


def _drain(run: Program, op: offload.DrainOp) -> None:
    made, launched = op.state.owner, _launched(op)
    assert isinstance(made, offload.HeapOp)
    buffers = offload.in_areas(made.buffers, int_values(made.areas))
    results = offload.in_areas(op.hosts, int_values(op.areas))
    state, left = run.values[op.state], run.values[made.left]
    drained: dict[object, list[Array]] = {host: [] for host in op.hosts}
    before = len(left)
    while True:
        tops = np.minimum(state[HeapState.AREAS :: 2], state[HeapState.CAPACITY])
        for arrays, hosts, top in zip(buffers, results, tops, strict=True):
            for array, host in zip(arrays, hosts, strict=False):
                drained[host].append(run.values[array][:top].copy())
        waiting = int(np.count_nonzero(left))
        if bool(state[HeapState.FULL]) != bool(waiting):
            raise UndefinedError("the heap's flag and the iterations that are left differ")
        if not waiting:
            break
        state[HeapState.AREAS + 1 :: 2] += tops
        state[HeapState.AREAS :: 2] = 0
        state[HeapState.FULL], state[HeapState.AGAIN] = 0, 1
        if waiting == before:  # one alone needs more
            state[HeapState.CAPACITY] *= 2
        _make_areas(run, made)
        before = waiting
        launch(run, launched)
    run.values |= {host: np.concatenate(parts) for host, parts in zip(op.hosts, drained.values(), strict=True)}


def _launched(op: offload.DrainOp) -> offload.LaunchOp:
    """The launch that is repeated."""
    step = op.prev_op
    while step is not None:
        if isinstance(step, offload.LaunchOp) and step.kernel == op.kernel:
            return step
        step = step.prev_op
    raise UndefinedError("nothing has been launched that fills the heap")


STEPS: Steps = {offload.HeapOp: _make, offload.DrainOp: _drain}
