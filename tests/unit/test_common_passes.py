"""What the device tests leave out of a second device's compilation changes nothing of what is compiled."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

import hetc
from benchmarks.compile_time import SAMPLE_SIZE, request
from hetc import dispatch, driver
from hetc.abi import DeviceTraits, Package
from tests.device.common_passes import CommonPasses, facts_of
from tests.replay.update import EXAMPLES

CPUS = [DeviceTraits(family, shared_memory=True, compute_units=2) for family in ("intel-cpu", "pocl", "cpu")]
GPUS = [
    DeviceTraits("gpu", shared_memory=False, compute_units=2, strict_division=strict, local_memory=memory)
    for strict, memory in ((False, 1 << 16), (True, 1 << 16), (False, 1 << 15))
]


def watch(stage: str, module: ModuleOp) -> None:
    """As a call that is compiled looks on."""


watch.__module__ = dispatch.__name__


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> CommonPasses:
    made = CommonPasses()
    monkeypatch.setattr(driver, "levels", made.levels)
    return made


def without_times(package: Package) -> Package:
    return dataclasses.replace(package, pass_seconds=tuple((stage, 0.0) for stage, _ in package.pass_seconds))


@pytest.mark.parametrize("example", ["dot", "saxpy", "nbody"])
def test_packages_are_the_same(common: CommonPasses, example: str) -> None:
    module, function = EXAMPLES[example]
    for traits in (*CPUS, *GPUS):
        wanted = request(function, module.sample(SAMPLE_SIZE), traits)
        left_out = common.left_out
        alone = driver.compile(wanted)
        assert common.left_out == left_out
        assert without_times(common.compile(wanted, watch)) == without_times(alone)
    assert common.left_out > 3 * 20


def test_devices_with_the_same_pipeline_have_all_in_common(common: CommonPasses) -> None:
    module, function = EXAMPLES["dot"]
    for traits in GPUS[:2]:
        common.compile(request(function, module.sample(SAMPLE_SIZE), traits), watch)
    assert common.left_out == len(driver.pipeline(GPUS[0]))


def test_what_was_not_verified_is_not_in_common(common: CommonPasses) -> None:
    module, function = EXAMPLES["saxpy"]
    asked = request(function, module.sample(SAMPLE_SIZE), CPUS[0])
    for verify, left_out in ((False, False), (True, False), (False, True), (True, True)):
        before = common.left_out
        common.compile(dataclasses.replace(asked, verify=verify), watch)
        assert (common.left_out > before) is left_out


# fmt: off
DIFFERENT: list[Any] = [
    lambda x: x * 0.0,
    lambda x: x * -0.0,
    lambda y: y * 0.0,
    lambda x: x + 0.0, lambda x: x + 0.0,
]
# fmt: on


def test_programs_that_are_not_the_same_have_other_facts() -> None:
    """Not if their numbers are equal for Python, if a variable has another name, or if they stand elsewhere."""

    def facts(function: Any) -> Any:
        wanted = request(hetc.map(function), ([1.0, 2.0],), CPUS[0])
        return facts_of(driver.frontend(dataclasses.replace(wanted, name="kernel")))

    assert len({facts(function) for function in DIFFERENT}) == len(DIFFERENT)
    assert all(facts(function) == facts(function) for function in DIFFERENT)
