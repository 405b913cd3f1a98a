"""Portable arrays: data with a copy on the host, copies on devices, and one meaning; see `docs/arrays.md`."""
