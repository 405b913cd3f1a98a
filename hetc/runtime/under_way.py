"""Runs of plans that have been sent off and that nobody has waited for yet, with the memory that they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importing it imports pyopencl
    from hetc.runtime.devices import Device


class UnderWay:
    """Runs that are under way on one device, in order. `runs` keeps their buffers, which keep the host's arrays.

    Whoever lets the host look at these arrays settles before. What is forgotten under way settles by itself, for its
    memory must not go earlier.
    """

    def __init__(self) -> None:
        self.device: Device | None = None
        self.runs: list[object] = []

    def settle(self) -> None:
        """Wait until all runs are done. Raises DeviceError if the device has failed."""
        if self.runs:
            from hetc.runtime.executor import device_error
            from hetc.runtime.opencl import cl

            assert self.device is not None
            try:
                self.device.queue.finish()
            except cl.Error as error:
                raise device_error(error, self.device) from None
            finally:
                self.runs.clear()

    def __del__(self) -> None:
        self.settle()
