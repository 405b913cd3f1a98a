"""All benchmarks: ``python -m benchmarks`` with the options of benchmarks.run."""

from __future__ import annotations

import sys

from benchmarks import compile_time, run

if __name__ == "__main__":
    failed = run.main()
    print()
    sys.exit(compile_time.main([]) or failed)
