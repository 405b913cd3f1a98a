"""A launch in parts: whole tiles for the kernel that does several elements a work-item, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import prod

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, SymbolRefAttr, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from hetc.analysis.attributes import int_values
from hetc.dataclass import dataclass
from hetc.dialects import offload
from hetc.passes.conversion.insertion import insert
from hetc.passes.conversion.kernels import DIMENSIONS


@dataclass
class Split:
    """Splits a launch. `shape` is the work-group of the joined work-items, `counts` how many are joined in each axis.

    Along axes that have no count, no whole tiles are needed. Nothing is joined in an index space of fewer than `least`
    points.
    """

    launch: offload.LaunchOp
    counts: Mapping[gpu.DimensionEnum, int]
    shape: Sequence[int]
    least: int
    constants: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])

    def run(self, joined: SymbolRefAttr) -> None:
        """Launch the joined kernel for whole tiles, and the launch's own for the rest, one launch for each axis.

        The joined kernel's indices start at zero; where the launch starts elsewhere are its last arguments.
        """
        launch, sizes = self.launch, self._sizes
        guarded = launch.tail.data == "guard"
        axes = [axis for axis, dimension in enumerate(DIMENSIONS[: len(sizes)]) if dimension in self.counts]
        large = self._add(arith.MinUIOp, self._add(arith.DivUIOp, launch.extent, self.least), 1)
        whole = {axis: self._whole(axis, large) for axis in axes}
        items = [
            self._add(arith.DivUIOp, whole[k], self._count(k)) if k in axes else size for k, size in enumerate(sizes)
        ]
        new = offload.LaunchOp(
            joined,
            launch.extent if launch.box else items[0],
            [*launch.arguments, *launch.start],
            prod(self.shape),
            "guard" if launch.box and guarded else "exact",
            box=items if launch.box else (),
        )
        self._insert(new, self.shape if launch.box else None)
        for axis in axes:
            # What was left along the axes before is done; along those to come, only the tiles are this launch's.
            box = [whole[k] if k in axes and k > axis else size for k, size in enumerate(sizes)]
            box[axis] = self._add(arith.SubiOp, sizes[axis], whole[axis])
            start = list(launch.start) or [self._constant(0)] * len(sizes)
            start[axis] = self._add(arith.AddiOp, start[axis], whole[axis]) if launch.start else whole[axis]
            arguments, group = list(launch.arguments), launch.group.value.data
            tail = launch.tail.data
            rest = offload.LaunchOp(launch.kernel, launch.extent, arguments, group, tail, box=box, start=start)
            shape = [group] if launch.shape is None else int_values(launch.shape)
            self._insert(rest, shape if guarded else None)
        launch.detach()
        launch.erase()

    @property
    def _sizes(self) -> list[SSAValue]:
        return list(self.launch.box) or [self.launch.extent]

    def _count(self, axis: int) -> int:
        return self.counts[DIMENSIONS[axis]]

    def _whole(self, axis: int, large: SSAValue) -> SSAValue:
        """The points along an axis that are in whole tiles; none if the index space is not large."""
        tile = self._count(axis) * self.shape[axis]
        tiles = self._add(arith.DivUIOp, self._sizes[axis], tile)
        return self._add(arith.MuliOp, self._add(arith.MuliOp, tiles, large), tile)

    def _add(
        self, kind: type[arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.DivUIOp | arith.MinUIOp],
        left: SSAValue, right: SSAValue | int,
    ) -> SSAValue:  # fmt: skip
        op = kind(left, self._constant(right) if isinstance(right, int) else right)
        insert([op], InsertPoint.before(self.launch), self.launch)
        return op.result

    def _constant(self, value: int) -> SSAValue:
        if value not in self.constants:
            op = arith.ConstantOp(IntegerAttr(value, offload.INDEX))
            insert([op], InsertPoint.before(self.launch), self.launch)
            self.constants[value] = op.result
        return self.constants[value]

    def _insert(self, launch: offload.LaunchOp, shape: Sequence[int] | None) -> None:
        if shape is not None:
            launch.properties["shape"] = DenseArrayBase.from_list(i64, shape)
        insert([launch], InsertPoint.before(self.launch), self.launch)
