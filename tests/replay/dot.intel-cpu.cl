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

__kernel void dot_final(
    __global const float *restrict partial0,
    const ulong length_,
    __global float *restrict result)
{
    // dot.py:14
    const size_t t0 = length_ / 8ul;
    float t1;
    if (0ul < t0) {
        const size_t t2 = t0 + t0;
        const size_t t3 = t2 + t0;
        const size_t t4 = t3 + t0;
        const size_t t5 = t4 + t0;
        const size_t t6 = t5 + t0;
        const size_t t7 = t6 + t0;
        const float t8 = partial0[0ul];
        const float t9 = partial0[t0];
        const float t10 = partial0[t2];
        const float t11 = partial0[t3];
        const float t12 = partial0[t4];
        const float t13 = partial0[t5];
        const float t14 = partial0[t6];
        const float t15 = partial0[t7];
        float p = t8;
        float p_2 = t9;
        float p_3 = t10;
        float p_4 = t11;
        float p_5 = t12;
        float p_6 = t13;
        float p_7 = t14;
        float p_8 = t15;
        #pragma clang loop vectorize(disable)
        for (size_t t16 = 1ul; t16 < t0; ++t16) {
            const float q = partial0[t16];
            const float q_2 = partial0[t0 + t16];
            const float q_3 = partial0[t2 + t16];
            const float q_4 = partial0[t3 + t16];
            const float q_5 = partial0[t4 + t16];
            const float q_6 = partial0[t5 + t16];
            const float q_7 = partial0[t6 + t16];
            const float q_8 = partial0[t7 + t16];
            p = p + q;
            p_2 = p_2 + q_2;
            p_3 = p_3 + q_3;
            p_4 = p_4 + q_4;
            p_5 = p_5 + q_5;
            p_6 = p_6 + q_6;
            p_7 = p_7 + q_7;
            p_8 = p_8 + q_8;
        }
        const float p_9 = p + p_2;
        const float p_10 = p_9 + p_3;
        const float p_11 = p_10 + p_4;
        const float p_12 = p_11 + p_5;
        const float p_13 = p_12 + p_6;
        const float p_14 = p_13 + p_7;
        float p_15 = p_14 + p_8;
        #pragma clang loop vectorize(disable)
        for (size_t t17 = t7 + t0; t17 < length_; ++t17) {
            const float q_9 = partial0[t17];
            p_15 = p_15 + q_9;
        }
        t1 = 0.0f + p_15;
    } else {
        float p_16 = 0.0f;
        #pragma clang loop vectorize(disable)
        for (size_t t18 = 0ul; t18 < length_; ++t18) {
            const float q_10 = partial0[t18];
            p_16 = p_16 + q_10;
        }
        t1 = p_16;
    }
    result[0ul] = t1;
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
r20 = Alloc(dtype='float32', count=r4, shared=True, zeroed=False)
Launch(kernel='dot_final', extent=r4, arguments=(r15, r14, r20), group=0, tail='exact')
r21 = CopyOut(buffer=r20, shared=True)
Unmarshal(hosts=(r21), element=f32, container=ndarray, scalar=True)
*/
