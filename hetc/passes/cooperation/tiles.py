"""A loop in two parts: over whole tiles, which a group reads together, and over what is left."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from hetc.analysis.attributes import known_integer
from hetc.analysis.kernels import is_pure
from hetc.analysis.speculative import INTEGER_DIVISIONS
from hetc.dataclass import dataclass
from hetc.dialects import offload
from hetc.passes.coarsening.sharing import Sharing
from hetc.passes.conversion.kernels import DIMENSIONS
from hetc.passes.cooperation.code import Code, Kind, erase_unused, number_bytes, sizes

FEWEST = 4
"""Work-items that read the same, for a tile to gain."""

MOST_ROUNDS, MOST_OPS = 32, 1600
"""Rounds that are put together, and ops that they have then: a device's compiler takes its time, too."""

TILE_ALIGNMENT = 16
"""Bytes: a device's compiler then loads the same place of several rounds at once, of those that it puts together."""

FEWEST_ROUNDS = 8
"""Rounds of a tile: with fewer, barriers cost what loads gain."""


@dataclass(frozen=True, eq=False)
class SharedLoad:
    """A load in a loop that work-items share along some axes; along the `own` ones each reads its own."""

    op: memref.LoadOp
    index: Sequence[Operation]
    """What the index is computed by, in the same round."""
    own: Sequence[int]
    shared: Sequence[int]

    @staticmethod
    def of(op: memref.LoadOp, loop: scf.ForOp, sharing: Sharing, shape: Sequence[int]) -> SharedLoad | None:
        """How work-items share a load; None if they do not, or if its index is not known ahead of the round."""
        depends = sharing[op.res]
        own = [axis for axis in range(len(shape)) if DIMENSIONS[axis] in depends]
        shared = [axis for axis in range(len(shape)) if axis not in own]
        if op.memref in sharing.stored or not _has_tiles(op.res.type) or sizes(shape, shared) < FEWEST:
            return None
        index = _computed_by(op.indices[0], loop, sharing)
        varies = index is not None and any(
            value is loop.body.block.args[0] for one in (*index, op) for value in one.operands
        )
        return SharedLoad(op, index, own, shared) if index is not None and varies else None


def _has_tiles(type_: Attribute) -> bool:
    """Whether numbers of a type are in local memory as they are in a buffer."""
    if isinstance(type_, IntegerType):
        return type_.width.data >= 8
    return isinstance(type_, Float32Type | Float64Type)


def _computed_by(value: SSAValue, loop: scf.ForOp, sharing: Sharing) -> list[Operation] | None:
    """The ops of a round that compute a value, in order; None if it hangs on rounds before, or on a branch."""
    needed: set[Operation] = set()
    work = [value]
    while work:
        one = work.pop()
        owner = one.owner
        if isinstance(one, BlockArgument):
            if one.owner is loop.body.block and one.index > 0:
                return None
        elif isinstance(owner, Operation) and owner.parent is loop.body.block and owner not in needed:
            simple = is_pure(owner) or isinstance(owner, INTEGER_DIVISIONS)
            loads = isinstance(owner, memref.LoadOp) and owner.memref not in sharing.stored
            if owner.regions or not (simple or loads):
                return None
            needed.add(owner)
            work += owner.operands
    return [op for op in loop.body.block.ops if op in needed]


@dataclass
class TiledLoop:
    """A loop that can be split, its loads that work-items share, and the rounds of a tile."""

    loop: scf.ForOp
    loads: Sequence[SharedLoad]
    shape: Sequence[int]
    rounds: int
    unrolled: int

    @staticmethod
    def of(loop: scf.ForOp, sharing: Sharing, shape: Sequence[int], memory: int) -> TiledLoop | None:
        """How to split a loop; None if it cannot be, or gains nothing."""
        ops = list(loop.body.block.walk())
        nested = any(isinstance(op, scf.ForOp | scf.WhileOp) for op in ops)
        if nested or sharing.joined((loop.lb, loop.ub, loop.step)) or known_integer(loop.step) != 1:
            return None
        found = [SharedLoad.of(op, loop, sharing, shape) for op in loop.body.block.ops if isinstance(op, memref.LoadOp)]
        loads = _worth_a_tile(loop, [load for load in found if load is not None])
        if not loads:
            return None
        unrolled = MOST_ROUNDS
        while unrolled > 1 and unrolled * len(ops) > MOST_OPS:
            unrolled //= 2
        rounds = max(sizes(shape, load.shared) for load in loads)
        if any(load.own for load in loads):
            rounds = min(rounds, unrolled)
        tiled = TiledLoop(loop, loads, shape, rounds, unrolled)
        while tiled.bytes > memory and tiled.rounds > FEWEST_ROUNDS:
            tiled.rounds //= 2
        low, high = known_integer(loop.lb), known_integer(loop.ub)
        few = low is not None and high is not None and high - low < tiled.rounds
        return None if few or tiled.bytes > memory or tiled.rounds < FEWEST_ROUNDS else tiled

    @property
    def bytes(self) -> int:
        """The local memory that tiles take."""
        return sum(self.rounds * sizes(self.shape, load.own) * number_bytes(load.op.res.type) for load in self.loads)

    def split(self, kernel: gpu.FuncOp) -> None:
        """for (k = a; k < b) -> for (first = a; first < c, by tiles) { for (k of a tile) }; for (k = c; k < b)."""
        loop = self.loop
        first_op = kernel.body.block.first_op
        assert first_op is not None
        start = Code(InsertPoint.before(first_op), loop)
        arrays = {load: self._array(load, start) for load in self.loads}
        code = Code(InsertPoint.before(loop), loop)
        whole = self._whole(code)
        lanes = [
            code.add(gpu.ThreadIdOp(gpu.DimensionAttr(DIMENSIONS[axis])), f"lane_{DIMENSIONS[axis]}")
            for axis in range(len(self.shape))
        ]
        block = Block(arg_types=loop.body.block.arg_types)
        for new, old in zip(block.args, loop.body.block.args, strict=True):
            new.name_hint = old.name_hint
        first, *carried = block.args
        first.name_hint = "first"
        inside = Code(block, loop)
        self._fill(inside, first, arrays, lanes)
        inside.barrier()
        results = self._rounds(inside, first, carried, arrays, lanes)
        inside.barrier()
        inside.put(scf.YieldOp(*results))
        step = code.constant(self.rounds, self._kind)
        tiles = code.loop((loop.lb, whole, step), loop.iter_args, block)
        loop.operands = [whole, loop.ub, loop.step, *tiles.results]

    @property
    def _kind(self) -> Kind:
        kind = self.loop.body.block.args[0].type
        assert isinstance(kind, Kind)
        return kind

    def _array(self, load: SharedLoad, code: Code) -> SSAValue:
        element = load.op.res.type
        length = self.rounds * sizes(self.shape, load.own)
        name = load.op.memref.name_hint
        alloca = memref.AllocaOp.get(element, TILE_ALIGNMENT, [length], memory_space=offload.LOCAL)
        return code.add(alloca, "tile" if name is None else f"{name}_tile")

    def _whole(self, code: Code) -> SSAValue:
        """Where the rounds end that are in whole tiles."""
        loop, kind = self.loop, self._kind
        greater = arith.MaxUIOp if isinstance(kind, IndexType) else arith.MaxSIOp
        end = (
            loop.ub
            if isinstance(kind, IndexType) and known_integer(loop.lb) == 0
            else (code.add(greater(loop.ub, loop.lb)))
        )
        count = end if known_integer(loop.lb) == 0 else code.compute(arith.SubiOp, end, loop.lb)
        return code.compute(arith.SubiOp, end, code.compute(arith.RemUIOp, count, self.rounds))

    def _fill(self, code: Code, first: SSAValue, arrays: Arrays, lanes: Sequence[SSAValue]) -> None:
        """Each work-item loads some rounds of what it shares; all loads first, so that they are under way together."""
        for shared in sorted({tuple(load.shared) for load in self.loads}):
            loads = [load for load in self.loads if tuple(load.shared) == shared]
            together, lane = sizes(self.shape, shared), self._linear(code, lanes, shared)
            stores: list[_Store] = []
            for turn in range(0, self.rounds, together):
                at = code.compute(arith.AddiOp, lane, turn)
                if turn + together <= self.rounds:
                    stores += self._loaded(code, first, at, loads, arrays, lanes)
                    continue
                inside = Code(Block(), self.loop)
                _put(inside, self._loaded(inside, first, at, loads, arrays, lanes))
                inside.put(scf.YieldOp())
                assert isinstance(inside.point, Block)
                some = code.add(arith.CmpiOp(at, code.constant(self.rounds), "ult"))
                code.put(scf.IfOp(some, [], Region(inside.point)))
            _put(code, stores)

    def _loaded(
        self, code: Code, first: SSAValue, at: SSAValue, loads: Sequence[SharedLoad], arrays: Arrays,
        lanes: Sequence[SSAValue],
    ) -> list[_Store]:  # fmt: skip
        """What some loads load in a round of the tile, and where it goes."""
        variable = self.loop.body.block.args[0]
        values: dict[SSAValue, SSAValue] = {variable: code.advance(first, code.cast(at, self._kind))}
        found: list[_Store] = []
        for load in loads:
            for op in (*load.index, load.op):
                if op.results[0] not in values:
                    values.update(zip(op.results, code.copy(op, values), strict=True))
            found.append((values[load.op.res], arrays[load], self._place(code, load, at, lanes)))
        return found

    def _rounds(
        self, code: Code, first: SSAValue, carried: Sequence[SSAValue], arrays: Arrays, lanes: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """The rounds of a tile, which load from it."""
        old = self.loop.body.block
        block = Block(arg_types=old.arg_types)
        inside = Code(block, self.loop)
        block.args[0].name_hint = "round"
        values: dict[SSAValue, SSAValue] = dict(zip(old.args, block.args, strict=True))
        for argument, new in zip(old.args[1:], block.args[1:], strict=True):
            new.name_hint = argument.name_hint
        values[old.args[0]] = inside.advance(first, block.args[0])
        values[old.args[0]].name_hint = old.args[0].name_hint
        at = inside.cast(block.args[0], offload.INDEX)
        for load in self.loads:  # first, so that they are under way together
            values[load.op.res] = inside.load(arrays[load], self._place(inside, load, at, lanes), load.op)
        tiled = {load.op for load in self.loads}
        for op in old.ops:
            if op not in tiled:
                values.update(zip(op.results, inside.copy(op, values), strict=True))
        erase_unused(block)
        zero, one = (code.constant(number, self._kind) for number in (0, 1))
        rounds = code.loop((zero, code.constant(self.rounds, self._kind), one), carried, block)
        rounds.attributes |= self.loop.attributes
        if self.unrolled > 1:
            rounds.attributes[offload.UNROLL] = IntegerAttr(min(self.unrolled, self.rounds), i64)
        return list(rounds.results)

    def _place(self, code: Code, load: SharedLoad, at: SSAValue, lanes: Sequence[SSAValue]) -> SSAValue:
        """Where a round is in the tile: neighbours along x write, or read, neighbouring places."""
        if not load.own:
            return at
        lane, count = self._linear(code, lanes, load.own), sizes(self.shape, load.own)
        if 0 in load.own:
            return code.compute(arith.AddiOp, code.compute(arith.MuliOp, at, count), lane)
        return code.compute(arith.AddiOp, code.compute(arith.MuliOp, lane, self.rounds), at)

    def _linear(self, code: Code, lanes: Sequence[SSAValue], axes: Sequence[int]) -> SSAValue:
        """The number of a work-item along some axes; the first runs fastest."""
        number, stride = lanes[axes[0]], self.shape[axes[0]]
        for axis in axes[1:]:
            number = code.compute(arith.AddiOp, number, code.compute(arith.MuliOp, lanes[axis], stride))
            stride *= self.shape[axis]
        return number


Arrays = dict[SharedLoad, SSAValue]
"""The tile of each load."""

_Store = tuple[SSAValue, SSAValue, SSAValue]
"""A number, the array that it goes to, and its place there."""


def _put(code: Code, stores: Sequence[_Store]) -> None:
    for store in stores:
        code.store(*store)


def _worth_a_tile(loop: scf.ForOp, loads: Sequence[SharedLoad]) -> list[SharedLoad]:
    """Those of some loads that are used for more than the indices of others."""
    tiled = {load.op for load in loads}
    indices = {op for load in loads for op in load.index}
    live: set[Operation] = set()
    for op in reversed(list(loop.body.block.ops)):
        users = {use.operation for result in op.results for use in result.uses}
        around = {user if user.parent is op.parent else _in_block(user, loop.body.block) for user in users}
        if (op not in tiled and op not in indices) or around & (live - tiled):
            live.add(op)
    return [load for load in loads if load.op in live]


def _in_block(op: Operation, block: Block) -> Operation:
    """The op of a block that an op is in."""
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op
