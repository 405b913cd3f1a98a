#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void acceleration_map(
    __global const float *restrict x_in,
    __global const float *restrict y_in,
    __global const float *restrict z_in,
    __global float *restrict result0,
    __global float *restrict result1,
    __global float *restrict result2,
    const float ZERO,
    const uint size,
    __global const float *restrict px,
    __global const float *restrict py,
    __global const float *restrict pz,
    const double SOFTENING,
    __global const float *restrict mass,
    const uint extent)
{
    __local float px_tile[256] __attribute__((aligned(16)));
    __local float py_tile[256] __attribute__((aligned(16)));
    __local float pz_tile[256] __attribute__((aligned(16)));
    __local float mass_tile[256] __attribute__((aligned(16)));
    // nbody.py:32
    const uint index = get_global_id(0);
    const uint index_2 = min(index, (extent - 1u));
    const float x = x_in[index_2];
    const float y = y_in[index_2];
    const float z = z_in[index_2];
    // nbody.py:35
    const int t0 = (int)(long)size;
    const int t1 = max(t0, 0);
    const int t2 = (int)((uint)t1 % (uint)256);
    const int t3 = (int)((uint)t1 - (uint)t2);
    const uint lane_x = get_local_id(0);
    float ax = ZERO;
    float ay = ZERO;
    float az = ZERO;
    for (int first = 0; first < t3; first += 256) {
        // nbody.py:36
        const uint t4 = (uint)(first + (int)lane_x);
        const float t5 = px[t4];
        // nbody.py:37
        const float t6 = py[t4];
        // nbody.py:38
        const float t7 = pz[t4];
        // nbody.py:40
        const float t8 = mass[t4];
        // nbody.py:36
        px_tile[lane_x] = t5;
        // nbody.py:37
        py_tile[lane_x] = t6;
        // nbody.py:38
        pz_tile[lane_x] = t7;
        // nbody.py:40
        mass_tile[lane_x] = t8;
        barrier(CLK_LOCAL_MEM_FENCE);
        // nbody.py:35
        float ax_2 = ax;
        float ay_2 = ay;
        float az_2 = az;
        #pragma unroll 32
        for (int round_ = 0; round_ < 256; ++round_) {
            // nbody.py:36
            const float t9 = px_tile[round_];
            // nbody.py:37
            const float t10 = py_tile[round_];
            // nbody.py:38
            const float t11 = pz_tile[round_];
            // nbody.py:40
            const float t12 = mass_tile[round_];
            // nbody.py:36
            const float dx = t9 - x;
            // nbody.py:37
            const float dy = t10 - y;
            // nbody.py:38
            const float dz = t11 - z;
            // nbody.py:39
            const float inverse = 1.0f / sqrt(((((dx * dx) + (dy * dy)) + (dz * dz)) + (float)SOFTENING));
            // nbody.py:40
            const float pull = ((t12 * inverse) * inverse) * inverse;
            // nbody.py:41
            const float ax_3 = ax_2 + (pull * dx);
            // nbody.py:42
            const float ay_3 = ay_2 + (pull * dy);
            // nbody.py:43
            const float az_3 = az_2 + (pull * dz);
            ax_2 = ax_3;
            ay_2 = ay_3;
            az_2 = az_3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ax = ax_2;
        ay = ay_2;
        az = az_2;
    }
    // nbody.py:35
    float ax_4 = ax;
    float ay_4 = ay;
    float az_4 = az;
    for (int j = t3; j < t0; ++j) {
        // nbody.py:36
        const float t13 = px[j];
        const float dx_2 = t13 - x;
        // nbody.py:37
        const float t14 = py[j];
        const float dy_2 = t14 - y;
        // nbody.py:38
        const float t15 = pz[j];
        const float dz_2 = t15 - z;
        // nbody.py:39
        const float inverse_2 = 1.0f / sqrt(((((dx_2 * dx_2) + (dy_2 * dy_2)) + (dz_2 * dz_2)) + (float)SOFTENING));
        // nbody.py:40
        const float t16 = mass[j];
        const float pull_2 = ((t16 * inverse_2) * inverse_2) * inverse_2;
        // nbody.py:41
        const float ax_5 = ax_4 + (pull_2 * dx_2);
        // nbody.py:42
        const float ay_5 = ay_4 + (pull_2 * dy_2);
        // nbody.py:43
        const float az_5 = az_4 + (pull_2 * dz_2);
        ax_4 = ax_5;
        ay_4 = ay_5;
        az_4 = az_5;
    }
    // nbody.py:32
    if (index < extent) {
        result0[index_2] = ax_4;
        result1[index_2] = ay_4;
        result2[index_2] = az_4;
    }
}

__kernel void acceleration_map_spread(
    __global const float *restrict x_in,
    __global const float *restrict y_in,
    __global const float *restrict z_in,
    __global float *restrict result0,
    __global float *restrict result1,
    __global float *restrict result2,
    const float ZERO,
    const uint size,
    __global const float *restrict px,
    __global const float *restrict py,
    __global const float *restrict pz,
    const double SOFTENING,
    __global const float *restrict mass,
    const uint extent,
    const uint start,
    const uint rows)
{
    __local float terms[2176];
    __local float terms_2[2176];
    __local float terms_3[2176];
    // nbody.py:35
    const uint lane = get_local_id(0);
    const uint group = get_group_id(0);
    const uint t0 = lane - 32u;
    const bool works = lane >= 32u;
    const bool adds = lane < rows;
    const uint t1 = t0 % 64u;
    const uint row = works ? (t0 / 64u) : min(lane, 15u);
    const uint t2 = row + 4u;
    const uint t3 = row + 8u;
    const uint t4 = row + 12u;
    const uint t5 = start + (group * rows);
    const uint t6 = min((t5 + rows), extent) - 1u;
    const uint t7 = t5 + row;
    const uint index = min(t7, t6);
    const uint index_2 = min((t5 + t2), t6);
    const uint index_3 = min((t5 + t3), t6);
    const uint index_4 = min((t5 + t4), t6);
    // nbody.py:32
    const float x = x_in[index];
    const float x_2 = x_in[index_2];
    const float x_3 = x_in[index_3];
    const float x_4 = x_in[index_4];
    const float y = y_in[index];
    const float y_2 = y_in[index_2];
    const float y_3 = y_in[index_3];
    const float y_4 = y_in[index_4];
    const float z = z_in[index];
    const float z_2 = z_in[index_2];
    const float z_3 = z_in[index_3];
    const float z_4 = z_in[index_4];
    // nbody.py:35
    const uint t8 = (uint)(int)((uint)max((int)(long)size, 0) - (uint)0);
    float ax = ZERO;
    float ay = ZERO;
    float az = ZERO;
    for (uint chunk = 0u; chunk < (((t8 + 63u) / 64u) + 1u); ++chunk) {
        const uint t9 = chunk * 64u;
        const bool more = (t9 + t1) < t8;
        if (works && more) {
            const uint t10 = chunk % 2u;
            const int j = 0 + (int)(t9 + t1);
            const int t11 = ((int)t10 * 1088) + ((int)t1 * 17);
            // nbody.py:36
            const float t12 = px[j];
            // nbody.py:37
            const float t13 = py[j];
            // nbody.py:38
            const float t14 = pz[j];
            // nbody.py:40
            const float t15 = mass[j];
            // nbody.py:39
            const float t16 = (float)SOFTENING;
            // nbody.py:35
            const uint t17 = (uint)(t11 + (int)row);
            // nbody.py:36
            const float dx = t12 - x;
            // nbody.py:37
            const float dy = t13 - y;
            // nbody.py:38
            const float dz = t14 - z;
            // nbody.py:39
            const float inverse = 1.0f / sqrt(((((dx * dx) + (dy * dy)) + (dz * dz)) + t16));
            // nbody.py:40
            const float pull = ((t15 * inverse) * inverse) * inverse;
            // nbody.py:41
            terms[t17] = pull * dx;
            // nbody.py:42
            terms_2[t17] = pull * dy;
            // nbody.py:43
            terms_3[t17] = pull * dz;
            // nbody.py:35
            const uint t18 = (uint)(t11 + (int)t2);
            // nbody.py:36
            const float dx_2 = t12 - x_2;
            // nbody.py:37
            const float dy_2 = t13 - y_2;
            // nbody.py:38
            const float dz_2 = t14 - z_2;
            // nbody.py:39
            const float inverse_2 = 1.0f / sqrt(((((dx_2 * dx_2) + (dy_2 * dy_2)) + (dz_2 * dz_2)) + t16));
            // nbody.py:40
            const float pull_2 = ((t15 * inverse_2) * inverse_2) * inverse_2;
            // nbody.py:41
            terms[t18] = pull_2 * dx_2;
            // nbody.py:42
            terms_2[t18] = pull_2 * dy_2;
            // nbody.py:43
            terms_3[t18] = pull_2 * dz_2;
            // nbody.py:35
            if (t3 < rows) {
                const uint t19 = (uint)(t11 + (int)t3);
                // nbody.py:36
                const float dx_3 = t12 - x_3;
                // nbody.py:37
                const float dy_3 = t13 - y_3;
                // nbody.py:38
                const float dz_3 = t14 - z_3;
                // nbody.py:39
                const float inverse_3 = 1.0f / sqrt(((((dx_3 * dx_3) + (dy_3 * dy_3)) + (dz_3 * dz_3)) + t16));
                // nbody.py:40
                const float pull_3 = ((t15 * inverse_3) * inverse_3) * inverse_3;
                // nbody.py:41
                terms[t19] = pull_3 * dx_3;
                // nbody.py:42
                terms_2[t19] = pull_3 * dy_3;
                // nbody.py:43
                terms_3[t19] = pull_3 * dz_3;
            }
            // nbody.py:35
            if (t4 < rows) {
                const uint t20 = (uint)(t11 + (int)t4);
                // nbody.py:36
                const float dx_4 = t12 - x_4;
                // nbody.py:37
                const float dy_4 = t13 - y_4;
                // nbody.py:38
                const float dz_4 = t14 - z_4;
                // nbody.py:39
                const float inverse_4 = 1.0f / sqrt(((((dx_4 * dx_4) + (dy_4 * dy_4)) + (dz_4 * dz_4)) + t16));
                // nbody.py:40
                const float pull_4 = ((t15 * inverse_4) * inverse_4) * inverse_4;
                // nbody.py:41
                terms[t20] = pull_4 * dx_4;
                // nbody.py:42
                terms_2[t20] = pull_4 * dy_4;
                // nbody.py:43
                terms_3[t20] = pull_4 * dz_4;
            }
        }
        // nbody.py:35
        float t21;
        float t22;
        float t23;
        if (adds && (0u < chunk)) {
            const uint t24 = chunk - 1u;
            const uint t25 = t24 % 2u;
            const int t26 = (int)t25 * 1088;
            const uint t27 = t8 - (t24 * 64u);
            float t28;
            float t29;
            float t30;
            if (t27 >= 64u) {
                float ax_2 = ax;
                float ay_2 = ay;
                float az_2 = az;
                #pragma unroll 16
                for (int round_ = 0; round_ < 64; ++round_) {
                    const uint t31 = (uint)((t26 + (round_ * 17)) + (int)row);
                    const float t32 = terms[t31];
                    const float t33 = terms_2[t31];
                    const float t34 = terms_3[t31];
                    // nbody.py:41
                    const float ax_3 = ax_2 + t32;
                    // nbody.py:42
                    const float ay_3 = ay_2 + t33;
                    // nbody.py:43
                    const float az_3 = az_2 + t34;
                    ax_2 = ax_3;
                    ay_2 = ay_3;
                    az_2 = az_3;
                }
                t28 = ax_2;
                t29 = ay_2;
                t30 = az_2;
            } else {
                // nbody.py:35
                float ax_4 = ax;
                float ay_4 = ay;
                float az_4 = az;
                #pragma unroll 16
                for (int round__2 = 0; round__2 < (int)t27; ++round__2) {
                    const uint t35 = (uint)((t26 + (round__2 * 17)) + (int)row);
                    const float t36 = terms[t35];
                    const float t37 = terms_2[t35];
                    const float t38 = terms_3[t35];
                    // nbody.py:41
                    const float ax_5 = ax_4 + t36;
                    // nbody.py:42
                    const float ay_5 = ay_4 + t37;
                    // nbody.py:43
                    const float az_5 = az_4 + t38;
                    ax_4 = ax_5;
                    ay_4 = ay_5;
                    az_4 = az_5;
                }
                t28 = ax_4;
                t29 = ay_4;
                t30 = az_4;
            }
            t21 = t28;
            t22 = t29;
            t23 = t30;
        } else {
            t21 = ax;
            t22 = ay;
            t23 = az;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ax = t21;
        ay = t22;
        az = t23;
    }
    // nbody.py:35
    if (adds && (t7 < extent)) {
        // nbody.py:32
        result0[index] = ax;
        result1[index] = ay;
        result2[index] = az;
    }
}

__kernel void acceleration_map_coarse(
    __global const float *restrict x_in,
    __global const float *restrict y_in,
    __global const float *restrict z_in,
    __global float *restrict result0,
    __global float *restrict result1,
    __global float *restrict result2,
    const float ZERO,
    const uint size,
    __global const float *restrict px,
    __global const float *restrict py,
    __global const float *restrict pz,
    const double SOFTENING,
    __global const float *restrict mass,
    const uint extent)
{
    __local float px_tile[256] __attribute__((aligned(16)));
    __local float py_tile[256] __attribute__((aligned(16)));
    __local float pz_tile[256] __attribute__((aligned(16)));
    __local float mass_tile[256] __attribute__((aligned(16)));
    // nbody.py:32
    const uint t0 = get_group_id(0);
    const uint t1 = get_local_id(0);
    const uint index = (t0 * 1024u) + t1;
    const uint index_2 = index + 256u;
    const uint index_3 = index + 512u;
    const uint index_4 = index + 768u;
    const float x = x_in[index];
    const float x_2 = x_in[index_2];
    const float x_3 = x_in[index_3];
    const float x_4 = x_in[index_4];
    const float y = y_in[index];
    const float y_2 = y_in[index_2];
    const float y_3 = y_in[index_3];
    const float y_4 = y_in[index_4];
    const float z = z_in[index];
    const float z_2 = z_in[index_2];
    const float z_3 = z_in[index_3];
    const float z_4 = z_in[index_4];
    // nbody.py:35
    const int t2 = (int)(long)size;
    const int t3 = max(t2, 0);
    const int t4 = (int)((uint)t3 % (uint)256);
    const int t5 = (int)((uint)t3 - (uint)t4);
    const uint lane_x = get_local_id(0);
    float ax = ZERO;
    float ax_2 = ZERO;
    float ax_3 = ZERO;
    float ax_4 = ZERO;
    float ay = ZERO;
    float ay_2 = ZERO;
    float ay_3 = ZERO;
    float ay_4 = ZERO;
    float az = ZERO;
    float az_2 = ZERO;
    float az_3 = ZERO;
    float az_4 = ZERO;
    for (int first = 0; first < t5; first += 256) {
        // nbody.py:36
        const uint t6 = (uint)(first + (int)lane_x);
        const float t7 = px[t6];
        // nbody.py:37
        const float t8 = py[t6];
        // nbody.py:38
        const float t9 = pz[t6];
        // nbody.py:40
        const float t10 = mass[t6];
        // nbody.py:36
        px_tile[lane_x] = t7;
        // nbody.py:37
        py_tile[lane_x] = t8;
        // nbody.py:38
        pz_tile[lane_x] = t9;
        // nbody.py:40
        mass_tile[lane_x] = t10;
        barrier(CLK_LOCAL_MEM_FENCE);
        // nbody.py:35
        float ax_5 = ax;
        float ax_6 = ax_2;
        float ax_7 = ax_3;
        float ax_8 = ax_4;
        float ay_5 = ay;
        float ay_6 = ay_2;
        float ay_7 = ay_3;
        float ay_8 = ay_4;
        float az_5 = az;
        float az_6 = az_2;
        float az_7 = az_3;
        float az_8 = az_4;
        #pragma unroll 16
        for (int round_ = 0; round_ < 256; ++round_) {
            // nbody.py:36
            const float t11 = px_tile[round_];
            // nbody.py:37
            const float t12 = py_tile[round_];
            // nbody.py:38
            const float t13 = pz_tile[round_];
            // nbody.py:40
            const float t14 = mass_tile[round_];
            // nbody.py:36
            const float dx = t11 - x;
            // nbody.py:37
            const float dy = t12 - y;
            // nbody.py:38
            const float dz = t13 - z;
            // nbody.py:39
            const float t15 = (float)SOFTENING;
            const float inverse = 1.0f / sqrt(((((dx * dx) + (dy * dy)) + (dz * dz)) + t15));
            // nbody.py:40
            const float pull = ((t14 * inverse) * inverse) * inverse;
            // nbody.py:41
            const float ax_9 = ax_5 + (pull * dx);
            // nbody.py:42
            const float ay_9 = ay_5 + (pull * dy);
            // nbody.py:43
            const float az_9 = az_5 + (pull * dz);
            // nbody.py:36
            const float dx_2 = t11 - x_2;
            // nbody.py:37
            const float dy_2 = t12 - y_2;
            // nbody.py:38
            const float dz_2 = t13 - z_2;
            // nbody.py:39
            const float inverse_2 = 1.0f / sqrt(((((dx_2 * dx_2) + (dy_2 * dy_2)) + (dz_2 * dz_2)) + t15));
            // nbody.py:40
            const float pull_2 = ((t14 * inverse_2) * inverse_2) * inverse_2;
            // nbody.py:41
            const float ax_10 = ax_6 + (pull_2 * dx_2);
            // nbody.py:42
            const float ay_10 = ay_6 + (pull_2 * dy_2);
            // nbody.py:43
            const float az_10 = az_6 + (pull_2 * dz_2);
            // nbody.py:36
            const float dx_3 = t11 - x_3;
            // nbody.py:37
            const float dy_3 = t12 - y_3;
            // nbody.py:38
            const float dz_3 = t13 - z_3;
            // nbody.py:39
            const float inverse_3 = 1.0f / sqrt(((((dx_3 * dx_3) + (dy_3 * dy_3)) + (dz_3 * dz_3)) + t15));
            // nbody.py:40
            const float pull_3 = ((t14 * inverse_3) * inverse_3) * inverse_3;
            // nbody.py:41
            const float ax_11 = ax_7 + (pull_3 * dx_3);
            // nbody.py:42
            const float ay_11 = ay_7 + (pull_3 * dy_3);
            // nbody.py:43
            const float az_11 = az_7 + (pull_3 * dz_3);
            // nbody.py:36
            const float dx_4 = t11 - x_4;
            // nbody.py:37
            const float dy_4 = t12 - y_4;
            // nbody.py:38
            const float dz_4 = t13 - z_4;
            // nbody.py:39
            const float inverse_4 = 1.0f / sqrt(((((dx_4 * dx_4) + (dy_4 * dy_4)) + (dz_4 * dz_4)) + t15));
            // nbody.py:40
            const float pull_4 = ((t14 * inverse_4) * inverse_4) * inverse_4;
            // nbody.py:41
            const float ax_12 = ax_8 + (pull_4 * dx_4);
            // nbody.py:42
            const float ay_12 = ay_8 + (pull_4 * dy_4);
            // nbody.py:43
            const float az_12 = az_8 + (pull_4 * dz_4);
            ax_5 = ax_9;
            ax_6 = ax_10;
            ax_7 = ax_11;
            ax_8 = ax_12;
            ay_5 = ay_9;
            ay_6 = ay_10;
            ay_7 = ay_11;
            ay_8 = ay_12;
            az_5 = az_9;
            az_6 = az_10;
            az_7 = az_11;
            az_8 = az_12;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ax = ax_5;
        ax_2 = ax_6;
        ax_3 = ax_7;
        ax_4 = ax_8;
        ay = ay_5;
        ay_2 = ay_6;
        ay_3 = ay_7;
        ay_4 = ay_8;
        az = az_5;
        az_2 = az_6;
        az_3 = az_7;
        az_4 = az_8;
    }
    // nbody.py:35
    float ax_13 = ax;
    float ax_14 = ax_2;
    float ax_15 = ax_3;
    float ax_16 = ax_4;
    float ay_13 = ay;
    float ay_14 = ay_2;
    float ay_15 = ay_3;
    float ay_16 = ay_4;
    float az_13 = az;
    float az_14 = az_2;
    float az_15 = az_3;
    float az_16 = az_4;
    for (int j = t5; j < t2; ++j) {
        // nbody.py:36
        const float t16 = px[j];
        // nbody.py:37
        const float t17 = py[j];
        // nbody.py:38
        const float t18 = pz[j];
        // nbody.py:40
        const float t19 = mass[j];
        // nbody.py:36
        const float dx_5 = t16 - x;
        // nbody.py:37
        const float dy_5 = t17 - y;
        // nbody.py:38
        const float dz_5 = t18 - z;
        // nbody.py:39
        const float t20 = (float)SOFTENING;
        const float inverse_5 = 1.0f / sqrt(((((dx_5 * dx_5) + (dy_5 * dy_5)) + (dz_5 * dz_5)) + t20));
        // nbody.py:40
        const float pull_5 = ((t19 * inverse_5) * inverse_5) * inverse_5;
        // nbody.py:41
        const float ax_17 = ax_13 + (pull_5 * dx_5);
        // nbody.py:42
        const float ay_17 = ay_13 + (pull_5 * dy_5);
        // nbody.py:43
        const float az_17 = az_13 + (pull_5 * dz_5);
        // nbody.py:36
        const float dx_6 = t16 - x_2;
        // nbody.py:37
        const float dy_6 = t17 - y_2;
        // nbody.py:38
        const float dz_6 = t18 - z_2;
        // nbody.py:39
        const float inverse_6 = 1.0f / sqrt(((((dx_6 * dx_6) + (dy_6 * dy_6)) + (dz_6 * dz_6)) + t20));
        // nbody.py:40
        const float pull_6 = ((t19 * inverse_6) * inverse_6) * inverse_6;
        // nbody.py:41
        const float ax_18 = ax_14 + (pull_6 * dx_6);
        // nbody.py:42
        const float ay_18 = ay_14 + (pull_6 * dy_6);
        // nbody.py:43
        const float az_18 = az_14 + (pull_6 * dz_6);
        // nbody.py:36
        const float dx_7 = t16 - x_3;
        // nbody.py:37
        const float dy_7 = t17 - y_3;
        // nbody.py:38
        const float dz_7 = t18 - z_3;
        // nbody.py:39
        const float inverse_7 = 1.0f / sqrt(((((dx_7 * dx_7) + (dy_7 * dy_7)) + (dz_7 * dz_7)) + t20));
        // nbody.py:40
        const float pull_7 = ((t19 * inverse_7) * inverse_7) * inverse_7;
        // nbody.py:41
        const float ax_19 = ax_15 + (pull_7 * dx_7);
        // nbody.py:42
        const float ay_19 = ay_15 + (pull_7 * dy_7);
        // nbody.py:43
        const float az_19 = az_15 + (pull_7 * dz_7);
        // nbody.py:36
        const float dx_8 = t16 - x_4;
        // nbody.py:37
        const float dy_8 = t17 - y_4;
        // nbody.py:38
        const float dz_8 = t18 - z_4;
        // nbody.py:39
        const float inverse_8 = 1.0f / sqrt(((((dx_8 * dx_8) + (dy_8 * dy_8)) + (dz_8 * dz_8)) + t20));
        // nbody.py:40
        const float pull_8 = ((t19 * inverse_8) * inverse_8) * inverse_8;
        // nbody.py:41
        const float ax_20 = ax_16 + (pull_8 * dx_8);
        // nbody.py:42
        const float ay_20 = ay_16 + (pull_8 * dy_8);
        // nbody.py:43
        const float az_20 = az_16 + (pull_8 * dz_8);
        ax_13 = ax_17;
        ax_14 = ax_18;
        ax_15 = ax_19;
        ax_16 = ax_20;
        ay_13 = ay_17;
        ay_14 = ay_18;
        ay_15 = ay_19;
        ay_16 = ay_20;
        az_13 = az_17;
        az_14 = az_18;
        az_15 = az_19;
        az_16 = az_20;
    }
    // nbody.py:32
    result0[index] = ax_13;
    result1[index] = ay_13;
    result2[index] = az_13;
    result0[index_2] = ax_14;
    result1[index_2] = ay_14;
    result2[index_2] = az_14;
    result0[index_3] = ax_15;
    result1[index_3] = ay_15;
    result2[index_3] = az_15;
    result0[index_4] = ax_16;
    result1[index_4] = ay_16;
    result2[index_4] = az_16;
}

/* The host's plan:

r0 = Marshal(input 0, dtype='float32')
r1 = CopyIn(host=r0, shared=False)
r2 = Marshal(input 1, dtype='float32')
r3 = CopyIn(host=r2, shared=False)
r4 = Marshal(input 2, dtype='float32')
r5 = CopyIn(host=r4, shared=False)
r6 = Size(input 0, dim=0)
r7 = Alloc(dtype='float32', count=r6, shared=False, zeroed=False)
r8 = Alloc(dtype='float32', count=r6, shared=False, zeroed=False)
r9 = Alloc(dtype='float32', count=r6, shared=False, zeroed=False)
r10 = Scalar(ZERO, dtype='float32', part='value')
r11 = Marshal(px, dtype='float32')
r12 = CopyIn(host=r11, shared=False)
r13 = Marshal(py, dtype='float32')
r14 = CopyIn(host=r13, shared=False)
r15 = Marshal(pz, dtype='float32')
r16 = CopyIn(host=r15, shared=False)
r17 = Scalar(SOFTENING, dtype='float64', part='value')
r18 = Marshal(mass, dtype='float32')
r19 = CopyIn(host=r18, shared=False)
r20 = Constant(value=1081344)
r21 = Compute(op='div', left=r6, right=r20)
r22 = Constant(value=1)
r23 = Compute(op='min', left=r21, right=r22)
r24 = Constant(value=1024)
r25 = Compute(op='div', left=r6, right=r24)
r26 = Compute(op='mul', left=r25, right=r23)
r27 = Compute(op='mul', left=r26, right=r24)
r28 = Constant(value=4)
r29 = Compute(op='div', left=r27, right=r28)
Launch(kernel='acceleration_map_coarse', extent=r29, arguments=(r1, r3, r5, r7, r8, r9, r10, r6, r12, r14, r16, r17, r19, r6), group=256, tail='exact')
r30 = Compute(op='sub', left=r6, right=r27)
r31 = Constant(value=0)
r32 = Constant(value=16896)
r33 = Compute(op='div', left=r30, right=r32)
r34 = Constant(value=1)
r35 = Compute(op='min', left=r33, right=r34)
r36 = Compute(op='mul', left=r30, right=r35)
r37 = Compute(op='sub', left=r30, right=r36)
r38 = Constant(value=2112)
r39 = Compute(op='ceildiv', left=r37, right=r38)
r40 = Compute(op='max', left=r39, right=r34)
r41 = Constant(value=132)
r42 = Compute(op='mul', left=r40, right=r41)
r43 = Compute(op='ceildiv', left=r37, right=r42)
r44 = Compute(op='max', left=r43, right=r34)
r45 = Compute(op='ceildiv', left=r37, right=r44)
r46 = Constant(value=288)
r47 = Compute(op='mul', left=r45, right=r46)
Launch(kernel='acceleration_map_spread', extent=r47, arguments=(r1, r3, r5, r7, r8, r9, r10, r6, r12, r14, r16, r17, r19, r6, r27, r44), group=288, tail='exact')
r48 = Compute(op='add', left=r27, right=r37)
Launch(kernel='acceleration_map', extent=r6, arguments=(r1, r3, r5, r7, r8, r9, r10, r6, r12, r14, r16, r17, r19, r6), group=256, tail='guard', box=(r36), start=(r48), shape=(256,))
r49 = CopyOut(buffer=r7, shared=False)
r50 = CopyOut(buffer=r8, shared=False)
r51 = CopyOut(buffer=r9, shared=False)
Unmarshal(hosts=(r49, r50, r51), element=(f32, f32, f32), container=ndarray, scalar=False)
*/
