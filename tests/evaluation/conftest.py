import json
from pathlib import Path

import pytest

TURNS = [
    ("Alice", "We moved billing to Express last spring.", ""),
    ("Bob", "And who approves the deploys now?", ""),
    ("Alice", "I do, nobody deploys without my approval.", ""),
    ("Bob", "My dog Biscuit loves the new garden.", "a brown dog on a lawn"),
    ("Alice", "The deadline for the migration is October 15.", ""),
]
QUESTIONS = [
    {"question": "Who approves the deploys?", "answer": "Alice", "evidence": ["D1:3"], "category": 4},
    {"question": "When is the migration due?", "answer": "October 15", "evidence": ["D1:05"], "category": 2},
    {
        "question": "What did Alice say about billing and deploys?",
        "answer": "Express, approval",
        "evidence": ["D1:1; D:1:3"],
        "category": 1,
    },
    {"question": "What is the cat called?", "evidence": ["D1:4"], "category": 5},
    {"question": "What was never said?", "answer": "Nothing", "evidence": [], "category": 3},
    {"question": "What is wrong here?", "answer": "Nothing", "evidence": ["D9:99", "D"], "category": 3},
]


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    """A file of one short conversation."""
    turns = [
        {"speaker": speaker, "dia_id": f"D1:{number}", "text": text, "blip_caption": caption}
        for number, (speaker, text, caption) in enumerate(TURNS, start=1)
    ]
    conversation = {
        "speaker_a": "Alice",
        "speaker_b": "Bob",
        "session_1": turns,
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    }
    path = tmp_path / "locomo.json"
    path.write_text(
        json.dumps([{"sample_id": "talk-1", "conversation": conversation, "qa": QUESTIONS}]), encoding="utf-8"
    )
    return path
