"""The kernel in which a group computes the terms of a loop for some elements together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, gpu, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, UnknownLoc, i1, i8, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hetc.analysis.attributes import known_integer
from hetc.analysis.kernels import ELEMENT
from hetc.dataclass import dataclass
from hetc.dialects import offload
from hetc.passes.coarsening.lanes import X, loads_first
from hetc.passes.coarsening.sharing import Sharing
from hetc.passes.cooperation.code import Code, Kind, erase_unused, number_bytes
from hetc.passes.cooperation.recurrences import Recurrence
from hetc.passes.cooperation.taking_part import Body, FirstLoop, TailTest, first_loop

ADDERS = 32
"""The first work-items of a group, which run together on a GPU."""

ROWS = 16
"""The most elements of a group: how many it has, the host says (`few_elements.balanced`)."""

WORKERS = 256
"""Work-items that compute terms."""

ROUNDS = 128
"""Rounds of a chunk, if there is local memory."""

FEWEST_ROUNDS = 16
UNROLLED = 16
MOST_OPS = 800
"""Ops of a kernel that compute terms: a device's compiler takes its time, too."""


@dataclass
class Spread:
    """A kernel, its loop that is spread, and how many rounds a chunk has.

    Workers stand in strips, with one for each round of a chunk; each computes its round's terms for `each` elements,
    and what terms share that is the same for all elements once.
    """

    kernel: gpu.FuncOp
    body: Body
    test: TailTest
    loop: scf.ForOp
    recurrence: Recurrence
    sharing: Sharing
    chunk: int

    rows = ROWS
    lanes = ADDERS + WORKERS

    @property
    def strips(self) -> int:
        """How many strips there are."""
        return WORKERS // self.chunk

    @property
    def each(self) -> int:
        """For how many elements a worker computes terms, at most."""
        return ROWS // self.strips

    @staticmethod
    def of(kernel: gpu.FuncOp, memory: int) -> Spread | None:
        """How to spread a kernel; None if it cannot be, or gains nothing."""
        found = first_loop(kernel)
        return None if found is None else _spread(kernel, found, memory)

    def kernel_of(self, name: str) -> gpu.FuncOp:
        """The spread kernel."""
        return Making.kernel(self, name)


def _spread(kernel: gpu.FuncOp, found: FirstLoop, memory: int) -> Spread | None:
    """How to spread the first loop of a kernel."""
    loop, sharing = found.loop, found.sharing
    if sharing.joined((loop.lb, loop.ub, loop.step)) or known_integer(loop.step) != 1:
        return None
    recurrence = Recurrence.of(loop, sharing.stored)
    if recurrence is None or not recurrence.is_worth_it:
        return None
    element = sum(number_bytes(value.type) for value in recurrence.passed)
    chunk = ROUNDS
    while chunk > FEWEST_ROUNDS and 2 * chunk * (ROWS + 1) * element > memory:
        chunk //= 2
    low, high = known_integer(loop.lb), known_integer(loop.ub)
    few = low is not None and high is not None and high - low < chunk
    if few or 2 * chunk * (ROWS + 1) * element > memory:
        return None
    spread = Spread(kernel, found.body, found.test, loop, recurrence, sharing, chunk)
    return spread if spread.each * sum(len(list(op.walk())) for op in recurrence.terms) <= MOST_OPS else None


@dataclass
class Making:
    """The spread kernel, as it is made: `values` are those of the kernel that there was."""

    spread: Spread
    code: Code
    values: dict[SSAValue, SSAValue]

    @staticmethod
    def kernel(spread: Spread, name: str) -> gpu.FuncOp:
        """The kernel; where its elements start, and how many a group has, are its last arguments."""
        old = spread.kernel.body.block
        block = Block(arg_types=[*old.arg_types, offload.INDEX, offload.INDEX])
        for argument, new in zip(old.args, block.args, strict=False):
            new.name_hint = argument.name_hint
        start, own = block.args[-2:]
        start.name_hint, own.name_hint = "start", "rows"
        code = Code(block, spread.loop)
        Making(spread, code, dict(zip(old.args, block.args, strict=False))).all(start, own)
        code.put(gpu.ReturnOp([]))
        for op in block.walk():
            if isinstance(op.location, UnknownLoc):
                op.location = spread.kernel.location
        erase_unused(block)
        function = gpu.FuncOp(name, (block.arg_types, []), Region(block), kernel=True)
        function.location = spread.kernel.location
        function.attributes |= {**spread.kernel.attributes, "sym_name": function.sym_name}
        return function

    def all(self, start: SSAValue, own: SSAValue) -> None:
        """The body: who does what, what is before the loop, the loop, and what is after it.

        Rows that a group has not are computed as its last one is.
        """
        code, spread, loop = self.code, self.spread, self.spread.loop
        self.arrays = [self._array(value) for value in spread.recurrence.passed]
        ((global_id, end),) = spread.test.indices
        self.lane = code.add(gpu.ThreadIdOp(gpu.DimensionAttr(X)), "lane")
        group = code.add(gpu.BlockIdOp(gpu.DimensionAttr(X)), "group")
        worker = code.compute(arith.SubiOp, self.lane, ADDERS)
        self.works = code.add(arith.CmpiOp(self.lane, code.constant(ADDERS), "uge"), "works")
        self.adds = code.add(arith.CmpiOp(self.lane, own, "ult"), "adds")
        strip, adder = (
            code.compute(arith.DivUIOp, worker, spread.chunk),
            code.compute(arith.MinUIOp, self.lane, ROWS - 1),
        )
        self.column = code.compute(arith.RemUIOp, worker, spread.chunk)
        row = code.add(arith.SelectOp(self.works, strip, adder), "row")
        self.rows = [code.compute(arith.AddiOp, row, number * spread.strips) for number in range(spread.each)]
        self.own = own
        first = code.compute(arith.AddiOp, start, code.compute(arith.MuliOp, group, own))
        limit = self.values[end]
        last = code.compute(arith.SubiOp, code.compute(arith.MinUIOp, code.compute(arith.AddiOp, first, own), limit), 1)
        self.of_rows = [dict(self.values) for _ in self.rows]
        indices = [code.compute(arith.AddiOp, first, row) for row in self.rows]
        for index, values in zip(indices, self.of_rows, strict=True):
            values[global_id.result] = code.compute(arith.MinUIOp, index, last)
            values[global_id.result].name_hint = global_id.result.name_hint
        self.values = self.of_rows[0]
        element = self.values[global_id.result].owner
        assert isinstance(element, Operation)
        element.attributes[ELEMENT] = UnitAttr()
        around = {global_id, spread.test.branch, *spread.test.comparisons}
        before, after = around_op(spread.body.block, loop)
        for op in [*(one for one in spread.kernel.body.block.ops if one not in around), *before]:
            if not isinstance(op, gpu.ReturnOp):
                self._copy_for(code, op, self.of_rows)
        self.values.update(zip(loop.results, self._chunks(), strict=True))
        inside = code.add(arith.AndIOp(self.adds, code.add(arith.CmpiOp(indices[0], limit, "ult"))))
        rest = Code(Block(), spread.test.branch)
        for op in after:
            self._copy(rest, op, self.values)
        code.put(scf.IfOp(inside, [], Region(_block(rest))))

    def _chunks(self) -> Sequence[SSAValue]:
        """The loop over chunks: terms of one, and the recurrence of the one before."""
        code, loop = self.code, self.spread.loop
        low, high = (self.values.get(bound, bound) for bound in (loop.lb, loop.ub))
        greater = arith.MaxUIOp if isinstance(low.type, IndexType) else arith.MaxSIOp
        count = code.compute(arith.SubiOp, code.add(greater(high, low)), low)
        self.low, self.count = low, code.cast(count, offload.INDEX)
        size = self.spread.chunk
        chunks = code.compute(arith.DivUIOp, code.compute(arith.AddiOp, self.count, size - 1), size)
        inits = [self.values.get(value, value) for value in loop.iter_args]
        block = Block(arg_types=[offload.INDEX, *(init.type for init in inits)])
        chunk, *carried = block.args
        chunk.name_hint = "chunk"
        for new, argument in zip(carried, loop.body.block.args[1:], strict=True):
            new.name_hint = argument.name_hint
        inside = Code(block, loop)
        begin = inside.compute(arith.MuliOp, chunk, size)
        more = inside.add(arith.CmpiOp(inside.compute(arith.AddiOp, begin, self.column), self.count, "ult"), "more")
        terms = Region(self._terms(chunk, begin))
        inside.put(scf.IfOp(inside.add(arith.AndIOp(self.works, more)), [], terms))
        has_one = inside.add(arith.CmpiOp(inside.constant(0), chunk, "ult"))
        taken = inside.add(arith.AndIOp(self.adds, has_one))
        other = Block([scf.YieldOp(*carried)])
        steps = scf.IfOp(taken, [one.type for one in carried], Region(self._steps(chunk, carried)), Region(other))
        inside.put(steps)
        inside.barrier()
        inside.put(scf.YieldOp(*steps.results))
        end = code.compute(arith.AddiOp, chunks, 1)
        return code.loop((code.constant(0), end, code.constant(1)), inits, block).results

    def _terms(self, chunk: SSAValue, begin: SSAValue) -> Block:
        """What a worker does: its round of a chunk, all loads first, so that they are under way together.

        Groups have more than half of the elements that they may have, unless there are few: so only the other half is
        asked for, and each question costs a hundredth of the time.
        """
        code, spread = Code(Block(), self.spread.loop), self.spread
        part = self._part(code, chunk)
        variable = self._round(code, code.compute(arith.AddiOp, begin, self.column))
        of_rows = [{**values, spread.loop.body.block.args[0]: variable} for values in self.of_rows]
        line = self._line(code, part, code.cast(self.column, i32))
        first = loads_first(spread.recurrence.terms)
        rest = [op for op in spread.recurrence.terms if op not in first]
        shared = [op for op in rest if not spread.sharing.of_op(op)]
        for op in [*(one for one in spread.recurrence.terms if one in first), *shared]:
            self._copy_for(code, op, of_rows)
        own = [op for op in rest if op not in shared]
        for number, (row, values) in enumerate(zip(self.rows, of_rows, strict=True)):
            if number < spread.each // 2:
                self._term(code, own, self._place(code, line, row), values)
                continue
            inside = Code(Block(), self.spread.loop)
            self._term(inside, own, self._place(inside, line, row), values)
            inside.put(scf.YieldOp())
            code.put(scf.IfOp(code.add(arith.CmpiOp(row, self.own, "ult")), [], Region(_block(inside))))
        code.put(scf.YieldOp())
        return _block(code)

    def _term(self, code: Code, ops: Sequence[Operation], place: SSAValue, values: dict[SSAValue, SSAValue]) -> None:
        """The term of one element, into its place."""
        for op in ops:
            self._copy(code, op, values)
        for value, array in zip(self.spread.recurrence.passed, self.arrays, strict=True):
            made = values[value]
            code.store(code.add(arith.ExtUIOp(made, i8)) if made.type == i1 else made, array, place)

    def _steps(self, chunk: SSAValue, carried: Sequence[SSAValue]) -> Block:
        """What an adder does: the rounds of a chunk one after the other; how many, is known for all but the last."""
        code, spread = Code(Block(), self.spread.loop), self.spread
        before = code.compute(arith.SubiOp, chunk, 1)
        begin, part = code.compute(arith.MuliOp, before, spread.chunk), self._part(code, before)
        left = code.compute(arith.SubiOp, self.count, begin)
        size = code.constant(spread.chunk)
        types = [one.type for one in carried]

        def rounds(end: Callable[[Code], SSAValue]) -> Region:
            inside = Code(Block(), spread.loop)
            block = Block(arg_types=[i32, *types])
            self._step(Code(block, spread.loop), begin, part)
            bounds = (inside.constant(0, i32), end(inside), inside.constant(1, i32))
            loop = inside.loop(bounds, carried, block)
            loop.attributes |= {**spread.loop.attributes, offload.UNROLL: IntegerAttr(UNROLLED, i64)}
            inside.put(scf.YieldOp(*loop.results))
            return Region(_block(inside))

        whole = code.add(arith.CmpiOp(left, size, "uge"))
        of_chunk = rounds(lambda inside: inside.constant(spread.chunk, i32))
        either = scf.IfOp(whole, types, of_chunk, rounds(lambda inside: inside.cast(left, i32)))
        code.put(either)
        code.put(scf.YieldOp(*either.results))
        return _block(code)

    def _step(self, code: Code, begin: SSAValue, part: SSAValue) -> None:
        """A round of the recurrence."""
        spread, block = self.spread, _block(code)
        number, *carried = block.args
        number.name_hint = "round"
        old = spread.loop.body.block
        values = {**self.values, **dict(zip(old.args[1:], carried, strict=True))}
        for argument, new in zip(old.args[1:], carried, strict=True):
            new.name_hint = argument.name_hint
        values[old.args[0]] = self._round(code, code.compute(arith.AddiOp, begin, code.cast(number, offload.INDEX)))
        place = self._place(code, self._line(code, part, number), self.rows[0])
        for value, array in zip(spread.recurrence.passed, self.arrays, strict=True):
            loaded = code.add(memref.LoadOp.get(array, [place]), value.name_hint)
            values[value] = code.add(arith.TruncIOp(loaded, i1)) if value.type == i1 else loaded
        for op in spread.recurrence.steps:
            self._copy(code, op, values)
        end = old.last_op
        assert end is not None
        code.put(scf.YieldOp(*(values.get(value, value) for value in end.operands)))
        erase_unused(block)

    def _round(self, code: Code, offset: SSAValue) -> SSAValue:
        """The loop's variable in a round."""
        kind = self.low.type
        assert isinstance(kind, Kind)
        name = self.spread.loop.body.block.args[0].name_hint
        variable = code.advance(self.low, code.cast(offset, kind))
        variable.name_hint = name
        return variable

    def _part(self, code: Code, chunk: SSAValue) -> SSAValue:
        """Where the terms of a chunk begin.

        Places are signed: of those that may wrap, a device's compiler does not add a constant to the address of a load.
        """
        return code.scale(code.cast(code.compute(arith.RemUIOp, chunk, 2), i32), self.spread.chunk * (ROWS + 1))

    @staticmethod
    def _line(code: Code, part: SSAValue, at: SSAValue) -> SSAValue:
        """Where the terms of a round begin: those of rows lie side by side, so adders, and workers, use all banks."""
        return code.advance(part, code.scale(at, ROWS + 1))

    @staticmethod
    def _place(code: Code, line: SSAValue, row: SSAValue) -> SSAValue:
        """Where the term of a row is in a line."""
        return code.cast(code.advance(line, code.cast(row, i32)), offload.INDEX)

    def _array(self, value: SSAValue) -> SSAValue:
        element: Attribute = i8 if value.type == i1 else value.type
        length = 2 * self.spread.chunk * (ROWS + 1)
        name = value.name_hint or "terms"
        return self.code.add(memref.AllocaOp.get(element, shape=[length], memory_space=offload.LOCAL), name)

    def _copy_for(self, code: Code, op: Operation, of_rows: Sequence[dict[SSAValue, SSAValue]]) -> None:
        """A copy of an op for each row, or one for all that it is the same for."""
        if self.spread.sharing.of_op(op):
            for values in of_rows:
                self._copy(code, op, values)
            return
        copies = code.copy(op, of_rows[0])
        for values in of_rows:
            values.update(zip(op.results, copies, strict=True))

    @staticmethod
    def _copy(code: Code, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        values.update(zip(op.results, code.copy(op, values), strict=True))


def _block(code: Code) -> Block:
    assert isinstance(code.point, Block)
    return code.point


def around_op(block: Block, loop: scf.ForOp) -> tuple[list[Operation], list[Operation]]:
    """The ops before and after one."""
    ops = list(block.ops)
    at = ops.index(loop)
    return ops[:at], ops[at + 1 :]
