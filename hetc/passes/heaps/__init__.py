"""Lists in the heap: what kernels do with it."""
