"""Outlining: the host's plan, and the kernels of each skeleton."""
