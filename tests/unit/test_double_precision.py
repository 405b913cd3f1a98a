"""What a device without double precision is not asked to compute."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import hetc
from hetc import driver
from hetc.abi import DeviceTraits, Package
from hetc.errors import UnsupportedError
from hetc.frontends.python.closure import resolve
from hetc.frontends.skeleton.composition import functions
from hetc.runtime.describe import describe

SINGLE = DeviceTraits("gpu", fp64=False)


def compiled(af: hetc.ArrayFunction, *inputs: Any, traits: DeviceTraits = SINGLE) -> Package:
    """The package of a call for a device with the given traits."""
    resolution = resolve(functions(af.stages))
    signature, captures = describe(inputs, resolution.captures)
    return driver.compile(driver.Request(af.stages, signature, captures, resolution, traits, verify=True))


@pytest.mark.parametrize(
    "data", [np.ones(2), [1.0], np.ones(2, "complex128"), [1j]], ids=["f64", "float", "c128", "complex"]
)
def test_double_precision_is_refused(data: Any):
    af = hetc.map(lambda x: x * x)
    with pytest.raises(UnsupportedError, match="double precision"):
        compiled(af, data)
    compiled(af, data, traits=dataclasses.replace(SINGLE, fp64=True))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_single_precision_is_compiled(dtype: str):
    af = hetc.map(lambda x: abs(x / (x * x + 2)) - x.real)
    assert "cl_khr_fp64" not in compiled(af, np.ones(2, dtype)).source


def test_functions_of_complex64_are_computed_in_double_precision():
    with pytest.raises(UnsupportedError, match="double precision"):
        compiled(hetc.map(np.exp), np.ones(2, "complex64"))
