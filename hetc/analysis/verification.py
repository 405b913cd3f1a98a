"""Verifying a module after each of many passes, in the time that their changes take rather than the module's size."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from operator import is_

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.traits import SymbolUserOpInterface


class Verifier:
    """`module.verify()`, for one module that is verified again and again.

    What an op is allowed to be hangs on the op, the values that it uses, the block it stands in, and on what is inside
    it or what its symbols name. So an op without regions and symbols that is as it was when it was verified last is
    right; all others are verified.
    """

    def __init__(self) -> None:
        self._known: dict[Operation, tuple[object, ...]] = {}

    def verify(self, module: ModuleOp) -> None:
        """Raises VerifyException, or ValueError for a structure that is no module, as `module.verify()` does."""
        known = dict(self._verified(module))
        # Only of a module that is right; the references keep the ops alive, so that no other one takes their identity.
        self._known = known

    def _verified(self, op: Operation) -> Iterator[tuple[Operation, tuple[object, ...]]]:
        state = _state(op)
        if op.regions or _names_symbols(type(op)) or not _same(self._known.get(op), state):
            op.verify(verify_nested_ops=False)
        yield op, state
        for region in op.regions:
            for block in region.blocks:
                _check_structure(region, block)
                for inner in block.ops:
                    if inner.parent is not block:
                        raise ValueError("Parent pointer of operation does not refer to containing region")
                    yield from self._verified(inner)


def _check_structure(region: Region, block: Block) -> None:
    if block.parent is not region:
        raise ValueError("Parent pointer of block does not refer to containing region")
    if block.first_op is None:
        block.verify()


@functools.cache
def _names_symbols(kind: type[Operation]) -> bool:
    return kind.has_trait(SymbolUserOpInterface)


def _state(op: Operation) -> tuple[object, ...]:
    """The objects that an op is made of, but for what is inside it. Attributes and types are never changed in place."""
    operands, results = op.operands, op.results
    return (
        op.parent,
        op.parent_op(),
        op.next_op is None,
        len(operands),
        *operands,
        *(operand.type for operand in operands),
        *(result.type for result in results),
        *op.attributes,
        *op.attributes.values(),
        *op.properties,
        *op.properties.values(),
        *op.successors,
    )


def _same(one: tuple[object, ...] | None, other: tuple[object, ...]) -> bool:
    return one is not None and len(one) == len(other) and all(map(is_, one, other))
