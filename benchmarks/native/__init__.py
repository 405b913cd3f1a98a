"""Hand-written OpenCL: the kernels in `*.cl`, and the host code that an expert writes around them.

`host` knows the device (buffers, work-groups, event times), `kernels` says for each program what its kernels take.
Nothing here uses hetc, so that neither side of a comparison can help the other.
"""
