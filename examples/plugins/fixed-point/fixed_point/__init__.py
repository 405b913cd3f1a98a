"""Fixed-point numbers in hetc: 32 bits, 16 of them after the point, products that saturate.

An array of them is an array of int32; `multiply` is the one operation that integers do not have. In Python it is an
ordinary function, on a device it is code of its own.
"""

from fixed_point.numbers import FRACTION, from_float, multiply, to_float

__all__ = ["FRACTION", "from_float", "multiply", "to_float"]
