"""The leaves of array statements in one run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetc.arrays.numbers import NumberArray
from hetc.dataclass import dataclass
from hetc.errors import UnsupportedError
from hetc.frontends.array_code.accesses import AnyArray
from hetc.frontends.array_code.leaves import LeafValues, UnknownNameError, container_of
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
    containers: dict[tuple[int, int], AnyArray | NumberArray]
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
