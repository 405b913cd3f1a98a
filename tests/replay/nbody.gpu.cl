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
    // nbody.py:32
    const uint index = get_global_id(0);
    if (index < extent) {
        const float x = x_in[index];
        const float y = y_in[index];
        const float z = z_in[index];
        // nbody.py:35
        float ax = ZERO;
        float ay = ZERO;
        float az = ZERO;
        for (int j = 0; j < (int)(long)size; ++j) {
            // nbody.py:36
            const uint t0 = (uint)j;
            const float t1 = px[t0];
            const float dx = t1 - x;
            // nbody.py:37
            const float t2 = py[t0];
            const float dy = t2 - y;
            // nbody.py:38
            const float t3 = pz[t0];
            const float dz = t3 - z;
            // nbody.py:39
            const float inverse = 1.0f / sqrt(((((dx * dx) + (dy * dy)) + (dz * dz)) + (float)SOFTENING));
            // nbody.py:40
            const float t4 = mass[t0];
            const float pull = ((t4 * inverse) * inverse) * inverse;
            // nbody.py:41
            const float ax_2 = ax + (pull * dx);
            // nbody.py:42
            const float ay_2 = ay + (pull * dy);
            // nbody.py:43
            const float az_2 = az + (pull * dz);
            ax = ax_2;
            ay = ay_2;
            az = az_2;
        }
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
    for (int j = 0; j < (int)(long)size; ++j) {
        // nbody.py:36
        const uint t2 = (uint)j;
        const float t3 = px[t2];
        // nbody.py:37
        const float t4 = py[t2];
        // nbody.py:38
        const float t5 = pz[t2];
        // nbody.py:40
        const float t6 = mass[t2];
        // nbody.py:36
        const float dx = t3 - x;
        // nbody.py:37
        const float dy = t4 - y;
        // nbody.py:38
        const float dz = t5 - z;
        // nbody.py:39
        const float t7 = (float)SOFTENING;
        const float inverse = 1.0f / sqrt(((((dx * dx) + (dy * dy)) + (dz * dz)) + t7));
        // nbody.py:40
        const float pull = ((t6 * inverse) * inverse) * inverse;
        // nbody.py:41
        const float ax_5 = ax + (pull * dx);
        // nbody.py:42
        const float ay_5 = ay + (pull * dy);
        // nbody.py:43
        const float az_5 = az + (pull * dz);
        // nbody.py:36
        const float dx_2 = t3 - x_2;
        // nbody.py:37
        const float dy_2 = t4 - y_2;
        // nbody.py:38
        const float dz_2 = t5 - z_2;
        // nbody.py:39
        const float inverse_2 = 1.0f / sqrt(((((dx_2 * dx_2) + (dy_2 * dy_2)) + (dz_2 * dz_2)) + t7));
        // nbody.py:40
        const float pull_2 = ((t6 * inverse_2) * inverse_2) * inverse_2;
        // nbody.py:41
        const float ax_6 = ax_2 + (pull_2 * dx_2);
        // nbody.py:42
        const float ay_6 = ay_2 + (pull_2 * dy_2);
        // nbody.py:43
        const float az_6 = az_2 + (pull_2 * dz_2);
        // nbody.py:36
        const float dx_3 = t3 - x_3;
        // nbody.py:37
        const float dy_3 = t4 - y_3;
        // nbody.py:38
        const float dz_3 = t5 - z_3;
        // nbody.py:39
        const float inverse_3 = 1.0f / sqrt(((((dx_3 * dx_3) + (dy_3 * dy_3)) + (dz_3 * dz_3)) + t7));
        // nbody.py:40
        const float pull_3 = ((t6 * inverse_3) * inverse_3) * inverse_3;
        // nbody.py:41
        const float ax_7 = ax_3 + (pull_3 * dx_3);
        // nbody.py:42
        const float ay_7 = ay_3 + (pull_3 * dy_3);
        // nbody.py:43
        const float az_7 = az_3 + (pull_3 * dz_3);
        // nbody.py:36
        const float dx_4 = t3 - x_4;
        // nbody.py:37
        const float dy_4 = t4 - y_4;
        // nbody.py:38
        const float dz_4 = t5 - z_4;
        // nbody.py:39
        const float inverse_4 = 1.0f / sqrt(((((dx_4 * dx_4) + (dy_4 * dy_4)) + (dz_4 * dz_4)) + t7));
        // nbody.py:40
        const float pull_4 = ((t6 * inverse_4) * inverse_4) * inverse_4;
        // nbody.py:41
        const float ax_8 = ax_4 + (pull_4 * dx_4);
        // nbody.py:42
        const float ay_8 = ay_4 + (pull_4 * dy_4);
        // nbody.py:43
        const float az_8 = az_4 + (pull_4 * dz_4);
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
    // nbody.py:32
    result0[index] = ax;
    result1[index] = ay;
    result2[index] = az;
    result0[index_2] = ax_2;
    result1[index_2] = ay_2;
    result2[index_2] = az_2;
    result0[index_3] = ax_3;
    result1[index_3] = ay_3;
    result2[index_3] = az_3;
    result0[index_4] = ax_4;
    result1[index_4] = ay_4;
    result2[index_4] = az_4;
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
Launch(kernel='acceleration_map', extent=r6, arguments=(r1, r3, r5, r7, r8, r9, r10, r6, r12, r14, r16, r17, r19, r6), group=256, tail='guard', box=(r30), start=(r27), shape=(256,))
r32 = CopyOut(buffer=r7, shared=False)
r33 = CopyOut(buffer=r8, shared=False)
r34 = CopyOut(buffer=r9, shared=False)
Unmarshal(hosts=(r32, r33, r34), element=(f32, f32, f32), container=ndarray, scalar=False)
*/
