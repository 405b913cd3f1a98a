"""What NumPy warns of in calls on portable arrays: found out on the device, and told in NumPy's words.

A kernel says that there is something to warn of, not what. So the kernel is run again, without that check, and what
NumPy's warning says of a function is asked of all elements at once: for a division, whether anything but 0 was divided
by 0, and whether there is a NaN that is none of the operands'.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from hetc.array_calls import ArrayCalls
from hetc.callers import caller
from hetc.frontends.array_code.calls import ArrayCall
from hetc.runtime.devices import Device

DIVIDE, INVALID, OVER = "divide by zero", "invalid value", "overflow"

_QUOTIENT = {
    DIVIDE: "np.any((x1 == 0) & (x0 != 0) & np.isfinite(x0))",
    OVER: "np.any(np.isinf(x2) & (x1 != 0) & np.isfinite(x0))",
    INVALID: "np.any(np.isnan(x2) & np.logical_not(np.isnan(x0) | np.isnan(x1)))",
}
_LOGARITHM = {DIVIDE: "np.any(x0 == 0)", INVALID: "np.any(x0 < 0)"}
WARNINGS: dict[np.ufunc, dict[str, str]] = {
    np.divide: _QUOTIENT,
    np.sqrt: {INVALID: "np.any(x0 < 0)"},
    np.log: _LOGARITHM,
    np.log2: _LOGARITHM,
    np.log10: _LOGARITHM,
}
"""For each function, when NumPy warns of what; x0 and x1 are the operands, and x2 is the result."""

_SETTINGS = {DIVIDE: "divide", INVALID: "invalid", OVER: "over"}


def run_and_warn(
    calls: ArrayCalls, device: Device, ufunc: np.ufunc, call: Callable[[], Any], operands: list[Any]
) -> Any:
    """The result of a call that warns, which is made again, after NumPy's warnings. Raises as `ArrayCalls.run` does."""
    state = np.geterr()
    with np.errstate(all="ignore"):
        result = call()
        texts = WARNINGS[ufunc]
        found = [kind for kind, text in texts.items() if calls.run(ArrayCall(text, (*operands, result)), device)]
    who = caller()
    for kind in found:
        if state[_SETTINGS[kind]] == "warn":
            message = f"{kind} encountered in {ufunc.__name__}"
            if who is None:
                warnings.warn(message, RuntimeWarning, stacklevel=2)
            else:
                who.warn(message, RuntimeWarning)
    return result
