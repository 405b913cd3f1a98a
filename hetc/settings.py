"""The settings that a user makes with `hetc.configure`, and how the rest of hetc reads them.

Settings are one frozen record. A plain `configure(...)` replaces the record of the process; `with configure(...):`
replaces it for the code inside the block only, in this thread (or asyncio task) only, and restores it at the end.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import os
import re
from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, Protocol, TypeVar, runtime_checkable

from hetc.dataclass import dataclass

T = TypeVar("T")
P = ParamSpec("P")

OFFLOAD = ("auto", "always", "never")
FALLBACK = ("warn", "silent", "error")
TUNING = ("auto", "off")

VARIABLE = "HETC_CACHE"
"""The environment variable that turns the cache off, where it is "0", "off", "no" or "false"."""
TUNING_VARIABLE = "HETC_TUNING"
"""The environment variable that turns tuning off, in the same way."""
CACHE_SIZE = 256 * 2**20

_UNITS = {"": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30, "kib": 2**10, "mib": 2**20, "gib": 2**30, "b": 1}
_MEMORY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmg]?i?b?)\s*", re.IGNORECASE)


def _is_off(variable: str) -> bool:
    return os.environ.get(variable, "").strip().lower() in ("0", "off", "no", "false")


@runtime_checkable
class DeviceLike(Protocol):
    """What settings ask of a device object. The class itself is in the runtime, which stands above this module."""

    @property
    def name(self) -> str: ...

    @property
    def traits(self) -> object: ...


@dataclass(frozen=True)
class Settings:
    """How hetc works. `device` None is the automatic choice.

    `memory_limit` and `result_memory` are in bytes: None is all of the device's, and an eighth of the machine's.
    """

    device: str | DeviceLike | None = None
    offload: str = "auto"
    threshold: float | None = None
    fallback: str = "warn"
    fastmath: bool = False
    memory_limit: int | None = None
    cache: bool = not _is_off(VARIABLE)
    cache_dir: Path | None = None
    cache_size: int = CACHE_SIZE
    debug: bool = False
    verify: bool = False
    transfer_elimination: bool = True
    staging: bool = True
    overlap: bool = True
    result_memory: int | None = None
    progress: bool | None = None
    candidates: tuple[str | DeviceLike, ...] | None = None
    tuning: str = "off" if _is_off(TUNING_VARIABLE) else "auto"

    @property
    def decides(self) -> bool:
        """Whether it is for hetc to decide where a call runs. What is debugged is compiled, to be checked."""
        return self.offload == "auto" and not self.debug

    @property
    def verifies(self) -> bool:
        """Whether the IR is verified after each pass."""
        return self.verify or self.debug


class _Keep(enum.Enum):
    """The default of `configure`'s parameters: leave this setting as it is (None means something for some)."""

    KEEP = "keep"


_KEEP = _Keep.KEEP

_process = Settings()
_block: ContextVar[Settings | None] = ContextVar("hetc_settings", default=None)


def current() -> Settings:
    """The settings in force here: those of the innermost `with configure(...)`, else the process's."""
    return _block.get() or _process


class Configured:
    """What `configure` returns: the settings it made, and a context manager that confines them to a block."""

    def __init__(self, changes: dict[str, object], undo: Callable[[], None]) -> None:
        self._changes = changes
        self._undo = undo
        self._tokens: list[Token[Settings | None]] = []

    def __enter__(self) -> Settings:
        # `configure` has changed the settings before `with` could say that they are for the block only.
        self._undo()
        self._undo = _do_nothing
        settings = dataclasses.replace(current(), **self._changes)
        self._tokens.append(_block.set(settings))
        return settings

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _block.reset(self._tokens.pop())

    def __repr__(self) -> str:
        return f"hetc.configure({', '.join(f'{name}={value!r}' for name, value in self._changes.items())})"


def _suggests_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """A function of keywords alone that asks of an unknown one whether another was meant."""
    known = frozenset(getattr(function, "__kwdefaults__", None) or ())

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs.keys() - known:
            from difflib import get_close_matches  # it takes time, which only a mistake is to cost

            if near := get_close_matches(name, known, n=1):
                raise TypeError(
                    f"{function.__name__}() got an unexpected keyword argument '{name}'; did you mean '{near[0]}'?"
                )
        return function(*args, **kwargs)

    return checked


@_suggests_keywords
def configure(  # noqa: PLR0913 (one for each setting)
    *,
    device: str | int | DeviceLike | _Keep | None = _KEEP,
    offload: str | _Keep = _KEEP,
    threshold: float | _Keep | None = _KEEP,
    fallback: str | _Keep = _KEEP,
    fastmath: bool | _Keep = _KEEP,
    memory_limit: int | str | _Keep | None = _KEEP,
    cache: bool | _Keep = _KEEP,
    cache_dir: str | os.PathLike[str] | _Keep | None = _KEEP,
    cache_size: int | str | _Keep | None = _KEEP,
    debug: bool | _Keep = _KEEP,
    verify: bool | _Keep = _KEEP,
    transfer_elimination: bool | _Keep = _KEEP,
    staging: bool | _Keep = _KEEP,
    overlap: bool | _Keep = _KEEP,
    result_memory: int | str | _Keep | None = _KEEP,
    progress: bool | _Keep | None = _KEEP,
    candidates: Sequence[str | int | DeviceLike] | _Keep | None = _KEEP,
    tuning: str | _Keep = _KEEP,
) -> Configured:
    """Change the settings that are named; the others stay as they are.

    * `device`: part of a device's name ("pocl"), "cpu", "gpu", an index into `hetc.devices()`, one of its devices, or
      None for the automatic choice.
    * `offload`: "always" compiles every call, "never" runs every call in Python, "auto" runs calls in Python until
      compiling them is estimated to pay. A device that an array function asks for with `.on(...)` is always used.
    * `threshold`: the seconds that the device must be estimated to save, in this call and in earlier ones of the same
      function, before "auto" compiles; None is the time that compiling has taken so far in this process.
    * `fallback`: what a call that cannot be compiled does besides running in Python: "warn" (once), "silent"; or
      "error", which raises instead.
    * `cache`: whether compiled calls are stored on disk, for the next process (docs/cache.md). `cache_dir` is the
      folder (None: the user's), `cache_size` what it may hold, in bytes or as "64MB" with units of 1024 (None: 256 MB).
    * `memory_limit`: the bytes of a device's memory that a call may take, or "256MB" with units of 1024; calls that
      would take more run in batches. None is all that the device has.
    * `fastmath`: whether kernels may compute floats faster than exactly: contract a product and a sum, multiply by
      reciprocals, take the device's own approximations of single-precision functions (docs/fastmath.md).
    * `debug`: report where a NaN or an infinity is first made of numbers, and in which element something is raised
      (docs/howto/debugging.md). "auto" compiles every call then; functions that print or stop at a `breakpoint()` run
      in Python.
    * `verify`: verify the IR after each pass; `debug` does that, too.
    * `transfer_elimination`: whether arrays stay on a device between the loops of a `hetc.jit` function.
    * `staging`: whether large arrays are copied through pinned memory to and from a device with memory of its own.
    * `overlap`: whether large arrays of a map are copied in and out in parts, both at once, while the kernel runs.
    * `result_memory`: how much memory of large results that nobody holds any more is kept for the next ones, whose
      memory is then there already (bytes, or "256MB"; 0 for none), and how much of it may be pinned for devices that
      copy. None is an eighth of the machine's memory.
    * `progress`: whether compilations and batches that take more than a second show a progress bar, if tqdm is
      installed. None is where somebody watches: on terminals and in notebooks.
    * `candidates`: the devices that "auto" chooses from for each call where none is asked for, each as for `device`.
      None are the best GPU and the best CPU device; of one there is nothing to choose (docs/skeletons.md).
    * `tuning`: "auto" measures, where a kernel runs often, which work-groups are the fastest, and remembers it on disk;
      the results are the same to the bit. "off" takes those that follow from the kernel alone (docs/cache.md).

    As a statement it sets them for the process; inside a `with configure(...)` block, for the rest of that block. As
    a context manager it sets them for the block. Raises ValueError for a value that a setting cannot have.

    >>> with configure(fallback="silent"):
    ...     current().fallback
    'silent'
    >>> current().fallback
    'warn'
    """
    changes: dict[str, object] = {}
    if not isinstance(device, _Keep):
        changes["device"] = _device(device)
    if not isinstance(offload, _Keep):
        changes["offload"] = _one_of("offload", offload, OFFLOAD)
    if not isinstance(threshold, _Keep):
        changes["threshold"] = _seconds(threshold)
    if not isinstance(fallback, _Keep):
        changes["fallback"] = _one_of("fallback", fallback, FALLBACK)
    if not isinstance(fastmath, _Keep):
        changes["fastmath"] = _one_of("fastmath", fastmath, (True, False))
    if not isinstance(memory_limit, _Keep):
        changes["memory_limit"] = bytes_of("memory_limit", memory_limit)
    changes |= _changes_of_cache(cache, cache_dir, cache_size)
    if not isinstance(debug, _Keep):
        changes["debug"] = _one_of("debug", debug, (True, False))
    if not isinstance(verify, _Keep):
        changes["verify"] = _one_of("verify", verify, (True, False))
    copies = {"transfer_elimination": transfer_elimination, "staging": staging, "overlap": overlap}
    changes |= {
        name: _one_of(name, value, (True, False)) for name, value in copies.items() if not isinstance(value, _Keep)
    }
    if not isinstance(result_memory, _Keep):
        none = type(result_memory) is int and result_memory == 0
        changes["result_memory"] = 0 if none else bytes_of("result_memory", result_memory)
    if not isinstance(progress, _Keep):
        changes["progress"] = None if progress is None else _one_of("progress", progress, (True, False))
    if not isinstance(candidates, _Keep):
        changes["candidates"] = None if candidates is None else _devices(candidates)
    if not isinstance(tuning, _Keep):
        changes["tuning"] = _one_of("tuning", tuning, TUNING)
    return Configured(changes, _apply(changes))


def _changes_of_cache(
    cache: bool | _Keep, cache_dir: str | os.PathLike[str] | _Keep | None, cache_size: int | str | _Keep | None
) -> dict[str, object]:
    changes: dict[str, object] = {}
    if not isinstance(cache, _Keep):
        changes["cache"] = _one_of("cache", cache, (True, False))
    if not isinstance(cache_size, _Keep):
        changes["cache_size"] = bytes_of("cache_size", cache_size) or CACHE_SIZE
    if not isinstance(cache_dir, _Keep):
        changes["cache_dir"] = None if cache_dir is None else Path(cache_dir)
    return changes


def _apply(changes: dict[str, object]) -> Callable[[], None]:
    """Make the changes where the code stands, in its block or in the process; returns what undoes them."""
    global _process
    inside = _block.get()
    if inside is not None:
        token = _block.set(dataclasses.replace(inside, **changes))
        return lambda: _block.reset(token)
    before = _process
    after = _process = dataclasses.replace(before, **changes)

    def undo() -> None:
        global _process
        if _process is after:
            _process = before

    return undo


def _do_nothing() -> None:
    pass


def _one_of(name: str, value: object, allowed: tuple[T, ...]) -> T:
    for choice in allowed:
        if type(value) is type(choice) and value == choice:
            return choice
    raise ValueError(f"{name} is one of {', '.join(map(repr, allowed))}, not {value!r}")


def _seconds(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise ValueError(f"threshold is a number of seconds, at least 0, or None, not {value!r}")
    return float(value)


def _device(value: object) -> str | DeviceLike | None:
    if isinstance(value, bool) or not isinstance(value, str | int | DeviceLike | None):
        raise ValueError(
            f"device is a part of a device's name, 'cpu', 'gpu', an index, one of hetc.devices() or None, not {value!r}"
        )
    return str(value) if isinstance(value, int) else value


def _devices(values: object) -> tuple[str | DeviceLike, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise ValueError(f"candidates is a list of devices, or None, not {values!r}")
    found = [_device(value) for value in values]
    if None in found:
        raise ValueError(f"candidates is a list of devices, or None, not {values!r}")
    return tuple(device for device in found if device is not None)


def bytes_of(name: str, value: object) -> int | None:
    """A size of memory in bytes, of a number or a text such as "256MB"; None stays None.

    >>> bytes_of("heap", "1.5kB")
    1536
    """
    if value is None:
        return None
    if isinstance(value, str) and (match := _MEMORY.fullmatch(value)):
        unit = match[2].lower()
        value = int(float(match[1]) * _UNITS[unit if unit in _UNITS else f"{unit}b"])
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError(f"{name} is a positive number of bytes, a text like '256MB' or None, not {value!r}")
    return value
