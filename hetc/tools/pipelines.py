"""Named pipelines: what `default` and the levels stand for in `hetc-opt -p`, for one kind of device.

=========================== ========================================================
in a pipeline               stands for
=========================== ========================================================
`default`                   every pass that a call runs
`level-1` to `level-3`      those of them that lead from the level below to this one
`default{until=cse}`        the passes up to the first `cse`, itself included
`default{from=cse}`         the passes from the first `cse` on
=========================== ========================================================

`from` and `until` go together, and with the levels: `level-2{from=fold-ranges until=guard-elimination}`. A pass that
comes several times is the first of its name, after `from` in the case of `until`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.utils.arg_spec import ArgSpec, parse_pipeline

from hetc.abi import DeviceTraits
from hetc.errors import HetcError
from hetc.tools.spelling import unknown

DESCRIPTIONS = {
    "default": "every pass that a call runs, on the device that --device-traits names",
    "level-1": "types: from dynamic Python to typed values, boxes and guards",
    "level-2": "simplified: calls, tuples, boxes and needless guards are gone; skeletons are fused",
    "level-3": "kernels and the host's plan",
}
"""The pipelines that have a name, with a line of documentation."""


@dataclass(frozen=True)
class Step:
    """One pass of a pipeline; `pipeline` is the named pipeline that it comes from, as it was written."""

    spec: ArgSpec
    pipeline: str | None = None


class PipelineError(HetcError, ValueError):
    """A named pipeline was given options that it does not have, or that name no pass of it."""


def expand(text: str, traits: DeviceTraits) -> list[Step]:
    """The passes of a pipeline, one by one. Raises PipelineError, and what xDSL raises for a malformed one.

    >>> steps = expand("default{from=canonicalize until=cse},dce", DeviceTraits())
    >>> [(step.spec.name, step.pipeline) for step in steps[-2:]]
    [('cse', 'default{from=canonicalize until=cse}'), ('dce', None)]
    >>> [step.spec.name for step in expand("level-1", DeviceTraits())]
    ['specialize']
    """
    steps: list[Step] = []
    for spec in parse_pipeline(text):
        if spec.name in DESCRIPTIONS:
            written = _as_written(spec)
            steps += (Step(part, written) for part in _part(spec, traits))
        else:
            steps.append(Step(spec))
    return steps


def _part(spec: ArgSpec, traits: DeviceTraits) -> Sequence[ArgSpec]:
    for option in spec.parameters:
        if option not in ("from", "until"):
            raise PipelineError(f"pipeline {spec.name}: {unknown('option', option, ('from', 'until'))}")
    # Only here: a pipeline that names its passes needs neither frontends nor runtime.
    from hetc import driver

    passes = [part for level, part in driver.passes_by_level(traits) if spec.name in ("default", f"level-{level}")]
    names = [part.name for part in passes]
    first = _index(spec, "from", names, 0)
    return passes[first : _index(spec, "until", names[first:], len(names)) + first + 1]


def _index(spec: ArgSpec, option: str, names: Sequence[str], otherwise: int) -> int:
    """Where the pass that an option names stands among these passes."""
    values = spec.parameters.get(option)
    if values is None:
        return otherwise
    name = ",".join(map(str, values))
    if name not in names:
        raise PipelineError(
            f"pipeline {_as_written(spec)}: {unknown('pass', name, set(names), lists='--list-pipelines')}"
        )
    return names.index(name)


def _as_written(spec: ArgSpec) -> str:
    """A pipeline without the quotes that its names do not need."""
    return str(spec).replace('"', "")


def passes_of(name: str, traits: DeviceTraits) -> list[str]:
    """The passes that a name stands for."""
    return [step.spec.name for step in expand(name, traits)]
