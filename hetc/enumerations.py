"""Enumerations: their members are objects of which there is one each, told apart by the order of their definition.

So a member is known on a device by a number, and comes back as the very member. What it is beside that (a number, for
`IntEnum`) is its value.
"""

from __future__ import annotations

import enum
import functools
from typing import Any, cast

ORDER = "_sort_order_"
"""The attribute of a member that says which one it is."""
VALUE = "_value_"
"""The attribute of a member that holds its value."""
_OWN = frozenset({"enum", "builtins"})
"""The modules of the bases of enumerations that are Python's own."""


@functools.lru_cache(maxsize=1024)
def kind_of(cls: type) -> str | None:
    """What the members of a class are: "plain" objects, each a "number" too, or a "text"; None for another class.

    Flags are none: which of them there are is not known from the class.
    """
    if type(cls) is not enum.EnumType or issubclass(cls, enum.Flag) or not cls.__members__:
        return None
    mixed = [base for base in cls.__mro__[:-1] if base.__module__ == "builtins"]
    if not all(is_own(base) or type(base) is enum.EnumType for base in cls.__mro__):
        return None
    orders = [getattr(member, ORDER, None) for member in members(cls)]
    if len(mixed) > 1 or any(type(order) is not int for order in orders) or len(set(orders)) < len(orders):
        return None
    if not mixed:
        return "plain"
    if mixed[0] is str:
        return "text"
    is_number = mixed[0] in (int, float) and all(_is_value(member, mixed[0]) for member in members(cls))
    return "number" if is_number else None


def _is_value(member: Any, kind: type) -> bool:
    """Whether a member is the number that its value is."""
    return type(member.value) is kind and kind(member) == member.value


def members(cls: type) -> list[Any]:
    """The members of an enumeration, without those that are other names of them."""
    return list(cast("Any", cls))


def is_own(cls: type) -> bool:
    """Whether a base of an enumeration is Python's own."""
    return cls.__module__ in _OWN


def member_named(cls: type, name: str) -> Any | None:
    """The member of an enumeration of that name."""
    return None if kind_of(cls) is None else cast("Any", cls).__members__.get(name)


def members_of_orders(cls: type, orders: list[int]) -> list[Any]:
    """The members that numbers stand for."""
    by_order = {getattr(member, ORDER): member for member in members(cls)}
    unread = members(cls)[0]  # elements that the kernel has not come to, for Python to run
    return [by_order.get(order, unread) for order in orders]
