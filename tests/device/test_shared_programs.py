"""Functions whose kernels are the same text share a program, wherever they stand in their files."""

from __future__ import annotations

import numpy as np

import hetc
from hetc import api
from hetc.runtime import executor
from hetc.runtime.devices import Device

TWO = (
    hetc.map(lambda a: a * 3.625 if a > 0 else 0.0),
    # A line between them.
    hetc.map(lambda a: a * 3.625 if a > 0 else 0.0),
)
OTHER = hetc.map(lambda a: a * 3.75 if a > 0 else 0.0)


def test_places_are_no_part_of_a_program(device: Device) -> None:
    x = np.arange(-5.0, 300.0)
    executor._build_program.cache_clear()
    api._dispatcher.compiled.clear()
    with hetc.configure(device=device, fallback="error"):
        results = [af(x) for af in TWO]
        assert executor._build_program.cache_info().misses == 1
        assert len(api._dispatcher.compiled) == 2
        OTHER(x)
    assert executor._build_program.cache_info().misses == 2
    assert all(np.array_equal(result, np.where(x > 0, x * 3.625, 0)) for result in results)


def test_the_text_that_is_shown_names_the_places(device: Device) -> None:
    x = np.arange(3.0)
    first, second = (af.on(device).lower(x).opencl() for af in TWO)
    assert first != second
    assert "// test_shared_programs.py:" in first
