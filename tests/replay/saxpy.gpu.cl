#pragma OPENCL FP_CONTRACT OFF

__kernel void saxpy(
    __global const float *restrict a_in,
    __global const float *restrict b_in,
    __global float *restrict result,
    const uint extent)
{
    // saxpy.py:14
    const uint index = get_global_id(0);
    if (index < extent) {
        const float a = a_in[index];
        const float b = b_in[index];
        result[index] = (2.5f * a) + b;
    }
}

__kernel void saxpy_coarse(
    __global const float *restrict a_in,
    __global const float *restrict b_in,
    __global float *restrict result,
    const uint extent)
{
    // saxpy.py:14
    const uint t0 = get_group_id(0);
    const uint t1 = get_local_id(0);
    const uint index = (t0 * 1024u) + t1;
    const uint index_2 = index + 256u;
    const uint index_3 = index + 512u;
    const uint index_4 = index + 768u;
    const float a = a_in[index];
    const float a_2 = a_in[index_2];
    const float a_3 = a_in[index_3];
    const float a_4 = a_in[index_4];
    const float b = b_in[index];
    const float b_2 = b_in[index_2];
    const float b_3 = b_in[index_3];
    const float b_4 = b_in[index_4];
    result[index] = (2.5f * a) + b;
    result[index_2] = (2.5f * a_2) + b_2;
    result[index_3] = (2.5f * a_3) + b_3;
    result[index_4] = (2.5f * a_4) + b_4;
}

/* The host's plan:

r0 = Marshal(input 0, dtype='float32')
r1 = CopyIn(host=r0, shared=False, in_parts=True)
r2 = Marshal(input 1, dtype='float32')
r3 = CopyIn(host=r2, shared=False, in_parts=True)
r4 = Size(input 0, dim=0)
r5 = Alloc(dtype='float32', count=r4, shared=False, zeroed=False)
r6 = Constant(value=1081344)
r7 = Compute(op='div', left=r4, right=r6)
r8 = Constant(value=1)
r9 = Compute(op='min', left=r7, right=r8)
r10 = Constant(value=1024)
r11 = Compute(op='div', left=r4, right=r10)
r12 = Compute(op='mul', left=r11, right=r9)
r13 = Compute(op='mul', left=r12, right=r10)
r14 = Constant(value=4)
r15 = Compute(op='div', left=r13, right=r14)
Launch(kernel='saxpy_coarse', extent=r15, arguments=(r1, r3, r5, r4), group=256, tail='exact', in_parts=True)
r16 = Compute(op='sub', left=r4, right=r13)
r17 = Constant(value=0)
Launch(kernel='saxpy', extent=r4, arguments=(r1, r3, r5, r4), group=256, tail='guard', box=(r16), start=(r13), shape=(256,), in_parts=True)
r18 = CopyOut(buffer=r5, shared=False, in_parts=True)
Unmarshal(hosts=(r18), element=f32, container=ndarray, scalar=False)
*/
