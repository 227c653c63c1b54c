"""A call of every tool, in an order in which each has what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CALLS: Mapping[str, Mapping[str, Any]] = {
    "context": {"task": "Deploy the billing API"},
    "recall": {"query": "Until when does billing stay on Express?", "limit": 3},
    "standing_rules": {"floor": 0},
    "replay_session": {"session": "second", "limit": 10},
    "answer": {"question": "Until when does billing stay on Express?"},
    "remember": {"text": "The staging database is called heron.", "speaker": "Alice"},
    "record": {
        "messages": [
            {"session": "third", "role": "user", "speaker": "Alice", "text": "The gate code is 4711."},
            {"session": "third", "role": "assistant", "text": "Noted."},
        ]
    },
    "observe": {
        "subject": {"kind": "service", "identifier": "billing"},
        "predicate": "runtime.version",
        "value": "Node 24",
        "authority": "tool",
        "evidence": [{"kind": "command", "reference": "node --version"}],
    },
    "forget": {"text": "forget the gate code"},
}
