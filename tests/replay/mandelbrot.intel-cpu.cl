#pragma OPENCL FP_CONTRACT OFF

__kernel void escape_time_map(
    const long start,
    const long step_,
    __global long *restrict result,
    const float LEFT,
    const float COLUMN_STEP,
    const long WIDTH,
    const float BOTTOM,
    const float ROW_STEP,
    const long ITERATIONS)
{
    // mandelbrot.py:25
    const size_t index = get_global_id(0);
    const long index_2 = start + ((long)index * step_);
    // mandelbrot.py:27
    const int index_3 = (int)index_2;
    const int WIDTH_2 = (int)WIDTH;
    const float x = LEFT + (COLUMN_STEP * (float)(index_3 % WIDTH_2));
    // mandelbrot.py:28
    const float y = BOTTOM + (ROW_STEP * (float)(index_3 / WIDTH_2));
    // mandelbrot.py:32
    int n = 0;
    float zi = y;
    float zr = x;
    #pragma clang loop vectorize(disable)
    while (true) {
        const int ITERATIONS_2 = (int)ITERATIONS;
        const bool t0 = n < ITERATIONS_2;
        bool t1;
        if (t0) {
            t1 = ((zr * zr) + (zi * zi)) <= 4.0f;
        } else {
            t1 = t0;
        }
        if (!t1)
            break;
        // mandelbrot.py:33
        const float zr_2 = ((zr * zr) - (zi * zi)) + x;
        const float zi_2 = ((2.0f * zr) * zi) + y;
        // mandelbrot.py:34
        const int n_2 = n + 1;
        n = n_2;
        zi = zi_2;
        zr = zr_2;
    }
    // mandelbrot.py:32
    const long n_3 = (long)n;
    // mandelbrot.py:25
    result[index] = n_3;
}

/* The host's plan:

r0 = Scalar(input 0, dtype='int64', part='start')
r1 = Scalar(input 0, dtype='int64', part='step')
r2 = Size(input 0, dim=0)
r3 = Alloc(dtype='int64', count=r2, shared=True, zeroed=False)
r4 = Scalar(LEFT, dtype='float32', part='value')
r5 = Scalar(COLUMN_STEP, dtype='float32', part='value')
r6 = Scalar(WIDTH, dtype='int64', part='value')
r7 = Scalar(BOTTOM, dtype='float32', part='value')
r8 = Scalar(ROW_STEP, dtype='float32', part='value')
r9 = Scalar(ITERATIONS, dtype='int64', part='value')
Launch(kernel='escape_time_map', extent=r2, arguments=(r0, r1, r3, r4, r5, r6, r7, r8, r9), group=64, tail='split', layouts=((256,), (1024,), (8192,)))
r10 = CopyOut(buffer=r3, shared=True)
Unmarshal(hosts=(r10), element=int, container=list, scalar=False)
*/
