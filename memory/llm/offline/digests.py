"""Compaction offline: notes of the turns, joined with those before, the weightiest within the limit."""

from __future__ import annotations

from collections.abc import Sequence

from memory.cascade.compaction_contract import CompactionPayload, DigestAnswer, DigestItem, OfferedTurn
from memory.cascade.rules.digest_text import cut_to, parts_of, shortened
from memory.llm.offline.digest_notes import notes_of
from memory.llm.offline.digest_quoting import QUOTE_CHARACTERS, said_in, speaker_of
from memory.llm.offline.digest_worth import LABELS, Note, Section, worth_of

MARK = "- "
RECENT = 12
"""So much more the newest note is worth than the oldest one."""
NO_WORDS = "Nothing was said in words."


def digest(payload: CompactionPayload) -> DigestAnswer:
    """A text for the session: always one, so that no older turn vanishes without a trace."""
    notes = notes_of(payload.turns, _read(payload.summary))
    text = _written(_chosen(notes, payload)) or _glimpse(payload.turns) or NO_WORDS
    return DigestAnswer(items=[DigestItem(action=payload.action, text=cut_to(text, payload.limit))])


def _read(summary: str) -> list[Note]:
    """The notes of an earlier summary; the prose of another model becomes notes sentence by sentence."""
    sections: dict[str, Section] = {f"{label}:": section for section, label in LABELS.items()}
    found: list[Note] = []
    current: Section = "before"
    for line in summary.splitlines():
        if line.strip() in sections:
            current = sections[line.strip()]
        elif line.startswith(MARK):
            found.append(Note(current, line.removeprefix(MARK).strip()))
        else:
            found += [Note("before", part.strip()) for part in parts_of(line) if part.strip()]
    return found


def _chosen(notes: Sequence[Note], payload: CompactionPayload) -> list[Note]:
    """The weightiest notes that fit, newer ones before older ones of the same weight, in their order."""
    newest = max(1, len(notes) - 1)
    days = {turn.said_at.date() for turn in payload.turns if turn.said_at}
    worth = [worth_of(note, days) + RECENT * place / newest for place, note in enumerate(notes)]
    ranked = sorted(range(len(notes)), key=lambda place: (-worth[place], -place))
    chosen: set[int] = set()
    for place in ranked:
        tried = [notes[other] for other in sorted({*chosen, place})]
        if len(_written(tried)) <= payload.limit:
            chosen.add(place)
    return [notes[place] for place in sorted(chosen)]


def _written(notes: Sequence[Note]) -> str:
    lines: list[str] = []
    for section, label in LABELS.items():
        of_section = [f"{MARK}{note.text}" for note in notes if note.section == section]
        lines += [f"{label}:", *of_section] if of_section else []
    return "\n".join(lines)


def _glimpse(turns: Sequence[OfferedTurn]) -> str:
    """How a talk without anything to note began, and how it ended."""
    told = [
        f'{MARK}{speaker_of(turn)}: "{shortened(said[0], QUOTE_CHARACTERS)}"'
        for turn in turns
        if turn.role in ("user", "assistant") and (said := said_in(turn))
    ]
    return "\n".join([f"{LABELS['told']}:", *dict.fromkeys([*told[:1], *told[-1:]])]) if told else ""
