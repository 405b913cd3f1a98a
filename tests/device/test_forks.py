"""A forked child that ends leaves its parent's devices as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hetc.runtime import forks
from hetc.runtime.devices import Device, list_devices

PROGRAM = """
import os, sys
import numpy as np
import hetc

half = hetc.map(lambda a: a * 0.5)
x = np.arange(50_000.0)
with hetc.configure(offload="always", fallback="error", device=sys.argv[1]):
    half(x)
    kept = half(hetc.array(x))
    dropped = half(hetc.array(x + 1.0))
    pid = os.fork()
    if pid == 0:
        del dropped
        sys.exit(3)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 3, status
    for _ in range(3):
        assert np.array_equal(half(x), x * 0.5)
        assert np.array_equal(np.asarray(half(kept)), x * 0.25)
    assert np.array_equal(np.asarray(dropped), (x + 1.0) * 0.5)
print("went on")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_child_that_ends_leaves_the_device_to_its_parent(device: Device, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "program.py", str(list_devices().index(device))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.endswith("went on\n"), done.stdout + done.stderr


def test_what_hetc_has_made_is_kept_whatever_else_holds_it() -> None:
    class Plain:
        pass

    class Own:
        __module__ = "hetc.runtime.devices"

    own, other = Own(), Plain()
    before = sys.getrefcount(own), sys.getrefcount(other)
    forks.keep_all()
    assert sys.getrefcount(own) == before[0] + 1
    assert sys.getrefcount(other) == before[1]
