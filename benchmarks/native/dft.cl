/* Discrete Fourier transform by its definition, one coefficient a work-item; n is a power of two. */
#pragma OPENCL FP_CONTRACT OFF

kernel void dft(global const float *restrict signal, const uint n, const float turn, global float *restrict real,
                global float *restrict imaginary) {
    const size_t k = get_global_id(0);
    float a = 0.0f, b = 0.0f;
    uint at = 0;
    for (uint t = 0; t < n; t++) {
        float c;
        const float s = sincos(turn * (float)(int)at, &c);
        a += signal[t] * c;
        b -= signal[t] * s;
        at = (at + (uint)k) & (n - 1);
    }
    real[k] = a;
    imaginary[k] = b;
}
