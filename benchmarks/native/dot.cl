/* Dot product in two kernels: partial sums, then their sum.
 *
 * On a GPU work-group g sums block g of the arrays; its items take neighbouring elements in turn, so that reads are
 * coalesced, and add up their sums (`group_sums`). `block` is a multiple of the group size. On a CPU one item sums a
 * block, in four vectors, so that additions need not wait for each other, and stores eight sums (`partial_sums`).
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
    const size_t first = get_global_id(0) * (size_t)block;
    global const float *restrict u = x + first, *restrict v = y + first;
    float8 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    int i = 0;
    for (; i + 32 <= block; i += 32) {
        sum0 += vload8(0, u + i) * vload8(0, v + i);
        sum1 += vload8(1, u + i) * vload8(1, v + i);
        sum2 += vload8(2, u + i) * vload8(2, v + i);
        sum3 += vload8(3, u + i) * vload8(3, v + i);
    }
    for (; i < block; ++i)
        sum0.s0 += u[i] * v[i];
    vstore8((sum0 + sum1) + (sum2 + sum3), get_global_id(0), partial);
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
