"""Explain a composition with a sort: where its first sort would run, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hetc import sorting
from hetc.diagnostics import Category
from hetc.division import DividingDispatcher
from hetc.errors import CompileError
from hetc.explanation.explain import candidates_of, lines_of, refused
from hetc.explanation.report import Explanation
from hetc.frontends.skeleton.composition import Sort, Stages, check_inputs, stage_text
from hetc.iteration import sorted_inputs
from hetc.jobs import CallOptions


def explain_sort(
    dispatcher: DividingDispatcher, stages: Stages, inputs: Sequence[Any], options: CallOptions, name: str
) -> Explanation:
    """Explain the first sort of a composition, for which what comes before it is run."""
    check_inputs(stages, len(inputs))
    place = next(number for number, stage in enumerate(stages) if isinstance(stage, Sort))
    sort = stages[place]
    assert isinstance(sort, Sort)
    unsorted = sorted_inputs(dispatcher, stages[:place], inputs, options)
    times, decision, choice = sorting.decide(dispatcher, sort, unsorted.values, options)
    try:
        chosen = options if choice is None else replace(options, device=choice.device)
        work = sorting.DeviceSort(dispatcher, sort, chosen, unsorted.zipped)
        how = work.description(unsorted.values)
    except CompileError as error:
        # Without a device, no sort is on one.
        if decision.offload or error.category is Category.NO_DEVICE:
            return refused(stages, name, error)
        return Explanation(name, decision, lines=lines_of(stages), compiled=None, notes=(error.reason,))
    parts = [f"the sort is {stage_text(sort)}; what is before and after it runs by itself"] if len(stages) > 1 else []
    notes = (*candidates_of(decision), *parts, how)
    compiled = times.compiled if choice is None else choice.place is not None and choice.place.record.compiled
    return Explanation(name, decision, work.device.name, lines=lines_of(stages), compiled=compiled, notes=notes)
