"""choose-layout: how the fields of objects and of structured arrays lie in the device's memory."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from hetc.analysis.entry import entry_function
from hetc.passes.layouts.accesses import kernels_of
from hetc.passes.layouts.in_place import place_fields
from hetc.passes.layouts.records import group_fields


@dataclass(frozen=True)
class ChooseLayoutPass(ModulePass):
    """Choose between struct of arrays, array of structs, and a mix, by how kernels read.

    Needs: an `offload` plan with its kernels, in which a buffer has one index (after `outline-kernels`). `in-place`
    says that the device addresses host memory.
    Leaves: the same plan. A `marshal` of numbers that stand a stride apart says whether they are read in place, where
    kernels multiply their indices by the stride. A `marshal` of a field of objects says whether its numbers stand in a
    record, and where in it; `pack-records` puts these together. Both say why.

    Fields of objects, which are copied in any case:

    1. The fields of the objects of an input, a captured list or a table are a group, if kernels read two or more.
    2. A field that a kernel stores to is an array: what comes back is to be nothing else.
    3. A field that all work-items read in loops, at the same places, is an array, of which whole vectors are read.
    4. Fields that are read at places that are data (gathers, references) stand in one record if these places are
       computed from the same numbers: the record of an object is a cache line or two, each array would be a line.
    5. Any other is an array: neighbouring work-items read neighbouring numbers, which a GPU's memory gives at once.

    Fields of structured arrays, on a device that addresses host memory:

    6. The candidates are the arrays of which marshalling knows a stride (`skel.strides` of an argument, `stride` of
       a captured array). Fields are copied as by 2 and 3, and others are read in place: each work-item reads its own
       numbers, or numbers at places that are data, where the fields of a record share cache lines.

    `skel.layout` of the entry function overrides 3 to 5, and with "soa" 6. Numbers of half precision and complex ones
    are arrays always. Cost: linear, but quadratic in the fields of one list that are read at places that are data.

    Measured on Intel's CPU runtime and PoCL, 2 cores, records of 2, 4 and 8 doubles: at random places, an array of
    structs is 1.2 to 6 times as fast as a struct of arrays once these leave the caches, and as fast before. Read in a
    row it takes 0.9 to 3 times as long, which is less than copies of structured arrays take. Of structured arrays no
    device has to agree with the host on a struct's layout: packed, overlapping and padded records are all the same.
    """

    name = "choose-layout"

    in_place: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        stated, kernels = entry.attributes.get("skel.layout"), kernels_of(op)
        asked = stated.data if isinstance(stated, StringAttr) else None
        if self.in_place:
            place_fields(op, entry, kernels, asked)
        group_fields(op, entry, kernels, asked)
