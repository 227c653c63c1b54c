"""The LoCoMo format: a JSON list of samples, each a long conversation of two people in dated sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory.ingest.importers.json_files import load_json
from memory.ingest.importers.records import BadRow, ReadMessage, UnreadableFileError
from memory.ingest.instants import in_utc

TURN_INTERVAL = timedelta(seconds=5)
"""A session has one date; its turns follow each other by this, so that ordering by time keeps their order."""

NAME_SHOWN = 64

_DATE_FORMAT = "%I:%M %p on %d %B, %Y"
_SESSION = re.compile(r"session_([0-9]{1,9})")


def read_locomo(path: Path) -> Iterator[ReadMessage | BadRow]:
    """Every turn of every sample: both speakers are people, so both have the role of a user.

    The clock of the sessions has no zone and is read as UTC. Photo captions become attachment text.
    """
    samples = _load(path)
    for number, sample in enumerate(samples):
        conversation = sample.get("conversation") if isinstance(sample, dict) else None
        name = sample.get("sample_id") if isinstance(sample, dict) else None
        if not isinstance(conversation, dict) or not isinstance(name, str) or not name:
            yield BadRow(f"sample {number + 1}", "has no sample_id or no conversation")
            continue
        done, share = number / len(samples), 1 / len(samples)
        yield from _read_sample(name, conversation, done, share)


def _load(path: Path) -> list[Any]:
    value = load_json(path)
    samples = [value] if isinstance(value, dict) else value
    if not isinstance(samples, list):
        raise UnreadableFileError(f"{path.name} holds no list of samples")
    return samples


def _read_sample(
    sample: str, conversation: Mapping[str, Any], done: float, share: float
) -> Iterator[ReadMessage | BadRow]:
    yield from _bad_names(sample, conversation)
    sessions = _sessions(conversation)
    for position, session in enumerate(sessions, start=1):
        turns = conversation[session]
        if not isinstance(turns, list):
            yield BadRow(f"{sample} {session}", "is no list of turns")
            continue
        date = conversation.get(f"{session}_date_time")
        started_at = read_date(date) if isinstance(date, str) else None
        if date and started_at is None:
            yield BadRow(f"{sample} {session}", "has a date that cannot be read; its turns have no time")
        fraction = done + share * position / len(sessions)
        for index, turn in enumerate(turns):
            yield _read_turn(turn, sample, session, index, started_at, fraction)


def _sessions(conversation: Mapping[str, Any]) -> list[str]:
    """The names of the sessions as the file has them, in the order of their numbers."""
    numbered = {name: int(found[1]) for name in conversation if (found := _SESSION.fullmatch(name))}
    return sorted(numbered, key=lambda name: (numbered[name], name))


def _bad_names(sample: str, conversation: Mapping[str, Any]) -> Iterator[BadRow]:
    """What looks like a session by its turns, and is none by its name."""
    for name, turns in conversation.items():
        if isinstance(turns, list) and name.startswith("session_") and not _SESSION.fullmatch(name):
            yield BadRow(f"{sample} {name[:NAME_SHOWN]}", "is not named session_ and a number")


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
        return in_utc(datetime.strptime(text.strip(), _DATE_FORMAT).replace(tzinfo=UTC))
    except ValueError:
        return None
