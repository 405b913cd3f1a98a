/* The nearest cluster of each point, one point a work-item. */
#pragma OPENCL FP_CONTRACT OFF

kernel void kmeans(global const float *restrict x, global const float *restrict y, global const float *restrict cx,
                   global const float *restrict cy, const int clusters, global long *restrict out) {
    const size_t i = get_global_id(0);
    const float px = x[i], py = y[i];
    int best = 0;
    float least = INFINITY;
    for (int k = 0; k < clusters; k++) {
        const float dx = px - cx[k], dy = py - cy[k];
        const float distance = dx * dx + dy * dy;
        best = distance < least ? k : best;
        least = fmin(distance, least);
    }
    out[i] = best;
}
