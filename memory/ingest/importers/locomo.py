"""The LoCoMo format: a JSON list of samples, each a long conversation of two people in dated sessions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory.ingest.importers.records import BadRow, ReadMessage, UnreadableFileError

TURN_INTERVAL = timedelta(seconds=5)
"""A session has one date; its turns follow each other by this, so that ordering by time keeps their order."""

_DATE_FORMAT = "%I:%M %p on %d %B, %Y"
_SESSION = re.compile(r"session_(\d+)")


def read_locomo(path: Path) -> Iterator[ReadMessage | BadRow]:
    """Every turn of every sample: both speakers are people, so both have the role of a user.

    The clock of the sessions has no zone and is read as UTC. Photo captions become attachment text.
    """
    samples = _load(path)
    for number, sample in enumerate(samples):
        conversation = sample.get("conversation") if isinstance(sample, dict) else None
        if not isinstance(conversation, dict) or not isinstance(sample.get("sample_id"), str):
            yield BadRow(f"sample {number + 1}", "has no sample_id or no conversation")
            continue
        done, share = number / len(samples), 1 / len(samples)
        yield from _read_sample(sample["sample_id"], conversation, done, share)


def _load(path: Path) -> list[Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f"{path.name} is no JSON: {error}") from error
    samples = [value] if isinstance(value, dict) else value
    if not isinstance(samples, list):
        raise UnreadableFileError(f"{path.name} holds no list of samples")
    return samples


def _read_sample(
    sample: str, conversation: Mapping[str, Any], done: float, share: float
) -> Iterator[ReadMessage | BadRow]:
    numbers = sorted(int(found[1]) for name in conversation if (found := _SESSION.fullmatch(name)))
    for position, number in enumerate(numbers, start=1):
        session = f"session_{number}"
        turns = conversation[session]
        if not isinstance(turns, list):
            yield BadRow(f"{sample} {session}", "is no list of turns")
            continue
        date = conversation.get(f"{session}_date_time")
        started_at = read_date(date) if isinstance(date, str) else None
        if date and started_at is None:
            yield BadRow(f"{sample} {session}", "has a date that cannot be read; its turns have no time")
        fraction = done + share * position / len(numbers)
        for index, turn in enumerate(turns):
            yield _read_turn(turn, sample, session, index, started_at, fraction)


def _read_turn(
    turn: Any, sample: str, session: str, index: int, started_at: datetime | None, fraction: float
) -> ReadMessage | BadRow:
    place = f"{sample} {session} turn {index + 1}"
    if not isinstance(turn, dict):
        return BadRow(place, "is no object")
    message = {
        "session": session,
        "role": "user",
        "speaker": turn.get("speaker") or "",
        "text": turn.get("text") or "",
        "attachment_text": turn.get("blip_caption") or "",
        "occurred_at": started_at and started_at + index * TURN_INTERVAL,
        "dedupe_key": f"locomo:{sample}:{session}:{index}",
        "metadata": {"dia_id": turn["dia_id"]} if "dia_id" in turn else {},
    }
    return ReadMessage(sample, place, fraction, message)


def read_date(text: str) -> datetime | None:
    """A session's date such as `1:56 pm on 8 May, 2023`; None for anything else."""
    try:
        return datetime.strptime(text.strip(), _DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
