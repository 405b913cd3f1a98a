"""What the last runs of a parallel loop looked like, for runs that look the same.

Describing a run (its body as a function, what the names in it mean, the types and lengths of its arrays) takes ten
times as long as launching a kernel. A loop that is reached again mostly finds everything as it was. See `InlineCache`,
which does the same for array functions; here the names are looked up among the variables around the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CellType, FunctionType, MappingProxyType
from typing import TYPE_CHECKING

from hetc.abi import WriteBack, Written
from hetc.dataclass import dataclass
from hetc.frontends.python.premises import ABSENT, Place, Premises
from hetc.frontends.skeleton.composition import ForAll
from hetc.inline_cache import Known, Look, circumstances_of, known_under, look_of
from hetc.jobs import Job
from hetc.loops import Box
from hetc.settings import Settings
from hetc.speculation import Compiled

if TYPE_CHECKING:  # importing it imports pyopencl
    from hetc.runtime.devices import Device
    from hetc.runtime.executor import Executable


@dataclass(frozen=True)
class Recalled:
    """What ran a loop that looked the same, and what it captures now; `written` are those that it stores to."""

    executable: Executable
    compiled: Compiled
    written: tuple[str, ...]
    captures: dict[str, object]


NOTHING: Mapping[str, object] = MappingProxyType({})
"""Of loops that sum nothing up."""

Run = tuple["Executable", Compiled, tuple[str, ...]]
"""What ran a loop, and the arrays that it stores to."""


class LoopPremises:
    """What the names in a loop's body were bound to: those of variables around it, and all others.

    The body is a function that each run makes anew, over cells of its own; so names are kept in the place of cells.
    """

    def __init__(self, premises: Premises, body: FunctionType) -> None:
        own = dict(zip(map(id, body.__closure__ or ()), body.__code__.co_freevars, strict=True))
        self.code = body.__code__
        self.outer = Premises()
        self.outer.functions = [row for row in premises.functions if row[0] is not body]
        self.outer.names = premises.names
        self.outer.cells = [row for row in premises.cells if id(row[0]) not in own]
        self.variables = [(own[id(cell)], value) for cell, value in premises.cells if id(cell) in own]
        self.captured: dict[str, tuple[str, type]] = {}
        """The variables that are captured: by which name the compiler knows them, their own, and their type."""
        for name, (place, key, kind) in premises.captured.items():
            if (variable := _own_name(place, own)) is None:
                self.outer.captured[name] = place, key, kind
            else:
                self.captured[name] = variable, kind

    def captures(self, variables: Mapping[str, object]) -> dict[str, object] | None:
        """The captured variables as they are now; None if what was resolved may not be so any more."""
        for name, value in self.variables:
            if variables.get(name, ABSENT) is not value:
                return None
        found = self.outer.captures()
        if found is None:
            return None
        for name, (variable, kind) in self.captured.items():
            value = variables.get(variable, ABSENT)
            if type(value) is not kind or getattr(getattr(value, "dtype", None), "names", None):
                return None
            found[name] = value
        return found

    def same_as(self, other: LoopPremises) -> bool:
        """Whether these are the same, thing by thing."""
        own, others = ([(name, id(value)) for name, value in one.variables] for one in (self, other))
        same = own == others and self.captured == other.captured and self.code is other.code
        return same and self.outer.same_as(other.outer)


class LoopCache:
    """How the runs of one loop were compiled, as long as what its names mean does not change. It keeps no array alive.

    Loops that work on objects are described each time. Of those that sum up, what the sums start from is among the
    variables, and by its type and value a part of the look.
    """

    def __init__(self) -> None:
        self._known: Known[LoopPremises, Run] | None = None  # replaced as a whole, for other threads may be reading it
        self._elsewhere: dict[Device, LoopCache] = {}

    def on(self, device: Device) -> LoopCache:
        """The same for a device that has been chosen, of several."""
        found = self._elsewhere.get(device)
        return self._elsewhere.setdefault(device, LoopCache()) if found is None else found

    @property
    def known(self) -> Known[LoopPremises, Run] | None:
        """What is known of the runs so far, under one set of premises and settings."""
        return self._known

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return self._known is None

    def find(
        self, ranges: Box, variables: Mapping[str, object], settings: Settings, starts: Mapping[str, object] = NOTHING
    ) -> Recalled | None:
        """What ran the loop over these ranges, when its variables looked as they do now, `starts` among them."""
        known = self._known
        if known is None or not known.holds_in(settings, circumstances_of(settings)):
            return None
        captures = known.premises.captures(variables)
        look = None if captures is None else _look_of(ranges, captures, starts)
        found = None if look is None else known.find(look)
        if found is None or captures is None:
            return None
        executable, compiled, written = found
        # It may have been found out since that it is to be compiled otherwise.
        return Recalled(executable, compiled, written, captures) if compiled.executable is executable else None

    def keep(
        self,
        job: Job,
        settings: Settings,
        executable: Executable,
        compiled: Compiled,
        starts: Mapping[str, object] = NOTHING,
    ) -> None:
        """Remember a run."""
        stage, premises, captures = job.stages[0], job.resolution.premises, job.resolution.captures
        if premises is None or not isinstance(stage, ForAll) or not isinstance(stage.function, FunctionType):
            return
        own = LoopPremises(premises, stage.function)
        again = own.captures(_variables(stage.function))
        if again is None or again.keys() != captures.keys():
            return
        look = _look_of(job.inputs, again, starts)
        if look is None:
            return
        stores = (step for step in executable.package.steps if isinstance(step, WriteBack | Written))
        written = tuple(step.source.name for step in stores if step.source.name is not None)
        known = self._known = known_under(own, settings, self._known)
        known.keep(look, (executable, compiled, written))


def _look_of(ranges: Sequence[object], captures: Mapping[str, object], starts: Mapping[str, object]) -> Look | None:
    """What there is to see of a run. What sums start from is compiled into a kernel, or captured, as maxima are."""
    look = look_of(ranges, captures)
    if look is None or not starts:
        return look
    return look, *((type(value), None if name in captures else repr(value)) for name, value in starts.items())


def _own_name(place: Place, own: Mapping[int, str]) -> str | None:
    return own.get(id(place)) if isinstance(place, CellType) else None


def _variables(body: FunctionType) -> dict[str, object]:
    """The variables around a loop that its body is made over."""
    cells = zip(body.__code__.co_freevars, body.__closure__ or (), strict=True)
    found: dict[str, object] = {}
    for name, cell in cells:
        try:
            found[name] = cell.cell_contents
        except ValueError:  # it has no value here
            continue
    return found
