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
    2. A group is for 16 elements. Its first 32 work-items, which a GPU runs together, take the steps of the recurrence,
       one for each element; 256 others compute terms, each those of a round for four elements: neighbours have
       neighbouring rounds, and what is the same for all elements is computed once for the four.

           for (k = 0; k < n; k++) { s += u[k] / f(i, k); }

           for (chunk = 0; chunk <= chunks; chunk++) {
               if (worker && there is a round) { terms[chunk % 2][...] = u[...] / f(i, ...); }
               if (adder && 0 < chunk) { for (k in the chunk before) { s += terms[(chunk - 1) % 2][k]; } }
               barrier();
           }

    3. A chunk is in one half of local memory while the one before, in the other, is added up.
    4. Workers without a round have nothing to do. One whose second round is beyond the end computes the last one again,
       and one whose element is, the last element.

    Each element's recurrence goes through the rounds in their order, so results stay as they are to the bit. That order
    is also what the time is bounded by: 5,500 additions of doubles one after the other are 0.046 ms.

    Refused are kernels with a test of something else than the index or of several dimensions, or with a loop before
    that one; loops that are not run equally often by all; bodies that store, hold loops or may be left by a work-item;
    recurrences that read memory or cost nearly as much as the terms; and those whose terms have no room.

    Measured on an NVIDIA H200, a sum of 5,500 quotients for each of 5,500 elements: 0.745 ms with a work-item an
    element, 0.082 spread; 1.17 times that if adders compute terms, too, 1.25 with 8 elements a group, 1.28 with 512
    workers, 1.18 with chunks of 64 rounds for 128. By hand, with terms added up in any order, 0.041.
    Cost: linear. Sources: for the division, see `Recurrence.of`; for work-items with a task of their own, Bauer, Cook,
    Khailany, "CudaDMA: optimizing GPU memory bandwidth via warp specialization", SC 2011.
    """

    name = "spread-loops"
    most: int = 0
    local_memory: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel, launch in launched_alone(op):
            found = Spread.of(kernel, self.local_memory)
            if found is not None:
                made = found.kernel_of(f"{kernel.sym_name.data}{SPREAD}")
                for_few(launch, kernel, made, found.rows, found.lanes, self.most)
