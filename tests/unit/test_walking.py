"""Ops as lists: the same, and in the same order, as xDSL's walk gives them."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp

import hetc
from hetc import driver
from hetc.analysis.walking import host_ops, kernels_in, walk
from hetc.tools.device_traits import DEVICE_TRAITS


@pytest.fixture(scope="module")
def modules() -> list[ModuleOp]:
    """Kernels with loops and branches, several beside each other; and a module without any."""
    composition = hetc.map(lambda x: x * 2 if x > 3 else 1).scan(lambda p, q: p + q)
    request = driver.request_for_inputs(composition.stages, (np.arange(9),), DEVICE_TRAITS["gpu"], "entry")
    made: list[ModuleOp] = []
    for stage, module in driver.levels(request):
        if stage in (driver.FRONTEND, "lower-guards"):
            made.append(module.clone())
    return made


def test_all_ops_in_order(modules: list[ModuleOp]) -> None:
    for module in modules:
        assert walk(module) == list(module.walk())
        assert walk(module, reverse=True) == list(module.walk(reverse=True))


def test_kernels_and_what_is_outside_them(modules: list[ModuleOp]) -> None:
    counts: list[int] = []
    for module in modules:
        kernels = [op for op in module.walk() if isinstance(op, gpu.FuncOp)]
        inside = {op for kernel in kernels for op in kernel.walk() if op is not kernel}
        assert kernels_in(module) == kernels
        assert host_ops(module) == [op for op in module.walk() if op not in inside]
        assert all(kernels_in(kernel) == [kernel] for kernel in kernels)
        counts.append(len(kernels))
    assert counts[0] == 0
    assert counts[1] > 1
