/* Luminance of a pixel. */
#pragma OPENCL FP_CONTRACT OFF

kernel void black_and_white(global const uchar *restrict r, global const uchar *restrict g,
                            global const uchar *restrict b, global float *restrict out) {
    const size_t i = get_global_id(0);
    out[i] = 0.299f * (float)r[i] + 0.587f * (float)g[i] + 0.114f * (float)b[i];
}

/* Four pixels a work-item, for a GPU. */
kernel void black_and_white4(global const uchar4 *restrict r, global const uchar4 *restrict g,
                             global const uchar4 *restrict b, global float4 *restrict out) {
    const size_t i = get_global_id(0);
    out[i] = 0.299f * convert_float4(r[i]) + 0.587f * convert_float4(g[i]) + 0.114f * convert_float4(b[i]);
}
