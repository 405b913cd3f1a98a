/* A round of PageRank in two kernels: what each page gives to a link, and what each page gets over its 16 links. */
#pragma OPENCL FP_CONTRACT OFF

kernel void fill(global float *restrict rank, const float value) { rank[get_global_id(0)] = value; }

kernel void give(global const float *restrict rank, global const float *restrict links, global float *restrict given) {
    const size_t i = get_global_id(0);
    given[i] = rank[i] / links[i];
}

kernel void pull(global const int *restrict sources, global const float *restrict given, const float rest,
                 const float damping, global float *restrict rank) {
    const size_t i = get_global_id(0);
    float total = 0.0f;
    for (int k = 0; k < 16; k++)
        total += given[sources[i * 16 + k]];
    rank[i] = rest + damping * total;
}
