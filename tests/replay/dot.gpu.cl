#pragma OPENCL FP_CONTRACT OFF

__kernel void dot_partial(
    const uint length_,
    __global const float *restrict a_in,
    __global const float *restrict b_in,
    __global float *restrict result)
{
    // dot.py:14
    const uint group = get_group_id(0);
    const uint lane = get_local_id(0);
    const uint t0 = (group * 4096u) + lane;
    float p = (-0.0f);
    for (uint t1 = 0u; t1 < 16u; ++t1) {
        const uint t2 = t0 + (t1 * 256u);
        const uint t3 = min(t2, (length_ - 1u));
        const float a = a_in[t3];
        const float b = b_in[t3];
        const float q = (t2 < length_) ? (a * b) : (-0.0f);
        p = p + q;
    }
    __local float partial[272];
    const uint t4 = lane % 16u;
    partial[((lane / 16u) * 17u) + t4] = p;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 16u) {
        const uint t5 = lane * 17u;
        const float t6 = partial[t5];
        float p_2 = t6;
        for (uint t7 = 1u; t7 < 16u; ++t7) {
            const uint t8 = t5 + t7;
            const float q_2 = partial[t8];
            const float t9 = p_2 + q_2;
            partial[t8] = t9;
            p_2 = t9;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 1u) {
        const float t10 = partial[15u];
        float p_3 = t10;
        for (uint t11 = 1u; t11 < 16u; ++t11) {
            const float q_3 = partial[(t11 * 17u) + 15u];
            p_3 = p_3 + q_3;
        }
        result[group] = p_3;
    }
}

__kernel void dot_combine(
    __global const float *restrict partial0,
    const uint length_,
    __global float *restrict result)
{
    // dot.py:14
    const uint group = get_group_id(0);
    const uint lane = get_local_id(0);
    const uint t0 = (group * 4096u) + lane;
    float p = (-0.0f);
    for (uint t1 = 0u; t1 < 16u; ++t1) {
        const uint t2 = t0 + (t1 * 256u);
        const float t3 = partial0[min(t2, (length_ - 1u))];
        const float q = (t2 < length_) ? t3 : (-0.0f);
        p = p + q;
    }
    __local float partial[272];
    const uint t4 = lane % 16u;
    partial[((lane / 16u) * 17u) + t4] = p;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 16u) {
        const uint t5 = lane * 17u;
        const float t6 = partial[t5];
        float p_2 = t6;
        for (uint t7 = 1u; t7 < 16u; ++t7) {
            const uint t8 = t5 + t7;
            const float q_2 = partial[t8];
            const float t9 = p_2 + q_2;
            partial[t8] = t9;
            p_2 = t9;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 1u) {
        const float t10 = partial[15u];
        float p_3 = t10;
        for (uint t11 = 1u; t11 < 16u; ++t11) {
            const float q_3 = partial[(t11 * 17u) + 15u];
            p_3 = p_3 + q_3;
        }
        result[group] = p_3;
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
r1 = Constant(value=4096)
r2 = Compute(op='ceildiv', left=r0, right=r1)
r3 = Alloc(dtype='float32', count=r2, shared=False, zeroed=False)
r4 = Marshal(input 0, dtype='float32')
r5 = CopyIn(host=r4, shared=False)
r6 = Marshal(input 1, dtype='float32')
r7 = CopyIn(host=r6, shared=False)
r8 = Constant(value=256)
r9 = Compute(op='mul', left=r2, right=r8)
Launch(kernel='dot_partial', extent=r9, arguments=(r0, r5, r7, r3), group=256, tail='exact')
r10 = Compute(op='ceildiv', left=r2, right=r1)
r11 = Alloc(dtype='float32', count=r10, shared=False, zeroed=False)
r12 = Compute(op='mul', left=r10, right=r8)
Launch(kernel='dot_combine', extent=r12, arguments=(r3, r2, r11), group=256, tail='exact')
r13 = Constant(value=1)
r14 = Alloc(dtype='float32', count=r13, shared=False, zeroed=False)
Launch(kernel='dot_final', extent=r13, arguments=(r11, r10, r14), group=0, tail='exact')
r15 = CopyOut(buffer=r14, shared=False)
Unmarshal(hosts=(r15), element=f32, container=ndarray, scalar=True)
*/
