"""All that the plan of a function's host code follows from, as one digest, as `keys.py` makes it of a call."""

from __future__ import annotations

import ast
import sys
from types import ModuleType
from typing import Any

import numpy as np

from hetc.extensions import extensions
from hetc.frontends.loops.host_names import CallFacts
from hetc.frontends.loops.host_values import Value
from hetc.frontends.loops.rewrite import HostFunction
from hetc.frontends.python.source import source_of
from hetc.loops import HostCode
from hetc.settings import Settings
from hetc.storage.fingerprints import Fingerprint, UnstableError
from hetc.storage.keys import compiled_for, compiler, source_digest


def host_plan_key(host: HostFunction, facts: CallFacts, settings: Settings) -> str | None:
    """The digest of a call of a function with parallel loops, as far as its host code is planned; None as above."""
    if extensions():
        return None
    found = Fingerprint()
    try:
        found.add(["host plan", compiler(), compiled_for(settings)])
        found.add([host.original.__code__, source_digest(source_of(host.original)), _dump(host.node)])
        found.add([[(name, _named(value)) for name, value in part] for part in (facts.arguments, facts.globals)])
        found.add([facts.overlaps, facts.handed])
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
    if isinstance(found, HostCode):  # what it gives depends on all that it calls
        raise UnstableError(f"the function {found}")
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
