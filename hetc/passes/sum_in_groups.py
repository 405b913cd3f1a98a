"""sum-in-groups: where there are few elements, a work-group adds up what a loop sums for one of them, in any order."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from hetc.passes.cooperation.few_elements import SUMMED, for_few, launched_alone
from hetc.passes.cooperation.summing import GroupSum


@dataclass(frozen=True)
class SumInGroupsPass(ModulePass):
    """Let a group of work-items add up the terms of a loop, each some of them, and then what all have, as a tree.

    Needs: kernels as they are to run, with tail "guard" (after `coarsen-kernels`). Leaves: for each kernel that sums up
    one more, `<name>_summed`, and a launch of it for index spaces of fewer than `most` points.

    1. Ask whether all that a loop carries are sums whose order is free: of floats with the flag `reassoc`, which
       `fastmath=True` sets; of integers, which wrap, always; and of bits, of which all must be set.
    2. A group of 128 is for one element. Each work-item does every 128th round, and keeps the sum in a register.

           for (k = a; k < b; k++) { s += f(k); }

           for (round = lane; round < b - a; round += 128) { own += f(a + round); }
           sums[lane] = own;
           for (s = 64; s > 0; s /= 2) { barrier(); if (lane < s) { sums[lane] += sums[lane + s]; } }
           if (lane == 0) { s = s + sums[0]; ... }

    3. What is before the loop is done by all of the group, what follows by the first one.

    The same call gives the same bits: the order hangs on the number of terms alone. Sums of Python's integers have a
    guard for each step, which sees what they come to on the way, so they are no such sums.

    Refused are kernels as in `spread-loops`, which is for sums whose order matters, and loops known to be short.

    Measured on an NVIDIA H200: see docs/fastmath.md. Where integers have 64 bits, sums of 5,500 quotients for each of
    5,500 elements take 1.39 times as long by hand as with 32 (`version-lengths`). Two or four elements a group, and
    groups of 64 or 256, gain nothing. Cost: linear. Source: Harris, "Optimizing parallel reduction in CUDA", 2007.
    """

    name = "sum-in-groups"
    most: int = 0
    local_memory: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel, launch in launched_alone(op):
            found = GroupSum.of(kernel, self.local_memory)
            if found is not None:
                made = found.kernel_of(f"{kernel.sym_name.data}{SUMMED}")
                for_few(launch, kernel, made, found.rows, found.lanes, self.most)
