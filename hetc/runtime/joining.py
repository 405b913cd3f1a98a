"""What batches make, put together: in the whole result's arrays where its length is known, else one after the other."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hetc import abi
from hetc.dataclass import dataclass
from hetc.runtime import marshal
from hetc.runtime.appending import Appended
from hetc.runtime.call import Own
from hetc.runtime.devices import Device
from hetc.runtime.marshal import HostArray
from hetc.runtime.parts import Cut, Elements, Part
from hetc.runtime.pinned_results import result_array


@dataclass(frozen=True)
class _Column:
    """Where a plan has one array of its result: in a register of the host, and in a buffer that is that array.

    `whole` says that it has a number for each element of the batch.
    """

    host: abi.Register
    dtype: np.dtype[Any]
    whole: bool
    buffer: abi.Register | None = None


class Joined:
    """What the batches of a call have made so far: `first` is the plan of the first one, `following` of the others."""

    def __init__(self, first: abi.Package, following: abi.Package, cut: Cut, device: Device) -> None:
        self._total, self._width = cut.total, cut.width
        self._lock = threading.Lock()
        self._device = device
        # A batch of rows makes more than its own.
        self._in_place = isinstance(cut, Elements)
        self._columns = {id(package): list(_columns(package)) for package in (first, following)}
        last = first.steps[-1]
        self._element = last.element if isinstance(last, abi.Unmarshal) else None
        self._scalar = isinstance(last, abi.Unmarshal) and last.scalar
        self._carries = any(isinstance(step, abi.EachBatch) and step.carried for step in following.steps)
        known = [self._in_place and all(pair) for pair in zip(*self._known(), strict=True)]
        self._whole: list[HostArray | None] = [
            result_array(device, cut.total, column.dtype) if whole else None
            for whole, column in zip(known, self._columns[id(first)], strict=True)
        ]
        self._pieces: dict[int, list[HostArray]] = {}
        self._appended = None if any(known) else self._room_for_all(cut.total, self._columns[id(first)])

    def _room_for_all(self, total: int, columns: Sequence[_Column]) -> Appended | None:
        """Room for what batches append, if they do and there is as much."""
        if not self._in_place or self._scalar or self._element is None:
            return None
        try:
            return Appended(total, [column.dtype for column in columns])
        except MemoryError:
            return None

    def begin(self, spans: Sequence[range]) -> None:
        """These batches are about to be run."""
        if self._appended is not None:
            self._appended.begin(spans)

    def end(self, span: range) -> None:
        """A batch has come to its end, well or not."""
        if self._appended is not None:
            self._appended.give_up(span)

    def _known(self) -> Iterator[list[bool]]:
        for columns in self._columns.values():
            yield [column.whole and not self._scalar for column in columns]

    def places(self, package: abi.Package, span: range) -> Mapping[abi.Register, HostArray]:
        """Where the numbers of a batch go: the memory for registers and shared buffers."""
        found: dict[abi.Register, HostArray] = {}
        if not self._in_place:
            return found
        for column, whole in zip(self._columns[id(package)], self._whole, strict=True):
            if whole is not None:
                part = whole[span.start : span.stop]
                found[column.host] = part
                if column.buffer is not None:
                    found[column.buffer] = part
        return found

    def own(self, package: abi.Package, span: range, part: Part) -> Own | None:
        """Where those of all numbers go that come to the host in a register and are a batch's own.

        Those of its own rows are copied there from the middle of a buffer, and what is appended, behind what the
        batches before have. (A buffer that is host memory holds all.)
        """
        places = {column.host: place for place, column in enumerate(self._columns[id(package)])}
        appended = self._appended
        if appended is not None:
            return lambda register, count, dtype: (
                (appended.place(places[register], span, count), 0) if register in places else None
            )
        if self._in_place:
            return None

        def find(register: abi.Register, count: int, dtype: np.dtype[Any]) -> tuple[HostArray, int] | None:
            place = places.get(register)
            if place is None:
                return None
            each, first = self._rows(part, count)
            whole = self._whole_of(place, each, dtype)
            return whole[span.start * each : span.stop * each], first

        return find

    def _rows(self, part: Part, count: int) -> tuple[int, int]:
        """Of so many numbers that a batch of rows has made, those of a row, and those before its own."""
        each = self._width * (count // math.prod(map(len, part.inputs)))
        return each, part.skip // self._width * each

    def _whole_of(self, place: int, each: int, dtype: np.dtype[Any]) -> HostArray:
        """The array for the whole result, which is made with the first batch."""
        with self._lock:
            whole = self._whole[place]
            if whole is None:
                whole = self._whole[place] = result_array(self._device, self._total * each, dtype)
            return whole

    def put(self, span: range, arrays: Sequence[HostArray], part: Part) -> tuple[Any, ...]:
        """Put what a batch has made of its part in its place; the numbers of its last element, for the next batch."""
        if not self._in_place:
            self._put_rows(span, arrays, part)
            return ()
        if self._appended is not None:
            self._appended.put(span, arrays)
            return ()
        for whole, array in zip(self._whole, arrays, strict=True):
            if whole is not None and not np.may_share_memory(whole, array):
                whole[span.start : span.stop] = array
        if any(whole is None for whole in self._whole):
            shift = span.start if self._element is None else 0  # positions count from the start of a batch
            self._pieces[span.start] = [array + shift if shift else array.copy() for array in arrays]
        return self.carried(arrays)

    def carried(self, arrays: Sequence[HostArray]) -> tuple[Any, ...]:
        """The numbers of the last element of some columns, for the next batch, if it goes on from them."""
        if self._element is None or not self._carries:
            return ()
        typed = zip(marshal.typed(arrays, self._element), abi.leaves(self._element), strict=True)
        return tuple(array[-1].item() if leaf.python else array[-1] for array, leaf in typed)

    def foretold(self, package: abi.Package) -> tuple[abi.Register, ...]:
        """The registers of the columns whose last numbers the next batch goes on from, if they are long."""
        if not self._carries or self._scalar or not self._in_place:
            return ()
        return tuple(column.host for column in self._columns[id(package)])

    def _put_rows(self, span: range, arrays: Sequence[HostArray], part: Part) -> None:
        """Put what a batch of rows has made in its place, but for what is not its own."""
        for place, array in enumerate(arrays):
            whole = self._whole[place]
            if whole is not None and np.may_share_memory(whole, array):  # it has been copied there
                continue
            each, first = self._rows(part, array.size)
            whole = self._whole_of(place, each, array.dtype)
            whole[span.start * each : span.stop * each] = array[first : first + len(span) * each]

    def arrays(self) -> list[HostArray]:
        """The whole arrays; of a single value that of the last batch."""
        if self._appended is not None:
            return self._appended.arrays()
        pieces = [self._pieces[start] for start in sorted(self._pieces)]
        if self._scalar:
            return pieces[-1]
        return [
            np.concatenate([arrays[place] for arrays in pieces]) if whole is None else whole
            for place, whole in enumerate(self._whole)
        ]


def _columns(package: abi.Package) -> Iterator[_Column]:
    steps, last = package.steps, package.steps[-1]
    made = {step.result: step for step in steps if isinstance(step, abi.CopyOut | abi.Marshal | abi.Alloc)}
    lengths = {step.result for step in steps if isinstance(step, abi.Size) and step.source.name is None}
    taken = set[abi.Register]()
    assert isinstance(last, abi.Unmarshal | abi.Pick)
    for host in last.hosts if isinstance(last, abi.Unmarshal) else (last.positions,):
        origin = made[host]
        if isinstance(origin, abi.Marshal):  # an input that comes back as it is
            yield _Column(host, np.dtype(origin.dtype), origin.source.name is None)
            continue
        assert isinstance(origin, abi.CopyOut)
        buffer = made[origin.buffer]
        assert isinstance(buffer, abi.Alloc)
        whole = buffer.count in lengths
        # A buffer has one place; what comes of it twice is copied.
        place = origin.buffer if buffer.shared and origin.shared and not buffer.zeroed else None
        place = None if place in taken else place
        taken.add(origin.buffer)
        yield _Column(host, np.dtype(buffer.dtype), whole, place)
