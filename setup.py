"""The C code that reads and makes Python objects, and copies; all else about the package is in pyproject.toml.

Without it hetc works, and takes longer for lists of objects and numbers, and for large arrays on GPUs. So a machine
without a C compiler, or a Python without the global interpreter lock, installs hetc all the same.
"""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "hetc._native",
            [f"native/{name}.c" for name in ("module", "fields", "objects", "assigning", "numbering", "copying")],
            depends=["native/native.h"],
            optional=True,
        )
    ]
)
