/* 2.5 * x + y of two sequences that are computed. */
#pragma OPENCL FP_CONTRACT OFF

kernel void daxpy(const double x0, const double dx, const double y0, const double dy, global double *restrict out) {
    const size_t i = get_global_id(0);
    const double t = (double)i;
    out[i] = 2.5 * (x0 + dx * t) + (y0 + dy * t);
}
