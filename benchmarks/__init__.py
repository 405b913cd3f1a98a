"""Measurements of hetc against OpenCL written by hand, on the same device and data. See README.md."""
