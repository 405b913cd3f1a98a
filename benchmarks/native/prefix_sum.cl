/* Inclusive scan in three kernels: sums of parts, their exclusive scan, and the scan of each part from its sum on.
 *
 * On a CPU a part is a chunk that one work-item goes through; on a GPU a part is 16 elements for each of 256 items.
 */
#pragma OPENCL FP_CONTRACT OFF

kernel void chunk_sums(global const float *restrict x, const int n, const int size, global float *restrict sums) {
    const int first = get_global_id(0) * size, last = min(n, first + size);
    float16 total = 0.0f;
    int i = first;
    for (; i + 16 <= last; i += 16)
        total += vload16(0, x + i);
    float8 eight = total.lo + total.hi;
    float4 four = eight.lo + eight.hi;
    float sum = four.x + four.y + four.z + four.w;
    for (; i < last; i++)
        sum += x[i];
    sums[get_global_id(0)] = sum;
}

kernel void scan_sums(global float *restrict sums, const int parts) {
    float running = 0.0f;
    for (int part = 0; part < parts; part++) {
        const float sum = sums[part];
        sums[part] = running;
        running += sum;
    }
}

kernel void chunk_scans(global const float *restrict x, const int n, const int size, global const float *restrict sums,
                        global float *restrict out) {
    const int first = get_global_id(0) * size, last = min(n, first + size);
    float running = sums[get_global_id(0)];
    for (int i = first; i < last; i++) {
        running += x[i];
        out[i] = running;
    }
}

#define GROUP 256
#define PER_ITEM 16

/* The exclusive scan over the items of a group of `width`, and the sum of all in *total. */
float group_exclusive(const float value, local float *scratch, const int width, float *total) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 1; stride < width; stride *= 2) {
        const float other = lane >= stride ? scratch[lane - stride] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        scratch[lane] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float before = lane > 0 ? scratch[lane - 1] : 0.0f;
    *total = scratch[width - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return before;
}

kernel void group_sums(global const float *restrict x, const int n, global float *restrict sums) {
    local float scratch[GROUP];
    const int first = get_group_id(0) * GROUP * PER_ITEM, lane = get_local_id(0);
    float sum = 0.0f;
    for (int k = 0; k < PER_ITEM; k++) {
        const int i = first + k * GROUP + lane;
        sum += i < n ? x[i] : 0.0f;
    }
    float total;
    group_exclusive(sum, scratch, GROUP, &total);
    if (lane == 0)
        sums[get_group_id(0)] = total;
}

kernel void group_scan_sums(global float *restrict sums, const int parts) {
    local float scratch[1024];
    const int lane = get_local_id(0);
    float running = 0.0f;
    for (int first = 0; first < parts; first += 1024) {
        const int part = first + lane;
        float total;
        const float before = group_exclusive(part < parts ? sums[part] : 0.0f, scratch, 1024, &total);
        if (part < parts)
            sums[part] = running + before;
        running += total;
    }
}

kernel void group_scans(global const float *restrict x, const int n, global const float *restrict sums,
                        global float *restrict out) {
    local float values[GROUP * (PER_ITEM + 1)]; // a column more, so that items use different banks
    local float scratch[GROUP];
    const int first = get_group_id(0) * GROUP * PER_ITEM, lane = get_local_id(0);
    for (int k = 0; k < PER_ITEM; k++) {
        const int at = k * GROUP + lane;
        values[at + at / PER_ITEM] = first + at < n ? x[first + at] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < PER_ITEM; k++)
        sum += values[lane * (PER_ITEM + 1) + k];
    float total;
    float running = sums[get_group_id(0)] + group_exclusive(sum, scratch, GROUP, &total);
    for (int k = 0; k < PER_ITEM; k++) {
        running += values[lane * (PER_ITEM + 1) + k];
        values[lane * (PER_ITEM + 1) + k] = running;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < PER_ITEM; k++) {
        const int at = k * GROUP + lane;
        if (first + at < n)
            out[first + at] = values[at + at / PER_ITEM];
    }
}
