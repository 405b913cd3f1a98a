"""Write the output of the commands in the documents, or check that it is what they print now.

    python docs/update.py            write
    python docs/update.py --check    exit with 1 if a document is out of date

A block fenced as ``console`` whose lines start with ``$`` is run in the repository's folder; what the commands print
stands under each. Commands may use the programs of the environment that runs this script.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = (ROOT / "docs" / "walkthrough.md",)
_BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def updated(text: str) -> str:
    """A document with the present output of its commands."""
    return _BLOCK.sub(lambda match: _run_block(match[1]), text)


def _run_block(block: str) -> str:
    commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{_run(command)}" for command in commands)


def _run(command: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise SystemExit(f"{command}\nexits with {result.returncode}:\n{result.stderr}")
    return result.stdout.rstrip("\n") + "\n"


def main() -> int:
    """Update or check all documents."""
    stale = [document for document in DOCUMENTS if updated(document.read_text()) != document.read_text()]
    if "--check" in sys.argv[1:]:
        for document in stale:
            print(f"{document.relative_to(ROOT)} is out of date; run: python docs/update.py", file=sys.stderr)
        return 1 if stale else 0
    for document in stale:
        document.write_text(updated(document.read_text()))
        print(f"wrote {document.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
