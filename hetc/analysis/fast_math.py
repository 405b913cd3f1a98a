"""Which floats may be computed otherwise than exactly: a module's licence, and the flags of its ops.

The flags are those of LLVM and MLIR (LLVM Language Reference, "Fast-Math Flags"), without those that take NaN,
infinities and the sign of zero to be absent: Python's exceptions hang on them, and `fastmath` keeps these.
"""

from __future__ import annotations

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation

__all__ = ["ANY_ORDER", "FAST_MATH", "LICENSED", "FastMathFlag", "fast_math", "flags_of", "is_exact", "may"]

FAST_MATH = "dyn.fast_math"
"""An attribute of modules, and of functions of level 0, of flags: how what they compute may be computed."""

LICENSED = FastMathFlagsAttr(
    [FastMathFlag.REASSOC, FastMathFlag.ALLOW_RECIP, FastMathFlag.ALLOW_CONTRACT, FastMathFlag.APPROX_FUNC]
)
"""What `fastmath=True` licenses."""

ANY_ORDER = FastMathFlagsAttr([FastMathFlag.REASSOC])
"""What the sums of a function have whose order nobody promises, such as a product of vectors."""


def fast_math(module: Operation) -> FastMathFlagsAttr | None:
    """How what the program of a module, or a function of it, computes may be computed; None for exactly."""
    value = module.attributes.get(FAST_MATH)
    return value if isinstance(value, FastMathFlagsAttr) else None


def flags_of(op: Operation) -> FastMathFlagsAttr:
    """The flags of an op; none if it has no such property.

    Those of some ops are printed by xDSL among the attributes, which is where they are after parsing.
    """
    for where in (op.attributes, op.properties):
        flags = where.get("fastmath")
        if isinstance(flags, FastMathFlagsAttr):
            return flags
    return FastMathFlagsAttr("none")


def may(op: Operation, flag: FastMathFlag) -> bool:
    """Whether an op has a flag."""
    return flag in flags_of(op).data


def is_exact(module: Operation) -> bool:
    """Whether all of a module is to be computed exactly: it has no licence, and none of its ops has a flag."""
    return not module.attributes.get(FAST_MATH) and not any(flags_of(op).data for op in module.walk())
