"""All benchmarks with their defaults: ``python -m benchmarks``."""

from __future__ import annotations

import sys

from benchmarks import compile_time, run

if __name__ == "__main__":
    failed = run.main([])
    print()
    sys.exit(compile_time.main([]) or failed)
