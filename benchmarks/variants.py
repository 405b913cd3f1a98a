"""What hetc's passes leave alone, and what it would gain: ``python -m benchmarks.variants --device gpu``.

Kernels by hand in pairs, one as hetc writes it, and one as it might: small captured arrays in constant memory, a fixed
number of work-groups that go over the index space in strides, and reductions of a work-group by sub-groups. Times are
those inside kernels, on data that is on the device, the variants in turn; both must give the same.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from benchmarks.native.host import milliseconds
from benchmarks.report import describe, markdown
from hetc.runtime.devices import select

GROUP = 256
GROUPS_PER_UNIT = 8
"""Work-groups that fit on a processor of a GPU together."""

NEAREST = """
kernel void nearest(global const float *x, global const float *y, SPACE const float *cx, SPACE const float *cy,
                    const int clusters, global int *out, const int n) {
    const size_t i = get_global_id(0);
    if (i >= n) return;
    int best = 0;
    float least = INFINITY;
    for (int k = 0; k < clusters; k++) {
        const float dx = x[i] - cx[k], dy = y[i] - cy[k], distance = dx * dx + dy * dy;
        best = distance < least ? k : best;
        least = fmin(distance, least);
    }
    out[i] = best;
}
"""

SMOOTHED = """
kernel void smoothed(global const float *x, SPACE const float *weights, const int radius, global float *out,
                     const int n) {
    const size_t i = get_global_id(0);
    if (i >= n) return;
    float sum = 0;
    for (int k = -radius; k <= radius; k++) sum += weights[k + radius] * x[clamp((int)i + k, 0, n - 1)];
    out[i] = sum;
}
"""

MAPPED = """
kernel void mapped(global const float *x, global const float *y, global float *out, const int n) {
#ifdef STRIDE
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = 2.5f * x[i] + y[i];
#else
    const size_t i = get_global_id(0);
    if (i < n) out[i] = 2.5f * x[i] + y[i];
#endif
}
"""

SUMMED = """
kernel void summed(global const float *x, global float *out, local float *sums, const int n) {
    const size_t lane = get_local_id(0);
    float sum = 0;
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i];
#ifdef SUBGROUPS
    sum = sub_group_reduce_add(sum);
    if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        sum = 0;
        for (uint k = 0; k < get_num_sub_groups(); k++) sum += sums[k];
        out[get_group_id(0)] = sum;
    }
#else
    sums[lane] = sum;
    for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < s) sums[lane] += sums[lane + s];
    }
    if (lane == 0) out[get_group_id(0)] = sums[0];
#endif
}
"""


@dataclass(frozen=True)
class Pair:
    """A kernel as it is and as it might be: options, and how many groups run where that is fixed."""

    title: str
    source: str
    now: Sequence[str]
    then: Sequence[str]
    inputs: Sequence[Any]
    result: int
    """Elements of the result."""
    dtype: type[np.generic] = np.float32
    strided: tuple[bool, bool] = (False, False)
    local: bool = False


def pairs(n: int) -> list[Pair]:
    """The variants, for `n` elements."""
    x, y = (np.random.default_rng(seed).random(n, np.float32) for seed in (1, 2))
    spaces = ["-DSPACE=global"], ["-DSPACE=constant"]
    found: list[Pair] = []
    for clusters in (8, 64, 1024):
        cx, cy = (np.random.default_rng(seed).random(clusters, np.float32) for seed in (3, 4))
        title = f"nearest of {clusters} centres, in constant memory"
        found.append(Pair(title, NEAREST, *spaces, [x, y, cx, cy, np.int32(clusters)], n, np.int32))
    weights = np.full(17, 1 / 17, np.float32)
    found.append(Pair("17 weights, in constant memory", SMOOTHED, *spaces, [x, weights, np.int32(8)], n))
    found.append(Pair("saxpy, in strides", MAPPED, [], ["-DSTRIDE"], [x, y], n, strided=(False, True)))
    options = ["-DSUBGROUPS", "-cl-std=CL3.0"]
    found.append(Pair("sum, by sub-groups", SUMMED, [], options, [x], 0, strided=(True, True), local=True))
    return found


def compared(queue: cl.CommandQueue, pair: Pair, n: int, repeat: int) -> list[str]:
    """A row of the table: both times, and the ratio with its spread."""
    context, device = queue.context, queue.device
    if "-DSUBGROUPS" in pair.then and not device.max_num_sub_groups:
        return [pair.title, "", "no sub-groups", ""]
    groups = GROUPS_PER_UNIT * device.max_compute_units
    count = pair.result or groups
    copy = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    inputs = [cl.Buffer(context, copy, hostbuf=v) if isinstance(v, np.ndarray) else v for v in pair.inputs]
    launches: list[tuple[cl.Kernel, int]] = []
    outputs: list[cl.Buffer] = []
    for options, strided in zip((pair.now, pair.then), pair.strided, strict=True):
        kernel = cl.Program(context, pair.source).build(options=list(options)).all_kernels()[0]
        output = cl.Buffer(context, cl.mem_flags.READ_WRITE, count * 4)
        local = [cl.LocalMemory(4 * GROUP)] if pair.local else []
        kernel.set_args(*inputs, output, *local, np.int32(n))
        launches.append((kernel, groups * GROUP if strided else -(-n // GROUP) * GROUP))
        outputs.append(output)

    def run(kernel: cl.Kernel, items: int) -> float:
        return milliseconds([cl.enqueue_nd_range_kernel(queue, kernel, (items,), (GROUP,))])

    for launch in launches:
        run(*launch)
    times = [[run(*launch) for launch in launches] for _ in range(repeat)]
    results = [np.empty(count, pair.dtype) for _ in launches]
    for result, output in zip(results, outputs, strict=True):
        cl.enqueue_copy(queue, result, output)
    np.testing.assert_allclose(results[1], results[0], rtol=1e-4)
    ratios = sorted(then / now for now, then in times)
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    now, then = (statistics.median(column) for column in zip(*times, strict=True))
    return [pair.title, f"{now:.3f}", f"{then:.3f}", f"{statistics.median(ratios):.2f} ({low:.2f} to {high:.2f})"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="part of a device's name; else the best one")
    parser.add_argument("--size", type=int, default=1 << 24, help="elements (16 Mi)")
    parser.add_argument("--repeat", type=int, default=21, help="times that each is run (21)")
    options = parser.parse_args(arguments)
    device = select(options.device)
    queue = cl.CommandQueue(device.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    rows = [compared(queue, pair, options.size, options.repeat) for pair in pairs(options.size)]
    print(describe(device))
    print(markdown(["variant", "now, ms", "then, ms", "then over now"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
