"""The entry function of a module, and what is known about its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute

from hetc.abi import Bounds
from hetc.analysis.attributes import int_values
from hetc.dataclass import dataclass


def entry_function(module: ModuleOp) -> func.FuncOp | None:
    """The function that the caller runs (marked `skel.entry`), or None if the module has none."""
    return next((op for op in module.ops if isinstance(op, func.FuncOp) and "skel.entry" in op.attributes), None)


_MARKS = ("unit_step", "constant", "resident")
"""The facts that an attribute without a value states."""


@dataclass(frozen=True)
class ArgumentFacts:
    """An argument of the entry: the number of its input, then the tuple indices in that; the bounds of its integers.

    `below` are dimensions and constants c: each integer is at most the length of that dimension plus c. `unit_step`
    says that the integers of a sequence follow each other, `constant` that its numbers are all the same. `resident`
    says that it is a portable array. `strides` and `layout` are those of `hetc.abi.ValueType`.
    """

    path: tuple[int, ...]
    bounds: Bounds | None = None
    below: tuple[tuple[int, int], ...] = ()
    unit_step: bool = False
    constant: bool = False
    resident: bool = False
    strides: tuple[int, ...] = ()
    layout: str = ""

    def attribute(self) -> DictionaryAttr:
        """As the attributes of an argument (see `hetc.dialects.skel`)."""
        facts: dict[str, Attribute] = {"skel.path": DenseArrayBase.from_list(i64, self.path)}
        if self.bounds is not None:
            facts["skel.bounds"] = DenseArrayBase.from_list(i64, [self.bounds.low, self.bounds.high])
        if self.below:
            facts["skel.below"] = DenseArrayBase.from_list(i64, [number for pair in self.below for number in pair])
        if self.strides:
            facts["skel.strides"] = DenseArrayBase.from_list(i64, self.strides)
        if self.layout:
            facts["skel.layout"] = StringAttr(self.layout)
        for name in _MARKS:
            if getattr(self, name):
                facts[f"skel.{name}"] = UnitAttr()
        return DictionaryAttr(facts)


def argument_facts(entry: func.FuncOp) -> list[ArgumentFacts]:
    """The facts of each argument; one without attributes is the input of its own number."""
    stated: Sequence[DictionaryAttr] = () if entry.arg_attrs is None else entry.arg_attrs.data
    found: list[ArgumentFacts] = []
    for index in range(len(entry.body.block.args)):
        data: Mapping[str, Attribute] = stated[index].data if index < len(stated) else {}
        path = int_values(data["skel.path"]) if "skel.path" in data else (index,)
        bounds = Bounds(*int_values(data["skel.bounds"])) if "skel.bounds" in data else None
        below = int_values(data["skel.below"]) if "skel.below" in data else ()
        pairs = tuple(zip(below[::2], below[1::2], strict=True))
        strides = tuple(int_values(data["skel.strides"])) if "skel.strides" in data else ()
        marks = {name: f"skel.{name}" in data for name in _MARKS}
        layout = data.get("skel.layout")
        stated_layout = layout.data if isinstance(layout, StringAttr) else ""
        found.append(ArgumentFacts(path, bounds, pairs, **marks, strides=strides, layout=stated_layout))
    return found
