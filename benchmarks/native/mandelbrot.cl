/* Escape time of each point of a picture, over an index space of columns and rows. */
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(const float x0, const float y0, const float dx, const float dy, const int iterations,
                       global int *restrict out) {
    const size_t column = get_global_id(0), row = get_global_id(1);
    const float cr = x0 + dx * (float)column, ci = y0 + dy * (float)row;
    float zr = cr, zi = ci;
    int n = 0;
    while (n < iterations && zr * zr + zi * zi <= 4.0f) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        n++;
    }
    out[row * get_global_size(0) + column] = n;
}
