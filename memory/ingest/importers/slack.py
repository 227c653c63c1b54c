"""The export of a Slack workspace, folder or zip: people, channels, and a file for each channel and day."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.ingest.importers.export_files import BROKEN_FILE_ERRORS, Export, ExportFile, Meter, open_export
from memory.ingest.importers.json_stream import BrokenJsonError, read_items
from memory.ingest.importers.records import (
    NOTHING_SAID,
    BadRow,
    Found,
    LeftOut,
    ReadMessage,
    UnreadableFileError,
)
from memory.ingest.importers.slack_text import plain_text
from memory.ingest.storable import is_blank

USERS_FILE = "users.json"
CHANNEL_FILES = ("channels.json", "groups.json", "mpims.json", "dms.json")
LARGEST_DAY_BYTES = 64 * 2**20
SAID = frozenset({"", "me_message", "thread_broadcast", "reply_broadcast", "file_share", "file_comment"})
"""Subtypes that are words of a person; all others are what Slack itself noted."""
BOT = "bot_message"
CHANNEL_SHOWN = 80
DEEPEST_ROOT = 1

_DAY_FILE = re.compile(r"(?P<channel>[^/]+)/(?P<day>\d{4}-\d{2}-\d{2})\.json")


@dataclass(frozen=True, slots=True)
class Directory:
    """Who and what the ids stand for."""

    names: Mapping[str, str]
    bots: frozenset[str]
    channels: Mapping[str, str]
    """The ids of channels by their names, which are the names of their folders."""


def is_slack(export: Export) -> bool:
    """Whether the files are a Slack export: users.json, and at least one day of a channel beside it."""
    root = _root(export)
    return root is not None and any(_day(file, root) for file in export.files)


def read_slack(path: Path) -> Iterator[Found]:
    """Every message, channel by channel and day by day.

    A thread is a session of its own, its first message included; what else a channel said in a day is one.
    Bots are kept as system messages, which are stored and never learnt from.
    """
    with open_export(path) as export:
        root = _root(export)
        days = [] if root is None else sorted(_days(export, root), key=lambda found: found[1:])
        if root is None or not days:
            raise UnreadableFileError(
                f"{path.name} is no Slack export: no users.json with channels beside it"
            )
        meter = Meter([file for file, _, _ in days])
        directory = yield from _directory(export, root)
        for file, channel, day in days:
            yield from _read_day(file, channel, day, directory, meter)


def _root(export: Export) -> str | None:
    """The prefix of paths within the export: empty, or the one folder that everything was packed with."""
    users = [
        file.name
        for file in export.files
        if file.base_name == USERS_FILE and file.name.count("/") <= DEEPEST_ROOT
    ]
    return min(users, key=len).removesuffix(USERS_FILE) if users else None


def _day(file: ExportFile, root: str) -> re.Match[str] | None:
    return _DAY_FILE.fullmatch(file.name[len(root) :]) if file.name.startswith(root) else None


def _days(export: Export, root: str) -> Iterator[tuple[ExportFile, str, str]]:
    for file in export.files:
        found = _day(file, root)
        if found:
            yield file, found["channel"], found["day"]


def _directory(export: Export, root: str) -> Generator[BadRow, None, Directory]:
    """Read who is who; a generator that yields what cannot be read and returns a Directory."""
    names: dict[str, str] = {}
    channels: dict[str, str] = {}
    bots: set[str] = set()
    for file in export.files:
        if file.name not in {f"{root}{name}" for name in (USERS_FILE, *CHANNEL_FILES)}:
            continue
        for row in _objects(file, Meter([file])):
            if isinstance(row, BadRow):
                yield row
            elif file.base_name == USERS_FILE:
                names[_identifier(row)] = _user_name(row)
                bots |= {_identifier(row)} if row.get("is_bot") else set()
            else:
                name = str(row.get("name") or _identifier(row))
                names[_identifier(row)] = name
                channels[name] = _identifier(row)
    return Directory(names, frozenset(bots), channels)


def _objects(file: ExportFile, meter: Meter) -> Iterator[Mapping[str, Any] | BadRow]:
    """The objects of a file that is one array."""
    if file.size > LARGEST_DAY_BYTES:
        yield BadRow(
            file.name, f"has more than {LARGEST_DAY_BYTES // 2**20} MB, which no day of a channel has"
        )
        return
    number = 0
    try:
        with meter.open(file) as stream:
            for number, item in enumerate(read_items(stream), start=1):
                yield item if isinstance(item, dict) else BadRow(f"{file.name} item {number}", "is no object")
    except BrokenJsonError as error:
        yield BadRow(f"{file.name} item {number + 1}", f"and all after it is no JSON: {error}")
    except BROKEN_FILE_ERRORS as error:
        yield BadRow(file.name, f"cannot be read: {error}")


def _identifier(row: Mapping[str, Any]) -> str:
    return str(row.get("id", ""))


def _user_name(row: Mapping[str, Any]) -> str:
    """The name that people see, else the real one, else the login."""
    profile = row.get("profile")
    profile = profile if isinstance(profile, dict) else {}
    names = (profile.get("display_name"), profile.get("real_name"), row.get("real_name"), row.get("name"))
    return next((name for name in names if isinstance(name, str) and name.strip()), _identifier(row))


def _read_day(
    file: ExportFile, channel: str, day: str, directory: Directory, meter: Meter
) -> Iterator[Found]:
    rows: list[tuple[str, Mapping[str, Any]]] = []
    for number, row in enumerate(_objects(file, meter), start=1):
        if isinstance(row, BadRow):
            yield row
        else:
            rows.append((f"{file.name} item {number}", row))
    for place, row in sorted(rows, key=lambda found: _seconds(found[1])):
        yield _read_message(row, place, channel, day, directory, meter.fraction)


def _seconds(row: Mapping[str, Any]) -> float:
    try:
        return float(row.get("ts", 0))
    except (TypeError, ValueError):
        return 0.0


def _read_message(
    row: Mapping[str, Any], place: str, channel: str, day: str, directory: Directory, fraction: float
) -> Found:
    subtype = str(row.get("subtype") or "")
    if subtype not in SAID and subtype != BOT:
        return LeftOut(f"Slack's own notes ({subtype})")
    said_at = _time(row)
    if said_at is None:
        return BadRow(place, "has no ts that is a time")
    text = plain_text(row["text"], directory.names) if isinstance(row.get("text"), str) else ""
    files = _file_names(row)
    if is_blank(text):
        return LeftOut("messages of files alone" if files else NOTHING_SAID)
    session = _session(row, channel, day)
    message = _who(row, directory) | {
        "session": session,
        "text": text,
        "occurred_at": said_at,
        "dedupe_key": f"slack:{directory.channels.get(channel, channel)[:CHANNEL_SHOWN]}:{row['ts']}",
        "metadata": {"channel": channel} | ({"attachments": files} if files else {}),
    }
    return ReadMessage("", place, fraction, message, f"#{channel}, {day}")


def _session(row: Mapping[str, Any], channel: str, day: str) -> str:
    thread = row.get("thread_ts")
    name = channel[:CHANNEL_SHOWN]
    return f"{name} thread {str(thread)[:24]}" if thread else f"{name} {day}"


def _time(row: Mapping[str, Any]) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(row["ts"]), tz=UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def _who(row: Mapping[str, Any], directory: Directory) -> dict[str, Any]:
    """Role and speaker: people are users, bots are the system."""
    user = str(row.get("user") or "")
    profile = row.get("user_profile")
    given = profile.get("display_name") or profile.get("real_name") if isinstance(profile, dict) else None
    is_bot = row.get("subtype") == BOT or bool(row.get("bot_id")) or user in directory.bots
    name = directory.names.get(user) or given or row.get("username") or user
    return {"role": "system" if is_bot else "user", "speaker": str(name)}


def _file_names(row: Mapping[str, Any]) -> list[str]:
    files = row.get("files")
    return [
        str(file.get("title") or file.get("name") or "file")
        for file in (files if isinstance(files, list) else [])
        if isinstance(file, dict)
    ]
