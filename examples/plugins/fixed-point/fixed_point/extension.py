"""What this package adds: passes in the default pipeline, functions with device code of their own, and a container."""

from __future__ import annotations

from hetc.extensions import Extension, Intrinsic, Marshaller, PlacedPass

EXTENSION = Extension(
    intrinsics=[Intrinsic("fixed_point.numbers:multiply", build="fixed_point.intrinsics:build_multiply")],
    passes=[PlacedPass("lower-fixed", after="fuse-skeletons")],
    marshallers=[Marshaller("fixed_point.ring:Ring", read="fixed_point.ring:read", make="fixed_point.ring:make")],
)
