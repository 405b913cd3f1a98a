"""How lit runs the FileCheck tests: `lit tests/filecheck`, or any file or folder below it.

Commands in `RUN:` lines (`hetc-opt`, `xdsl-opt`, `filecheck`) are those of the environment that runs lit. A start of
`hetc-opt` costs half a second, so a file holds many cases, parted by `// -----`, and runs with `--split-input-file`.
"""

import os
import sys
from pathlib import Path

import lit.formats

repository = Path(__file__).resolve().parents[2]

config.name = "hetc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(repository / "out" / "lit")
config.suffixes = [".mlir", ".py"]
config.excludes = ["lit.cfg.py"]

config.environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), config.environment["PATH"]])
# The hetc of this tree, even if another is installed.
config.environment["PYTHONPATH"] = str(repository)
config.substitutions.append(("%examples", str(repository / "examples")))
