"""What Python's and NumPy's operators mean on typed numbers, as `arith`, `math` and `guard` ops.

`specialize` calls these when it knows the types. Each function takes and returns `Number`s and appends the ops it
needs; where Python would raise, it appends a `guard.require`, so that the call goes back to Python and Python raises.
"""
