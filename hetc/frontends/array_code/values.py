"""The leaves of array statements in one run, and what of them a plan hangs on."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.accesses import AnyArray, address
from hetc.frontends.array_code.leaves import LeafValues, UnknownNameError, container_of, owner_of
from hetc.frontends.array_code.statements import ArrayStatement


@dataclass(frozen=True)
class Source:
    """Leaf `leaf` of statement `statement`, both by number."""

    statement: int
    leaf: int


@dataclass
class Values:
    """The leaves of statements at one time: `leaves` for each statement, PENDING for variables yet to be bound."""

    leaves: list[list[Any]]
    containers: dict[tuple[int, int], AnyArray]
    looked_at: list[list[Any]]


class Pending:
    """Stands for the value of a variable that an earlier statement binds."""


PENDING = Pending()


def leaf_values(statements: Sequence[ArrayStatement], names: Sequence[Mapping[str, Any]]) -> Values:
    """The leaves of some statements, up to one whose leaves cannot be known before others have run.

    Raises UnsupportedError for the first statement.
    """
    found, pending = Values([], {}, []), set[str]()
    for number, statement in enumerate(statements):
        evaluator = LeafValues(names, frozenset(pending))
        values: list[Any] = []
        try:
            for leaf, node in enumerate(statement.leaves):
                if isinstance(node, ast.Name) and node.id in pending:
                    values.append(PENDING)
                    continue
                value = evaluator.value(node)
                if type(value) is np.ndarray:
                    found.containers[number, leaf] = container_of(value, node, evaluator.value)
                values.append(value)
        except UnknownNameError:
            return found
        except UnsupportedError:
            if not number:
                raise
            return found
        found.leaves.append(values)
        found.looked_at.append(evaluator.looked_at)
        # An array that is updated in place stays what its variable is bound to.
        target = None if statement.target is None else values[statement.target.number]
        if statement.name is not None and not isinstance(target, np.ndarray | NumberArray):
            pending.add(statement.name)
    return found


Key = tuple[Any, ...]


def key_of(values: Values) -> Key:
    """What of the leaves a plan hangs on: the types of numbers, the forms of arrays, and how these lie in memory."""
    owners: dict[int, int] = {}
    spans: dict[int, tuple[int, int]] = {}
    parts: list[Any] = []
    for number, leaves in enumerate(values.leaves):
        parts.append(len(leaves))
        for leaf, value in enumerate(leaves):
            if type(value) is np.ndarray:
                owner = owner_of(value)
                start = address(owner)
                spans[id(owner)] = (start, start + owner.nbytes)
                inside = values.containers[number, leaf]
                place = owners.setdefault(id(owner), len(owners))
                parts.append(
                    (value.dtype.str, value.shape, value.strides, address(value) - start, place, value.flags.writeable,
                     inside.shape, inside.strides, address(inside) - start)
                )  # fmt: skip
            elif isinstance(value, int | float | complex | np.generic):
                parts.append(type(value))
            else:
                parts.append(value if _tells_all(value) else type(value))
    for looked_at in values.looked_at:
        for array in looked_at:
            owner: Any = owner_of(cast("AnyArray", array)) if isinstance(array, np.ndarray) else array.owner
            near = isinstance(array, np.ndarray) and id(owner) in owners
            parts.append((owners.get(id(owner), -1), address(cast("AnyArray", array)) - address(owner) if near else 0))
    if any(end > start for (_, end), (start, _) in itertools.pairwise(sorted(spans.values()))):
        raise UnsupportedError("different arrays share memory in a way that NumPy does not tell")
    return tuple(parts)


def _tells_all(value: object) -> bool:
    """Whether a leaf that is no number is in the key as it is, rather than its type."""
    return value is None or value is ... or value is np or isinstance(value, type | np.dtype) or callable(value)
