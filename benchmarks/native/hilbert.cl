/* 1 / (i + j + 1), over an index space of columns and rows. */
#pragma OPENCL FP_CONTRACT OFF

kernel void hilbert(global float *restrict out) {
    const size_t j = get_global_id(0), i = get_global_id(1);
    out[i * get_global_size(0) + j] = 1.0f / (float)((int)i + (int)j + 1);
}
