"""The page on the offline model lists what it gets wrong."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_lists_the_known_misses() -> None:
    page = (ROOT / "docs" / "offline-model.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- (\w+/.+)$", page, re.MULTILINE)
    misses = ROOT / "tests" / "llm" / "offline" / "table" / "misses.toml"
    assert listed == tomllib.loads(misses.read_text(encoding="utf-8"))["misses"]
