"""Runs of array statements: which of them a device runs, and which NumPy.

A group of statements in a function (`hetc.frontends.array_code`) asks, statement by statement, whether it has been run.
As with loops, under `offload="auto"` it is measured what NumPy takes and what the device takes. NumPy runs what does
not pay, what is not compiled, and what a guard has stopped: a division by zero of which it warns, an integer that does
not fit. Until then nothing has changed, so its exceptions and warnings are its own, at the user's line.
"""

from __future__ import annotations

import builtins
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from hetc import hotness, settings
from hetc.array_job import ReadyPlan
from hetc.array_looks import Found, Look, Looks, Names
from hetc.chosen_regions import Region
from hetc.dataclass import dataclass
from hetc.dispatch import Dispatcher, note_deoptimisation
from hetc.errors import CompileError, DeviceError, SourceLocation, UnsupportedError
from hetc.frontends.array_code.forms import Form, Sizes, form_of
from hetc.frontends.array_code.plans import plan
from hetc.frontends.array_code.statements import Group
from hetc.frontends.array_code.values import Values, leaf_values
from hetc.hotness import FunctionTimes
from hetc.jobs import CallOptions, Job
from hetc.runtime import profile
from hetc.runtime.call import GuardFailed
from hetc.runtime.under_way import UnderWay

ELEMENT_SECONDS = 0.04e-9
"""What an element of an array takes at least, until it is measured: the arrays of statements are where they are."""
COPY_SECONDS = 1e-9
"""The same for an array whose elements have to be put in a row first."""
LAUNCH_SECONDS = 25e-6
"""The same for running a plan on next to no data."""
MOST_SLOWER = 3.0
"""A run in NumPy counts as at most so many times as slow as those before it."""
MEASURED_OF = 8
"""One of so many runs of a plan is waited for at once, whatever follows, and measured."""
MAX_PLANS = 256
"""Plans that are kept for a group; the oldest go first."""
MAX_PAUSE = 256
"""A group that nothing was to be gained of is passed by at most so many times before it is looked at again."""
MAX_PAUSE_OF_NUMBERS = 2**16
"""The same for a group in which no arrays were met, or at which to look takes much longer than NumPy does."""
FREE_LOOKS = 3
"""The first looks in vain, which make plans, are not counted so."""
SHARE_OF_WAITING = 0.03
"""The same for statements that a kernel will have paid for after some more runs."""
SHARE_OF_LOOKING = 0.1
"""How long looking at a group in vain may take, in the times that NumPy takes until it is looked at again."""
MAX_COMPILATIONS = 16
"""Kernels that are compiled for a statement; what needs others is NumPy's."""
MAX_VAIN_RUNS = 4
"""After so many runs in a row that guards have stopped, NumPy runs the statements from the start."""

Arrays = Callable[[], list[Any]]
"""Gives the arrays that a plan reads or stores to."""

RunPlan = Callable[[ReadyPlan], dict[int, Any]]
"""Runs a plan on what it was found for: see `ReadyPlan.run`."""

Seen = list[tuple[SourceLocation, "Job | CompileError"]]


@dataclass
class KnownPlan:
    """A plan for one kind of data, or why there is none, and how often guards have stopped it in a row."""

    ready: ReadyPlan | UnsupportedError
    times: FunctionTimes
    kind: Hashable = None
    """What it has in common with plans that take about the same time a point."""
    vain_runs: int = 0
    started: bool = False
    looked_at: bool = False


@dataclass
class GroupState:
    """What is known of a group: its plans, and for how long it is not to be looked at."""

    group: Group
    places: tuple[SourceLocation, ...]
    plans: dict[Hashable, KnownPlan] = field(default_factory=dict[Hashable, KnownPlan])
    reach: dict[int, int] = field(default_factory=dict[int, int])
    """How many statements from one on are worth a look, from what the last plan has shown."""
    vain: int = 0
    looking: float = math.inf
    """The least seconds that it has taken to look at the group in vain."""
    compilations: Counter[int] = field(default_factory=Counter[int])
    """The kernels that have been compiled for each statement."""
    looks: dict[int, Looks] = field(default_factory=dict[int, Looks])
    """What runs of the statements from one on have looked like."""
    passing: dict[int, int] = field(default_factory=dict[int, int])
    """How many times each statement is to be left to NumPy without a look."""
    vain_looks: Counter[int] = field(default_factory=Counter[int])
    """How often in a row a look at each statement has gained nothing."""

    def left_alone(self, number: int) -> None:
        """A look at a statement has gained nothing: it is left to NumPy for a while, each time longer."""
        self.vain_looks[number] += 1
        self.passing[number] = min(MAX_PAUSE, 2 ** min(self.vain_looks[number], 20) // 2)

    def pass_together(self, asked: Sequence[int]) -> int:
        """How many runs all of the statements that were asked for are to be passed by, which the group then is."""
        together = min((self.passing.get(number, 0) for number in asked), default=0)
        if together:
            for number in asked:
                self.passing[number] -= together
        return together

    def pause_after(self, *, gained: bool, arrays: bool, looking: float = 0.0, running: float = 1.0) -> int:
        """How many times to pass the group by: not at all if something was gained, else each time more often.

        `looking` and `running` are the seconds that it took to look at the group, and to run it.
        """
        if gained:
            self.vain = 0
            return 0
        self.vain += 1
        until_paid = 0
        if self.vain > FREE_LOOKS:
            self.looking = min(self.looking, looking)
            until_paid = int(self.looking / (SHARE_OF_LOOKING * max(running, 1e-9)))
        most = MAX_PAUSE if arrays else MAX_PAUSE_OF_NUMBERS
        return min(MAX_PAUSE_OF_NUMBERS, max(until_paid, min(most, 2 ** min(self.vain, 20) // 2)))


class ArrayContext:
    """The groups of one function, how its calls run, and who compiles."""

    def __init__(
        self,
        function: FunctionType,
        options: CallOptions,
        dispatcher: Dispatcher,
        states: tuple[GroupState, ...],
        pauses: list[int],
    ) -> None:
        self.function = function
        self.options = options
        self.dispatcher = dispatcher
        self.states = states
        self.pauses = pauses
        self.gains = 0
        """How many groups have gained something by being looked at, or may soon."""
        self.looking = 0.0
        """The seconds that it has taken to look at groups."""

    def start(self, number: int, seen: Seen | None) -> GroupRun | None:
        """A run of a group, or None if it is not looked into now. `seen` collects what it meets, instead of running."""
        current = settings.current()
        if current.offload == "never" and seen is None:
            return None
        return GroupRun(self, number, current, seen)

    def look_again(self) -> None:
        """Pass no group by the next time."""
        self.pauses[:] = [0] * len(self.pauses)
        for state in self.states:
            state.passing.clear()


class GroupRun:
    """One run of a group. `runs`, `gives`, `take`, `ended`, `end`: see `hetc.frontends.array_code.rewrite`."""

    def __init__(self, context: ArrayContext, group: int, current: settings.Settings, seen: Seen | None) -> None:
        self.context = context
        self.group = group
        self.state = context.states[group]
        self.current = current
        self.seen = seen
        self.frame: FrameType | None = None
        self.done = 0
        """The statements before this one have run on the device."""
        self.left = 0
        """The statements before this one are NumPy's."""
        self.results: dict[int, Any] = {}
        self.given: Any = None
        self.gives = False
        self.gained = seen is not None
        self.under_way = UnderWay()
        self.ahead = False
        """Whether the last plan that was run may still be under way."""
        self.asked: list[int] = []
        """The statements that a look was to be taken at."""
        self.gains_soon = False
        """Whether the last plan that was decided about may be worth a kernel."""
        self.arrays = False
        self.measured: tuple[Region, float] | None = None
        self.began = 0.0
        self.looking = 0.0
        self.started = hotness.clock()

    def runs(self, number: int) -> bool:
        """Whether statement `number` has run, with those before."""
        if number >= self.done:
            if number < self.left:
                return False
            self._stop_watch()
            try:
                self.done = number + self._advance(number)
                if self.done == number or self.done == len(self.state.places):
                    self.under_way.settle()
            except BaseException:
                self.under_way.settle()
                self.frame = None
                raise
            if self.done == len(self.state.places):
                self.frame = None  # which holds this; nothing is looked up any more
            self.looking += hotness.clock() - self.began
        if number < self.done:
            self.gives = number in self.results
            self.given = self.results.get(number)
            return True
        if not self.left > number:
            self.left = number + 1
        return False

    def take(self) -> Any:
        """What the statement comes to that `runs` has been asked for."""
        return self.given

    def ended(self, value: Any) -> Any:
        """The value of the last statement, which NumPy has computed."""
        self.end()
        return value

    def end(self) -> None:
        """The last statement has run."""
        self._stop_watch()
        self.under_way.settle()
        self.frame = None
        running = hotness.clock() - self.started - self.looking
        self.context.gains += self.gained
        self.context.looking += self.looking
        pause = self.state.pause_after(gained=self.gained, arrays=self.arrays, looking=self.looking, running=running)
        together = 0 if self.done or self.seen is not None else self.state.pass_together(self.asked)
        self.context.pauses[self.group] = max(pause, together)

    # --- one part ----------------------------------------------------------------------------------------------------

    def _advance(self, number: int) -> int:
        """How many statements from one on have run on the device: as many as share a plan, or none."""
        place, self.began = self.state.places[number], hotness.clock()
        self.asked.append(number)
        frame = self.frame
        if frame is None:
            return 0
        passing = self.state.passing.get(number, 0)
        if passing and self.seen is None:
            self.state.passing[number] = passing - 1
            return 0
        names = frame.f_locals, frame.f_globals, vars(builtins)
        looks = self.state.looks.get(number)
        if looks is None:
            looks = self.state.looks[number] = Looks(self.state.group.statements[number:])
        seen = None if self.seen is not None else looks.find(names, self.current)
        if seen is not None:
            self.arrays = True
            return self._advance_as_before(*seen, number, place)
        self.under_way.settle()
        try:
            values = self._values(number, names)
            if values is None:
                return 0
            form = form_of(self.state.group.statements[number:], values)
            known = self._known(number, values, form)
        except UnsupportedError as error:
            self._note(place, error)
            self.state.left_alone(number)
            return 0
        if isinstance(known.ready, UnsupportedError):
            self._note(place, known.ready)
            self.state.left_alone(number)
            looks.keep(known, None, values, {}, names, self.current)
            return 0
        sizes = form.sizes(known.ready.form)
        if self.seen is not None:
            self._look(known, values, sizes, place)
            self.left = number + known.ready.plan.count
            return 0
        looks.keep(known, known.ready, values, sizes, names, self.current)
        points = known.ready.points(sizes)
        region = self._region(known, points)
        return self._decided(
            known,
            region,
            number,
            place,
            lambda: list(values.containers.values()),
            lambda ready: ready.run(values, sizes, self.context.dispatcher, self.current),
        )

    def _advance_as_before(self, look: Look, found: Found, number: int, place: SourceLocation) -> int:
        """The same for statements that look as in a run before."""
        known: KnownPlan = look.known
        if isinstance(known.ready, UnsupportedError):
            self.state.left_alone(number)
            return 0
        last = number + known.ready.plan.count == len(self.state.places)

        def run(ready: ReadyPlan) -> dict[int, Any]:
            # Some runs are waited for, so that they can be measured.
            self.ahead = ready.is_steady and not last and ready.runs % MEASURED_OF != 0
            dispatcher, current = self.context.dispatcher, self.current
            return look.run(ready, found, dispatcher, current, self.under_way, ahead=self.ahead)

        region, arrays = self._region(known, look.points), lambda: [found[name] for name in look.arrays]
        return self._decided(known, region, number, place, arrays, run)

    def _decided(
        self, known: KnownPlan, region: Region, number: int, place: SourceLocation, arrays: Arrays, run: RunPlan
    ) -> int:
        """Run a plan if that pays: how many statements have run."""
        if self._pays(known, region, number, arrays):
            return self._run(known, region, number, place, run)
        assert isinstance(known.ready, ReadyPlan)
        self.left = number + known.ready.plan.count
        self.measured = region, hotness.clock()
        if not self.gains_soon:
            self.state.left_alone(number)
        elif known.times.per_element is not None:
            # It will pay, but not yet: only every so many runs are timed, so that looking takes a small part of them.
            looks = known.times.deciding / (SHARE_OF_WAITING * known.times.per_element * max(1, region.size))
            skipped = min(MAX_PAUSE, int(looks))
            self.state.passing[number] = skipped
            known.times.passed_by(skipped, region.size)
        return 0

    def _region(self, known: KnownPlan, points: int) -> Region:
        """A run over so many points, whose device may be chosen. NumPy statements leave no array on a device."""
        return Region(self.context.dispatcher.hotness, known.times, known.kind, known.kind, points)

    def _values(self, number: int, names: Names) -> Values | None:
        """The leaves of the statements from one on; None if no array is among those of the first."""
        count = self.state.reach.get(number, len(self.state.group.statements))
        statements = self.state.group.statements[number : number + count]
        values = leaf_values(statements, names)
        self.arrays = self.arrays or bool(values.containers)
        return values if values.containers or self.seen is not None else None

    def _known(self, number: int, values: Values, form: Form) -> KnownPlan:
        """The plan for statements with leaves of this form."""
        current = self.current
        how = current.device, current.debug, current.verifies, self.context.options.is_fast(current)
        key = number, form.key, tuple(np.geterr().values()), how
        plans = self.state.plans
        known = plans.get(key)
        if known is None:
            statements = self.state.group.statements[number:]
            try:
                found = plan(statements, values)
                self.state.reach.setdefault(number, found.count + 1)
                ready: ReadyPlan | UnsupportedError = ReadyPlan.of(
                    found, values, form, self.context.function, self.context.options
                )
                count = found.count
            except UnsupportedError as error:
                ready, count = error.at(self.state.places[number]), 0
            arrays = len({id(array) for array in values.containers.values()}) + 1
            kinds = tuple(array.dtype.str for array in values.containers.values())
            kind = "arrays", self.state.places[number], count, kinds
            moving = arrays * ELEMENT_SECONDS + (
                0 if isinstance(ready, UnsupportedError) else ready.copies * COPY_SECONDS
            )
            times = self.context.dispatcher.hotness.times_of(kind, moving, LAUNCH_SECONDS)
            while len(plans) >= MAX_PLANS:
                plans.pop(next(iter(plans)))
            known = plans[key] = KnownPlan(ready, times, kind)
        return known

    def _pays(self, known: KnownPlan, region: Region, number: int, arrays: Arrays) -> bool:
        """Whether the device is to run a plan over so many points."""
        self.gains_soon = False
        if known.vain_runs >= MAX_VAIN_RUNS:
            return False
        if not known.started and self.state.compilations[number] >= MAX_COMPILATIONS:
            return False
        if known.looked_at:  # else it was also made just now
            deciding = hotness.clock() - self.began
            # The least that it has taken: the processor may have been given to others meanwhile.
            known.times.deciding = min(known.times.deciding or deciding, deciding)
        known.looked_at = True
        current = self.current
        if current.offload == "always" or self.context.options.device is not None:
            return True
        plan = known.ready
        assert isinstance(plan, ReadyPlan)
        decision = region.decide(0, current, lambda: plan.on(region.device).started, arrays)
        self.gains_soon = known.times.per_element is None or (decision.python_seconds or 0) > (
            decision.device_seconds or 0
        )
        self.gained = self.gained or self.gains_soon
        return decision.offload

    def _run(self, known: KnownPlan, region: Region, number: int, place: SourceLocation, run: RunPlan) -> int:
        """Run a plan: how many statements have run."""
        dispatcher = self.context.dispatcher
        before = dispatcher.hotness.compiler.count
        assert isinstance(known.ready, ReadyPlan)
        ready = known.ready.on(region.device)
        region.start()
        self.ahead = False
        try:
            if profile.active():
                with profile.calling(f"{self.context.function.__qualname__}, array statements", place):
                    results = run(ready)
            else:
                results = run(ready)
        except GuardFailed as failure:
            note_deoptimisation(failure)
            known.vain_runs += 1
            return 0
        except (CompileError, DeviceError) as error:
            if self.ahead and isinstance(error, DeviceError) and error.launched:
                raise  # statements before this one may have changed arrays that it changes again
            if self._goes_on(error, region):
                return self._run(known, region, number, place, run)
            if known.started:  # numbers that do not fit, this time
                known.vain_runs += 1
                return 0
            known.ready = UnsupportedError(error.reason, location=place, hint=error.hint, category=error.category)
            return 0
        finally:
            self.state.compilations[number] += dispatcher.hotness.compiler.count - before
        measured = dispatcher.hotness.compiler.count == before
        steady, seconds = ready.is_steady and not self.ahead, hotness.clock() - self.began
        ready.runs += 1
        region.ran_on_device(region.size, seconds if measured and steady else None)
        known.vain_runs, known.started, self.gained = 0, True, True
        self.state.vain_looks[number] = 0
        self.results.update((number + statement, result) for statement, result in results.items())
        return ready.plan.count

    def _stop_watch(self) -> None:
        """NumPy has run the statements of a plan."""
        if self.measured is not None:
            region, start = self.measured
            self.measured = None
            seconds, known = hotness.clock() - start, region.times.per_element
            if known is not None:
                # One run that was interrupted must not be what is believed of all that go to a device after it.
                seconds = min(seconds, MOST_SLOWER * known * region.size)
            region.ran_in_python(seconds, refused=False)

    def _goes_on(self, error: CompileError | DeviceError, region: Region) -> bool:
        """Whether another candidate takes a run that its device does not. Nothing has changed by then."""
        try:
            return self.context.dispatcher.goes_on(error, region, self.context.options)
        except CompileError as failed:  # NumPy runs the statements, and that a device has failed is told
            silent = (self.context.options.fallback or self.current.fallback) == "silent"
            self.context.dispatcher.tell(failed, "silent" if silent else "warn")
            return False

    # --- looking -----------------------------------------------------------------------------------------------------

    def _look(self, known: KnownPlan, values: Values, sizes: Sizes, place: SourceLocation) -> None:
        """Note the jobs that a plan would run."""
        assert self.seen is not None
        ready = known.ready
        assert isinstance(ready, ReadyPlan)
        try:
            self.seen += [(place, job) for job in ready.jobs(values, sizes, self.current)]
        except CompileError as error:
            self.seen.append((place, error))

    def _note(self, place: SourceLocation, error: CompileError) -> None:
        if self.seen is not None:
            self.seen.append((place, error))
