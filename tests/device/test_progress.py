"""Progress of batches and compilations, where it is asked for."""

import io
import sys

import numpy as np
import pytest

import hetc
from hetc import progress
from hetc.runtime.devices import Device


@pytest.mark.parametrize("queues", [1, 2])
def test_batches_and_compilations(device: Device, monkeypatch: pytest.MonkeyPatch, queues: int):
    pytest.importorskip("tqdm")
    x = np.arange(100_000.0)
    factor = 3.0 + queues
    for wanted in (True, False):
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(progress, "DELAY", 0.0)
        with hetc.configure(device=device, offload="always", progress=wanted, cache=False):
            result = hetc.map(lambda v, wanted=wanted: v * factor + wanted).batched("64kB", queues)(x)
        assert np.array_equal(result, x * factor + wanted)
        assert ("hetc: batches" in stream.getvalue()) == wanted
        if queues == 1:  # it is compiled for the first of them
            assert ("hetc: compiling" in stream.getvalue()) == wanted
