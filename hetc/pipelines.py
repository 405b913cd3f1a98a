"""Pipelines: stages that work on chunks at the same time, each on another one.

```text
chunks    1 2 3 4 ...
read          1 2 3 4
map on a GPU    1 2 3 4
write             1 2 3 4     time ->
```

A stage is a thread, and channels with room for a few chunks lie between them: the bounded buffers of Dijkstra's
"Cooperating sequential processes" (1965, section 4.3); as a skeleton it is the pipe of Cole, "Algorithmic skeletons"
(1989), and of Kahn's networks (1974): what comes out does not depend on which thread is when where.
"""

from __future__ import annotations

import atexit
import contextvars
import operator
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from hetc.api import ArrayFunction
from hetc.callers import Caller, caller, run_for
from hetc.channels import Channel
from hetc.dataclass import dataclass
from hetc.errors import InputError
from hetc.jit_function import JitFunction

Stage = Callable[[Any], Any]


@dataclass(frozen=True)
class Failure:
    """What takes a chunk's place whose stage has raised."""

    error: BaseException


Chunks = Channel[Any]

_device_turn = threading.Lock()
"""Stages that run on devices take turns: a device does one thing at a time, and stages of Python run meanwhile."""

_open: weakref.WeakSet[Chunks] = weakref.WeakSet()
"""The channels that threads may wait at, when Python ends."""


class Pipeline:
    """Functions of one chunk, one after the other. `hetc.pipeline` makes it.

    >>> import hetc, numpy as np
    >>> mean = hetc.pipeline(hetc.map(lambda x: x * x), np.mean, float)
    >>> list(mean(np.arange(12.0).reshape(3, 4)))
    [3.5, 31.5, 91.5]
    """

    def __init__(self, stages: tuple[Stage, ...], depth: int) -> None:
        self.stages = stages
        self.depth = depth

    def __call__(self, chunks: Iterable[Any]) -> Generator[Any]:
        """What becomes of each chunk, in order, as it is asked for.

        The iterator is read ahead, by a few chunks for each stage. What it or a stage raises, is raised in the place of
        its chunk, and nothing follows; stages before may have worked on later chunks by then. `close()` ends them.
        """
        iterator = iter(chunks)
        return self._results(iterator, contextvars.copy_context(), caller())

    def _results(self, chunks: Iterator[Any], context: contextvars.Context, who: Caller | None) -> Generator[Any]:
        links = [Chunks(self.depth) for _ in range(len(self.stages) + 1)]
        _open.update(links)
        works: list[Callable[[], None]] = [lambda: _read(chunks, links[0])]
        for stage, source, target in zip(self.stages, links, links[1:], strict=False):
            works.append(lambda stage=stage, source=source, target=target: _work(stage, source, target))
        threads = [
            # A context is entered by one thread at a time, so each has a copy.
            threading.Thread(target=context.copy().run, args=(run_for, who, work), name=f"hetc stage {n}", daemon=True)
            for n, work in enumerate(works)
        ]
        for thread in threads:
            thread.start()
        try:
            for item in links[-1]:
                if isinstance(item, Failure):
                    raise item.error
                yield item
        finally:  # also if nobody asks for more
            for link in links:
                link.close()
            for thread in threads:
                thread.join()

    def __repr__(self) -> str:
        names = (repr(s) if isinstance(s, ArrayFunction) else getattr(s, "__name__", repr(s)) for s in self.stages)
        return f"hetc.pipeline({', '.join(names)})"


def pipeline(*stages: Stage, depth: int = 2) -> Pipeline:
    """A pipeline of functions, each of one chunk of data: array functions, functions under `hetc.jit`, and any other.

    Applied to an iterable of chunks, it is an iterator over `f_n(...f_1(chunk))`, chunk after chunk. The stages run at
    the same time, in threads, each on another chunk, so that reading, computing on the device and writing overlap. At
    most `depth` chunks wait between two stages. Stages of hetc take turns on the device. A stage of Python runs beside
    them, and beside others as far as it leaves Python's lock, as NumPy and files do.

    Raises TypeError for what is no function, InputError for a pipeline without stages or a depth below 1.

    >>> import hetc
    >>> squares = hetc.pipeline(hetc.map(lambda x: x * x), sum)
    >>> list(squares([[1, 2], [3]]))
    [5, 9]
    """
    if not stages:
        raise InputError("a pipeline needs at least one stage", hint="hetc.pipeline(read, hetc.map(f), write)")
    for stage in stages:
        if not callable(stage):
            raise TypeError(f"a stage of a pipeline is a function, not {type(stage).__name__}")
    if operator.index(depth) < 1:
        raise InputError(f"between two stages there must be room for one chunk, not {depth}")
    return Pipeline(stages, operator.index(depth))


def _read(chunks: Iterator[Any], target: Chunks) -> None:
    """Send chunks, until there are no more or nobody wants them."""
    try:
        for chunk in chunks:
            if not target.send(chunk):
                return
    except BaseException as error:  # noqa: BLE001 (whoever asks for the chunk gets it)
        target.send(Failure(error))
    target.end()


def _work(stage: Stage, source: Chunks, target: Chunks) -> None:
    """Send what a stage makes of each chunk; a failure, of this stage or one before, is the last thing sent."""
    for chunk in source:
        result = chunk if isinstance(chunk, Failure) else _result(stage, chunk)
        if not target.send(result) or isinstance(result, Failure):
            source.close()
            break
    target.end()


def _result(stage: Stage, chunk: Any) -> Any:
    try:
        if isinstance(stage, ArrayFunction | JitFunction):
            with _device_turn:
                return stage(chunk)
        return stage(chunk)
    except BaseException as error:  # noqa: BLE001 (likewise)
        return Failure(error)


@atexit.register
def _close_all() -> None:
    """At Python's end no thread waits, nor starts anything on a device."""
    for channel in list(_open):
        channel.close()
    with _device_turn:
        pass
