/* Dot product in two kernels: partial sums, then their sum.
 *
 * Work-group g sums block g of the arrays; its items take neighbouring elements in turn, so that reads are coalesced on
 * a GPU and vectorised on a CPU. `block` is a multiple of the group size.
 */
#pragma OPENCL FP_CONTRACT OFF

kernel void partial_sums(global const float *restrict x, global const float *restrict y, const int block,
                         global float *restrict partial) {
    const size_t first = get_group_id(0) * (size_t)block;
    const size_t width = get_local_size(0), lane = get_local_id(0);
    float sum = 0.0f;
    for (size_t i = lane; i < block; i += width)
        sum += x[first + i] * y[first + i];
    partial[get_global_id(0)] = sum;
}

kernel void total(global const float *restrict partial, const int count, global float *restrict out,
                  local float *scratch) {
    const int width = get_local_size(0), lane = get_local_id(0);
    float sum = 0.0f;
    for (int i = lane; i < count; i += width)
        sum += partial[i];
    scratch[lane] = sum;
    for (int stride = width / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < stride)
            scratch[lane] += scratch[lane + stride];
    }
    if (lane == 0)
        out[0] = scratch[0];
}
