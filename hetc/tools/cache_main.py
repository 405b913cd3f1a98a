"""`hetc cache`: the stored kernels, as a person asks about them; see docs/cache.md."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hetc import settings
from hetc.errors import HetcError
from hetc.storage.files import Folder
from hetc.storage.store import folder_of
from hetc.storage.tuned import PREFIX
from hetc.timeline.units import spelled_bytes


def add_parser(commands: Any) -> None:
    """Add the command to those of `hetc`."""
    parser = commands.add_parser("cache", help="say where kernels are stored, and how many; or remove them")
    parser.add_argument("action", nargs="?", choices=["show", "path", "clear"], default="show", help="(show)")
    parser.add_argument("--folder", type=Path, help="another folder than the user's")
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> str:
    """What the command prints. Raises HetcError for a folder that is none."""
    folder = folder_of(settings.current())
    if options.folder is not None:
        folder = Folder(options.folder, folder.limit)
    if folder.path.exists() and not folder.path.is_dir():
        raise HetcError(f"{folder.path} is no folder")
    if options.action == "path":
        return str(folder.path)
    entries = folder.entries()
    kernels = sum(not entry.path.name.startswith(PREFIX) for entry in entries)
    total = spelled_bytes(sum(entry.size for entry in entries))
    if options.action == "clear":
        folder.clear()
        return f"removed {kernels} kernels, {total}, from {folder.path}"
    size = f"{total} of {spelled_bytes(folder.limit)}"
    rows = {"folder": str(folder.path), "kernels": str(kernels), "size": size}
    if kernels < len(entries):
        rows["tuned"] = f"{len(entries) - kernels} launches"
    if not settings.current().cache:
        rows["off"] = f"by the environment variable {settings.VARIABLE}"
    return "\n".join(f"{name:<8} {value}" for name, value in rows.items())
