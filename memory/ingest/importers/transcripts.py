"""Plain transcripts: `Name: text` on each line, with or without a time before it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, BinaryIO

from memory.ingest.importers.export_files import BROKEN_FILE_ERRORS, Export, ExportFile, Meter, open_export
from memory.ingest.importers.long_texts import LONGEST_TEXT
from memory.ingest.importers.records import (
    NOTHING_SAID,
    BadRow,
    Found,
    LeftOut,
    ReadMessage,
    UnreadableFileError,
)
from memory.ingest.importers.transcript_lines import Line, Stamp, read_line
from memory.ingest.storable import is_blank

ROLE_WORDS = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
}
"""Words that stand for a role and for nobody's name."""
AGENT_NAMES = frozenset({"bot", "chatbot", "chatgpt", "claude", "copilot", "gemini"})
HEAD_LINES = 40
NAMES_KEPT = 1_000
STEM_SHOWN = 96
DIGEST_SHOWN = 32

NOTICE = "notices of the messenger that nobody said"
MEDIA = "placeholders of pictures, sound and files"
_PLACEHOLDER = re.compile(r"<[^<>]+>")
_MESSENGER_MARK = "\u200e"
"""The messenger sets it before what it wrote itself in a person's place."""


def is_transcript(head: str) -> bool:
    """Whether a text begins with a speaker, or with a time that a speaker follows in a later line."""
    lines = [read_line(line) for line in head.splitlines()[:HEAD_LINES] if line.strip()]
    if not lines:
        return False
    first = lines[0]
    return first.speaker is not None or (first.stamp is not None and any(line.speaker for line in lines))


def read_transcript(path: Path) -> Iterator[Found]:
    """Every turn, with the lines that go on with it.

    Where the first turn has a date, only lines with a date begin a turn, and each day is a session; otherwise
    the file is one. A time without a zone is left to whoever takes it. Dates as 3/4/24 are read by what the
    other dates of the file allow; when all are open, month first beside am and pm, else day first.
    """
    with open_export(path) as export:
        file = _text_file(path, export)
        reading = _Reading(export.stem[:STEM_SHOWN], day_first=_is_day_first(file))
        meter = Meter([file])
        with meter.open(file) as stream:
            yield from _read(stream, reading, meter)


def _text_file(path: Path, export: Export) -> ExportFile:
    files = export.main_files()
    if len(files) != 1:
        raise UnreadableFileError(f"{path.name} holds not one text file alone")
    return files[0]


def _is_day_first(file: ExportFile) -> bool:
    """How the dates of a file are to be read, judged by the first one that leaves no choice."""
    has_half = False
    with Meter([file]).open(file) as stream:
        for raw in _lines(stream):
            stamp = read_line(raw.decode(errors="replace")).stamp
            if stamp is None:
                continue
            has_half |= stamp.has_half
            if stamp.is_iso or stamp.day_first is not None:
                return bool(stamp.day_first)
    return not has_half


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, up to where it is damaged."""
    try:
        yield from stream
    except BROKEN_FILE_ERRORS:
        return


def _read(stream: BinaryIO, reading: _Reading, meter: Meter) -> Iterator[Found]:
    number = 0
    try:
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode().rstrip("\r\n")
            except UnicodeDecodeError:
                yield BadRow(f"line {number}", "is not in UTF-8")
                continue
            yield from reading.line(line, number, meter.fraction)
    except BROKEN_FILE_ERRORS as error:
        yield BadRow(f"line {number + 1}", f"and all after it cannot be read: {error}")
    yield from reading.end(meter.fraction)


@dataclass(slots=True)
class _Turn:
    """A turn that may go on."""

    number: int
    speaker: str
    stamp: Stamp | None
    texts: list[str]
    size: int

    def goes_on(self, line: str) -> None:
        """Add a line; a turn beyond what is taken is refused anyway, and kept small until then."""
        if self.size <= LONGEST_TEXT:
            self.texts.append(line[: LONGEST_TEXT + 1])
            self.size += len(line) + 1


@dataclass(slots=True)
class _Reading:
    """A transcript under way."""

    stem: str
    day_first: bool
    form: str = ""
    """How turns begin; known with the first turn."""
    turn: _Turn | None = None
    count: int = 0
    is_after_blank: bool = True
    names: set[str] = field(default_factory=set)
    day: date | None = None
    of_day: Counter[str] = field(default_factory=Counter)

    def line(self, text: str, number: int, fraction: float) -> Iterator[Found]:
        """A line begins a turn, goes on with one, or was said by nobody."""
        line = read_line(text)
        if self._begins(line):
            yield from self.end(fraction)
            self.form = line.form
            said = line.text
            self.turn = _Turn(number, line.speaker or "", line.stamp, [said], len(said))
        elif line.form == "dated" and line.speaker is None and self.form in ("", "dated"):
            yield from self.end(fraction)
            yield LeftOut(NOTICE)
        elif self.turn is not None:
            self.turn.goes_on(text)
        elif text.strip():
            yield LeftOut("lines before the first speaker")
        self.is_after_blank = not text.strip()

    def _begins(self, line: Line) -> bool:
        """Whether somebody begins to speak: in the way the file began, and not just a heading in a text."""
        if line.speaker is None or self.form not in ("", line.form):
            return False
        word = line.speaker.casefold()
        is_known = word in self.names or word in ROLE_WORDS or word in AGENT_NAMES
        if not (line.text or line.form != "plain" or is_known or self.is_after_blank):
            return False
        if len(self.names) < NAMES_KEPT:
            self.names.add(word)
        return True

    def end(self, fraction: float) -> Iterator[Found]:
        """The turn that has come to its end, if there is one."""
        turn, self.turn = self.turn, None
        if turn is None:
            return
        text = "\n".join(turn.texts).lstrip("\n").rstrip()
        if is_blank(text):
            yield LeftOut(NOTHING_SAID)
        elif text.startswith(_MESSENGER_MARK) or _PLACEHOLDER.fullmatch(text):
            yield LeftOut(MEDIA)
        else:
            yield self._found(turn, text, fraction)

    def _found(self, turn: _Turn, text: str, fraction: float) -> Found:
        place = f"line {turn.number}"
        moment = turn.stamp.moment(day_first=self.day_first) if turn.stamp else None
        if turn.stamp and moment is None:
            return BadRow(place, "has a date or time that there is not")
        session, key = self._address(turn.speaker, text, moment)
        word = turn.speaker.casefold()
        message: dict[str, Any] = {
            "session": session,
            "role": ROLE_WORDS.get(word, "assistant" if word in AGENT_NAMES else "user"),
            "speaker": "" if word in ROLE_WORDS else turn.speaker,
            "text": text,
            "occurred_at": moment,
            "dedupe_key": key,
        }
        return ReadMessage("", place, fraction, message)

    def _address(self, speaker: str, text: str, moment: datetime | None) -> tuple[str, str]:
        """Session and key. Dated turns are known by what they say: a later, longer export adds its tail."""
        if moment is None:
            self.count += 1
            return self.stem, f"transcript:{self.count - 1}:{self.stem}"
        if moment.date() != self.day:
            self.day, self.of_day = moment.date(), Counter()
        said = "\n".join((moment.isoformat(), speaker, text)).encode(errors="surrogatepass")
        digest = hashlib.sha256(said).hexdigest()[:DIGEST_SHOWN]
        self.of_day[digest] += 1
        session = f"{self.stem} {self.day}"
        return session, f"transcript:{digest}.{self.of_day[digest]}:{session}"
