/* Acceleration of each body by all, one body a work-item; on a GPU, tiles of bodies in local memory. */
#pragma OPENCL FP_CONTRACT OFF

kernel void bodies(global const float *restrict px, global const float *restrict py, global const float *restrict pz,
                   global const float *restrict mass, const float softening, const int n, global float *restrict ax,
                   global float *restrict ay, global float *restrict az) {
    const size_t i = get_global_id(0);
    const float x = px[i], y = py[i], z = pz[i];
    float sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int j = 0; j < n; j++) {
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

kernel void tiles(global const float *restrict px, global const float *restrict py, global const float *restrict pz,
                  global const float *restrict mass, const float softening, const int n, global float *restrict ax,
                  global float *restrict ay, global float *restrict az) {
    local float4 tile[256];
    const int i = get_global_id(0), lane = get_local_id(0);
    const float x = px[i], y = py[i], z = pz[i];
    float sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int first = 0; first < n; first += 256) {
        const int j = first + lane;
        tile[lane] = (float4)(px[j], py[j], pz[j], mass[j]);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 16
        for (int k = 0; k < 256; k++) {
            const float4 other = tile[k];
            const float dx = other.x - x, dy = other.y - y, dz = other.z - z;
            const float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + softening);
            const float pull = other.w * inverse * inverse * inverse;
            sx += pull * dx;
            sy += pull * dy;
            sz += pull * dz;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
}
