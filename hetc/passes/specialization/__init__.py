"""Abstract interpretation of `dyn` IR: the parts of the `specialize` pass."""
