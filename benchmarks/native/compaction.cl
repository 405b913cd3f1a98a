/* The elements above a bound, in order, in three kernels: counts of parts, where each part begins, and the copying.
 * Parts are as in prefix_sum.cl. counts has an element more, for the number of all. */

kernel void chunk_counts(global const float *restrict x, const float bound, const int n, const int size,
                         global int *restrict counts) {
    const int first = get_global_id(0) * size, last = min(n, first + size);
    int count = 0;
    for (int i = first; i < last; i++)
        count += x[i] > bound;
    counts[get_global_id(0)] = count;
}

kernel void scan_counts(global int *restrict counts, const int parts) {
    int running = 0;
    for (int part = 0; part < parts; part++) {
        const int count = counts[part];
        counts[part] = running;
        running += count;
    }
    counts[parts] = running;
}

kernel void chunk_keeps(global const float *restrict x, const float bound, const int n, const int size,
                        global const int *restrict counts, global float *restrict out) {
    const int first = get_global_id(0) * size, last = min(n, first + size), end = counts[get_global_id(0) + 1];
    int at = counts[get_global_id(0)];
    // Stored without a branch: what is not kept is overwritten by the next, and nothing is stored beyond the end.
    for (int i = first; i < last && at < end; i++) {
        out[at] = x[i];
        at += x[i] > bound;
    }
}

#define GROUP 256
#define PER_ITEM 16

/* The exclusive scan over the items of a group of `width`, and the sum of all in *total. */
int group_exclusive(const int value, local int *scratch, const int width, int *total) {
    const int lane = get_local_id(0);
    scratch[lane] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 1; stride < width; stride *= 2) {
        const int other = lane >= stride ? scratch[lane - stride] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        scratch[lane] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const int before = lane > 0 ? scratch[lane - 1] : 0;
    *total = scratch[width - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return before;
}

kernel void group_counts(global const float *restrict x, const float bound, const int n, global int *restrict counts) {
    local int scratch[GROUP];
    const int first = get_group_id(0) * GROUP * PER_ITEM, lane = get_local_id(0);
    int count = 0;
    for (int k = 0; k < PER_ITEM; k++) {
        const int i = first + k * GROUP + lane;
        count += i < n && x[i] > bound;
    }
    int total;
    group_exclusive(count, scratch, GROUP, &total);
    if (lane == 0)
        counts[get_group_id(0)] = total;
}

kernel void group_scan_counts(global int *restrict counts, const int parts) {
    local int scratch[1024];
    const int lane = get_local_id(0);
    int running = 0;
    for (int first = 0; first < parts; first += 1024) {
        const int part = first + lane;
        int total;
        const int before = group_exclusive(part < parts ? counts[part] : 0, scratch, 1024, &total);
        if (part < parts)
            counts[part] = running + before;
        running += total;
    }
    if (lane == 0)
        counts[parts] = running;
}

kernel void group_keeps(global const float *restrict x, const float bound, const int n,
                        global const int *restrict counts, global float *restrict out) {
    local float values[GROUP * (PER_ITEM + 1)]; // a column more, so that items use different banks
    local int scratch[GROUP];
    const int first = get_group_id(0) * GROUP * PER_ITEM, lane = get_local_id(0);
    for (int k = 0; k < PER_ITEM; k++) {
        const int at = k * GROUP + lane;
        values[at + at / PER_ITEM] = first + at < n ? x[first + at] : -INFINITY;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float mine[PER_ITEM];
    int count = 0;
    for (int k = 0; k < PER_ITEM; k++) {
        mine[k] = values[lane * (PER_ITEM + 1) + k];
        count += mine[k] > bound;
    }
    int total;
    int at = group_exclusive(count, scratch, GROUP, &total);
    for (int k = 0; k < PER_ITEM; k++)
        if (mine[k] > bound)
            values[at++] = mine[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = lane; k < total; k += GROUP)
        out[counts[get_group_id(0)] + k] = values[k];
}
