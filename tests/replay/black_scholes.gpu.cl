#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void option_prices_map(
    __global const float *restrict price_in,
    __global const float *restrict strike_in,
    __global const float *restrict years_in,
    __global float *restrict result0,
    __global float *restrict result1,
    const double VOLATILITY,
    const double RATE,
    const uint extent)
{
    // black_scholes.py:29
    const uint index = get_global_id(0);
    if (index < extent) {
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
}

__kernel void option_prices_map_coarse(
    __global const float *restrict price_in,
    __global const float *restrict strike_in,
    __global const float *restrict years_in,
    __global float *restrict result0,
    __global float *restrict result1,
    const double VOLATILITY,
    const double RATE,
    const uint extent)
{
    // black_scholes.py:29
    const uint t0 = get_group_id(0);
    const uint t1 = get_local_id(0);
    const uint index = (t0 * 1024u) + t1;
    const uint index_2 = index + 256u;
    const uint index_3 = index + 512u;
    const uint index_4 = index + 768u;
    const float price = price_in[index];
    const float price_2 = price_in[index_2];
    const float price_3 = price_in[index_3];
    const float price_4 = price_in[index_4];
    const float strike = strike_in[index];
    const float strike_2 = strike_in[index_2];
    const float strike_3 = strike_in[index_3];
    const float strike_4 = strike_in[index_4];
    const float years = years_in[index];
    const float years_2 = years_in[index_2];
    const float years_3 = years_in[index_3];
    const float years_4 = years_in[index_4];
    // black_scholes.py:31
    const float t2 = (float)VOLATILITY;
    const float spread = t2 * sqrt(years);
    // black_scholes.py:32
    const float t3 = (float)(RATE + ((0.5 * VOLATILITY) * VOLATILITY));
    const float d1 = (log((price / strike)) + (t3 * years)) / spread;
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
    const float t4 = 0.31938154f + (k_2 * ((-0.35656378f) + (k_2 * (1.7814779f + (k_2 * ((-1.8212559f) + (k_2 * 1.3302745f)))))));
    const float polynomial_2 = k_2 * t4;
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
    const float t5 = (float)(-RATE);
    const float discounted = strike * exp((t5 * years));
    // black_scholes.py:36
    const float call = (price * n1) - (discounted * n2);
    // black_scholes.py:37
    const float put = (discounted * (1.0f - n2)) - (price * (1.0f - n1));
    // black_scholes.py:29
    result0[index] = call;
    result1[index] = put;
    // black_scholes.py:31
    const float spread_2 = t2 * sqrt(years_2);
    // black_scholes.py:32
    const float d1_2 = (log((price_2 / strike_2)) + (t3 * years_2)) / spread_2;
    // black_scholes.py:33
    const float d2_2 = d1_2 - spread_2;
    // black_scholes.py:23
    const float k_3 = 1.0f / (1.0f + (0.2316419f * fabs(d1_2)));
    // black_scholes.py:24
    const float t6 = 0.31938154f + (k_3 * ((-0.35656378f) + (k_3 * (1.7814779f + (k_3 * ((-1.8212559f) + (k_3 * 1.3302745f)))))));
    const float polynomial_3 = k_3 * t6;
    // black_scholes.py:25
    const float tail_3 = (0.3989423f * exp((((-0.5f) * d1_2) * d1_2))) * polynomial_3;
    // black_scholes.py:26
    float n1_2;
    if (d1_2 > 0.0f) {
        n1_2 = 1.0f - tail_3;
    } else {
        n1_2 = tail_3;
    }
    // black_scholes.py:23
    const float k_4 = 1.0f / (1.0f + (0.2316419f * fabs(d2_2)));
    // black_scholes.py:24
    const float t7 = 0.31938154f + (k_4 * ((-0.35656378f) + (k_4 * (1.7814779f + (k_4 * ((-1.8212559f) + (k_4 * 1.3302745f)))))));
    const float polynomial_4 = k_4 * t7;
    // black_scholes.py:25
    const float tail_4 = (0.3989423f * exp((((-0.5f) * d2_2) * d2_2))) * polynomial_4;
    // black_scholes.py:26
    float n2_2;
    if (d2_2 > 0.0f) {
        n2_2 = 1.0f - tail_4;
    } else {
        n2_2 = tail_4;
    }
    // black_scholes.py:35
    const float discounted_2 = strike_2 * exp((t5 * years_2));
    // black_scholes.py:36
    const float call_2 = (price_2 * n1_2) - (discounted_2 * n2_2);
    // black_scholes.py:37
    const float put_2 = (discounted_2 * (1.0f - n2_2)) - (price_2 * (1.0f - n1_2));
    // black_scholes.py:29
    result0[index_2] = call_2;
    result1[index_2] = put_2;
    // black_scholes.py:31
    const float spread_3 = t2 * sqrt(years_3);
    // black_scholes.py:32
    const float d1_3 = (log((price_3 / strike_3)) + (t3 * years_3)) / spread_3;
    // black_scholes.py:33
    const float d2_3 = d1_3 - spread_3;
    // black_scholes.py:23
    const float k_5 = 1.0f / (1.0f + (0.2316419f * fabs(d1_3)));
    // black_scholes.py:24
    const float t8 = 0.31938154f + (k_5 * ((-0.35656378f) + (k_5 * (1.7814779f + (k_5 * ((-1.8212559f) + (k_5 * 1.3302745f)))))));
    const float polynomial_5 = k_5 * t8;
    // black_scholes.py:25
    const float tail_5 = (0.3989423f * exp((((-0.5f) * d1_3) * d1_3))) * polynomial_5;
    // black_scholes.py:26
    float n1_3;
    if (d1_3 > 0.0f) {
        n1_3 = 1.0f - tail_5;
    } else {
        n1_3 = tail_5;
    }
    // black_scholes.py:23
    const float k_6 = 1.0f / (1.0f + (0.2316419f * fabs(d2_3)));
    // black_scholes.py:24
    const float t9 = 0.31938154f + (k_6 * ((-0.35656378f) + (k_6 * (1.7814779f + (k_6 * ((-1.8212559f) + (k_6 * 1.3302745f)))))));
    const float polynomial_6 = k_6 * t9;
    // black_scholes.py:25
    const float tail_6 = (0.3989423f * exp((((-0.5f) * d2_3) * d2_3))) * polynomial_6;
    // black_scholes.py:26
    float n2_3;
    if (d2_3 > 0.0f) {
        n2_3 = 1.0f - tail_6;
    } else {
        n2_3 = tail_6;
    }
    // black_scholes.py:35
    const float discounted_3 = strike_3 * exp((t5 * years_3));
    // black_scholes.py:36
    const float call_3 = (price_3 * n1_3) - (discounted_3 * n2_3);
    // black_scholes.py:37
    const float put_3 = (discounted_3 * (1.0f - n2_3)) - (price_3 * (1.0f - n1_3));
    // black_scholes.py:29
    result0[index_3] = call_3;
    result1[index_3] = put_3;
    // black_scholes.py:31
    const float spread_4 = t2 * sqrt(years_4);
    // black_scholes.py:32
    const float d1_4 = (log((price_4 / strike_4)) + (t3 * years_4)) / spread_4;
    // black_scholes.py:33
    const float d2_4 = d1_4 - spread_4;
    // black_scholes.py:23
    const float k_7 = 1.0f / (1.0f + (0.2316419f * fabs(d1_4)));
    // black_scholes.py:24
    const float t10 = 0.31938154f + (k_7 * ((-0.35656378f) + (k_7 * (1.7814779f + (k_7 * ((-1.8212559f) + (k_7 * 1.3302745f)))))));
    const float polynomial_7 = k_7 * t10;
    // black_scholes.py:25
    const float tail_7 = (0.3989423f * exp((((-0.5f) * d1_4) * d1_4))) * polynomial_7;
    // black_scholes.py:26
    float n1_4;
    if (d1_4 > 0.0f) {
        n1_4 = 1.0f - tail_7;
    } else {
        n1_4 = tail_7;
    }
    // black_scholes.py:23
    const float k_8 = 1.0f / (1.0f + (0.2316419f * fabs(d2_4)));
    // black_scholes.py:24
    const float t11 = 0.31938154f + (k_8 * ((-0.35656378f) + (k_8 * (1.7814779f + (k_8 * ((-1.8212559f) + (k_8 * 1.3302745f)))))));
    const float polynomial_8 = k_8 * t11;
    // black_scholes.py:25
    const float tail_8 = (0.3989423f * exp((((-0.5f) * d2_4) * d2_4))) * polynomial_8;
    // black_scholes.py:26
    float n2_4;
    if (d2_4 > 0.0f) {
        n2_4 = 1.0f - tail_8;
    } else {
        n2_4 = tail_8;
    }
    // black_scholes.py:35
    const float discounted_4 = strike_4 * exp((t5 * years_4));
    // black_scholes.py:36
    const float call_4 = (price_4 * n1_4) - (discounted_4 * n2_4);
    // black_scholes.py:37
    const float put_4 = (discounted_4 * (1.0f - n2_4)) - (price_4 * (1.0f - n1_4));
    // black_scholes.py:29
    result0[index_4] = call_4;
    result1[index_4] = put_4;
}

/* The host's plan:

r0 = Marshal(input 0, dtype='float32')
r1 = CopyIn(host=r0, shared=False, in_parts=True)
r2 = Marshal(input 1, dtype='float32')
r3 = CopyIn(host=r2, shared=False, in_parts=True)
r4 = Marshal(input 2, dtype='float32')
r5 = CopyIn(host=r4, shared=False, in_parts=True)
r6 = Size(input 0, dim=0)
r7 = Alloc(dtype='float32', count=r6, shared=False, zeroed=False)
r8 = Alloc(dtype='float32', count=r6, shared=False, zeroed=False)
r9 = Scalar(VOLATILITY, dtype='float64', part='value')
r10 = Scalar(RATE, dtype='float64', part='value')
r11 = Constant(value=1081344)
r12 = Compute(op='div', left=r6, right=r11)
r13 = Constant(value=1)
r14 = Compute(op='min', left=r12, right=r13)
r15 = Constant(value=1024)
r16 = Compute(op='div', left=r6, right=r15)
r17 = Compute(op='mul', left=r16, right=r14)
r18 = Compute(op='mul', left=r17, right=r15)
r19 = Constant(value=4)
r20 = Compute(op='div', left=r18, right=r19)
Launch(kernel='option_prices_map_coarse', extent=r20, arguments=(r1, r3, r5, r7, r8, r9, r10, r6), group=256, tail='exact', in_parts=True)
r21 = Compute(op='sub', left=r6, right=r18)
r22 = Constant(value=0)
Launch(kernel='option_prices_map', extent=r6, arguments=(r1, r3, r5, r7, r8, r9, r10, r6), group=256, tail='guard', box=(r21), start=(r18), shape=(256,), in_parts=True)
r23 = CopyOut(buffer=r7, shared=False, in_parts=True)
r24 = CopyOut(buffer=r8, shared=False, in_parts=True)
Unmarshal(hosts=(r23, r24), element=(f32, f32), container=ndarray, scalar=False)
*/
