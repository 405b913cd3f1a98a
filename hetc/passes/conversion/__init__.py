"""Shared machinery of conversions between types and levels."""
