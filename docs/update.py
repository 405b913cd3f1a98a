"""Write what is generated in the documents, or check that it is what would be written now.

    python docs/update.py            write
    python docs/update.py --check    exit with 1 if a document is out of date

A block fenced as ``console`` whose lines start with ``$`` is run in the repository's folder; what the commands print
stands under each. A block under the name of a file of `examples` shows that file. Commands may use the programs of the
environment that runs this script. `diagnostics.md` is written from the table in `hetc/diagnostics.py`, `dialects.md`
and `passes.md` from docstrings and the pipeline, `gallery.md` from the programs in `examples/gallery`.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from hetc.diagnostics import Category
from hetc.tools import reference

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = (
    ROOT / "docs" / "walkthrough.md",
    ROOT / "docs" / "tools.md",
    ROOT / "docs" / "tutorial" / "your-first-dialect.md",
)
DIAGNOSTICS = ROOT / "docs" / "diagnostics.md"
DIALECTS = ROOT / "docs" / "dialects.md"
PASSES = ROOT / "docs" / "passes.md"
GALLERY = ROOT / "docs" / "gallery.md"
_SHOWN = re.compile(r"(?<=^`)(examples/[\w/.-]+)(`:\n\n```\w+\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def updated(text: str) -> str:
    """A document with the present output of its commands, and the present text of the examples that it shows."""
    text = _SHOWN.sub(lambda match: match[1] + match[2] + (ROOT / match[1]).read_text(), text)
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


def diagnostics() -> str:
    """The page about the codes that messages begin with: a table, then a section a code."""
    titles = [f"| [{c.code}](#{c.code.lower()}) | {c.value.title} |" for c in Category]
    return "\n".join([_DIAGNOSTICS_HEAD, "| code | about |", "|---|---|", *titles, *map(_diagnosis, Category)]) + "\n"


_DIAGNOSTICS_HEAD = """\
# Diagnostics: the codes in hetc's messages

Each error and each warning begins with a code, which also stands in the error's attribute `code`. A code keeps its
meaning in later versions. The text after it names the place and the reason. The filters of Python's `warnings` work on
codes: `warnings.filterwarnings("ignore", message="HETC0001")` silences one, `python -W "ignore:HETC0001"` does so from
the command line. `hetc.configure(fallback="error")` turns each `FallbackWarning` into the error that it stands for.

This page is written by `docs/update.py` from `hetc/diagnostics.py`.
"""


def _diagnosis(category: Category) -> str:
    row = category.value
    example = f"\n\n```python\n{row.example}\n```" if row.example else ""
    title = row.title[0].upper() + row.title[1:]
    meaning, advice = textwrap.fill(f"*{title}.* {row.meaning}", 120), textwrap.fill(row.advice, 120)
    return f"\n## {category.code}\n\n{meaning}\n\n{advice}{example}"


_GALLERY_HEAD = """\
# Gallery

Twelve programs, each under 40 lines. All run on the device from end to end, without going back to Python for an
element. Each gives what a plain version of it gives, in NumPy or Python, which stands beside it in `examples/gallery`;
tests check both. `python -m examples.gallery` draws the pictures on your device.

This page is written by `docs/update.py` from the programs.
"""


def gallery() -> str:
    """The page that shows the programs of the gallery, each with its picture."""
    sys.path.insert(0, str(ROOT))
    from examples.gallery import GALLERY as PROGRAMS

    return "\n".join([_GALLERY_HEAD, *map(_shown_program, PROGRAMS)])


def _shown_program(name: str) -> str:
    """A program as a user writes it: its file without the plain version and the picture."""
    text = (ROOT / "examples" / "gallery" / f"{name}.py").read_text()
    module = ast.parse(text)
    lines = text.splitlines(keepends=True)
    for statement in reversed(module.body):
        if isinstance(statement, ast.FunctionDef) and statement.name in ("plain", "picture"):
            del lines[statement.lineno - 1 : statement.end_lineno]
    code = re.sub(r"\n{4,}", "\n\n\n", "".join(lines[module.body[0].end_lineno :])).strip()
    code = code.removeprefix("from __future__ import annotations\n\n")
    title, _, rest = (ast.get_docstring(module) or "").partition("\n")
    name_, _, about = title.partition(": ")
    told = "\n".join(filter(None, [about[:1].upper() + about[1:], rest]))
    shown = f"![{title}](pictures/gallery/{name}.png)"
    return f"## {name_ if about else title}\n\n{told}\n\n{shown}\n\n```python\n{code}\n```\n"


def main() -> int:
    """Update or check all documents."""
    wanted = {document: updated(document.read_text()) for document in DOCUMENTS}
    wanted |= {
        DIAGNOSTICS: diagnostics(),
        DIALECTS: reference.dialects(),
        PASSES: reference.passes(),
        GALLERY: gallery(),
    }
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for document in stale:
            print(f"{document.relative_to(ROOT)} is out of date; run: python docs/update.py", file=sys.stderr)
        return 1 if stale else 0
    for document in stale:
        document.write_text(wanted[document])
        print(f"wrote {document.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
