"""The spelling of FileCheck directives: `filecheck` takes one that it does not know for a comment, and checks nothing.

In a FileCheck test, a comment that starts with `//` (`#` in Python) is a directive, a `RUN:` line, or the separator of
cases; sentences for people start with `///` (`##` in Python).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FILECHECK = Path(__file__).resolve().parents[1] / "filecheck"
TESTS = sorted(p for p in FILECHECK.rglob("*") if p.suffix in (".mlir", ".py") and p.name != "lit.cfg.py")

COMMENT = re.compile(r"^\s*(?://(?!/)|#(?!#))(.*)$")
DIRECTIVE = re.compile(r"\s*(?P<prefix>[A-Z][A-Z0-9_]*?)(-(DAG|COUNT-\d+|NOT|EMPTY|NEXT|SAME|LABEL))?(\{LITERAL\})?:")
LIT = re.compile(r"\s*((RUN|REQUIRES|UNSUPPORTED|XFAIL):|-----\s*$)")


def mistakes(text: str) -> list[str]:
    """The comments of a FileCheck test that are neither a directive with a prefix in use, nor lit's, nor prose."""
    commands = "\n".join(re.findall(r"RUN:(.*)", text)).replace("\\\n", " ")
    prefixes: set[str] = set()
    for options in re.findall(r"\bfilecheck\b([^|\n]*)", commands):
        named = re.search(r"--check-prefix(?:es)?[= ]([\w,]+)", options)
        prefixes.update(named[1].split(",") if named else ["CHECK"])
    found: list[str] = []
    used: set[str] = set()
    for line in text.splitlines():
        comment = COMMENT.match(line)
        if comment is None or LIT.match(comment[1]):
            continue
        directive = DIRECTIVE.match(comment[1])
        if directive is None or directive["prefix"] not in prefixes:
            found.append(line)
        else:
            used.add(directive["prefix"])
    return found + [f"nothing checks {prefix}" for prefix in sorted(prefixes - used)]


@pytest.mark.parametrize("path", TESTS, ids=lambda p: str(p.relative_to(FILECHECK)))
def test_directives_are_spelled_right(path: Path):
    text = path.read_text()
    assert "RUN:" in text
    assert mistakes(text) == []


@pytest.mark.parametrize(
    "line",
    [
        "CHECK-NXT: a",
        "CHECK-NEXT a",
        "CHEK: a",
        "check: a",
        "CHECK_NEXT: a",
        "CHECK-COUNT: a",
        "CHECK-NEXT : a",
        "C: a",
    ],
)
def test_a_misspelt_directive_is_found(line: str):
    good = "// RUN: hetc-opt %s | filecheck %s\n// CHECK: a\n/// A sentence: with a colon.\n// -----\n"
    assert mistakes(good) == []
    assert mistakes(f"{good}// {line}\n") == [f"// {line}"]
