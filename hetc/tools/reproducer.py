"""Crash reproducers: the IR that made a pass fail, in a file whose first line is the command that does it again."""

from __future__ import annotations

import os
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from hetc.tools.mlir_output import has_locations, printed


@dataclass(frozen=True)
class Failure:
    """A pass that failed on a module; a `crash` is no refusal that the pass means, but a bug in it."""

    module: ModuleOp
    spec: str
    error: str
    crash: bool


def write_reproducer(failure: Failure, path: Path | None, options: str = "") -> str:
    """Write the module to a file, a new temporary one if None, and return the command that runs the pass again.

    `options` are what the command needs besides the pass.
    """
    if path is None:
        handle, name = tempfile.mkstemp(prefix="hetc-opt-", suffix=".mlir")
        os.close(handle)
        path = Path(name)
    run = f"-p {shlex.quote(failure.spec)}{options}"
    first_line = failure.error.partition("\n")[0]
    text = printed(failure.module, locations=has_locations(failure.module))
    path.write_text(f"// RUN: hetc-opt %s {run}\n/// {first_line}\n\n{text}")
    return f"hetc-opt {shlex.quote(str(path))} {run}"
