"""specialize: level 0 -> level 1, by abstract interpretation from the types of the call."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from hetc.analysis.entry import entry_function
from hetc.passes.specialization.interpreter import Interpreter
from hetc.passes.specialization.skeletons import EntrySpecializer
from hetc.passes.specialization.stores import mark_mutable_loads


@dataclass(frozen=True)
class SpecializePass(ModulePass):
    """Give every value a type, and every operator its meaning for the types that it meets.

    Needs: a level-0 module: one `skel.entry` function over typed arrays, Python functions in `dyn`.
    Leaves: a level-1 module: typed ops, explicit `obj.box`/`obj.unbox`, a `guard.require` wherever Python would raise
    or leave 64 bits. Callees are specialised once for each tuple of argument types.

    1. Interpret the entry in order; arrays of tuples become one array a number (struct of arrays).
    2. In a body, run each `dyn` op on abstract values, appending the typed ops that it means.
    3. At a join, both paths must agree on each value's type. A loop runs again until its types are stable.
    4. Replace the module's functions by the specialised ones.

    Refuses (UnsupportedError at the user's line) what has no single type or no device meaning; Python runs it instead.
    Cost: linear in the ops, times the few rounds of each loop nest.

    Partial evaluation of a dynamic language with guards follows Fumero et al., VEE 2017, sections 4 and 5.
    """

    name = "specialize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        interpreter = Interpreter(op)
        old = entry_function(op)
        if old is None:
            return
        if "skel.result" in old.attributes:
            raise PassFailedException("specialize: the module is specialised already")
        new = EntrySpecializer(interpreter, old).run()
        mark_mutable_loads([new, *interpreter.new_functions])
        block = op.body.block
        for function in interpreter.functions.values():
            block.erase_op(function, safe_erase=False)
        block.add_ops([new, *interpreter.new_functions])
