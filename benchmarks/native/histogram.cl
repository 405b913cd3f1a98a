/* Numbers of each byte: counts of chunks that are added up on a CPU, counts of groups in local memory on a GPU. */

kernel void chunk_counts(global const uchar *restrict keys, const long n, const long size,
                         global int *restrict parts) {
    // Four copies, so that equal neighbours do not wait for one another.
    int counts[4][256];
    for (int bin = 0; bin < 1024; bin++)
        counts[bin / 256][bin % 256] = 0;
    const long first = get_global_id(0) * size, last = min(n, first + size);
    long i = first;
    for (; i + 4 <= last; i += 4) {
        counts[0][keys[i]]++;
        counts[1][keys[i + 1]]++;
        counts[2][keys[i + 2]]++;
        counts[3][keys[i + 3]]++;
    }
    for (; i < last; i++)
        counts[0][keys[i]]++;
    for (int bin = 0; bin < 256; bin++)
        parts[get_global_id(0) * 256 + bin] = counts[0][bin] + counts[1][bin] + counts[2][bin] + counts[3][bin];
}

kernel void add_counts(global const int *restrict parts, const int items, global int *restrict counts) {
    const size_t bin = get_global_id(0);
    int total = 0;
    for (int item = 0; item < items; item++)
        total += parts[item * 256 + bin];
    counts[bin] = total;
}

kernel void clear(global int *restrict counts) { counts[get_global_id(0)] = 0; }

kernel void local_counts(global const uchar *restrict keys, const long n, global int *restrict counts) {
    local int mine[256];
    const int lane = get_local_id(0);
    mine[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // 16 bytes a read; what is left after the last 16 is counted by the first items.
    global const uint4 *words = (global const uint4 *)keys;
    for (long i = get_global_id(0); i < n / 16; i += get_global_size(0)) {
        const uint4 word = words[i];
        const uint parts[4] = {word.x, word.y, word.z, word.w};
        for (int k = 0; k < 4; k++) {
            atomic_inc(&mine[parts[k] & 255]);
            atomic_inc(&mine[parts[k] >> 8 & 255]);
            atomic_inc(&mine[parts[k] >> 16 & 255]);
            atomic_inc(&mine[parts[k] >> 24]);
        }
    }
    const long rest = n / 16 * 16 + get_global_id(0);
    if (rest < n)
        atomic_inc(&mine[keys[rest]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[lane], mine[lane]);
}
