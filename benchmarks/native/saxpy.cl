/* a * x + y, one element a work-item. */
#pragma OPENCL FP_CONTRACT OFF

kernel void saxpy(global const float *restrict x, global const float *restrict y, global float *restrict out) {
    const size_t i = get_global_id(0);
    out[i] = 2.5f * x[i] + y[i];
}

/* Four elements a work-item, for a GPU. */
kernel void saxpy4(global const float4 *restrict x, global const float4 *restrict y, global float4 *restrict out) {
    const size_t i = get_global_id(0);
    out[i] = 2.5f * x[i] + y[i];
}
