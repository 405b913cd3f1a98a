// The programs with objects, on arrays of their fields, as one writes them by hand. Products and sums are rounded apart,
// as Python rounds them.
#pragma OPENCL FP_CONTRACT OFF

kernel void nearest(global const double *x, global const double *y, global const double *cx, global const double *cy,
                    long clusters, global long *found) {
    size_t i = get_global_id(0);
    long best = 0;
    double least = INFINITY;
    for (long k = 0; k < clusters; k++) {
        double dx = x[i] - cx[k], dy = y[i] - cy[k];
        double distance = dx * dx + dy * dy;
        if (distance < least) {
            best = k;
            least = distance;
        }
    }
    found[i] = best;
}

kernel void accelerate(global const double *x, global const double *y, global const double *z,
                       global const double *mass, long bodies, double softening, double step,
                       global double *vx, global double *vy, global double *vz) {
    size_t i = get_global_id(0);
    double ax = 0.0, ay = 0.0, az = 0.0;
    for (long k = 0; k < bodies; k++) {
        double dx = x[k] - x[i], dy = y[k] - y[i], dz = z[k] - z[i];
        double squared = dx * dx + dy * dy + dz * dz + softening;
        double factor = mass[k] / (squared * sqrt(squared));
        ax += dx * factor;
        ay += dy * factor;
        az += dz * factor;
    }
    vx[i] += ax * step;
    vy[i] += ay * step;
    vz[i] += az * step;
}

kernel void move(global double *x, global double *y, global double *z, global const double *vx,
                 global const double *vy, global const double *vz, double step) {
    size_t i = get_global_id(0);
    x[i] += vx[i] * step;
    y[i] += vy[i] * step;
    z[i] += vz[i] * step;
}

kernel void gather(global const long *first, global const long *last, global const long *source,
                   global const double *rank, global const long *links, global double *next) {
    size_t i = get_global_id(0);
    double total = 0.0;
    for (long k = first[i]; k < last[i]; k++) {
        long page = source[k];
        total += links[page] ? rank[page] / links[page] : 0.0;
    }
    next[i] = total;
}

kernel void settle(global const double *next, double damping, double rest, global double *rank) {
    size_t i = get_global_id(0);
    rank[i] = rest + damping * next[i];
}
