"""`numpy.errstate`: where it asks for more than a warning, NumPy's numbers are left to NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import hetc
from hetc.diagnostics import Category
from hetc.runtime.devices import Device


@pytest.fixture
def always(device: Device):
    with hetc.configure(device=device, offload="always", verify=True):
        yield


@pytest.mark.usefixtures("always")
def test_a_division_by_zero_raises_where_numpy_is_told_to():
    inverse = hetc.map(lambda x: 1 / x)
    data = np.array([1.0, 0.0])
    with np.errstate(divide="ignore"), hetc.configure(fallback="error"):
        assert list(inverse(data)) == [1.0, np.inf]
    with np.errstate(divide="raise"), hetc.configure(fallback="error"), pytest.raises(hetc.UnsupportedError) as refused:
        inverse(data)
    assert refused.value.category is Category.ERROR_STATE
    with (
        np.errstate(divide="raise"),
        hetc.configure(fallback="silent"),
        pytest.raises(FloatingPointError, match="divide by zero"),
    ):
        inverse(data)
    with np.errstate(divide="ignore"), hetc.configure(fallback="error"):
        assert list(inverse(data)) == [1.0, np.inf]


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("mode", ["raise", "call", "print", "log"])
def test_numpy_anywhere_in_a_call_counts(mode: str):
    scale = np.float64(2.0)

    def captured(x: float) -> float:
        return x * scale

    def called(x: float) -> float:
        return np.sqrt(x)

    with np.errstate(all=mode), hetc.configure(fallback="silent"), hetc.profile() as p:
        for function in (captured, called, lambda x: called(x) + 0.0, np.sqrt):
            assert hetc.map(function)([4.0]) in ([8.0], [2.0])
    assert p.fallbacks == 4


@pytest.mark.usefixtures("always")
def test_python_numbers_are_not_numpys_matter():
    with np.errstate(all="raise"), hetc.configure(fallback="error"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hetc.map(lambda x: x * 2.0)([1.0, 2.0]) == [2.0, 4.0]
