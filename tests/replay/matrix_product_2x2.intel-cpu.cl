#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void lens_map_partial(
    const ulong length_,
    const ulong run,
    __global const double *restrict distance_in,
    __global const double *restrict focal_length_in,
    __global double *restrict result0,
    __global double *restrict result1,
    __global double *restrict result2,
    __global double *restrict result3,
    __global int *restrict flags)
{
    // matrix_product_2x2.py:26
    const size_t index = get_global_id(0);
    const size_t t0 = index * run;
    const size_t t1 = min((t0 + run), length_);
    const double distance_ = distance_in[t0];
    const double focal_length = focal_length_in[t0];
    // matrix_product_2x2.py:23
    if (!(focal_length != 0.0)) {  // float division by zero
        flags[0] = 1;
        return;
    }
    // matrix_product_2x2.py:26
    double t2 = 1.0;
    double t3 = distance_;
    double t4 = (-1.0) / focal_length;
    double t5 = 1.0 - (distance_ / focal_length);
    #pragma clang loop vectorize(disable)
    for (size_t t6 = t0 + 1ul; t6 < t1; ++t6) {
        const double distance__2 = distance_in[t6];
        const double focal_length_2 = focal_length_in[t6];
        // matrix_product_2x2.py:23
        if (!(focal_length_2 != 0.0)) {  // float division by zero
            flags[1] = 1;
            return;
        }
        const double t7 = (-1.0) / focal_length_2;
        const double t8 = 1.0 - (distance__2 / focal_length_2);
        const double t4_next = (t7 * t2) + (t8 * t4);
        const double t5_next = (t7 * t3) + (t8 * t5);
        t2 = (1.0 * t2) + (distance__2 * t4);
        t3 = (1.0 * t3) + (distance__2 * t5);
        t4 = t4_next;
        t5 = t5_next;
    }
    // matrix_product_2x2.py:26
    result0[index] = t2;
    result1[index] = t3;
    result2[index] = t4;
    result3[index] = t5;
}

__kernel void lens_map_combine(
    __global const double *restrict partial0,
    __global const double *restrict partial1,
    __global const double *restrict partial2,
    __global const double *restrict partial3,
    const ulong length_,
    const ulong run,
    __global double *restrict result0,
    __global double *restrict result1,
    __global double *restrict result2,
    __global double *restrict result3)
{
    // matrix_product_2x2.py:26
    const size_t index = get_global_id(0);
    const size_t t0 = index * run;
    const size_t t1 = min((t0 + run), length_);
    const double t2 = partial0[t0];
    const double t3 = partial1[t0];
    const double t4 = partial2[t0];
    const double t5 = partial3[t0];
    double t6 = t2;
    double t7 = t3;
    double t8 = t4;
    double t9 = t5;
    #pragma clang loop vectorize(disable)
    for (size_t t10 = t0 + 1ul; t10 < t1; ++t10) {
        const double t11 = partial0[t10];
        const double t12 = partial1[t10];
        const double t13 = partial2[t10];
        const double t14 = partial3[t10];
        const double t8_next = (t13 * t6) + (t14 * t8);
        const double t9_next = (t13 * t7) + (t14 * t9);
        t6 = (t11 * t6) + (t12 * t8);
        t7 = (t11 * t7) + (t12 * t9);
        t8 = t8_next;
        t9 = t9_next;
    }
    result0[index] = t6;
    result1[index] = t7;
    result2[index] = t8;
    result3[index] = t9;
}

__kernel void lens_map_final(
    __global const double *restrict partial0,
    __global const double *restrict partial1,
    __global const double *restrict partial2,
    __global const double *restrict partial3,
    const ulong length_,
    __global double *restrict result0,
    __global double *restrict result1,
    __global double *restrict result2,
    __global double *restrict result3)
{
    // matrix_product_2x2.py:26
    double t0 = 1.0;
    double t1 = 0.0;
    double t2 = 0.0;
    double t3 = 1.0;
    #pragma clang loop vectorize(disable)
    for (size_t t4 = 0ul; t4 < length_; ++t4) {
        const double t5 = partial0[t4];
        const double t6 = partial1[t4];
        const double t7 = partial2[t4];
        const double t8 = partial3[t4];
        const double t2_next = (t7 * t0) + (t8 * t2);
        const double t3_next = (t7 * t1) + (t8 * t3);
        t0 = (t5 * t0) + (t6 * t2);
        t1 = (t5 * t1) + (t6 * t3);
        t2 = t2_next;
        t3 = t3_next;
    }
    result0[0ul] = t0;
    result1[0ul] = t1;
    result2[0ul] = t2;
    result3[0ul] = t3;
}

/* The host's plan:

r0 = Size(input 0, dim=0)
r1 = Constant(value=8192)
r2 = Compute(op='ceildiv', left=r0, right=r1)
r3 = Constant(value=1)
r4 = Compute(op='max', left=r2, right=r3)
r5 = Constant(value=16)
r6 = Compute(op='add', left=r4, right=r5)
r7 = Compute(op='ceildiv', left=r0, right=r6)
r8 = Alloc(dtype='float64', count=r7, shared=False, zeroed=False)
r9 = Alloc(dtype='float64', count=r7, shared=False, zeroed=False)
r10 = Alloc(dtype='float64', count=r7, shared=False, zeroed=False)
r11 = Alloc(dtype='float64', count=r7, shared=False, zeroed=False)
r12 = Marshal(input 0, dtype='float64')
r13 = CopyIn(host=r12, shared=True)
r14 = Marshal(input 1, dtype='float64')
r15 = CopyIn(host=r14, shared=True)
r16 = Constant(value=2)
r17 = Alloc(dtype='int32', count=r16, shared=False, zeroed=True)
Launch(kernel='lens_map_partial', extent=r7, arguments=(r0, r6, r13, r15, r8, r9, r10, r11, r17), group=64, tail='split', layouts=((256,), (1024,), (8192,)))
r18 = Constant(value=64)
r19 = Compute(op='ceildiv', left=r7, right=r18)
r20 = Compute(op='max', left=r19, right=r3)
r21 = Compute(op='add', left=r20, right=r5)
r22 = Compute(op='ceildiv', left=r7, right=r21)
r23 = Alloc(dtype='float64', count=r22, shared=False, zeroed=False)
r24 = Alloc(dtype='float64', count=r22, shared=False, zeroed=False)
r25 = Alloc(dtype='float64', count=r22, shared=False, zeroed=False)
r26 = Alloc(dtype='float64', count=r22, shared=False, zeroed=False)
Launch(kernel='lens_map_combine', extent=r22, arguments=(r8, r9, r10, r11, r7, r21, r23, r24, r25, r26), group=64, tail='split', layouts=((256,), (1024,), (8192,)))
r27 = Alloc(dtype='float64', count=r3, shared=True, zeroed=False)
r28 = Alloc(dtype='float64', count=r3, shared=True, zeroed=False)
r29 = Alloc(dtype='float64', count=r3, shared=True, zeroed=False)
r30 = Alloc(dtype='float64', count=r3, shared=True, zeroed=False)
Launch(kernel='lens_map_final', extent=r3, arguments=(r23, r24, r25, r26, r22, r27, r28, r29, r30), group=0, tail='exact')
CheckGuards(flags=r17)
r31 = CopyOut(buffer=r27, shared=True)
r32 = CopyOut(buffer=r28, shared=True)
r33 = CopyOut(buffer=r29, shared=True)
r34 = CopyOut(buffer=r30, shared=True)
Unmarshal(hosts=(r31, r32, r33, r34), element=(float, float, float, float), container=list, scalar=True)
*/
