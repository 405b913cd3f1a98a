"""Docstrings that say something: ops show their syntax, passes say what they need, leave, do and refuse."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hetc.tools.universe import HETC_UNIVERSE

REPOSITORY = Path(__file__).resolve().parents[2]
MODULES = sorted((REPOSITORY / "hetc").rglob("*.py"))
OPS = {
    op.name: op for name in sorted(HETC_UNIVERSE.all_dialects) for op in HETC_UNIVERSE.all_dialects[name]().operations
}
EMPTY_WORDS = set(re.findall(r"\w+", "a an and are as at be by for from in is it of on or that the this to with"))


def words(text: str) -> set[str]:
    """The words of a text or a name, in lower case and without those that carry nothing."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return set(re.findall(r"[a-z0-9]+", text.lower())) - EMPTY_WORDS


def public_definitions(path: Path) -> Iterator[tuple[str, str]]:
    """The name and docstring of each public function and class at the top of a module; overloads have none."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if any(isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in node.decorator_list):
                continue
            yield node.name, ast.get_docstring(node) or ""


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_public_definitions_say_more_than_their_name(path: Path):
    """A law, `before -> after`, says enough; so does a Python expression."""
    definitions = [(name, text) for name, text in public_definitions(path) if "->" not in text and "`" not in text]
    assert [name for name, text in definitions if not words(text) - words(name)] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_modules_say_what_they_are_for(path: Path):
    tree = ast.parse(path.read_text())
    if tree.body:
        assert len(words(ast.get_docstring(tree) or "")) >= 4


@pytest.mark.parametrize("name", sorted(OPS))
def test_ops_show_their_syntax(name: str):
    docstring = inspect.getdoc(OPS[name]) or ""
    examples = re.findall(r"```mlir\n(.*?)```", docstring, re.DOTALL)
    assert any(name in example for example in examples)


@pytest.mark.parametrize("name", sorted(HETC_UNIVERSE.all_passes))
def test_passes_say_what_they_do(name: str):
    found = HETC_UNIVERSE.all_passes[name]()
    docstring = f"{sys.modules[found.__module__].__doc__}\n{inspect.getdoc(found)}"
    for part in (r"\bNeeds\b", r"\bLeaves\b", r"^\s*1\. ", r"\b(Refuses|Cost)\b"):
        assert re.search(part, docstring, re.MULTILINE), f"no {part} in the docstring of {name}"
