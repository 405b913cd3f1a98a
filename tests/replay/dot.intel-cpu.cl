#pragma OPENCL FP_CONTRACT OFF

__kernel void dot_partial(
    const ulong length_,
    const ulong run,
    __global const float *restrict a_in,
    __global const float *restrict b_in,
    __global float *restrict result)
{
    // dot.py:14
    const size_t group = get_group_id(0);
    const size_t lane = get_local_id(0);
    const size_t t0 = group * (run * 16ul);
    const size_t t1 = t0 + lane;
    const size_t t2 = (group * 16ul) + lane;
    if ((t0 + 15ul) < length_) {
        const size_t t3 = min(run, ((length_ - t0) / 16ul));
        const float a = a_in[t1];
        const float b = b_in[t1];
        float p = a * b;
        #pragma clang loop vectorize(disable)
        for (size_t t4 = 1ul; t4 < t3; ++t4) {
            const size_t t5 = t1 + (t4 * 16ul);
            const float a_2 = a_in[t5];
            const float b_2 = b_in[t5];
            const float q = a_2 * b_2;
            p = p + q;
        }
        const size_t t6 = max(t3, 1ul);
        const size_t t7 = t1 + (t6 * 16ul);
        float t8;
        if ((t6 < run) && (t7 < length_)) {
            const float a_3 = a_in[t7];
            const float b_3 = b_in[t7];
            const float q_2 = a_3 * b_3;
            t8 = p + q_2;
        } else {
            t8 = p;
        }
        result[t2] = t8;
    } else {
        if (t1 < length_) {
            const float a_4 = a_in[t1];
            const float b_4 = b_in[t1];
            result[t2] = a_4 * b_4;
        }
    }
}

__kernel void dot_combine(
    __global const float *restrict partial0,
    const ulong length_,
    const ulong run,
    __global float *restrict result)
{
    // dot.py:14
    const size_t group = get_group_id(0);
    const size_t lane = get_local_id(0);
    const size_t t0 = group * (run * 16ul);
    const size_t t1 = t0 + lane;
    const size_t t2 = (group * 16ul) + lane;
    if ((t0 + 15ul) < length_) {
        const size_t t3 = min(run, ((length_ - t0) / 16ul));
        const float t4 = partial0[t1];
        float p = t4;
        #pragma clang loop vectorize(disable)
        for (size_t t5 = 1ul; t5 < t3; ++t5) {
            const float q = partial0[t1 + (t5 * 16ul)];
            p = p + q;
        }
        const size_t t6 = max(t3, 1ul);
        const size_t t7 = t1 + (t6 * 16ul);
        float t8;
        if ((t6 < run) && (t7 < length_)) {
            const float q_2 = partial0[t7];
            t8 = p + q_2;
        } else {
            t8 = p;
        }
        result[t2] = t8;
    } else {
        if (t1 < length_) {
            const float t9 = partial0[t1];
            result[t2] = t9;
        }
    }
}

__kernel void dot_final(
    __global const float *restrict partial0,
    const ulong length_,
    __global float *restrict result)
{
    // dot.py:14
    float p = 0.0f;
    #pragma clang loop vectorize(disable)
    for (size_t t0 = 0ul; t0 < length_; ++t0) {
        const float q = partial0[t0];
        p = p + q;
    }
    result[0ul] = p;
}

/* The host's plan:

r0 = Size(input 0, dim=0)
r1 = Constant(value=16)
r2 = Constant(value=8192)
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
r17 = CopyIn(host=r16, shared=True)
r18 = Marshal(input 1, dtype='float32')
r19 = CopyIn(host=r18, shared=True)
Launch(kernel='dot_partial', extent=r8, arguments=(r0, r5, r17, r19, r15), group=16, tail='exact')
r20 = Constant(value=64)
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
Launch(kernel='dot_combine', extent=r25, arguments=(r15, r14, r22, r32), group=16, tail='exact')
r33 = Alloc(dtype='float32', count=r4, shared=True, zeroed=False)
Launch(kernel='dot_final', extent=r4, arguments=(r32, r31, r33), group=0, tail='exact')
r34 = CopyOut(buffer=r33, shared=True)
Unmarshal(hosts=(r34), element=f32, container=ndarray, scalar=True)
*/
