"""Programs as a Python user writes them, each with a reference to check it by.

Every module but `demo` has the same three parts: the array function, at module level under the module's own name (or
what it computes); `sample(size)`, inputs to try it on; and `reference(...)`, the same computation by NumPy in double
precision. `python -m examples.<name>` runs one, `python -m examples.demo` runs the main ones at full size.
"""
