"""spread-loops: where there are few elements, a work-group computes what a loop sums up for some of them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from hetc.passes.cooperation.few_elements import SPREAD, for_few, launched_alone
from hetc.passes.cooperation.spreading import Spread


@dataclass(frozen=True)
class SpreadLoopsPass(ModulePass):
    """Let a group of work-items compute the terms of a loop together, and add them up in the loop's order.

    Needs: kernels as they are to run, with tail "guard" (after `coarsen-kernels`). Leaves: for each kernel that can be
    spread one more, `<name>_spread`, and a launch of it for index spaces of fewer than `most` points; larger ones are
    for the launch that there was.

    1. Divide the body of a counted loop in terms, which a round computes for itself, and a recurrence, which takes them
       one after the other (`hetc.passes.cooperation.recurrences`).
    2. A group is for up to 16 elements: as many as give all of the device's `units` processors equally many groups,
       which the host computes. Its first 32 work-items, which a GPU runs together, take the steps of the recurrence,
       one for each element; 256 others compute terms, each those of a round for up to eight elements: neighbours have
       neighbouring rounds, and what is the same for all elements is computed once for the eight.

           for (k = 0; k < n; k++) { s += u[k] / f(i, k); }

           for (chunk = 0; chunk <= chunks; chunk++) {
               if (worker && there is a round) { terms[chunk % 2][...] = u[...] / f(i, ...); }
               if (adder && 0 < chunk) { for (k in the chunk before) { s += terms[(chunk - 1) % 2][k]; } }
               barrier();
           }

    3. A chunk is in one half of local memory while the one before, in the other, is added up.
    4. Workers without a round have nothing to do. An element that a group has not is left out, if it is of the second
       half of the 16, or is computed as the last one that it has.

    Each element's recurrence goes through the rounds in their order, so results stay as they are to the bit. That order
    is also what the time is bounded by: 5,500 additions of doubles one after the other are 0.046 ms.

    Refused are kernels with a test of something else than the index or of several dimensions, or with a loop before
    that one; loops that are not run equally often by all; bodies that store, hold loops or may be left by a work-item;
    recurrences that read memory or cost nearly as much as the terms; and those whose terms have no room.

    Measured on an NVIDIA H200, a sum of 5,500 quotients for each of 5,500 elements: 0.745 ms with a work-item an
    element, 0.0606 spread, and 0.0655 in groups of 16 elements each; 0.058 by hand in this order, and 0.039 in any. A
    question for each element takes 0.0646, rows in a loop 0.067, 512 workers 0.069 to 0.088, a row for each 32 workers
    0.097; what the branches of several elements take in registers decides how many groups a processor has.
    Cost: linear. Sources: for the division, see `Recurrence.of`; for work-items with a task of their own, Bauer, Cook,
    Khailany, "CudaDMA: optimizing GPU memory bandwidth via warp specialization", SC 2011.
    """

    name = "spread-loops"
    most: int = 0
    local_memory: int = 0
    units: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel, launch in launched_alone(op):
            found = Spread.of(kernel, self.local_memory)
            if found is not None:
                made = found.kernel_of(f"{kernel.sym_name.data}{SPREAD}")
                for_few(launch, kernel, made, found.rows, found.lanes, self.most, self.units)
