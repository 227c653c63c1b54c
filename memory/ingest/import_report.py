"""What an import found and did, kept small whatever the size of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from memory.ingest.importers.records import BadRow
from memory.ingest.incoming import IncomingMessage

BAD_ROWS_KEPT = 1_000
SPEAKERS_KEPT = 1_000
MOST_SHOWN = 12


@dataclass(slots=True)
class Contents:
    """What the taken rows are: for whoever looks before storing, and to check after it."""

    roles: Counter[str] = field(default_factory=Counter)
    """Messages by role."""
    speakers: Counter[str] = field(default_factory=Counter)
    """Messages by who said them; beyond a thousand names the others are not told apart."""
    first_at: datetime | None = None
    last_at: datetime | None = None
    undated: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """What the file holds that is no message, by the reason."""
    redacted: Counter[str] = field(default_factory=Counter)
    """What was taken out of the words, by kind; messages that are stored already count as well."""
    zone: str = ""
    """The zone that times without one were read in; empty when there were none."""

    def add(self, message: IncomingMessage) -> None:
        """Count one message that can be stored."""
        self.roles[message.role] += 1
        if message.speaker and (message.speaker in self.speakers or len(self.speakers) < SPEAKERS_KEPT):
            self.speakers[message.speaker] += 1
        self.add_time(message.occurred_at)
        left_out = message.metadata.get("left_out")
        for kind in left_out if isinstance(left_out, list) else []:
            self.left_out[f"{kind} beside the words of a message"] += 1

    def add_time(self, time: datetime | None) -> None:
        """Widen the range of times."""
        if time is None:
            self.undated += 1
            return
        self.first_at = min(time, self.first_at or time)
        self.last_at = max(time, self.last_at or time)


@dataclass(slots=True)
class ImportReport:
    """What an import found and did. In a dry run `new` is what it would have stored."""

    is_dry_run: bool = False
    format: str = ""
    entities: list[str] = field(default_factory=list)
    conversations: int = 0
    messages: int = 0
    claims: int = 0
    new: int = 0
    already_there: int = 0
    erased: int = 0
    """Erased here before: they stay so."""
    bad_rows: list[BadRow] = field(default_factory=list)
    """The first thousand."""
    more_bad_rows: int = 0
    contents: Contents = field(default_factory=Contents)

    @property
    def bad_count(self) -> int:
        """All rows that could not be taken."""
        return len(self.bad_rows) + self.more_bad_rows

    def add_bad(self, row: BadRow) -> None:
        """Keep a bad row, or count it when a thousand are kept."""
        if len(self.bad_rows) < BAD_ROWS_KEPT:
            self.bad_rows.append(row)
        else:
            self.more_bad_rows += 1


def described(report: ImportReport) -> Iterator[str]:
    """The report in lines for people. A dry run says more, because nobody can look at it afterwards."""
    what = f"{report.messages} messages in {report.conversations} conversations"
    claims = f"{report.claims} claims of another memory" if report.claims else ""
    found = " and ".join(part for part in (what if report.messages or not claims else "", claims) if part)
    yield f"{found} of {len(report.entities)} entities: {', '.join(report.entities) or 'none'}"
    verb = "would be stored" if report.is_dry_run else "stored"
    nothing = "" if report.new else " Nothing new."
    yield f"{report.new} {verb}, {report.already_there} were there already.{nothing}"
    if report.erased:
        yield f"{report.erased} were erased here before and stay so."
    if report.is_dry_run:
        yield from _details(report)
    if report.contents.zone:
        yield f"Times that name no zone were read in {report.contents.zone}."
    if report.contents.redacted:
        yield f"redacted: {_counted(report.contents.redacted)}"
    for reason, count in sorted(report.contents.left_out.items()):
        yield f"left out: {count} × {reason}"


def _details(report: ImportReport) -> Iterator[str]:
    contents = report.contents
    yield f"format: {report.format}"
    if contents.roles:
        yield f"roles: {_counted(contents.roles)}"
    if contents.speakers:
        yield f"speakers: {_counted(contents.speakers)}"
    if contents.first_at and contents.last_at:
        times = (time.strftime("%Y-%m-%d %H:%M") for time in (contents.first_at, contents.last_at))
        yield f"times: {' to '.join(times)} UTC, {contents.undated} without one"


def _counted(counter: Counter[str]) -> str:
    shown = [f"{name} {count}" for name, count in counter.most_common(MOST_SHOWN)]
    more = len(counter) - MOST_SHOWN
    return ", ".join(shown) + (f", and {more} more" if more > 0 else "")
