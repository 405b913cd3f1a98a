"""Dead code: ops that a conversion left behind."""

from __future__ import annotations

from xdsl.ir import Operation

from hetc.analysis.walking import walk


def erase_dead(root: Operation, *kinds: type[Operation]) -> None:
    """Erase the ops of these kinds, all without effect, that nothing uses; users before what they use."""
    for op in [inner for inner in walk(root, reverse=True) if isinstance(inner, kinds)]:
        if all(not result.uses for result in op.results):
            block = op.parent_block()
            assert block is not None
            block.erase_op(op)
