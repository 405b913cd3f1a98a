#pragma OPENCL FP_CONTRACT OFF

__kernel void dot_partial(
    const ulong length_,
    const ulong items,
    __global const float *restrict a_in,
    __global const float *restrict b_in,
    __global float *restrict result)
{
    const size_t index = get_global_id(0);
    const size_t t0 = length_ / items;
    const float a = a_in[index];
    const float b = b_in[index];
    float p = a * b;
    for (size_t t1 = 1; t1 < t0; ++t1) {
        const size_t t2 = index + (t1 * items);
        const float a_2 = a_in[t2];
        const float b_2 = b_in[t2];
        // dot.py:14
        const float q = a_2 * b_2;
        p = p + q;
    }
    const size_t t3 = index + (t0 * items);
    float t4;
    if (t3 < length_) {
        const float a_3 = a_in[t3];
        const float b_3 = b_in[t3];
        const float q_2 = a_3 * b_3;
        t4 = p + q_2;
    } else {
        t4 = p;
    }
    result[index] = t4;
}

__kernel void dot_combine(
    __global const float *restrict partial0,
    const ulong length_,
    const ulong items,
    __global float *restrict result)
{
    const size_t index = get_global_id(0);
    const size_t t0 = (length_ + items - 1) / items;
    const size_t t1 = index * t0;
    const float t2 = partial0[t1];
    float p = t2;
    for (size_t t3 = t1 + 1; t3 < min((t1 + t0), length_); ++t3) {
        const float q = partial0[t3];
        p = p + q;
    }
    result[index] = p;
}

__kernel void dot_final(
    __global const float *restrict partial0,
    const ulong length_,
    __global float *restrict result)
{
    float p = 0.0f;
    for (size_t t0 = 0; t0 < length_; ++t0) {
        const float q = partial0[t0];
        p = p + q;
    }
    result[0] = p;
}

/* The host's plan:

r0 = Size(input 0, dim=0)
r1 = Constant(value=512)
r2 = Compute(op='min', left=r0, right=r1)
r3 = Constant(value=1)
r4 = Compute(op='max', left=r2, right=r3)
r5 = Compute(op='ceildiv', left=r0, right=r4)
r6 = Compute(op='max', left=r5, right=r3)
r7 = Compute(op='ceildiv', left=r0, right=r6)
r8 = Alloc(dtype='float32', count=r7, shared=False, zeroed=False)
r9 = Marshal(input 0, dtype='float32')
r10 = CopyIn(host=r9, shared=True)
r11 = Marshal(input 1, dtype='float32')
r12 = CopyIn(host=r11, shared=True)
Launch(kernel='dot_partial', extent=r7, arguments=(r0, r7, r10, r12, r8), group=256, tail='split')
r13 = Constant(value=64)
r14 = Compute(op='min', left=r7, right=r13)
r15 = Compute(op='max', left=r14, right=r3)
r16 = Compute(op='ceildiv', left=r7, right=r15)
r17 = Compute(op='max', left=r16, right=r3)
r18 = Compute(op='ceildiv', left=r7, right=r17)
r19 = Alloc(dtype='float32', count=r18, shared=False, zeroed=False)
Launch(kernel='dot_combine', extent=r18, arguments=(r8, r7, r18, r19), group=256, tail='split')
r20 = Alloc(dtype='float32', count=r3, shared=True, zeroed=False)
Launch(kernel='dot_final', extent=r3, arguments=(r19, r18, r20), group=0, tail='exact')
r21 = CopyOut(buffer=r20, shared=True)
Unmarshal(hosts=(r21), element=f32, container=ndarray, scalar=True)
*/
