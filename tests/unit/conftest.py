"""What the tests of the command line tools share."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.universe import Universe

from hetc.tools import opt_main

look_up = Universe.get_multiverse
installed = functools.cache(look_up)
"""The dialects and passes of all installed packages."""


@pytest.fixture
def hetc_opt_streams(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """A function that runs `hetc-opt` in the root of the repository and returns what it prints: output, errors.

    What is installed is looked up once for all runs, since that takes half of the time of a small one.
    """
    monkeypatch.chdir(repository)
    if Universe.get_multiverse is look_up:  # no test has others
        monkeypatch.setattr(Universe, "get_multiverse", staticmethod(installed))

    def run(*arguments: str, stdin: str = "") -> tuple[str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        opt_main.main(arguments)
        captured = capsys.readouterr()
        return captured.out, captured.err

    return run


@pytest.fixture
def hetc_opt(hetc_opt_streams: Callable[..., tuple[str, str]]) -> Callable[..., str]:
    """A function that runs `hetc-opt` and returns its output."""
    return lambda *arguments, stdin="": hetc_opt_streams(*arguments, stdin=stdin)[0]


@pytest.fixture
def fails(hetc_opt: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A function that runs `hetc-opt`, which has to fail with a status, and returns what it says then."""

    def run(status: int, *arguments: str, stdin: str = "") -> str:
        with pytest.raises(SystemExit) as caught:
            hetc_opt(*arguments, stdin=stdin)
        assert caught.value.code == status
        return capsys.readouterr().err.rstrip("\n")

    return run
