"""The walkthrough shows what the compiler prints now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_output_in_the_documents_is_up_to_date() -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "docs" / "update.py", "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
