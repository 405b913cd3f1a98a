"""NumPy statements on whole arrays, as loops over their elements."""
