"""New ops in place of, or beside, another one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter


def insert(ops: Sequence[Operation], point: InsertPoint, source: Operation) -> None:
    """Insert ops, in order, with the location of the op that they stand for."""
    for op in ops:
        op.location = source.location
    Rewriter.insert_op(ops, point)
