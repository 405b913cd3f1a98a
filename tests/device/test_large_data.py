"""The benchmark of data larger than the memory that a call may take, with little data: all skeletons, and files."""

from __future__ import annotations

from pathlib import Path

from benchmarks import large
from hetc.runtime.devices import Device

LIMIT = 2**18


def test_results_are_equal_and_memory_is_within_the_limit(gpu: Device, tmp_path: Path) -> None:
    found = list(large.outcomes(gpu, 4 * LIMIT, 2 * LIMIT, LIMIT, tmp_path))
    assert len(found) == 2 * len(large.WORKS)
    assert [outcome.name for outcome in found if not outcome.right] == []
    assert all(outcome.batches > 1 and 0 < outcome.peak <= LIMIT for outcome in found)
