/* European call and put, one option a work-item; normal distribution by Abramowitz and Stegun 26.2.17. */
#pragma OPENCL FP_CONTRACT OFF

float normal_cdf(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    const float polynomial =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.3989422804f * exp(-0.5f * d * d) * polynomial;
    return d > 0.0f ? 1.0f - tail : tail;
}

/* The price of the call, and of the put. */
float2 prices(const float s, const float x, const float t, const float rate, const float volatility) {
    const float spread = volatility * sqrt(t);
    const float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    const float d2 = d1 - spread;
    const float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
    const float discounted = x * exp(-rate * t);
    return (float2)(s * n1 - discounted * n2, discounted * (1.0f - n2) - s * (1.0f - n1));
}

kernel void black_scholes(global const float *restrict price, global const float *restrict strike,
                          global const float *restrict years, const float rate, const float volatility,
                          global float *restrict call, global float *restrict put) {
    const size_t i = get_global_id(0);
    const float2 both = prices(price[i], strike[i], years[i], rate, volatility);
    call[i] = both.x;
    put[i] = both.y;
}

/* Four options a work-item, for a GPU. */
kernel void black_scholes4(global const float4 *restrict price, global const float4 *restrict strike,
                           global const float4 *restrict years, const float rate, const float volatility,
                           global float4 *restrict call, global float4 *restrict put) {
    const size_t i = get_global_id(0);
    const float4 s = price[i], x = strike[i], t = years[i];
    const float2 p0 = prices(s.x, x.x, t.x, rate, volatility), p1 = prices(s.y, x.y, t.y, rate, volatility);
    const float2 p2 = prices(s.z, x.z, t.z, rate, volatility), p3 = prices(s.w, x.w, t.w, rate, volatility);
    call[i] = (float4)(p0.x, p1.x, p2.x, p3.x);
    put[i] = (float4)(p0.y, p1.y, p2.y, p3.y);
}
