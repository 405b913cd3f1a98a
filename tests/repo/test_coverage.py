"""Each op, attribute and pass has its FileCheck tests, and each message of a verifier is shown by one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.universe import Universe

from hetc.tools.universe import HETC_UNIVERSE

REPOSITORY = Path(__file__).resolve().parents[2]
FILECHECK = REPOSITORY / "tests" / "filecheck"
DIALECTS = sorted(HETC_UNIVERSE.all_dialects)


def ops_in(path: Path) -> set[str]:
    """The names of the ops in a file of cases parted by `// -----`."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    cases = path.read_text().split("// -----")
    return {op.name for case in cases for op in Parser(context, case, str(path)).parse_module().walk()}


def messages_in(path: Path, exception: str) -> Iterator[str]:
    """For each `raise exception(...)` of a file, the longest part of its message that is always the same."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[message, *_])) if name == exception:
                parts = [n.value for n in ast.walk(message) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
                if parts:
                    yield max(parts, key=len).strip()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_op_has_a_round_trip(dialect: str):
    tested = ops_in(FILECHECK / "dialects" / f"{dialect}.mlir")
    assert sorted({op.name for op in HETC_UNIVERSE.all_dialects[dialect]().operations} - tested) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_attribute_has_a_round_trip(dialect: str):
    text = (FILECHECK / "dialects" / f"{dialect}.mlir").read_text()
    names = {attribute.name for attribute in HETC_UNIVERSE.all_dialects[dialect]().attributes}
    # An attribute of one op may be printed without its name, as a bare word; then the op's test shows it.
    types = {name for name in names if f"!{name}" in text or f"#{name}" in text}
    opaque = {a.name for a in HETC_UNIVERSE.all_dialects[dialect]().attributes if a.__name__.endswith("Attr")}
    assert sorted(names - types - opaque) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_message_of_a_verifier_is_shown(dialect: str):
    messages = list(messages_in(REPOSITORY / "hetc/dialects" / f"{dialect}.py", "VerifyException"))
    invalid = FILECHECK / "dialects" / f"{dialect}-invalid.mlir"
    text = invalid.read_text() if messages or invalid.exists() else ""
    assert [message for message in messages if message not in text] == []


@pytest.mark.parametrize("name", sorted(HETC_UNIVERSE.all_passes))
def test_every_pass_has_a_test(name: str):
    assert (FILECHECK / "passes" / f"{name}.mlir").is_file()


def test_no_test_without_a_subject():
    passes, dialects = set(HETC_UNIVERSE.all_passes), set(HETC_UNIVERSE.all_dialects)
    for path in FILECHECK.glob("passes/*.mlir"):
        assert path.stem.removesuffix("-invalid") in passes, f"{path.name} is named after no pass"
    for path in FILECHECK.glob("dialects/*.mlir"):
        assert path.stem.removesuffix("-invalid") in dialects, f"{path.name} is named after no dialect"
