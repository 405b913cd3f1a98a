"""How work-groups are laid over the work-items of a launch, in however many dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hetc import abi
from hetc.runtime.row_parts import Part, parts_in_row


def parts_of_launch(step: abi.Launch, values: Sequence[Any], layout: abi.Layout = ()) -> list[Part]:
    """What is launched for a step, given what its registers hold; in a layout of its own, or another one."""
    if not step.box:
        return parts_in_row(step, 0, values[step.extent], layout)
    from hetc.runtime.box_steps import parts_of_box

    return parts_of_box(step, values, layout)


def items_of_launch(step: abi.Launch, values: Sequence[Any]) -> int:
    """The work-items of a launch."""
    return math.prod(max(0, values[register]) for register in step.box) if step.box else values[step.extent]
