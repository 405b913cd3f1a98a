"""Times and sizes as a person reads them."""

from __future__ import annotations


def spelled(seconds: float) -> str:
    """A time as a person reads it.

    >>> spelled(0.0000123), spelled(0.25), spelled(3.2), spelled(0)
    ('12 us', '250 ms', '3.2 s', '0 us')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.2g} {name}" if seconds < 100 * unit else f"{seconds / unit:,.0f} {name}"
    return f"{seconds * 1e6:.2g} us" if seconds < 100e-6 else f"{seconds * 1e6:,.0f} us"


def spelled_bytes(size: int) -> str:
    """A size as a person reads it, in powers of 1024.

    >>> spelled_bytes(12), spelled_bytes(4000), spelled_bytes(3 * 2**30)
    ('12 B', '3.9 KiB', '3.0 GiB')
    """
    number, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024 or unit == "GiB":
            break
        number /= 1024
    return f"{size} B" if unit == "B" else f"{number:,.1f} {unit}"
