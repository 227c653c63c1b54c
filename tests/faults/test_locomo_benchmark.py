"""The LoCoMo benchmark on a conversation of the tests' own: from empty, twice, the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.locomo_cascade import measure
from memory.models import Workspace

CONVERSATION = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ines",
        "speaker_b": "Tom",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ines", "dia_id": "D1:1", "text": "I moved to Lisbon and work at a bakery."},
            {"speaker": "Tom", "dia_id": "D1:2", "text": "Nice! I play the cello in a quartet."},
        ],
        "session_2_date_time": "10:04 am on 3 June, 2023",
        "session_2": [
            {"speaker": "Ines", "dia_id": "D2:1", "text": "My sister Clara visited me yesterday."},
        ],
    },
}


@pytest.mark.django_db(transaction=True)
def test_the_same_conversation_gives_the_same_digest_from_empty(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([CONVERSATION]))
    first, second = (_measured(file) for _ in range(2))
    assert first == second
    assert (first["messages"], first["sessions"], first["without_evidence"], first["problems"]) == (
        3,
        2,
        0,
        {},
    )
    assert first["atoms_live"] > 0
    assert [set(first["years"][layer]) for layer in ("messages", "atoms_said", "scenes")] == [{"2023"}] * 3


def _measured(file: Path) -> dict[str, Any]:
    """Without the times."""
    told = measure(file, "conv-1", is_in_process=True)
    Workspace.objects.all().delete()
    return {name: value for name, value in told.items() if not name.startswith(("seconds", "is_within"))}
