"""Redaction of what comes into the room of skills: traces and feedback hold words as messages do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memory.ingest.redaction import redact
from memory.skills.traces import IncomingStep


def redacted_fields(fields: Mapping[str, str]) -> tuple[dict[str, str], Counter[str]]:
    """Texts by their names, with what the setting names taken out of them, and how many of which kind."""
    done = {name: redact(text) for name, text in fields.items()}
    counts: Counter[str] = Counter()
    for field in done.values():
        counts.update(field.counts)
    return {name: field.text for name, field in done.items()}, counts


def redacted_steps(steps: Sequence[IncomingStep]) -> tuple[list[IncomingStep], Counter[str]]:
    """The same for the texts of steps."""
    counts: Counter[str] = Counter()
    taken = []
    for step in steps:
        done = redact(step.text)
        counts.update(done.counts)
        taken.append(step.model_copy(update={"text": done.text}))
    return taken, counts
