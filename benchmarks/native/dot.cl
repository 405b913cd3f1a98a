/* Dot product in two kernels: partial sums, then their sum.
 *
 * Work-group g sums block g of the arrays; its items take neighbouring elements in turn, so that reads are coalesced on
 * a GPU and vectorised on a CPU. `block` is a multiple of the group size. On a GPU the items of a group add up their
 * sums (`group_sums`); on a CPU each stores its own (`partial_sums`), for a barrier costs more there than a store.
 */
#pragma OPENCL FP_CONTRACT OFF

float item_sum(global const float *restrict x, global const float *restrict y, const int block) {
    const size_t first = get_group_id(0) * (size_t)block;
    const size_t width = get_local_size(0);
    float sum = 0.0f;
    for (size_t i = get_local_id(0); i < block; i += width)
        sum += x[first + i] * y[first + i];
    return sum;
}

/* The sum over the items of a group, in item 0; the group size is a power of two. */
float group_sum(const float sum, local float *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = sum;
    for (int stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < stride)
            scratch[lane] += scratch[lane + stride];
    }
    return scratch[0];
}

kernel void partial_sums(global const float *restrict x, global const float *restrict y, const int block,
                         global float *restrict partial) {
    partial[get_global_id(0)] = item_sum(x, y, block);
}

kernel void group_sums(global const float *restrict x, global const float *restrict y, const int block,
                       global float *restrict partial, local float *scratch) {
    const float sum = group_sum(item_sum(x, y, block), scratch);
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = sum;
}

kernel void total(global const float *restrict partial, const int count, global float *restrict out,
                  local float *scratch) {
    float sum = 0.0f;
    for (int i = get_local_id(0); i < count; i += get_local_size(0))
        sum += partial[i];
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        out[0] = sum;
}
