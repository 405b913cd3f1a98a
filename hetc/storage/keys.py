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

import functools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np

from hetc.extensions import extensions
from hetc.frontends.python.closure import Resolution, reachable
from hetc.frontends.python.source import source_of
from hetc.frontends.skeleton.composition import Stages
from hetc.runtime.devices import Device
from hetc.settings import Settings
from hetc.storage.fingerprints import Fingerprint, UnstableError, digest_of

_NOT_COMPILED_FOR = frozenset(
    {
        "device", "offload", "threshold", "fallback", "cache", "cache_size", "cache_dir", "progress", "candidates",
        "tuning",
    }
)  # fmt: skip
"""The settings that say where a call runs and what is told of it, and not what it is compiled to."""
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
        found.add(facts_of(device))
        found.add(compiled_for(settings))
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


def facts_of(device: Device) -> list[object]:
    """What a device is, with its driver, in any process."""
    return [getattr(device, f.name) for f in fields(device) if f.name not in _HANDLES]


def compiled_for(settings: Settings) -> dict[str, object]:
    """The settings that code is compiled for, by name."""
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
    from importlib.metadata import distribution

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
