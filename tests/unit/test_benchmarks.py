"""The benchmarks' own logic: pairs, ratios, tables and the command line. What they measure is not tested."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import compile_time, guards, marshal, run, transfers
from benchmarks.measure import Comparison, compare, spread
from benchmarks.peers import PEERS, available
from benchmarks.programs import ARRAY_PROGRAMS, differing_points, largest_error
from benchmarks.report import (
    HEADER,
    Outcome,
    PeerOutcome,
    as_json,
    cells,
    goals,
    markdown,
    peer_cells,
    tables,
    whole_call,
)
from hetc.runtime.devices import list_devices

DEVICE = SimpleNamespace(name="A device", platform="A platform", version="OpenCL 3.0")


def an_outcome(hetc_error: float = 1e-7, native_error: float = 1e-7) -> Outcome:
    pairs = Comparison(hetc=(2.0, 3.0, 4.0), native=(1.0, 2.0, 4.0))
    return Outcome(
        name="saxpy",
        size=1024,
        kernel=pairs,
        end_to_end=pairs,
        resident=0.5,
        hetc_first_call=100.0,
        compile_ms=90.0,
        moved=12288,
        hetc_error=hetc_error,
        native_error=native_error,
        tolerance=1e-5,
        peers=[
            PeerOutcome("NumPy", pairs, None, 1e-7, 1e-5),
            PeerOutcome("Numba", Comparison((1.0,), (2.0,)), None, 1.0, 1e-5),
            PeerOutcome("CuPy", None, None, 0.0, 1e-5, "ImportError: no | driver\nand more"),
        ],
    )


def test_sides_take_turns_in_going_first() -> None:
    order: list[str] = []

    def side(name: str) -> float:
        order.append(name)
        return 1.0

    comparison = compare(lambda: side("hetc"), lambda: side("native"), pairs=4, warm_up=0)
    assert order == ["native", "hetc", "hetc", "native", "native", "hetc", "hetc", "native"]
    assert len(comparison.hetc) == len(comparison.native) == 4


def test_warm_up_runs_are_not_counted() -> None:
    times = iter([100.0, 100.0, 1.0, 1.0, 1.0])
    assert compare(lambda: next(times), lambda: 1.0, pairs=3, warm_up=2).hetc == (1.0, 1.0, 1.0)


def test_the_ratio_is_the_median_of_the_pairs_ratios() -> None:
    comparison = Comparison(hetc=(2.0, 30.0, 4.0), native=(1.0, 20.0, 4.0))
    assert comparison.ratios == [2.0, 1.5, 1.0]
    assert comparison.ratio == 1.5
    low, high = comparison.spread
    assert 1.0 <= low <= 1.5 <= high <= 2.0


def test_the_spread_of_one_value_is_that_value() -> None:
    assert spread([3.0]) == (3.0, 3.0)


def test_errors_are_relative_to_each_components_largest_value() -> None:
    assert largest_error(np.float32([1.0, 2.0]), np.array([1.0, 4.0])) == 0.5
    assert largest_error((np.ones(2), np.full(2, 100.0)), (np.ones(2), np.full(2, 101.0))) == pytest.approx(1 / 101)
    assert differing_points([1, 2, 3, 4], np.array([1, 2, 3, 5])) == 0.25


@pytest.mark.parametrize(
    ("hetc_error", "native_error", "correct"),
    [(0.0, 1e-6, True), (1e-4, 0.0, False), (0.0, 1e-4, False), (math.nan, 0.0, False)],
)
def test_an_outcome_is_correct_if_both_sides_are(hetc_error: float, native_error: float, correct: bool) -> None:
    assert an_outcome(hetc_error, native_error).correct == correct


def test_the_table_has_a_cell_for_each_heading() -> None:
    row = cells(an_outcome())
    assert len(row) == len(HEADER)
    lines = markdown(HEADER, [row]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[2].startswith("| saxpy ")


def test_the_report_holds_every_measurement() -> None:
    (program,) = json.loads(as_json(DEVICE, [an_outcome()], {"NumPy": "2"}))["programs"]
    assert program["kernel"] == {
        "hetc_ms": [2.0, 3.0, 4.0],
        "native_ms": [1.0, 2.0, 4.0],
        "ratio": 1.5,
        "spread": pytest.approx([1.1, 1.9]),
    }
    assert program["correct"]
    assert program["peers"]["CuPy"]["message"].startswith("ImportError")


def test_the_best_peer_is_the_fastest_of_those_that_are_right() -> None:
    outcome = an_outcome()
    best = outcome.best_peer(whole_call)
    assert best is not None
    assert best.ratio == 1.5
    row = peer_cells(outcome, ["NumPy", "Numba", "CuPy", "JAX"], whole_call)
    assert row[2].endswith("(wrong by 1e+00)")
    assert row[3:] == ["error: ImportError: no / driver", "-", "1.50"]


def test_each_goal_has_its_figure() -> None:
    kernels, _, calls = (goal.cells() for goal in goals([an_outcome()]))
    assert kernels[2:] == ("1.50", "1.15", "1.50 (saxpy)", "no (1 of 1 above)")
    assert calls[-1] == "no (1 of 1 above)"
    text = tables(DEVICE, [an_outcome()], {"NumPy": "2"})
    assert "## Goals" in text
    assert "## hetc and its peers: from NumPy arrays to the result" in text


def test_a_peer_that_cannot_be_imported_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PEERS, "Numba", ("no_such_module", False, PEERS["Numba"][2]))
    assert list(available(gpu=False)) == ["NumPy"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("dot,n-body", ["dot product", "N-body"]),
        ("s", ["saxpy", "spectral norm", "spectral norm in order"]),
        ("black", ["Black-Scholes", "black-and-white filter"]),
    ],
)
def test_programs_go_by_their_first_letters(text: str, names: list[str]) -> None:
    assert run.arguments(["--programs", text]).programs == names


def test_compile_times_of_a_stage_that_runs_twice_are_added_up() -> None:
    stages = compile_time.stage_milliseconds(ARRAY_PROGRAMS[0], compile_time.traits_of("intel-cpu"))
    assert next(iter(stages)) == "resolve"
    assert {"frontend", "specialize", "canonicalize", "opencl"} < set(stages)
    assert min(stages.values()) >= 0


def test_the_first_compilation_prints_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert compile_time.main(["--family", "gpu", "--first", "saxpy"]) == 0
    assert float(capsys.readouterr().out) > 0


@pytest.mark.parametrize(
    "argv", [["--shrink", "3"], ["--repeat", "0"], ["--programs", "no-such-program"], ["--repeat", "many"]]
)
def test_bad_arguments_are_refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        run.arguments(argv)
    assert refusal.value.code == 2
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["--shrink", "0"], ["--repeat", "0"], ["--programs", "no-such-program"]])
def test_bad_arguments_of_the_guards_benchmark_are_refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        guards.arguments(argv)
    assert refusal.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_the_guards_benchmark_has_all_programs_of_the_other() -> None:
    names = [program.name for program in guards.GUARDED]
    assert names[: len(ARRAY_PROGRAMS)] == [program.name for program in ARRAY_PROGRAMS]
    assert len(set(names)) == len(names)


def test_the_marshalling_benchmark_reads_the_same_fields_on_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    assert marshal.main(["--shrink", "1000", "--repeat", "1"]) == 0
    rows = [[cell.strip() for cell in line.split("|")] for line in capsys.readouterr().out.splitlines()]
    moved = {row[1]: row[2] for row in rows if len(row) > 3}
    assert (moved["1 of 3 fields"], moved["3 fields, a method"], moved["1 integer"]) == ("8", "24", "8")


def test_transfers_are_measured_where_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    if not list_devices():
        pytest.skip("there is no OpenCL device")
    assert transfers.main(["--force", "--sizes", "16", "--repeat", "1"]) == 0
    assert "| 16 MiB out |" in capsys.readouterr().out
