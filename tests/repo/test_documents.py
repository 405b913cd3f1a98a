"""Documents against the repository: paths and names that exist, commands that run, nothing of one machine."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
IGNORED = re.compile(r"__pycache__|out|build|dist|\.(?!ci$|gitignore$).*")
KINDS = {".py", ".md", ".mlir", ".toml", ".cl", ".yml", ".cfg", ""}
FILES = sorted(
    p
    for p in REPOSITORY.rglob("*")
    if p.is_file() and p.suffix in KINDS and not any(map(IGNORED.fullmatch, p.relative_to(REPOSITORY).parts))
)
PATHS = {str(p.relative_to(REPOSITORY)) for p in FILES}
FOLDERS = {str(parent) for path in PATHS for parent in Path(path).parents}
DOCUMENTS = [p for p in FILES if p.suffix == ".md"]
READ_FIRST = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]  # the walkthrough's output is generated
PROSE = [p for p in FILES if p.suffix in (".md", ".py") and (p.suffix == ".md" or "hetc" in p.parts[-4:])]
IDENTIFY = {"ids": lambda p: str(p.relative_to(REPOSITORY))}

QUOTED = re.compile(r"(?<!`)`([^`\s]+)`(?!`)")
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Written so that this file does not find itself.
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|home|Users|farm)/")
SOMETHING_TO_DO = re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b(?!\(\w+\))")


def exists(path: str) -> bool:
    """Whether a path, from the root or from any folder, names a file or folder of the repository."""
    path = path.rstrip("/")
    return any(known == path or known.endswith(f"/{path}") for known in PATHS | FOLDERS)


def looks_like_path(text: str) -> bool:
    """Whether quoted text claims to be a path of this repository, rather than a pattern or a place elsewhere."""
    if re.search(r"[<>*{}()$=~%]|^/|^https?:|\.\.|FILE|NAME", text):
        return False
    first, slash, _ = text.partition("/")
    return bool(slash and first in FOLDERS) or (Path(text).suffix in KINDS - {"", ".cl"} and text[0] != ".")


def resolves(name: str) -> bool:
    """Whether a dotted name is a module of hetc or something in one."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            fields: dict[str, object] = getattr(value, "__dataclass_fields__", {})
            if not hasattr(value, part) and part not in fields:
                return False
            value = getattr(value, part, None)
        return True
    return False


def commands(document: Path) -> Iterator[tuple[str, str]]:
    """The commands of the console blocks of a document, each with the output that it shows."""
    for block in CONSOLE.findall(document.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.replace("\\\n", " ").partition("\n")
            yield command, output


@pytest.mark.parametrize("path", PROSE, **IDENTIFY)
def test_paths_exist(path: Path):
    made = set(re.findall(r"^`([\w/.-]+)`:$", path.read_text(), re.MULTILINE))  # files that a document itself writes
    quoted = {re.sub(r":\w+$", "", text) for text in QUOTED.findall(path.read_text())} - made
    assert sorted(text for text in quoted if looks_like_path(text) and not exists(text)) == []


@pytest.mark.parametrize("path", PROSE, **IDENTIFY)
def test_names_exist(path: Path):
    quoted = {re.split(r"[(\[]", text)[0] for text in QUOTED.findall(path.read_text()) if text.startswith("hetc.")}
    assert sorted(name for name in quoted if re.fullmatch(r"[\w.]+", name) and not resolves(name)) == []


@pytest.mark.parametrize("path", DOCUMENTS, **IDENTIFY)
def test_links_lead_somewhere(path: Path):
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text())]
    local = [link for link in links if link and not re.match(r"\w+:", link)]
    assert [link for link in local if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, **IDENTIFY)
def test_make_targets_exist(path: Path):
    targets = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    text = path.read_text()
    named = re.findall(r"`make ([a-z]+)", text) + re.findall(r"^(?:\$ )?make ([a-z]+)", text, re.MULTILINE)
    assert sorted(set(named) - targets) == []


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(*c, id=f"{p.name}: {c[0]}") for p in READ_FIRST for c in commands(p) if c[0].startswith("hetc")],
)
def test_commands_print_what_the_document_shows(command: str, output: str):
    """`...` in the document stands for anything. The parts of a pipe are run one after the other."""
    printed = ""
    for part in command.split(" | "):
        program, *arguments = shlex.split(part)
        result = subprocess.run(
            [str(Path(sys.executable).parent / program), *arguments],
            input=printed,
            capture_output=True,
            text=True,
            cwd=REPOSITORY,
        )
        printed = result.stdout
        assert result.returncode == 0, result.stderr
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if output.strip() and not doctest.OutputChecker().check_output(output, printed, flags):
        pytest.fail(f"{command}\nprints\n{printed}\nbut the document shows\n{output}")


@pytest.mark.parametrize("path", FILES, **IDENTIFY)
def test_nothing_of_one_machine_and_nothing_unowned(path: Path):
    text = path.read_text()
    assert MACHINE.findall(text) == []
    assert SOMETHING_TO_DO.findall(text) == []
