"""The table of duties in the document is the one that the code goes by."""

from pathlib import Path

from memory.admin.membership import DUTIES
from memory.models import Member

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "admin.md"


def test_the_document_shows_the_table_of_duties() -> None:
    rows = [
        " | ".join(
            [f"| `{duty}`", rule.covers, *("yes" if role in rule.roles else "" for role in Member.Role)]
        )
        for duty, rule in DUTIES.items()
    ]
    text = DOCUMENT.read_text(encoding="utf-8").replace("| |", "|  |").replace("| |", "|  |")
    assert [row for row in rows if row not in text] == []
