"""Programs drawn at random, run by hetc and by CPython: the same value and type, or the same exception.

What they are drawn from is `tests/fuzz`; here the first of them run, the same in every run of the tests. Many more:
`make fuzz`. A program may meet what hetc does not compile and then runs in Python on both sides, so the test counts how
many were compiled.
"""

from __future__ import annotations

import itertools

from hetc.runtime.devices import Device
from tests.fuzz.execution import Counts
from tests.fuzz.runs import BATCH, batches, failure

BATCHES = 6
"""Of `BATCH` programs each, on each device."""

SEED = "tests"


def test_programs_agree_with_cpython(device: Device) -> None:
    counts = Counts()
    for verdict in itertools.chain.from_iterable(itertools.islice(batches(SEED, 0, device), BATCHES)):
        counts.add(verdict)
        assert verdict.problem is None, f"\n{failure(verdict, SEED, device).text()}"
    assert counts.programs == BATCHES * BATCH
    compiled = counts.programs - counts.paths["python"]
    assert compiled >= counts.programs // 3, f"{compiled} programs were compiled"
    assert counts.paths["device"] >= counts.programs // 5, f"{counts.paths} programs ran to their end on the device"
