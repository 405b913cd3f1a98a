"""Compiled calls on disk, for the next process: what selects one, how it is written down, and the folder they lie in.

* `fingerprints.py`: values as digests that say the same in every process.
* `keys.py`: all that the compiler looks at for a call, as one such digest.
* `packages.py`: packages as text, and back.
* `files.py`: the folder: reading, writing, its size.

Nothing here imports the compiler, so that a process whose kernels are all found here starts without it.
"""
