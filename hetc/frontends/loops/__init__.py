"""Parallel loops in ordinary functions: found, taken out as functions of their own, and put back as statements."""
