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

/* In the source's order: of a group of 32 + 256 items, 256 compute the terms of a chunk for up to 16 rows, while the
   first ones add up those of the chunk before, a row each. */
#define CHUNK 128
#define ROWS 16
#define ADDERS 32
#define STRIPS 2

/* The sum and up to CHUNK terms of a row, one after the other. */
double added(double total, local const double *const terms, const int left) {
    if (left >= CHUNK) {
#pragma unroll 16
        for (int k = 0; k < CHUNK; k++)
            total += terms[k * (ROWS + 1)];
    } else {
        for (int k = 0; k < left; k++)
            total += terms[k * (ROWS + 1)];
    }
    return total;
}

kernel void times_matrix_ordered(global const double *restrict u, const int n, const int rows, global double *restrict v) {
    local double terms[2 * CHUNK * (ROWS + 1)];
    const int lane = get_local_id(0), first = get_group_id(0) * rows;
    const int column = (lane - ADDERS) % CHUNK, strip = (lane - ADDERS) / CHUNK;
    double total = 0.0;
    for (int chunk = 0; chunk <= (n + CHUNK - 1) / CHUNK; chunk++) {
        const int j = chunk * CHUNK + column;
        if (lane >= ADDERS && j < n) {
            local double *const place = terms + (chunk % 2 * CHUNK + column) * (ROWS + 1);
            const double x = u[j];
#pragma unroll 4
            for (int row = strip; row < rows; row += STRIPS)
                place[row] = x / element(first + row, j);
        }
        if (lane < rows && chunk > 0)
            total = added(total, terms + (chunk - 1) % 2 * CHUNK * (ROWS + 1) + lane, n - (chunk - 1) * CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane < rows && first + lane < n)
        v[first + lane] = total;
}

kernel void times_transposed_ordered(global const double *restrict u, const int n, const int rows, global double *restrict v) {
    local double terms[2 * CHUNK * (ROWS + 1)];
    const int lane = get_local_id(0), first = get_group_id(0) * rows;
    const int column = (lane - ADDERS) % CHUNK, strip = (lane - ADDERS) / CHUNK;
    double total = 0.0;
    for (int chunk = 0; chunk <= (n + CHUNK - 1) / CHUNK; chunk++) {
        const int j = chunk * CHUNK + column;
        if (lane >= ADDERS && j < n) {
            local double *const place = terms + (chunk % 2 * CHUNK + column) * (ROWS + 1);
            const double x = u[j];
#pragma unroll 4
            for (int row = strip; row < rows; row += STRIPS)
                place[row] = x / element(j, first + row);
        }
        if (lane < rows && chunk > 0)
            total = added(total, terms + (chunk - 1) % 2 * CHUNK * (ROWS + 1) + lane, n - (chunk - 1) * CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane < rows && first + lane < n)
        v[first + lane] = total;
}
