/* European call and put, one option a work-item; normal distribution by Abramowitz and Stegun 26.2.17. */
#pragma OPENCL FP_CONTRACT OFF

float normal_cdf(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    const float polynomial =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.3989422804f * exp(-0.5f * d * d) * polynomial;
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *restrict price, global const float *restrict strike,
                          global const float *restrict years, const float rate, const float volatility,
                          global float *restrict call, global float *restrict put) {
    const size_t i = get_global_id(0);
    const float s = price[i], x = strike[i], t = years[i];
    const float spread = volatility * sqrt(t);
    const float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    const float d2 = d1 - spread;
    const float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
    const float discounted = x * exp(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
