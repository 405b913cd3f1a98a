/* 1 / (i + j + 1), over an index space of columns and rows. */
#pragma OPENCL FP_CONTRACT OFF

kernel void hilbert(global float *restrict out) {
    const size_t j = get_global_id(0), i = get_global_id(1);
    out[i * get_global_size(0) + j] = 1.0f / (float)((int)i + (int)j + 1);
}

/* Four columns a work-item, for a GPU. */
kernel void hilbert4(global float4 *restrict out) {
    const size_t j = get_global_id(0), i = get_global_id(1);
    const int first = (int)i + 4 * (int)j + 1;
    out[i * get_global_size(0) + j] = 1.0f / convert_float4((int4)(first, first + 1, first + 2, first + 3));
}
