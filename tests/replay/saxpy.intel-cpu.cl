#pragma OPENCL FP_CONTRACT OFF

__kernel void saxpy(
    __global const float *restrict a_in,
    __global const float *restrict b_in,
    __global float *restrict result)
{
    // saxpy.py:14
    const size_t index = get_global_id(0);
    const float a = a_in[index];
    const float b = b_in[index];
    result[index] = (2.5f * a) + b;
}

/* The host's plan:

r0 = Marshal(input 0, dtype='float32')
r1 = CopyIn(host=r0, shared=True)
r2 = Marshal(input 1, dtype='float32')
r3 = CopyIn(host=r2, shared=True)
r4 = Size(input 0, dim=0)
r5 = Alloc(dtype='float32', count=r4, shared=True, zeroed=False)
Launch(kernel='saxpy', extent=r4, arguments=(r1, r3, r5), group=4096, tail='split', layouts=((256,), (1024,), (8192,)))
r6 = CopyOut(buffer=r5, shared=True)
Unmarshal(hosts=(r6), element=f32, container=ndarray, scalar=False)
*/
