"""A module that is run: the values that its entry function has come to, and which elements have failed guards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from xdsl.dialects import gpu, ub
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from hetc.dataclass import dataclass
from hetc.dialects import skel
from hetc.interpreter import kernels, lists, operations, structure
from hetc.interpreter.cases import Cases, Handlers, Stopped, Value
from hetc.interpreter.races import Accesses

OPS: Handlers = {**operations.HANDLERS, **structure.HANDLERS, **lists.HANDLERS, **kernels.HANDLERS}
"""Every op that is interpreted within bodies and kernels."""


@dataclass(frozen=True)
class WorkItem:
    """A work-item: its global index, that of its group, and its place in the group, x first."""

    place: tuple[int, ...]
    group: tuple[int, ...]
    lane: tuple[int, ...]


@dataclass
class Program:
    """The state of a run; `captured` are the captured arrays and scalars."""

    module: ModuleOp
    inputs: Sequence[Sequence[Any]]
    captured: dict[str, Any]
    values: dict[SSAValue, Any] = field(default_factory=dict[SSAValue, Any])
    failed: dict[int, str] = field(default_factory=dict[int, str])
    picked: list[int] | None = None
    """Where the elements of the result stand in the inputs, if they are those that went in."""

    def __post_init__(self) -> None:
        self.length = len(self.inputs[0])
        self.published = lists.Published()
        self.known = self.captured | self._sizes() | {lists.PUBLISHED: self.published}
        self.kernels = {f.sym_name.data: f for f in self.module.walk() if isinstance(f, gpu.FuncOp)}
        self.unions = any(isinstance(op, ub.PoisonOp) for op in self.module.walk())

    def _sizes(self) -> dict[str, Any]:
        sizes: dict[str, Any] = {"dim0": self.length}
        for op in self.module.ops:
            if isinstance(op, skel.CaptureOp) and op.dims is not None:
                shape = self.captured[op.sym_name.data].shape
                sizes |= {f"dim{dim}": size for dim, size in zip(op.dims.get_values(), shape, strict=True)}
        return sizes

    def step(self, op: Operation) -> None:
        """Run an op of the entry on one case."""
        cases = self.cases(op.operands)
        cases.step(op)
        for result in op.results:
            value = cases.get(result)
            self.values[result] = value.data[0] if isinstance(value, Value) else value

    def cases(self, known: Iterable[SSAValue]) -> Cases:
        """One case, which knows these values of the entry; a tuple is a list of values already."""
        cases = self._cases(self.known)
        for value in known:
            data = self.values[value]
            cases.values[value] = data if isinstance(data, list) else cases.plain(np.atleast_1d(data))
        return cases

    def items(self, items: Sequence[WorkItem]) -> Cases:
        """The work-items of a group, which share arrays."""
        where = {
            "item": np.array([item.place for item in items]),
            "group": np.array([item.group for item in items]),
            "lane": np.array([item.lane for item in items]),
        }
        return self._cases(self.known | where | {"shared": {}, "accesses": Accesses()}, len(items))

    def _cases(self, known: Mapping[str, Any], count: int = 1) -> Cases:
        return Cases(count, OPS, known, self.module, keeps_poison=self.unions)

    def body(self, block: Block, arguments: Sequence[Any], index: int) -> list[Any] | None:
        """What the body of a skeleton yields for one element; None if a guard fails, which is noted."""
        cases = self.cases(self.values)
        try:
            values = cases.run(block, [cases.plain(np.atleast_1d(argument)) for argument in arguments])
        except Stopped:
            values = []
        if not cases.alive[0]:
            self.failed.setdefault(index, cases.failed[0])
            return None
        return [cases.stored(value, "a result")[0] for value in values]


Steps = Mapping[type[Operation], Callable[[Program, Any], None]]
"""What ops of the entry do that are not run on cases."""
