"""Packages beside hetc, as if they were installed."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
"""The programs of the environment that runs the tests."""


def installed(plugin: Path, site: Path) -> dict[str, str]:
    """The environment of a process in which a package is installed: what an installer writes, from its own file."""
    project = tomllib.loads((plugin / "pyproject.toml").read_text())["project"]
    folder = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    folder.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (folder / "METADATA").write_text(head)
    sections = (
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())])
        for group, entries in project["entry-points"].items()
    )
    (folder / "entry_points.txt").write_text("\n".join(sections) + "\n")
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (site, plugin, ROOT)))}
