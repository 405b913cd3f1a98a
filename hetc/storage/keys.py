"""All that a package follows from, as one digest: calls with the same one run the same kernels, in any process.

It is a digest of

* the compiler: hetc's own files, xDSL's and NumPy's versions, Python's;
* the functions, and those that they call: their code, default values, and the files that they stand in;
* what the names in them mean (the key of a `Resolution`);
* the composition, the types of inputs and captured variables, and what the call is compiled for;
* the settings, and the device with its driver;
* what earlier runs have taught: where not to speculate any more.

What has no such digest is not stored: programs with objects, whose classes may be changed in too many ways, and
whatever other packages add. Which branches a sample of the data takes is no part of it: a kernel that leaves one out
finds out when an element takes it.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from hetc.extensions import extensions
from hetc.frontends.loops.host_names import CallFacts
from hetc.frontends.loops.host_values import Value
from hetc.frontends.loops.rewrite import HostFunction
from hetc.frontends.python.closure import Resolution, reachable
from hetc.frontends.python.source import source_of
from hetc.frontends.skeleton.composition import Stages
from hetc.runtime.devices import Device
from hetc.settings import Settings
from hetc.storage.fingerprints import Fingerprint, UnstableError, digest_of

_NOT_COMPILED_FOR = frozenset({"device", "offload", "threshold", "fallback", "cache", "cache_size", "cache_dir"})
"""The settings that say where a call runs, and not what it is compiled to."""
_HANDLES = frozenset({"handle", "_objects", "_more_queues"})
"""What a device has for this process only."""


def call_key(
    stages: Stages, facts: Mapping[str, object], resolution: Resolution, device: Device, settings: Settings
) -> str | None:
    """The digest of a call; `facts` are what else the compiler is told. None for a call that is not stored."""
    if resolution.program is not None or extensions():
        return None
    found = Fingerprint()
    try:
        found.add(compiler())
        found.add(facts)
        found.add([getattr(device, f.name) for f in fields(device) if f.name not in _HANDLES])
        found.add(_compiled_for(settings))
        found.add(list(_stages(stages)))
        found.add(resolution.key)
        found.add([resolution.index_arrays, list(resolution.captures)])
        for function in reachable(resolution.functions):
            plain = function.function
            found.add([plain.__code__, plain.__defaults__, plain.__kwdefaults__, function.symbol])
            found.add([list(function.bindings), source_digest(source_of(plain))])
    except (UnstableError, OSError, ImportError):  # hetc or xDSL may be where nothing can be told of their files
        return None
    return found.text


def host_plan_key(host: HostFunction, facts: CallFacts, settings: Settings) -> str | None:
    """The digest of a call of a function with parallel loops, as far as its host code is planned; None as above."""
    if extensions():
        return None
    found = Fingerprint()
    try:
        found.add(["host plan", compiler(), _compiled_for(settings)])
        found.add([host.original.__code__, source_digest(source_of(host.original)), _dump(host.node)])
        found.add([[(name, _named(value)) for name, value in part] for part in (facts.arguments, facts.globals)])
        found.add(facts.overlaps)
        for loop in host.loops:
            body = None if loop.body is None else [loop.body.code, _dump(loop.body.syntax)]
            refused = None if loop.refused is None else str(loop.refused)
            found.add([loop.place, loop.rank, body, loop.reductions, loop.needs_last, refused])
    except (UnstableError, OSError, ImportError):
        return None
    return found.text


def _dump(node: ast.AST) -> str:
    return ast.dump(node, include_attributes=True)


def _named(value: Value) -> tuple[object, ...]:
    """What is known of a value, with a known function by its name. Raises UnstableError for another one."""
    found: Any = value.function
    if isinstance(found, ModuleType):
        known, name = sys.modules.get(found.__name__), (found.__name__,)
    elif found is not None:
        name = (str(found.__module__), str(found.__name__))
        known = getattr(sys.modules.get(name[0], np if isinstance(found, np.ufunc) else None), name[1], None)
    else:
        known, name = None, ()
    if known is not found:
        raise UnstableError(f"the function {name}")
    return value.kind, value.rank, value.roots, name


def _compiled_for(settings: Settings) -> dict[str, object]:
    return {f.name: getattr(settings, f.name) for f in fields(settings) if f.name not in _NOT_COMPILED_FOR}


def _stages(stages: Stages) -> Iterator[object]:
    """The composition without its functions and arrays: those are what names mean, and captured variables."""
    for stage in stages:
        yield type(stage)
        for field in fields(stage):
            value = getattr(stage, field.name)
            if callable(value) or field.name in ("indices", "keys"):
                value = value is not None
            yield value


@functools.lru_cache(maxsize=64)
def source_digest(source: tuple[str, ...]) -> str:
    """The digest of lines of text."""
    return digest_of(source)


@functools.cache
def compiler() -> str:
    """The digest of all that turns a call into a package."""
    python = sys.version, os.uname().machine if hasattr(os, "uname") else sys.platform, sys.flags.optimize
    files = "\n".join(f"{name} {size} {time}" for name, size, time in files_of(Path(__file__).parents[1]))
    return digest_of((python, np.__version__, installed("xdsl"), files))


def installed(name: str) -> str:
    """The version of a package, and the digests of its files as they were installed.

    Raises UnstableError for one that is being worked on, where they are.
    """
    found = distribution(name)
    record, origin = found.read_text("RECORD"), found.read_text("direct_url.json")
    if record is None or (origin is not None and json.loads(origin).get("dir_info", {}).get("editable")):
        raise UnstableError(f"the package {name}, whose files may change")
    return f"{found.version}\n{record}"


def files_of(folder: Path) -> Iterator[tuple[str, int, int]]:
    """The Python files in a folder and those below it: name, size, and time of the last change in nanoseconds."""
    found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    for entry in found:
        if entry.is_dir() and entry.name != "__pycache__":
            yield from ((f"{entry.name}/{name}", size, time) for name, size, time in files_of(Path(entry.path)))
        elif entry.name.endswith(".py"):
            status = entry.stat()
            yield entry.name, status.st_size, status.st_mtime_ns
