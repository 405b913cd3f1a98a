"""`hetc new`: a pass or a dialect with its tests, in hetc or in a package of one's own, and such a package.

::

    hetc new package fixed-point          a folder fixed-point with an empty package, to be installed
    cd fixed-point
    hetc new dialect fixed                its dialect, with a round trip and a test of what it refuses
    hetc new pass lower-fixed             its pass, with a test
    lit tests/filecheck                   they pass as written

A pass or dialect is written into the package that the `pyproject.toml` of the current folder names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from xdsl.universe import Universe

from hetc.errors import HetcError
from hetc.tools import templates

_PASS_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_DIALECT_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class ScaffoldError(HetcError):
    """What is to be written cannot be."""


def new_package(name: str, folder: Path) -> list[Path]:
    """Write an empty package into a new folder, and return the files. Raises ScaffoldError."""
    _check_name("package", name, _PASS_NAME)
    package = name.replace("-", "_")
    texts = {
        "pyproject.toml": templates.PYPROJECT,
        f"{package}/__init__.py": "",
        f"{package}/universe.py": templates.UNIVERSE,
        f"{package}/extension.py": templates.EXTENSION,
        "tests/filecheck/lit.cfg.py": templates.LIT_CONFIG,
    }
    return _write(texts, folder / name, {"NAME": name, "PACKAGE": package})


def new_pass(name: str, folder: Path) -> list[Path]:
    """Write a pass and its test into the package of a folder, and return the files. Raises ScaffoldError."""
    _check_name("pass", name, _PASS_NAME)
    if name in Universe.get_multiverse().all_passes:
        raise ScaffoldError(f"there is a pass {name} already")
    module = name.replace("-", "_")
    texts = {
        f"{package_of(folder)}/passes/{module}.py": templates.PASS,
        f"tests/filecheck/passes/{name}.mlir": templates.PASS_TEST,
    }
    return _write(texts, folder, {"NAME": name, "CLASS": "".join(map(str.capitalize, name.split("-")))})


def new_dialect(name: str, folder: Path) -> list[Path]:
    """Write a dialect and its tests into the package of a folder, and return the files. Raises ScaffoldError."""
    _check_name("dialect", name, _DIALECT_NAME)
    if name in Universe.get_multiverse().all_dialects:
        raise ScaffoldError(f"there is a dialect {name} already")
    texts = {
        f"{package_of(folder)}/dialects/{name}.py": templates.DIALECT,
        f"tests/filecheck/dialects/{name}.mlir": templates.DIALECT_TEST,
        f"tests/filecheck/dialects/{name}-invalid.mlir": templates.DIALECT_INVALID,
    }
    return _write(texts, folder, {"NAME": name, "CONSTANT": name.upper()})


def package_of(folder: Path) -> str:
    """The package that the `pyproject.toml` of a folder names. Raises ScaffoldError."""
    path = folder / "pyproject.toml"
    if not path.is_file():
        raise ScaffoldError(
            f"there is no pyproject.toml in {folder}",
            hint="go to the folder of a package, or make one: hetc new package NAME",
        )
    try:
        name = str(tomllib.loads(path.read_text())["project"]["name"])
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise ScaffoldError(f"{path} names no project: {error}") from None
    package = name.replace("-", "_")
    if not (folder / package).is_dir():
        raise ScaffoldError(f"{path} names the project {name}, but there is no folder {package} beside it")
    return package


def _check_name(what: str, name: str, pattern: re.Pattern[str]) -> None:
    if pattern.fullmatch(name) is None:
        style = "lower_case" if pattern is _DIALECT_NAME else "kebab-case"
        raise ScaffoldError(f"{name!r} is no name for a {what}: lower-case letters and digits, in {style}")


def _write(texts: Mapping[str, str], folder: Path, names: Mapping[str, str]) -> list[Path]:
    """Write all files or none."""
    paths = [folder / path for path in texts]
    for path in paths:
        if path.exists():
            raise ScaffoldError(f"{path} is there already")
    for path, text in zip(paths, texts.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(re.sub("@([A-Z]+)@", lambda mark: names[mark[1]], text))
    return paths
