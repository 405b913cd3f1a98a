"""The tutorial of a first pass, run as it is written: every file is written, every command run."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.packages import ROOT

FILES = re.compile(r"^`([\w/.-]+)`:\n\n```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def run_tutorial(
    folder: Path, environment: Mapping[str, str], install: Callable[[Path], Mapping[str, str] | None]
) -> int:
    """Run the commands in a folder; how many there were. Raises AssertionError for one that fails.

    `install` installs the package, and may give a new environment.
    """
    text = (ROOT / "docs/tutorial/your-first-pass.md").read_text()
    steps = re.split(r"^(?=```sh\n)|(?<=^```\n)", text, flags=re.MULTILINE)
    package, commands, where = folder / "tidy-numbers", 0, folder
    for step in steps:
        for path, content in FILES.findall(step):
            assert (package / path).exists() or path == "scale.py"
            (package / path).write_text(content)
        if not step.startswith("```sh\n"):
            continue
        script = step.removeprefix("```sh\n").partition("```")[0]
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, cwd=where, env=dict(environment)
        )
        assert result.returncode == 0, script + result.stdout + result.stderr
        commands += script.count("\n")
        if where == folder:
            where = package
            environment = install(package) or environment
    return commands
