"""What the work-items of a group do together in kernels in which each has been alone: tiles, terms of sums."""
