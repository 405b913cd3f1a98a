/* Acceleration at each place by all bodies, one place a work-item. */
#pragma OPENCL FP_CONTRACT OFF

kernel void nbody(global const float *restrict xs, global const float *restrict ys, global const float *restrict zs,
                  global const float *restrict px, global const float *restrict py, global const float *restrict pz,
                  global const float *restrict mass, const float softening, const int bodies,
                  global float *restrict ax, global float *restrict ay, global float *restrict az) {
    const size_t i = get_global_id(0);
    const float x = xs[i], y = ys[i], z = zs[i];
    float sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int j = 0; j < bodies; j++) {
        const float dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;
        const float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + softening);
        const float pull = mass[j] * inverse * inverse * inverse;
        sx += pull * dx;
        sy += pull * dy;
        sz += pull * dz;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
}
