"""A run of the tests ends, and tells each test's outcome once, when processes die or hang in the midst of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

FIRST = """
import os, signal, pytest

@pytest.mark.parametrize("k", range(4))
def test_first(k):
    if k == 3:  # the last one of a file: nothing comes after it that another process could be given with it
        os.kill(os.getpid(), signal.SIGKILL)
"""
SECOND = """
import threading, pytest

@pytest.mark.parametrize("k", range(6))
def test_second(k):
    if k == 2:
        threading.Event().wait()
"""


def test_a_run_ends_with_a_failure(repository: Path, tmp_path: Path) -> None:
    command = re.search(r"^\t\$\(BIN\)/pytest -n \$\(JOBS\) (.*)$", (repository / "Makefile").read_text(), re.MULTILINE)
    assert command is not None
    (tmp_path / "test_first.py").write_text(FIRST)
    (tmp_path / "test_second.py").write_text(SECOND)
    config = ["-c", str(repository / "pyproject.toml"), "--rootdir", str(tmp_path), "-o", "faulthandler_timeout=2"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", *command[1].split(), "-p", "no:cacheprovider", *config, "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"^2 failed, 8 passed", done.stdout, re.MULTILINE), done.stdout
    assert sorted(re.findall(r"^FAILED \S*::(\S+)", done.stdout, re.MULTILINE)) == ["test_first[3]", "test_second[2]"]
