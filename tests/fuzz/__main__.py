"""Run the fuzzer for long.

    python -m tests.fuzz --seconds 600 --processes 16 --seed 1 --device intel --output out/fuzz

Each process takes every n-th batch of programs and writes what it finds, a line of JSON each, into the output folder:
`worker-N.jsonl`. A process that ends itself (a fault in a device's compiler can end it) or stands still is told as a
failure with its batch, and started again at the next one. At the end `summary.txt` and `failures.py` are written.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetc.runtime.devices import select
from tests.fuzz.execution import Counts
from tests.fuzz.runs import BATCH, Budget, Failure, as_json, counts_from_data, numbered, run, summary

STILL = 240.0
"""Seconds without a word after which a process is ended: a failure may take a minute to be made small."""


def main() -> int:
    """Run as the arguments say; 1 if anything is wrong."""
    arguments = _arguments()
    arguments.output.mkdir(parents=True, exist_ok=True)
    if arguments.show is not None:
        print(numbered(arguments.seed, arguments.show).source)
        return 0
    if arguments.worker is not None:
        _work(arguments)
        return 0
    return _lead(arguments)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Programs drawn at random, against CPython."
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default 60)")
    parser.add_argument("--programs", type=int, default=None, help="end after so many programs, if that comes first")
    parser.add_argument("--seed", default="1", help="which programs (default 1)")
    parser.add_argument("--device", default=None, help="a part of a device's name, as in hetc.configure")
    parser.add_argument("--processes", type=int, default=1, help="how many at once (default 1)")
    parser.add_argument(
        "--output", type=Path, default=Path("out/fuzz"), help="folder of the results (default out/fuzz)"
    )
    parser.add_argument("--show", type=int, default=None, metavar="N", help="print program N of the seed")
    parser.add_argument("--worker", type=int, default=None, help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


# --------------------------------------------------------------------------------------------------------------------
# A process that works
# --------------------------------------------------------------------------------------------------------------------


def _work(arguments: argparse.Namespace) -> None:
    path = arguments.output / f"worker-{arguments.worker}.jsonl"
    share = None if arguments.programs is None else -(-arguments.programs // arguments.processes)
    with path.open("a") as file:

        def tell(kind: str, value: Any) -> None:
            print(as_json(kind, value), file=file, flush=True)

        budget = Budget(share, arguments.seconds)
        run(
            arguments.seed,
            arguments.worker,
            arguments.processes,
            select(arguments.device),
            budget,
            tell,
            arguments.start,
        )
        tell("end", None)


# --------------------------------------------------------------------------------------------------------------------
# The process that leads
# --------------------------------------------------------------------------------------------------------------------


@dataclass
class Worker:
    """A process and what it has told."""

    number: int
    path: Path
    process: subprocess.Popen[bytes]
    batch: int = 0
    ended: bool = False
    heard: float = 0.0


def _lead(arguments: argparse.Namespace) -> int:
    begin = time.monotonic()
    for old in arguments.output.glob("worker-*"):
        old.unlink()
    workers = [_start(arguments, number, arguments.seconds, 0) for number in range(arguments.processes)]
    failures: list[Failure] = []
    while not all(worker.ended for worker in workers):
        time.sleep(0.5)
        for index, worker in enumerate(workers):
            if worker.ended:
                continue
            stopped = worker.process.poll() is not None
            last = _last_words(worker)
            if last == "end":
                worker.ended = True
            elif stopped or time.monotonic() - worker.heard > STILL:
                worker.process.kill()
                code = worker.process.wait()
                failures.append(_ended_badly(arguments, worker, code if stopped else None))
                left = arguments.seconds - (time.monotonic() - begin)
                workers[index] = _start(arguments, worker.number, max(left, 0.0), worker.batch + arguments.processes)
    counts, found = _results(arguments.output)
    failures += found
    where = f"{arguments.device or 'first device'}, {arguments.processes} processes"
    text = f"seed {arguments.seed}, {where}, {time.monotonic() - begin:.0f} s\n{summary(counts)}"
    (arguments.output / "summary.txt").write_text(text + "\n")
    (arguments.output / "failures.py").write_text("\n\n".join(one.text() for one in failures))
    print(text)
    for one in failures:
        print(f"\n{one.text()}")
    return 1 if failures else 0


def _start(arguments: argparse.Namespace, number: int, seconds: float, batch: int) -> Worker:
    command = [sys.executable, "-m", "tests.fuzz", "--worker", str(number), "--processes", str(arguments.processes)]
    command += ["--seconds", str(seconds), "--seed", arguments.seed, "--output", str(arguments.output)]
    command += ["--start", str(batch)]
    if arguments.device is not None:
        command += ["--device", arguments.device]
    if arguments.programs is not None:
        command += ["--programs", str(arguments.programs)]
    path = arguments.output / f"worker-{number}.jsonl"
    with (arguments.output / f"worker-{number}.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    return Worker(number, path, process, heard=time.monotonic())


def _last_words(worker: Worker) -> str | None:
    """What a worker told last."""
    if not worker.path.exists():
        return None
    lines = _lines(worker.path)
    for line in reversed(lines):
        message = json.loads(line)
        if message["kind"] == "batch":
            if message["value"] != worker.batch or not worker.heard:
                worker.batch, worker.heard = message["value"], time.monotonic()
            break
    return json.loads(lines[-1])["kind"] if lines else None


def _lines(path: Path) -> list[str]:
    """What a worker has told, but for a line that it is still writing, or was when it ended."""
    return path.read_text().rpartition("\n")[0].splitlines()


def _ended_badly(arguments: argparse.Namespace, worker: Worker, code: int | None) -> Failure:
    what = "hang: the process stood still" if code is None else f"crash: the process ended with {code}"
    first = worker.batch * BATCH
    log = (arguments.output / f"worker-{worker.number}.log").read_text(errors="replace").splitlines()
    source = "\n".join(
        f"# {line}" for line in ["python -m tests.fuzz --show N prints a program; its last words:", *log[-5:]]
    )
    problem = f"{what}, in programs {first} to {first + BATCH - 1}"
    return Failure(problem, source, arguments.seed, first, str(arguments.device))


def _results(output: Path) -> tuple[Counts, list[Failure]]:
    """All that the processes told. The counts of a process that was started again count from then on."""
    counts, failures = Counts(), list[Failure]()
    for path in sorted(output.glob("worker-*.jsonl")):
        last: dict[str, Any] | None = None
        for line in _lines(path):
            message = json.loads(line)
            if message["kind"] == "failure":
                failures.append(Failure(**message["value"]))
            elif message["kind"] == "counts":
                if last is not None and message["value"]["programs"] < last["programs"]:
                    counts.merge(counts_from_data(last))
                last = message["value"]
        if last is not None:
            counts.merge(counts_from_data(last))
    return counts, failures


if __name__ == "__main__":
    raise SystemExit(main())
