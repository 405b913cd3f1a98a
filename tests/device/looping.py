"""How loops are tested: a function under `hetc.jit` against the same function run by Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

import hetc
from hetc.api import dispatcher
from hetc.runtime.devices import Device
from tests.device.conftest import assert_same, assert_same_outcome, checked, outcome


def check_loops(
    device: Device,
    function: Callable[..., Any],
    make: Callable[[], tuple[Any, ...]],
    *,
    deopts: int | None = 0,
    fallbacks: int | None = 0,
    rtol: float = 0.0,
) -> Any:
    """The function under jit does what the plain one does to equal arguments: result, exception, place, and arrays.

    `make` makes the arguments, afresh for each call. Returns the result.
    """
    expected_arguments, arguments = make(), make()
    expected = outcome(lambda: function(*expected_arguments))
    assert isinstance(function, FunctionType)
    compiled = hetc.jit(function)
    fallback = "error" if fallbacks == 0 else "silent"
    with (
        hetc.configure(device=device, offload="always", fallback=fallback, verify=checked(device)),
        hetc.profile() as p,
    ):
        found = outcome(lambda: compiled(*arguments))
    assert_same_outcome(found, expected, 0, rtol)
    assert_same(arguments, expected_arguments, 0, rtol)
    assert fallbacks in (None, p.fallbacks), f"{p.fallbacks} fallbacks"
    assert deopts in (None, p.deopts), f"{p.deopts} returns to Python"
    return found.value


def refusal(function: Callable[..., Any], *arguments: Any) -> str:
    """The warning that a function gives for a loop that runs in Python."""
    dispatcher().warned.clear()  # it is given once for each place
    with hetc.configure(offload="always"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with np.errstate(all="ignore"):
            hetc.jit(function)(*arguments)
    (warning,) = [w for w in caught if issubclass(w.category, hetc.FallbackWarning)]
    return str(warning.message)
