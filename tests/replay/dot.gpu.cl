#pragma OPENCL FP_CONTRACT OFF

__kernel void dot_partial(
    const uint length_,
    const uint run,
    __global const float *restrict a_in,
    __global const float *restrict b_in,
    __global float *restrict result)
{
    // dot.py:14
    const uint group = get_group_id(0);
    const uint lane = get_local_id(0);
    const uint t0 = group * (run * 256u);
    const uint t1 = t0 + lane;
    if (t1 < length_) {
        const uint t2 = min(run, ((length_ - t0) / 256u));
        const float a = a_in[t1];
        const float b = b_in[t1];
        float p = a * b;
        for (uint t3 = 1u; t3 < t2; ++t3) {
            const uint t4 = t1 + (t3 * 256u);
            const float a_2 = a_in[t4];
            const float b_2 = b_in[t4];
            const float q = a_2 * b_2;
            p = p + q;
        }
        const uint t5 = max(t2, 1u);
        const uint t6 = t1 + (t5 * 256u);
        float t7;
        if ((t5 < run) && (t6 < length_)) {
            const float a_3 = a_in[t6];
            const float b_3 = b_in[t6];
            const float q_2 = a_3 * b_3;
            t7 = p + q_2;
        } else {
            t7 = p;
        }
        result[(group * 256u) + lane] = t7;
    }
}

__kernel void dot_combine(
    __global const float *restrict partial0,
    const uint length_,
    const uint run,
    __global float *restrict result)
{
    // dot.py:14
    const uint group = get_group_id(0);
    const uint lane = get_local_id(0);
    const uint t0 = group * (run * 256u);
    const uint t1 = t0 + lane;
    if (t1 < length_) {
        const uint t2 = min(run, ((length_ - t0) / 256u));
        const float t3 = partial0[t1];
        float p = t3;
        for (uint t4 = 1u; t4 < t2; ++t4) {
            const float q = partial0[t1 + (t4 * 256u)];
            p = p + q;
        }
        const uint t5 = max(t2, 1u);
        const uint t6 = t1 + (t5 * 256u);
        float t7;
        if ((t5 < run) && (t6 < length_)) {
            const float q_2 = partial0[t6];
            t7 = p + q_2;
        } else {
            t7 = p;
        }
        result[(group * 256u) + lane] = t7;
    }
}

__kernel void dot_combine_2(
    __global const float *restrict partial0,
    const uint length_,
    const uint run,
    __global float *restrict result)
{
    // dot.py:14
    const uint group = get_group_id(0);
    const uint lane = get_local_id(0);
    const uint t0 = group * (run * 256u);
    const uint t1 = t0 + lane;
    if (t1 < length_) {
        const uint t2 = min(run, ((length_ - t0) / 256u));
        const float t3 = partial0[t1];
        float p = t3;
        for (uint t4 = 1u; t4 < t2; ++t4) {
            const float q = partial0[t1 + (t4 * 256u)];
            p = p + q;
        }
        const uint t5 = max(t2, 1u);
        const uint t6 = t1 + (t5 * 256u);
        float t7;
        if ((t5 < run) && (t6 < length_)) {
            const float q_2 = partial0[t6];
            t7 = p + q_2;
        } else {
            t7 = p;
        }
        result[(group * 256u) + lane] = t7;
    }
}

__kernel void dot_final(
    __global const float *restrict partial0,
    const uint length_,
    __global float *restrict result)
{
    // dot.py:14
    float p = 0.0f;
    for (uint t0 = 0u; t0 < length_; ++t0) {
        const float q = partial0[t0];
        p = p + q;
    }
    result[0u] = p;
}

/* The host's plan:

r0 = Size(input 0, dim=0)
r1 = Constant(value=256)
r2 = Constant(value=135168)
r3 = Compute(op='ceildiv', left=r0, right=r2)
r4 = Constant(value=1)
r5 = Compute(op='max', left=r3, right=r4)
r6 = Compute(op='mul', left=r5, right=r1)
r7 = Compute(op='ceildiv', left=r0, right=r6)
r8 = Compute(op='mul', left=r7, right=r1)
r9 = Compute(op='div', left=r0, right=r6)
r10 = Compute(op='mul', left=r9, right=r6)
r11 = Compute(op='sub', left=r0, right=r10)
r12 = Compute(op='mul', left=r9, right=r1)
r13 = Compute(op='min', left=r11, right=r1)
r14 = Compute(op='add', left=r12, right=r13)
r15 = Alloc(dtype='float32', count=r14, shared=False, zeroed=False)
r16 = Marshal(input 0, dtype='float32')
r17 = CopyIn(host=r16, shared=False)
r18 = Marshal(input 1, dtype='float32')
r19 = CopyIn(host=r18, shared=False)
Launch(kernel='dot_partial', extent=r8, arguments=(r0, r5, r17, r19, r15), group=256, tail='exact')
r20 = Constant(value=8192)
r21 = Compute(op='ceildiv', left=r14, right=r20)
r22 = Compute(op='max', left=r21, right=r4)
r23 = Compute(op='mul', left=r22, right=r1)
r24 = Compute(op='ceildiv', left=r14, right=r23)
r25 = Compute(op='mul', left=r24, right=r1)
r26 = Compute(op='div', left=r14, right=r23)
r27 = Compute(op='mul', left=r26, right=r23)
r28 = Compute(op='sub', left=r14, right=r27)
r29 = Compute(op='mul', left=r26, right=r1)
r30 = Compute(op='min', left=r28, right=r1)
r31 = Compute(op='add', left=r29, right=r30)
r32 = Alloc(dtype='float32', count=r31, shared=False, zeroed=False)
Launch(kernel='dot_combine', extent=r25, arguments=(r15, r14, r22, r32), group=256, tail='exact')
r33 = Constant(value=64)
r34 = Compute(op='ceildiv', left=r31, right=r33)
r35 = Compute(op='max', left=r34, right=r4)
r36 = Compute(op='mul', left=r35, right=r1)
r37 = Compute(op='ceildiv', left=r31, right=r36)
r38 = Compute(op='mul', left=r37, right=r1)
r39 = Compute(op='div', left=r31, right=r36)
r40 = Compute(op='mul', left=r39, right=r36)
r41 = Compute(op='sub', left=r31, right=r40)
r42 = Compute(op='mul', left=r39, right=r1)
r43 = Compute(op='min', left=r41, right=r1)
r44 = Compute(op='add', left=r42, right=r43)
r45 = Alloc(dtype='float32', count=r44, shared=False, zeroed=False)
Launch(kernel='dot_combine_2', extent=r38, arguments=(r32, r31, r35, r45), group=256, tail='exact')
r46 = Alloc(dtype='float32', count=r4, shared=False, zeroed=False)
Launch(kernel='dot_final', extent=r4, arguments=(r45, r44, r46), group=0, tail='exact')
r47 = CopyOut(buffer=r46, shared=False)
Unmarshal(hosts=(r47), element=f32, container=ndarray, scalar=True)
*/
