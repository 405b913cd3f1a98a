"""What NumPy warns of in calls on portable arrays: found out on the device, and told in NumPy's words.

What NumPy computes itself on the host, it warns of in hetc's line; the user's is told instead (`telling_the_caller`).

A kernel says that there is something to warn of, not what. So the kernel is run again, without that check, and what
NumPy's warning says of a function is asked of all elements at once: for a division, whether anything but 0 was divided
by 0, and whether there is a NaN that is none of the operands'.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Generator
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


@contextlib.contextmanager
def telling_the_caller(function: Any) -> Generator[None]:
    """Run a ufunc, or a fold by one, such that what it warns of is told of the user's line, in NumPy's words.

    Other functions warn of lines in NumPy, and an error state of the user's own is left alone.
    """
    state, ufunc = np.geterr(), getattr(function, "__self__", None)
    warned = [kind for kind, mode in state.items() if mode == "warn"]
    if not isinstance(ufunc, np.ufunc) or not warned or {"call", "log"} & set(state.values()):
        yield
        return
    name = function.__name__ if function.__name__ in ("reduce", "accumulate") else ufunc.__name__

    def tell(kind: str, _flag: int) -> None:
        who = caller()
        message = f"{kind} encountered in {name}"
        if who is None:
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        else:
            who.warn(message, RuntimeWarning)

    modes: dict[str, Any] = dict.fromkeys(warned, "call")
    with np.errstate(**modes, call=tell):
        yield
