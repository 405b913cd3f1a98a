"""Which branches the elements of a call take, found by running some of them: the profile that speculation goes by.

After FastR-OCL, which runs the first elements in its interpreter to see types and branches (Fumero et al., VEE 2017,
section 4). Here they are spread over the data, and run on the level-0 IR: this has no side effects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr

from hetc.analysis.concrete import ConcreteRun, NotRunError, OutOfFuelError, run_entry
from hetc.analysis.entry import entry_function
from hetc.analysis.locations import source_location
from hetc.containers import elements_of
from hetc.dataclass import dataclass
from hetc.dialects import dyn, skel
from hetc.errors import SourceLocation

ENOUGH = 16
"""A branch counts as never taken if so many elements came to it, and all went the other way."""


HEAD, SPREAD = 16, 48
"""How many elements a profile takes from the start of the data, and how many spread over all of it."""


@dataclass(frozen=True)
class Samples:
    """The inputs of a call, of which some elements are run, and the captured variables."""

    inputs: Sequence[Sequence[object]]
    captured: Mapping[str, object]

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Some elements, one of each input: the first ones, and others spread over the data.

        >>> len(list(Samples([range(1000), range(1000)], {}).rows()))
        63
        """
        size = len(self.inputs[0])
        for place in sorted({*range(min(HEAD, size)), *(k * size // SPREAD for k in range(SPREAD) if size)}):
            yield tuple(elements_of(value)[place] for value in self.inputs)


def mark_seen_branches(module: ModuleOp, samples: Samples, widened: Collection[SourceLocation]) -> None:
    """Write on each branch of a level-0 module which side the samples take, where they all take one (`dyn.seen`).

    Branches at the places in `widened` are left alone: speculating on them has failed before. So are those of a
    reduction's operator, whose operands are not known from elements alone. If the samples cannot be run to their end
    within limits, nothing is marked.
    """
    entry = entry_function(module)
    excluded = _combining(module)
    marked = [
        op
        for op in module.walk()
        if isinstance(op, scf.IfOp) and dyn.BRANCH in op.attributes and _function_of(op) not in excluded
    ]
    if entry is None or not marked or len(samples.inputs[0]) < ENOUGH:
        return
    sides = _sides_taken(module, entry, samples)
    for op in marked:
        taken = sides.get(op, Counter())
        place = source_location(op.location)
        if len(taken) == 1 and taken.total() >= ENOUGH and place not in widened:
            op.attributes[dyn.SEEN] = StringAttr("then" if True in taken else "else")


def _sides_taken(module: ModuleOp, entry: func.FuncOp, samples: Samples) -> dict[scf.IfOp, Counter[bool]]:
    """For each branch op, how many elements took each side; empty if some element cannot be run to its end."""
    sides: dict[scf.IfOp, Counter[bool]] = {}
    run = ConcreteRun(module, samples.captured)
    for row in samples.rows():
        run.taken.clear()
        try:
            with np.errstate(all="ignore"):
                run_entry(run, entry, [[value] for value in row])
        except (OutOfFuelError, NotRunError):
            return {}
        except Exception:  # noqa: BLE001 (where it leaves for Python, or whatever it raises, its path ends)
            pass
        for op, taken in run.taken.items():
            sides.setdefault(op, Counter()).update(taken)
    return sides


def _combining(module: ModuleOp) -> set[str]:
    """The functions that the operators of reductions call."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    work = [op.combine for op in module.walk() if isinstance(op, skel.ReduceOp | skel.ScanOp | skel.ScatterOp)]
    found: set[str] = set()
    while work:
        for op in work.pop().walk():
            if isinstance(op, dyn.CallOp) and (name := op.callee.root_reference.data) not in found:
                found.add(name)
                work.append(functions[name].body)
    return found


def _function_of(op: scf.IfOp) -> str:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        parent = parent.parent_op()
    return "" if parent is None else parent.sym_name.data
