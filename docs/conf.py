"""The documentation as a site: ``python -m sphinx -W -b html docs out/site``, without network.

The pages are those of this folder, as they are. Links that lead out of it become names of files; three pages come from
elsewhere: `contributing` is CONTRIBUTING.md, `reference` and the end of `ideas` are docstrings.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from pygments.lexers.asm import LlvmLexer

import hetc

ROOT = Path(__file__).resolve().parent.parent

project = "hetc"
copyright = "the authors of hetc; Apache-2.0"  # noqa: A001 (Sphinx's name)
version = hetc.__version__
html_title = "hetc"
extensions = ["myst_parser"]
exclude_patterns = ["**/README.md"]
html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
myst_heading_anchors = 3
nitpicky = True
# Mermaid needs a script from elsewhere: the site shows the text that it draws.
suppress_warnings = ["misc.highlighting_failure"]

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)+[^)\s#]*)(#[^)\s]*)?\)")
_FOLDER = re.compile(r"\[([^\]]*)\]\((?:adr|pictures)/?\)")
_CITATION = re.compile(r"\b(?:19[4-9]\d|20[0-2]\d)\b|\bHJ-OpenCL|\bMarawacc")
_SENTENCE = re.compile(r"(?<=[.:;)])(?<!al\.)(?<!ch\.)(?<!vs\.)\s+(?=[A-Z])")


def inside(text: str, folder: Path) -> str:
    """A page with links to files outside of the documentation as names of these files."""

    def shown(match: re.Match[str]) -> str:
        label, target, anchor = match.groups()
        path = (folder / target).resolve()
        if path == ROOT / "CONTRIBUTING.md":
            return f"[{label}]({'../' * len(folder.relative_to(ROOT / 'docs').parts)}contributing.md{anchor or ''})"
        if (ROOT / "docs") in path.parents:
            return match[0]
        name = str(path.relative_to(ROOT))
        return f"`{name}`" if label.strip("`") in name else f"{label} (`{name}`)"

    return _FOLDER.sub(r"\1", _LINK.sub(shown, text))


def contributing() -> str:
    """CONTRIBUTING.md, seen from this folder."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    text = re.sub(r"\]\(docs/", "](", text)
    return re.sub(r"\]\((?!\w+:|#)(?=(?:tests|examples|benchmarks|hetc)/)", "](../", text)


def reference() -> str:
    """What is public, with its docstrings."""
    parts: list[str] = []
    for name in sorted(hetc.__all__, key=str.lower):
        value = getattr(hetc, name)
        parts.append(f"\n## hetc.{name}\n\n{_described(name, value)}")
        if not inspect.isclass(value):
            continue
        for member, method in inspect.getmembers(value):
            if not member.startswith("_") and inspect.getdoc(method) and (inspect.isfunction(method)):
                parts.append(f"\n### {name}.{member}\n\n{_described(member, method)}")
    return "\n".join(parts)


def _described(name: str, value: object) -> str:
    try:
        signature = f"{name}{inspect.signature(value)}"  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        signature = name
    return f"```python\n{signature}\n```\n\n{fenced(inspect.getdoc(value) or '')}"


def fenced(docstring: str) -> str:
    """A docstring whose examples are code."""
    return re.sub(r"(?m)^((?:[ ]*)>>> (?:.+\n?)+)", lambda m: f"```pycon\n{m[1].rstrip()}\n```\n", docstring)


def citations() -> str:
    """The sentences of docstrings that name a source, by file."""
    rows = ["| where | what it says |", "|---|---|"]
    for path in sorted((ROOT / "hetc").rglob("*.py")):
        name = path.relative_to(ROOT)
        rows += [f"| `{name}` | {sentence} |" for sentence in _citing(path.read_text())]
    return "\n".join(rows)


def _citing(source: str) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(source)):
        docstring = ast.get_docstring(node) if isinstance(node, kinds) else None
        for paragraph in (docstring or "").split("\n\n"):
            if ">>>" in paragraph or "```" in paragraph:
                continue
            for sentence in _SENTENCE.split(" ".join(paragraph.split())):
                if _CITATION.search(sentence):
                    yield sentence.replace("|", "\\|")


PAGES = {"contributing": contributing, "reference": reference, "ideas": citations}
"""What the site adds to pages that are short in the repository."""


def read(_: object, page: str, source: list[str]) -> None:
    """Sphinx has read a page."""
    if page == "contributing":
        source[0] = contributing()
    elif page in PAGES:
        source[0] += "\n" + PAGES[page]()
    source[0] = inside(source[0], (ROOT / "docs" / page).parent).replace("```mermaid", "```text")


def setup(app: object) -> None:
    """Sphinx starts."""
    app.add_lexer("mlir", LlvmLexer)  # pyright: ignore[reportAttributeAccessIssue]
    app.connect("source-read", read)  # pyright: ignore[reportAttributeAccessIssue]
