"""What is cheap enough to be computed twice."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, Operation

from hetc.dialects import guard, skel

MOST_OPS = 16

_LIGHT = (
    arith.AddfOp | arith.SubfOp | arith.MulfOp | arith.NegfOp | arith.CmpfOp | arith.AddiOp | arith.SubiOp
    | arith.MuliOp | arith.CmpiOp | arith.AndIOp | arith.OrIOp | arith.XOrIOp | arith.SelectOp | arith.ExtFOp
    | arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp | arith.SIToFPOp | arith.UIToFPOp | arith.MinSIOp
    | arith.MaxSIOp | arith.MinUIOp | arith.MaxUIOp
)  # fmt: skip
_FREE = arith.ConstantOp | guard.FactOp | skel.CapturedOp | skel.SizeOp | skel.YieldOp


def is_light(body: Block, *, guards: bool = False) -> bool:
    """Whether the body of a skeleton is a few additions, comparisons and the like; with `guards`, it may ask some."""
    work: list[Operation] = [op for op in body.ops if not isinstance(op, _FREE)]
    light = _LIGHT | guard.RequireOp if guards else _LIGHT
    return len(work) <= MOST_OPS and all(isinstance(op, light) for op in work)
