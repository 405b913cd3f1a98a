"""Numbers in a row, with a copy on the host and copies on devices, of which each is right or is not used.

A `Memory` is what arrays and their views share. It moves its numbers when someone asks for them where they are not, and
then all of them, once. It knows nothing of OpenCL: the runtime makes the copies on devices, and this keeps the account
of which are right (Marawacc's PArray keeps two such copies, Fumero, thesis, 2017, ch. 5; here any number of devices).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

import numpy as np

from hetc.arrays.formulas import Formula, HostArray
from hetc.arrays.result_memory import empty_result


class DeviceCopy(ABC):
    """The numbers of a memory on one device. `is_host`: it is the memory's host array, which the device shares."""

    is_host: bool

    @property
    @abstractmethod
    def place(self) -> str:
        """The device, in a word."""

    @abstractmethod
    def read(self, host: HostArray, start: int) -> None:
        """Fill a host array with the numbers from `start` on, and wait for them."""

    def room(self, count: int, dtype: np.dtype[Any]) -> HostArray:
        """A host array with anything in it, which so many numbers are to be read to."""
        return empty_result(count, dtype)

    @abstractmethod
    def put(self, place: int, number: HostArray) -> None:
        """Change one of the numbers to that of an array of one element."""

    @abstractmethod
    def part(self, start: int, count: int, dtype: np.dtype[Any]) -> DeviceCopy:
        """Some of the numbers, in memory of their own on the same device."""


class Memory:
    """`size` numbers of one dtype. `frozen`: the host array is shared with others, so that nothing is written.

    Without a host array, the numbers are on devices only, until they are asked for; or are computed by the `formula`.
    `version` counts the writes.

    >>> memory = Memory.of(np.arange(3.0))
    >>> memory.write()[1] = 7
    >>> memory.read(), memory.version
    (array([0., 7., 2.]), 1)
    """

    def __init__(
        self,
        size: int,
        dtype: np.dtype[Any],
        host: HostArray | None = None,
        *,
        frozen: bool = False,
        formula: Formula | None = None,
    ) -> None:
        self.size = size
        self.formula = formula
        self.dtype = dtype
        self.frozen = frozen
        self.version = 0
        self.empty = False
        """Whether it has nothing in it that is worth keeping, for a kernel that is about to fill it."""
        self.is_settled = False
        """Whether a call whose device was chosen has had it, so that it is where that has run (`hetc.choice`)."""
        self._lock = threading.RLock()
        self._host = host
        self._host_is_right = host is not None
        self._copies: dict[Hashable, DeviceCopy] = {}

    @staticmethod
    def of(host: HostArray, *, frozen: bool = False) -> Memory:
        """The memory that a contiguous host array of one dimension is."""
        return Memory(host.size, host.dtype, host, frozen=frozen)

    # --- the host ----------------------------------------------------------------------------------------------------

    @property
    def is_on_host(self) -> bool:
        """Whether the host can read without anything being moved."""
        return self._host_is_right or self.formula is not None

    @property
    def is_host_array(self) -> bool:
        """Whether the host has an array of the numbers as they are."""
        return self._host_is_right

    def read(self) -> HostArray:
        """The numbers on the host, to be read only: brought there if they are not."""
        with self._lock:
            if self._host is None:
                self._host = self._room()
            if not self._host_is_right:
                self._fill(self._host, 0)
                self._host_is_right = True
            return self._host

    def _fill(self, host: HostArray, first: int) -> None:
        """Fill a host array with the numbers from number `first` on, which are not on the host."""
        if self.formula is not None:
            self.formula.fill(host, first)
        else:
            next(iter(self._copies.values())).read(host, first)

    def place(self) -> HostArray:
        """The host array that `read` fills: its numbers may be right or not."""
        with self._lock:
            if self._host is None:
                self._host = self._room()
            return self._host

    def _room(self) -> HostArray:
        """An array on the host, with anything in it."""
        copy = next(iter(self._copies.values()), None)
        return empty_result(self.size, self.dtype) if copy is None else copy.room(self.size, self.dtype)

    def item(self, place: int) -> Any:
        """One number, as a NumPy scalar. From a device, it alone is moved."""
        with self._lock:
            if self._host is not None and self._host_is_right:
                return self._host[place]
            one: HostArray = np.empty(1, self.dtype)
            self._fill(one, place)
            return one[0]

    def put(self, place: int, number: Any) -> None:
        """Change one number, which alone is moved to a device that has the numbers. Raises ValueError as `write`."""
        self._check_writable()
        one: HostArray = np.empty(1, self.dtype)
        one[0] = number
        with self._lock:
            if self.is_on_host:
                self.write()[place] = one[0]
                return
            device, copy = next(iter(self._copies.items()))
            copy.put(place, one)
            self._copies = {device: copy}
            self.version += 1

    def write(self) -> HostArray:
        """The numbers on the host, to be changed now: no device's copy is right any more.

        Raises ValueError for memory that others share.
        """
        self._check_writable()
        with self._lock:
            host = self.read()
            self.formula = None
            self._copies.clear()
            self.version += 1
            return host

    def _check_writable(self) -> None:
        if self.frozen:
            raise ValueError(
                "assignment destination is read-only: the array shares the memory of what it was made from; "
                "assign to a copy, as array.copy() makes it"
            )

    def move_to(self, host: HostArray) -> None:
        """Keep the numbers in another host array from now on, which has them already."""
        with self._lock:
            self._host = host
            self._copies = {device: copy for device, copy in self._copies.items() if not copy.is_host}

    # --- devices -----------------------------------------------------------------------------------------------------

    @property
    def places(self) -> tuple[str, ...]:
        """Where the numbers are, in words; nowhere while a formula computes them."""
        with self._lock:
            devices = tuple(copy.place for copy in self._copies.values() if not copy.is_host)
            return ("host", *devices) if self._host_is_right else devices

    @property
    def devices(self) -> tuple[Hashable, ...]:
        """The devices that have a right copy of their own."""
        with self._lock:
            return tuple(device for device, copy in self._copies.items() if not copy.is_host)

    def copy_on(self, device: Hashable) -> DeviceCopy | None:
        """The copy on a device, if there is a right one."""
        return self._copies.get(device)

    def keep(self, device: Hashable, copy: DeviceCopy) -> None:
        """There is a copy on a device now."""
        with self._lock:
            self._copies[device] = copy

    def forget(self, device: Hashable) -> None:
        """The copy on a device is not used any more; the host's must be right."""
        with self._lock:
            self._copies.pop(device, None)

    def return_to_host(self) -> None:
        """What devices have changed is not to be: the host's array, which was right before, is the only right copy."""
        with self._lock:
            self._copies.clear()
            self._host_is_right = True

    def written_on(self, device: Hashable) -> None:
        """The device has changed the numbers: only its copy is right, with the host's if that is the same memory."""
        with self._lock:
            copy = self._copies[device]
            self._copies = {device: copy}
            self._host_is_right = copy.is_host
            self.formula = None
            self.empty = False
            self.version += 1

    def take(self, other: Memory) -> None:
        """Have the numbers of another memory of the same size and dtype, which is not used any more.

        Raises ValueError for memory that others share.
        """
        self._check_writable()
        with self._lock:
            self.formula, self._host, self._host_is_right = other.formula, other._host, other._host_is_right
            self._copies = other._copies
            self.version += 1

    # --- copies ------------------------------------------------------------------------------------------------------

    def part(self, start: int, count: int, *, own: bool = False) -> Memory:
        """Some of the numbers, wherever they are now: to be read only, or with `own` in memory of its own."""
        with self._lock:
            host = None
            if self._host is not None and self._host_is_right:
                host = self._host[start : start + count]
                host = host.copy() if own else host
            formula = None if self.formula is None else self.formula.part(start, 1)
            if host is None and formula is None and self.is_on_host:
                host = self.read()[start : start + count].copy()
            part = Memory(count, self.dtype, host, frozen=not own, formula=formula)
            for device, copy in self._copies.items():
                if not copy.is_host:
                    part.keep(device, copy.part(start, count, self.dtype))
            return part
