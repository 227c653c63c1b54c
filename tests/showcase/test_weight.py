"""What the pages weigh, apart from words and fonts."""

from pathlib import Path

STATIC = Path(__file__).resolve().parents[2] / "static"
OTHERS = {"admin.css", "admin-no-script.css", "api-docs.css"}
BYTES_LIMIT = 56_000


def test_style_sheets_and_scripts_of_the_pages_stay_small() -> None:
    sheets = [path for path in (STATIC / "css").rglob("*.css") if path.name not in OTHERS]
    scripts = list((STATIC / "js" / "showcase").rglob("*.js"))
    assert len(sheets) >= 4
    assert sum(path.stat().st_size for path in [*sheets, *scripts]) < BYTES_LIMIT
