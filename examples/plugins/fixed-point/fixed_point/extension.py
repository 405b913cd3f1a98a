"""Where hetc's default pipeline runs passes of this package, and functions with device code of their own."""

from __future__ import annotations

from hetc.extensions import Extension, Intrinsic, PlacedPass

EXTENSION = Extension(
    intrinsics=[Intrinsic("fixed_point.numbers:multiply", build="fixed_point.intrinsics:build_multiply")],
    passes=[PlacedPass("lower-fixed", after="fuse-skeletons")],
)
