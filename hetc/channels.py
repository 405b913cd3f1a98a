"""Bounded channels between threads, which either end may close."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Channel(Generic[T]):
    """Items from one thread to another, in order; at most `size` of them wait in it.

    The sender ends it: what waits is still received. The receiver closes it: then nothing is sent any more.

    >>> channel = Channel[int](2)
    >>> channel.send(1), channel.send(2)
    (True, True)
    >>> channel.end()
    >>> list(channel)
    [1, 2]
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[T] = deque()
        self._changed = threading.Condition()
        self._ended = self._closed = False

    def send(self, item: T) -> bool:
        """Wait for room, and put an item there; False, at once, if nobody receives any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._items) < self._size)
            if not self._closed:
                self._items.append(item)
                self._changed.notify_all()
            return not self._closed

    def end(self) -> None:
        """Nothing is sent after what has been."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def close(self) -> None:
        """Nothing is received any more; what waits is dropped."""
        with self._changed:
            self._closed = True
            self._items.clear()
            self._changed.notify_all()

    def __iter__(self) -> Iterator[T]:
        """The items, as they come, up to the end."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._ended or bool(self._items))
                if not self._items:
                    return
                item = self._items.popleft()
                self._changed.notify_all()
            yield item
