"""The laws that `fuse-skeletons` rewrites filters by."""
