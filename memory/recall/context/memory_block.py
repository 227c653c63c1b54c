"""The relevant memory: claims and raw words, the best found first, as cheap as lines can be.

Lines of one day and session stand together under one short heading, so that neither date nor session is
told again for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.recall.context.blocks import Block, Count, LeftOut, Reason, Reference, Space
from memory.recall.context.escaping import one_line
from memory.recall.context.excerpts import excerpt
from memory.recall.hits import CitedMessage, Hit
from memory.recall.terms import fold

MEMORY_HEADING = "## Relevant memory\n"
NO_DATE = "no date"
SESSION_CHARACTERS = 40
SPEAKER_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about the hits besides what search says."""

    shown_rules: Collection[UUID] = ()
    other_rules: Collection[UUID] = ()
    """Rules of other situations."""
    told_in_scenes: Collection[UUID] = ()
    """Atoms that a shown line says in the same words."""
    told_messages: Collection[UUID] = ()
    """Messages whose claim stands in another block."""
    shown_turns: Collection[UUID] = ()
    """Messages that a chat shows as they are."""

    def why_not(self, atom: UUID) -> Reason | None:
        """Why an atom is not told in memory; None for one that may be."""
        if atom in self.shown_rules:
            return "in standing rules"
        if atom in self.other_rules:
            return "other situation"
        return "in a scene" if atom in self.told_in_scenes else None


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line, with the group it stands in."""

    row: Reference
    group: str
    place: int
    text: str
    is_cut: bool = False


def memory_block(
    hits: Sequence[Hit],
    *,
    budget: int,
    count: Count,
    known: Known | None = None,
    weigh: Callable[[str], float] = lambda text: 0.0,
    notice: str = "",
    heading: str = MEMORY_HEADING,
) -> Block:
    """The atoms and raw messages among the hits that fit, in the order of their scores.

    `weigh` says how much a text speaks of what is asked: long messages are cut to their best passage, and a
    caption is shown where it counts. Nothing is told twice; `notice` is a line about the search itself.
    """
    space = Space(count, budget)
    if not space.take(heading, notice):
        space.left = 0
    told = _Told(known or Known(), space, weigh)
    for hit in hits:
        if hit.layer in ("atom", "message"):
            told.add(hit)
    return _rendered(told, budget, count, f"{heading}{notice}")


def _rendered(told: _Told, budget: int, count: Count, opening: str) -> Block:
    groups = {group: sorted(found, key=lambda entry: entry.place) for group, found in told.groups.items()}
    lines = "".join(group + "".join(entry.text for entry in found) for group, found in groups.items())
    text = f"{opening}{lines}" if lines else ""
    ids = tuple(entry.row for found in groups.values() for entry in found)
    return Block("memory", text, count(text), budget, ids, tuple(told.left_out))


class _Told:
    """What has been told so far, and what of it need not be told again."""

    def __init__(self, known: Known, space: Space, weigh: Callable[[str], float]) -> None:
        self.groups: dict[str, list[_Entry]] = {}
        self.left_out: list[LeftOut] = []
        self._known = known
        self._space = space
        self._weigh = weigh
        self._messages = set(known.told_messages)
        self._words: set[str] = set()

    def add(self, hit: Hit) -> None:
        """Tell a hit if it is worth it and fits."""
        row = Reference("atom" if hit.layer == "atom" else "message", hit.id)
        reason = self._why_not(hit)
        if reason is None:
            reason = self._fit(hit, _atom(hit) if row.kind == "atom" else _raw(hit, self._weigh))
        if reason is not None:
            self.left_out.append(LeftOut(row.kind, row.id, reason))

    def _fit(self, hit: Hit, entry: _Entry) -> Reason | None:
        heading = [] if entry.group in self.groups else [entry.group]
        if not self._space.take(*heading, entry.text):
            return "budget"
        self.groups.setdefault(entry.group, []).append(entry)
        self._messages |= {message.id for message in hit.messages}
        self._words.add(fold(hit.text))
        return "cut" if entry.is_cut else None

    def _why_not(self, hit: Hit) -> Reason | None:
        """Why a hit is not told; None for one that is."""
        if hit.messages and all(message.id in self._known.shown_turns for message in hit.messages):
            reason: Reason | None = "in a turn"
        elif hit.layer == "atom":
            reason = self._known.why_not(hit.id)
        elif hit.is_superseded:
            reason = "superseded"
        elif hit.id in self._messages:
            reason = "in an atom"
        else:
            reason = "system text" if any(message.role == "system" for message in hit.messages) else None
        return reason or ("same words" if fold(hit.text) in self._words else None)


def _atom(hit: Hit) -> _Entry:
    source = hit.messages[0] if hit.messages else None
    bound = f" (when: {one_line(hit.scope)})" if hit.scope else ""
    text = f"- {_place(source)}{one_line(hit.text)}{bound}{_period(hit)}\n"
    return _Entry(Reference("atom", hit.id), _group(hit, source), source.ordinal if source else 0, text)


def _raw(hit: Hit, weigh: Callable[[str], float]) -> _Entry:
    message = hit.messages[0]
    shown = excerpt(message.text, weigh)
    speaker = one_line(message.speaker or message.role)[:SPEAKER_CHARACTERS]
    text = f"- {_place(message)}raw {speaker}: {one_line(shown)}{_caption(message, weigh)}\n"
    row = Reference("message", hit.id)
    return _Entry(row, _group(hit, message), message.ordinal, text, is_cut=shown != message.text)


def _caption(message: CitedMessage, weigh: Callable[[str], float]) -> str:
    """What was attached, where it speaks of what is asked or is all there is."""
    caption = message.attachment_text
    if not caption or (message.text.strip() and weigh(caption) <= 0):
        return ""
    return f" [attached: {one_line(excerpt(caption, weigh))}]"


def _place(source: CitedMessage | None) -> str:
    return f"#{source.ordinal} " if source else ""


def _group(hit: Hit, source: CitedMessage | None) -> str:
    said_at = source.said_at if source else hit.said_at
    date = f"{said_at:%Y-%m-%d}" if said_at else NO_DATE
    session = f" {one_line(source.session)[:SESSION_CHARACTERS]}" if source else ""
    return f"{date}{session}:\n"


def _period(hit: Hit) -> str:
    """When it happens, where the text does not give the year itself."""
    dates = [date for date in (hit.happened_from, hit.happened_until) if date]
    if not dates or any(str(date.year) in hit.text for date in dates):
        return ""
    return f" ({' to '.join(dict.fromkeys(map(str, dates)))})"
