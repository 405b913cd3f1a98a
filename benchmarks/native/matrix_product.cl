/* Product of two square matrices of n rows.
 *
 * `rows`: 4 rows by 16 columns a work-item, in registers; n is a multiple of 16. `tiles`: 64 x 64 elements a group of
 * 16 x 16 work-items, 4 x 4 each, from tiles in local memory; n is a multiple of 64.
 */
#pragma OPENCL FP_CONTRACT OFF

kernel void rows(global const float *restrict a, global const float *restrict b, const int n,
                 global float *restrict c) {
    const size_t j = get_global_id(0) * 16, i = get_global_id(1) * 4;
    float16 c0 = 0.0f, c1 = 0.0f, c2 = 0.0f, c3 = 0.0f;
    for (int k = 0; k < n; k++) {
        const float16 row = vload16(0, b + (size_t)k * n + j);
        c0 += a[i * n + k] * row;
        c1 += a[(i + 1) * n + k] * row;
        c2 += a[(i + 2) * n + k] * row;
        c3 += a[(i + 3) * n + k] * row;
    }
    vstore16(c0, 0, c + i * n + j);
    vstore16(c1, 0, c + (i + 1) * n + j);
    vstore16(c2, 0, c + (i + 2) * n + j);
    vstore16(c3, 0, c + (i + 3) * n + j);
}

#define TILE 64
#define DEPTH 16

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
tiles(global const float *restrict a, global const float *restrict b, const int n, global float *restrict c) {
    local float as[DEPTH][TILE + 1], bs[DEPTH][TILE];
    const int x = get_local_id(0), y = get_local_id(1), lane = y * 16 + x;
    const int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    float sum[4][4] = {{0.0f}};
    for (int first = 0; first < n; first += DEPTH) {
        for (int k = 0; k < 4; k++) {
            const int at = k * 256 + lane;
            as[at % DEPTH][at / DEPTH] = a[(size_t)(row + at / DEPTH) * n + first + at % DEPTH];
            bs[at / TILE][at % TILE] = b[(size_t)(first + at / TILE) * n + column + at % TILE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float left[4], right[4];
#pragma unroll
            for (int r = 0; r < 4; r++) {
                left[r] = as[k][y + 16 * r];
                right[r] = bs[k][x + 16 * r];
            }
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int s = 0; s < 4; s++)
                    sum[r][s] += left[r] * right[s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++)
            c[(size_t)(row + y + 16 * r) * n + column + x + 16 * s] = sum[r][s];
}
