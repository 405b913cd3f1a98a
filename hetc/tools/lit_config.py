"""lit's configuration for FileCheck tests, to be used by other packages, too.

A `lit.cfg.py` beside the tests says::

    from hetc.tools.lit_config import configure

    configure(config, __file__, package="../..")

Then `lit FOLDER` runs the `RUN:` lines of all `.mlir` and `.py` files below it. The commands `hetc-opt`, `hetc-run`,
`xdsl-opt` and `filecheck` in them are those of the environment that runs lit. A start of `hetc-opt` costs half a
second, so a file holds many cases, parted by `// -----`, and runs with `--split-input-file`; and in hetc's own tests it
is not started anew for each file (`lit_format`).
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

from hetc.tools.lit_format import ForkingTest


def configure(config: Any, file: str, *, package: str) -> None:
    """Set up lit's `config` for the tests beside `file`, of the package in the folder `package`, seen from there.

    The package is imported from that folder, even if another copy of it is installed; its entry points are those that
    are installed, so a package with entry points has to be (`pip install --editable .`). In tests, `%package` is the
    folder. What tests write (`%t`) lies in `out/lit` in it.
    """
    # By name: lit has no types, and only those who run tests have lit.
    formats: Any = importlib.import_module("lit.formats")
    tests = Path(file).resolve().parent
    root = (tests / package).resolve()
    config.name = root.name
    shell: Any = formats.ShTest(execute_external=False)
    own = Path(__file__).resolve().is_relative_to(root) and hasattr(os, "fork")
    config.test_format = ForkingTest(shell) if own else shell
    config.test_source_root = str(tests)
    config.test_exec_root = str(root / "out" / "lit")
    config.suffixes = [".mlir", ".py"]
    config.excludes = ["lit.cfg.py"]
    programs = [str(Path(sys.executable).parent), config.environment["PATH"]]
    config.environment["PATH"] = os.pathsep.join(programs)
    modules = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    config.environment["PYTHONPATH"] = os.pathsep.join(modules)
    config.substitutions.append(("%package", str(root)))
