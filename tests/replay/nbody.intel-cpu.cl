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
    const ulong size,
    __global const float *restrict px,
    __global const float *restrict py,
    __global const float *restrict pz,
    const double SOFTENING,
    __global const float *restrict mass)
{
    // nbody.py:32
    const size_t index = get_global_id(0);
    const float x = x_in[index];
    const float y = y_in[index];
    const float z = z_in[index];
    // nbody.py:35
    float ax = ZERO;
    float ay = ZERO;
    float az = ZERO;
    #pragma clang loop vectorize(disable)
    for (long j = 0L; j < (long)size; ++j) {
        // nbody.py:36
        const size_t t0 = (size_t)j;
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

/* The host's plan:

r0 = Marshal(input 0, dtype='float32')
r1 = CopyIn(host=r0, shared=True)
r2 = Marshal(input 1, dtype='float32')
r3 = CopyIn(host=r2, shared=True)
r4 = Marshal(input 2, dtype='float32')
r5 = CopyIn(host=r4, shared=True)
r6 = Size(input 0, dim=0)
r7 = Alloc(dtype='float32', count=r6, shared=True, zeroed=False)
r8 = Alloc(dtype='float32', count=r6, shared=True, zeroed=False)
r9 = Alloc(dtype='float32', count=r6, shared=True, zeroed=False)
r10 = Scalar(ZERO, dtype='float32', part='value')
r11 = Marshal(px, dtype='float32')
r12 = CopyIn(host=r11, shared=True)
r13 = Marshal(py, dtype='float32')
r14 = CopyIn(host=r13, shared=True)
r15 = Marshal(pz, dtype='float32')
r16 = CopyIn(host=r15, shared=True)
r17 = Scalar(SOFTENING, dtype='float64', part='value')
r18 = Marshal(mass, dtype='float32')
r19 = CopyIn(host=r18, shared=True)
Launch(kernel='acceleration_map', extent=r6, arguments=(r1, r3, r5, r7, r8, r9, r10, r6, r12, r14, r16, r17, r19), group=64, tail='split', layouts=((256,), (1024,), (8192,)))
r20 = CopyOut(buffer=r7, shared=True)
r21 = CopyOut(buffer=r8, shared=True)
r22 = CopyOut(buffer=r9, shared=True)
Unmarshal(hosts=(r20, r21, r22), element=(f32, f32, f32), container=ndarray, scalar=False)
*/
