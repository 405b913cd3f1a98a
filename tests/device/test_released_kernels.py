"""What holds memory of the device's compiler goes when the call it was compiled for is forgotten."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import api
from hetc.runtime import executor
from hetc.runtime.devices import Device


def holders(compiled: dict[Any, Any]) -> list[weakref.ref[Any]]:
    """The executables of compiled calls."""
    executables = [entry.executable for entry in compiled.values()]
    assert all(isinstance(found, executor.Executable) for found in executables)
    return [weakref.ref(found) for found in executables]


def test_compiled_calls(device: Device) -> None:
    compiled = api._dispatcher.compiled
    compiled.clear()
    x = np.arange(300.0)
    with hetc.configure(device=device, fallback="error"):
        for af in (hetc.map(lambda a: a * 17.25), hetc.scan(lambda p, q: p + q), hetc.filter(lambda a: a > 7.125)):
            af(x)
            af(x)
    found = holders(compiled)
    assert len(found) >= 3
    compiled.clear()
    gc.collect()
    assert [ref() for ref in found] == [None] * len(found)


@pytest.mark.filterwarnings("ignore")  # of the success that a compiler tells
def test_programs(device: Device) -> None:
    program = executor._build_program(device.context, "__kernel void released() {}", ())
    found = weakref.ref(program)
    del program
    executor._build_program.cache_clear()
    gc.collect()
    assert found() is None
