"""Verifying a module after each of many passes, in the time that their changes take rather than the module's size."""

from __future__ import annotations

import functools
from operator import attrgetter, is_

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.traits import SymbolUserOpInterface

State = tuple[object, ...]
_TYPE = attrgetter("type")


class Verifier:
    """`module.verify()`, for one module that is verified again and again.

    What an op is allowed to be hangs on the op, the values that it uses, the block it stands in, and on what is inside
    it or what its symbols name. So an op is right if it names no symbols and, with all that is inside it, is as it was
    when it was verified last; all others are verified, what is inside an op before the op.
    """

    def __init__(self) -> None:
        self._known: dict[Operation, State] = {}

    def verify(self, module: ModuleOp) -> None:
        """Raises VerifyException, or ValueError for a structure that is no module, as `module.verify()` does."""
        found: dict[Operation, State] = {}
        self._verify(module, module.parent_op(), found)
        # Only of a module that is right; the references keep the ops alive, so that no other one takes their identity.
        self._known = found

    def _verify(self, op: Operation, parent: Operation | None, found: dict[Operation, State]) -> bool:
        """Verify an op and what is inside it, as far as it is not as it was; whether something was not."""
        changed = False
        state = _state(op, parent)
        for region in op.regions:
            for block in region.blocks:
                _check_structure(region, block)
                inside = _ops(block)
                state += (block, len(inside), *inside, *map(_TYPE, block.args))
                for inner in inside:
                    if inner.parent is not block:
                        raise ValueError("Parent pointer of operation does not refer to containing region")
                    changed |= self._verify(inner, op, found)
        known = self._known.get(op)
        changed |= known is None or len(known) != len(state) or not all(map(is_, known, state))
        if changed or _names_symbols(type(op)):
            op.verify(verify_nested_ops=False)
        found[op] = state
        return changed


def _check_structure(region: Region, block: Block) -> None:
    if block.parent is not region:
        raise ValueError("Parent pointer of block does not refer to containing region")
    if block.first_op is None:
        block.verify()


@functools.cache
def _names_symbols(kind: type[Operation]) -> bool:
    return kind.has_trait(SymbolUserOpInterface)


def _ops(block: Block) -> list[Operation]:
    found: list[Operation] = []
    op = block.first_op
    while op is not None:
        found.append(op)
        op = op.next_op
    return found


def _state(op: Operation, parent: Operation | None) -> State:
    """The objects that an op is made of, but for what is inside it. Attributes and types are never changed in place."""
    operands = tuple(op.operands)
    state: State = (op.parent, parent, op.next_op is None, len(operands), *operands)
    state += (*map(_TYPE, operands), *map(_TYPE, op.results))
    if attributes := op.attributes:
        state += (*attributes, *attributes.values())
    if properties := op.properties:
        state += (*properties, *properties.values())
    if successors := op.successors:
        state += (*successors,)
    return state
