"""The documentation as a site: it is built without a warning, has every page, and loads nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LOADED = re.compile(
    r"<(?:script|img|iframe)[^>]*\bsrc=\"(\w+:)?//[^\"]*\"|<link[^>]*rel=\"stylesheet\"[^>]*href=\"(?:\w+:)?//"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder)]
    result = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    return folder


def test_every_page_is_there(site: Path):
    pages = {path.relative_to(REPOSITORY / "docs").with_suffix("") for path in (REPOSITORY / "docs").rglob("*.md")}
    assert {page for page in pages if not (site / page).with_suffix(".html").exists()} == set()


def test_nothing_is_loaded_from_elsewhere(site: Path):
    pages = list(site.rglob("*.html"))
    assert pages
    assert [str(page.relative_to(site)) for page in pages if LOADED.search(page.read_text())] == []
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"url\(['\"]?(?:https?:)?//[^)]*", styles) == []


def test_pages_that_are_made_for_the_site(site: Path):
    assert "hetc.reduce_by_key" in (site / "reference.html").read_text()
    assert "hetc/passes/guard_elimination.py" in (site / "ideas.html").read_text()
    assert "A new pass is two files" in (site / "contributing.html").read_text()
