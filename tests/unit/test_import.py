"""`import hetc` is light: what takes long to import is imported when it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

IMPORTED = "import sys, hetc; {then}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"


def modules_after(then: str) -> set[str]:
    """The top-level modules of a fresh interpreter that imported hetc and then ran a statement."""
    program = IMPORTED.format(then=then)
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


@pytest.mark.parametrize(
    "then",
    [
        "pass",
        "hetc.map(lambda x: x + 1).reduce(lambda a, b: a + b, 0)",
        "hetc.configure(offload='never'); hetc.map(lambda x: x + 1)([1, 2])",
    ],
    ids=["import", "composition", "call-in-python"],
)
def test_neither_xdsl_nor_pyopencl_is_imported_before_it_is_needed(then: str) -> None:
    assert not modules_after(then) & {"xdsl", "pyopencl"}
