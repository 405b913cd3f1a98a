"""What a call learns from runs that failed."""

from __future__ import annotations

from hetc.abi import GuardSite
from hetc.errors import SourceLocation
from hetc.runtime.call import GuardFailed
from hetc.speculation import MAX_VAIN_CALLS, Compiled


def _branch(line: int) -> GuardSite:
    return GuardSite(0, "branch", "this branch was never taken", SourceLocation("f.py", line, 0))


def test_a_branch_that_was_assumed_is_compiled_and_the_call_run_again() -> None:
    compiled = Compiled()
    assert compiled.failed(GuardFailed((_branch(3),)), 1000)
    assert compiled.failed(GuardFailed((_branch(4),)), 1000)
    assert {place.line for place in compiled.widened} == {3, 4}
    assert compiled.recompilations == 2


def test_a_branch_that_fails_although_it_is_compiled_is_left_to_python() -> None:
    compiled = Compiled()
    assert compiled.failed(GuardFailed((_branch(3),)), 1000)
    for _ in range(MAX_VAIN_CALLS):
        assert not compiled.failed(GuardFailed((_branch(3),)), 1000)
    assert compiled.recompilations == 1
    assert compiled.executable is not None  # the reason why it stays in Python
