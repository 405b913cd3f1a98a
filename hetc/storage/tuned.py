"""What has been measured of launches, on disk, for the next process.

It is stored under a digest of all that it follows from: the program's text without comments, the kernel and how it is
launched, hetc and what it is built on, the device and its driver. So it is found for functions with the same kernels,
too. A file has the choices for all size classes; it is written as a whole, after those of other processes have been
read again. If two write at once, one choice is lost, and measured again some day. What is damaged, or is of other
layouts than the launch has, is not there.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hetc import settings
from hetc.abi import Launch, Package, Tuned
from hetc.runtime.devices import Device
from hetc.storage import store
from hetc.storage.fingerprints import UnstableError, digest_of
from hetc.storage.keys import compiler, facts_of

PREFIX = "tuned-"
"""What the names of such files begin with."""
_COMMENT = re.compile("//.*")


class OnDisk:
    """What is known of the launches of a package on a device (`hetc.runtime.tuning.Memory`)."""

    def __init__(self, package: Package, device: Device) -> None:
        self._package, self._device = package, device

    def load(self, step: Launch) -> Tuned | None:
        """What is stored of a launch."""
        current = settings.current()
        key = self._key(step) if current.cache else None
        found = None if key is None else store.load(key, Tuned, current)
        return found if found is not None and _fits(found, step) else None

    def save(self, step: Launch, tuned: Tuned) -> None:
        """Store what has been measured, with what others have of other sizes."""
        current = settings.current()
        key = self._key(step) if current.cache else None
        if key is None:
            return
        others = self.load(step)
        known = {one.items: one for one in (() if others is None else others.classes)}
        known |= {one.items: one for one in tuned.classes}
        store.save(key, Tuned(tuned.kernel, tuple(known[items] for items in sorted(known))), current)

    def _key(self, step: Launch) -> str | None:
        package = self._package
        plain = replace(step, extent=0, arguments=(), box=(0,) * len(step.box), start=(0,) * len(step.start))
        source = _COMMENT.sub("//", package.source)
        try:
            facts = compiler(), facts_of(self._device), source, package.build_options, plain
            return PREFIX + digest_of(["launch", *facts])
        except (UnstableError, OSError, ImportError):
            return None


def _fits(found: Tuned, step: Launch) -> bool:
    """Whether a record is what was written of such a launch."""
    if type(found.classes) is not tuple:
        return False
    known = {(step.group,), *step.layouts}
    for one in found.classes:
        try:
            layouts = {layout for layout, _ in one.measured}
            wrong = any(time <= 0 for _, time in one.measured)
        except (AttributeError, TypeError, ValueError):
            return False
        if wrong or type(one.items) is not int or one.layout not in known or not layouts <= known:
            return False
        if not one.measured or one.measured[0][0] != (step.group,) or one.layout not in layouts:
            return False
    return True
