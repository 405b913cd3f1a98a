/* Mean of five points, over an index space of the inner columns and rows: the border needs no branch. */
#pragma OPENCL FP_CONTRACT OFF

kernel void copy(global const float *restrict from, global float *restrict to) {
    const size_t i = get_global_id(0);
    to[i] = from[i];
}

kernel void smooth(global const float *restrict a, global float *restrict b, const int width) {
    const size_t at = (get_global_id(1) + 1) * width + get_global_id(0) + 1;
    b[at] = 0.2f * (a[at] + a[at - width] + a[at + width] + a[at - 1] + a[at + 1]);
}

/* Four columns a work-item, for a GPU: rows are read as vectors, and the border's columns are stored as they are. */
kernel void smooth4(global const float *restrict a, global float *restrict b, const int width) {
    const int j = get_global_id(0) * 4;
    const size_t at = (get_global_id(1) + 1) * width + j;
    const float4 middle = vload4(0, a + at);
    const float left = j > 0 ? a[at - 1] : 0.0f, right = j + 4 < width ? a[at + 4] : 0.0f;
    float4 mean = 0.2f * (middle + vload4(0, a + at - width) + vload4(0, a + at + width) +
                          (float4)(left, middle.xyz) + (float4)(middle.yzw, right));
    mean.x = j > 0 ? mean.x : middle.x;
    mean.w = j + 4 < width ? mean.w : middle.w;
    vstore4(mean, 0, b + at);
}
