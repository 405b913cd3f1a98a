"""What hetc adds to xDSL's tools: its dialects, passes, target and frontend, found by file name.

`xdsl-opt`, `hetc-opt` and every other xDSL tool find `HETC_UNIVERSE` through the entry point group `xdsl.universe`.
There is no registry to edit. In a package, names say everything:

=============================== =================== ================================================
file                            gives               and holds
=============================== =================== ================================================
`<package>/passes/fuse_maps.py` the pass fuse-maps  one `ModulePass` with that `name`
`<package>/dialects/skel.py`    the dialect skel    a `Dialect` in the constant `SKEL`
`<package>/backends/opencl/`    the target opencl   a `Target` with that `name` in a module `target`
=============================== =================== ================================================

Another package gets the same for its own folders with one line, `MY_UNIVERSE = universe_of("my_package")`, and an
entry point of its own. Folders below `passes` and `dialects`, and files whose names start with an underscore, are not
looked at: a large pass keeps its parts there.

Precondition of everything here: tools load this module several times at each start, so it lists folders and imports
nothing. A pass, a dialect or a target is imported when it is used.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target

from hetc.errors import HetcError

Named = TypeVar("Named", bound=ModulePass | Target)


class UniverseError(HetcError, ImportError):
    """A file does not hold the dialect, pass or target that its name promises."""


def universe_of(package: str, *, frontends: dict[str, Callable[[], type[Frontend]]] | None = None) -> Universe:
    """Everything that the folders `dialects`, `passes` and `backends` of `package` hold, without importing any of it.

    Raises `ModuleNotFoundError` if there is no such package. A folder that is missing gives nothing.

    >>> "box-elimination" in universe_of("hetc").all_passes
    True
    >>> universe_of("hetc").all_dialects["skel"]().name
    'skel'
    """
    return Universe(
        all_dialects={stem: _dialect(f"{package}.dialects.{stem}") for stem in _files(package, "dialects")},
        all_passes={
            _kebab(stem): _class_named(_kebab(stem), f"{package}.passes.{stem}", ModulePass)
            for stem in _files(package, "passes")
        },
        all_targets={
            _kebab(stem): _class_named(_kebab(stem), f"{package}.backends.{stem}.target", Target)
            for stem in _files(package, "backends")
        },
        all_frontends=frontends,
    )


def _files(package: str, folder: str) -> Iterator[str]:
    """The names of the modules in one folder of a package (of the packages in `backends`), in alphabetical order."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise ModuleNotFoundError(f"no package named {package!r}", name=package)
    for root in spec.submodule_search_locations or ():
        for module in pkgutil.iter_modules([str(Path(root) / folder)]):
            if not module.name.startswith("_") and module.ispkg == (folder == "backends"):
                yield module.name


def _kebab(stem: str) -> str:
    return stem.replace("_", "-")


def _dialect(module_name: str) -> Callable[[], Dialect]:
    """A function that imports the module and returns the dialect in its upper-case constant."""
    constant = module_name.rpartition(".")[2].upper()

    def load() -> Dialect:
        dialect: object = getattr(importlib.import_module(module_name), constant, None)
        if not isinstance(dialect, Dialect):
            raise UniverseError(f"{module_name} must define {constant}, an xDSL Dialect")
        return dialect

    return load


def _class_named(name: str, module_name: str, base: type[Named]) -> Callable[[], type[Named]]:
    """A function that imports the module and returns the class in it that is a `base` and has this `name`."""

    def load() -> type[Named]:
        for candidate in _classes(importlib.import_module(module_name)):
            if issubclass(candidate, base) and vars(candidate).get("name") == name:
                return candidate
        raise UniverseError(f'{module_name} must define a {base.__name__} with name = "{name}"')

    return load


def _classes(module: ModuleType) -> Iterator[type]:
    """The classes that a module defines itself."""
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def _python_frontend() -> type[Frontend]:
    from hetc.tools.python_input import PythonFrontend

    return PythonFrontend


HETC_UNIVERSE = universe_of("hetc", frontends={"py": _python_frontend})
"""hetc's own dialects, passes, target, and the frontend for files that end in `.py`."""
