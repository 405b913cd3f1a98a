"""Functions with assertions: not in a test module, whose assertions pytest compiles into other code than its source."""

from __future__ import annotations

from typing import Any

import hetc


def asserted(x: int) -> int:
    assert x < 3, "too large"
    return x


def picky(x: int) -> int:
    if x % 5 == 4:
        raise ValueError(f"four in {x}")
    assert x % 7 != 6, f"six in {x}"
    return x


def asserted_loop(x: Any, y: Any) -> None:
    for i in hetc.forall(len(x)):
        y[i] = x[i]
        assert x[i] < 290, "too large"
