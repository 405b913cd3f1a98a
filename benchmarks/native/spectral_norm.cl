/* Products of the matrix and of its transpose with a vector: a row a work-item, or a row a group on a GPU. */
#pragma OPENCL FP_CONTRACT OFF

double element(const int i, const int j) { return (double)((i + j) * (i + j + 1) / 2 + i + 1); }

kernel void ones(global double *restrict u) { u[get_global_id(0)] = 1.0; }

kernel void times_matrix(global const double *restrict u, const int n, global double *restrict v) {
    const size_t i = get_global_id(0);
    double total = 0.0;
    for (int j = 0; j < n; j++)
        total += u[j] / element((int)i, j);
    v[i] = total;
}

kernel void times_transposed(global const double *restrict u, const int n, global double *restrict v) {
    const size_t i = get_global_id(0);
    double total = 0.0;
    for (int j = 0; j < n; j++)
        total += u[j] / element(j, (int)i);
    v[i] = total;
}

/* The sum over the 128 items of a group, in item 0. */
double group_sum(const double sum, local double *scratch) {
    const int lane = get_local_id(0);
    scratch[lane] = sum;
    for (int stride = 64; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < stride)
            scratch[lane] += scratch[lane + stride];
    }
    return scratch[0];
}

kernel void times_matrix_group(global const double *restrict u, const int n, global double *restrict v) {
    local double scratch[128];
    const int i = get_group_id(0), lane = get_local_id(0);
    double total = 0.0;
    for (int j = lane; j < n; j += 128)
        total += u[j] / element(i, j);
    total = group_sum(total, scratch);
    if (lane == 0)
        v[i] = total;
}

kernel void times_transposed_group(global const double *restrict u, const int n, global double *restrict v) {
    local double scratch[128];
    const int i = get_group_id(0), lane = get_local_id(0);
    double total = 0.0;
    for (int j = lane; j < n; j += 128)
        total += u[j] / element(j, i);
    total = group_sum(total, scratch);
    if (lane == 0)
        v[i] = total;
}
