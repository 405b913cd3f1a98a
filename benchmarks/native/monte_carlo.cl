/* Points in the quarter of the circle, drawn by a linear congruential generator: one seed a work-item. */
#pragma OPENCL FP_CONTRACT OFF

kernel void monte_carlo(global const uint *restrict seeds, const int draws, global long *restrict out) {
    const size_t i = get_global_id(0);
    uint seed = seeds[i];
    int inside = 0;
    for (int k = 0; k < draws; k++) {
        seed = seed * 1664525u + 1013904223u;
        const float x = (float)(int)(seed >> 8) * 0x1p-24f;
        seed = seed * 1664525u + 1013904223u;
        const float y = (float)(int)(seed >> 8) * 0x1p-24f;
        inside += x * x + y * y < 1.0f;
    }
    out[i] = inside;
}
