#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void option_prices_map(
    __global const float *restrict price_in,
    __global const float *restrict strike_in,
    __global const float *restrict years_in,
    __global float *restrict result0,
    __global float *restrict result1,
    const double VOLATILITY,
    const double RATE)
{
    // black_scholes.py:29
    const size_t index = get_global_id(0);
    const float price = price_in[index];
    const float strike = strike_in[index];
    const float years = years_in[index];
    // black_scholes.py:31
    const float spread = (float)VOLATILITY * sqrt(years);
    // black_scholes.py:32
    const float d1 = (log((price / strike)) + ((float)(RATE + ((0.5 * VOLATILITY) * VOLATILITY)) * years)) / spread;
    // black_scholes.py:33
    const float d2 = d1 - spread;
    // black_scholes.py:23
    const float k = 1.0f / (1.0f + (0.2316419f * fabs(d1)));
    // black_scholes.py:24
    const float polynomial = k * (0.31938154f + (k * ((-0.35656378f) + (k * (1.7814779f + (k * ((-1.8212559f) + (k * 1.3302745f))))))));
    // black_scholes.py:25
    const float tail = (0.3989423f * exp((((-0.5f) * d1) * d1))) * polynomial;
    // black_scholes.py:26
    float n1;
    if (d1 > 0.0f) {
        n1 = 1.0f - tail;
    } else {
        n1 = tail;
    }
    // black_scholes.py:23
    const float k_2 = 1.0f / (1.0f + (0.2316419f * fabs(d2)));
    // black_scholes.py:24
    const float t0 = 0.31938154f + (k_2 * ((-0.35656378f) + (k_2 * (1.7814779f + (k_2 * ((-1.8212559f) + (k_2 * 1.3302745f)))))));
    const float polynomial_2 = k_2 * t0;
    // black_scholes.py:25
    const float tail_2 = (0.3989423f * exp((((-0.5f) * d2) * d2))) * polynomial_2;
    // black_scholes.py:26
    float n2;
    if (d2 > 0.0f) {
        n2 = 1.0f - tail_2;
    } else {
        n2 = tail_2;
    }
    // black_scholes.py:35
    const float discounted = strike * exp(((float)(-RATE) * years));
    // black_scholes.py:36
    const float call = (price * n1) - (discounted * n2);
    // black_scholes.py:37
    const float put = (discounted * (1.0f - n2)) - (price * (1.0f - n1));
    // black_scholes.py:29
    result0[index] = call;
    result1[index] = put;
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
r9 = Scalar(VOLATILITY, dtype='float64', part='value')
r10 = Scalar(RATE, dtype='float64', part='value')
Launch(kernel='option_prices_map', extent=r6, arguments=(r1, r3, r5, r7, r8, r9, r10), group=4096, tail='split', layouts=((256,), (1024,), (8192,)))
r11 = CopyOut(buffer=r7, shared=True)
r12 = CopyOut(buffer=r8, shared=True)
Unmarshal(hosts=(r11, r12), element=(f32, f32), container=ndarray, scalar=False)
*/
