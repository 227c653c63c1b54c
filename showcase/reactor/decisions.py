"""What a run decided, item by item, with the reason it recorded and the rows it was about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory.cascade.rules import difference as differing
from memory.cascade.rules.difference import Change
from memory.models import Message, Run, SceneVersion, Section, TraitVersion
from memory.recall.atoms import atom_record
from memory.recall.decisions import with_ids
from memory.recall.ladder import message_record
from showcase.cards import SLOTS, atom_card, message_card
from showcase.links import persona_url, record_url, version_url
from showcase.parts import Card
from showcase.reactor.columns import message_item
from showcase.reactor.gathering import Gathered, ids
from showcase.reactor.records import Decision, Item, Level, WrittenLine

SAID: Mapping[str, str] = {
    "store": "stored",
    "merge": "merged",
    "skip": "skipped",
    "set": "set",
    "sent back": "sent back",
}
"""Outcomes of which people read another word than the run noted."""
LEVELS: Mapping[str, Level] = {
    "store": "good",
    "merge": "good",
    "created": "good",
    "updated": "good",
    "set": "good",
    "dropped": "bad",
    "retracted": "bad",
}
REASONS: Mapping[tuple[str, str], str] = {
    ("store", ""): "memory did not hold it",
    ("merge", "value"): "a value changed: the claim before it becomes history",
    ("merge", "contradiction"): "it contradicts the claim before it, which becomes history",
}
_POSITION = {section: place for place, section in enumerate(Section.values)}


def decisions_of(given: Gathered, run: Run) -> tuple[Decision, ...]:
    """One for each note of the run, in its order."""
    build = _BUILDERS.get(run.step, _note)
    return tuple(build(given, run, note) for note in run.decisions if isinstance(note, Mapping))


def quiet_of(given: Gathered, run: Run) -> tuple[Item, ...]:
    """Messages that were read and that no decision names; none where nobody can tell any more."""
    if run.is_account_erased:
        return ()
    named = {UUID(id) for note in run.decisions for id in note.get("messages", ())}
    rows = (given.messages.get(id) for id in ids(run.inputs, "messages") if id not in named)
    return tuple(replace(message_item(given, row), is_new=False) for row in rows if row is not None)


def _extracted(given: Gathered, run: Run, note: Mapping[str, Any]) -> Decision:
    outcome, reason = _outcome(note), str(note.get("reason", ""))
    atoms = note.get("atoms", ())
    told = REASONS.get((outcome, reason), with_ids(reason, atoms) if atoms else reason)
    return Decision(
        said=SAID.get(outcome, outcome),
        level=LEVELS.get(outcome, ""),
        reason=told,
        text=_answer_text(note),
        sources=tuple(_message(given, row) for row in _rows(given.messages, note, "messages")),
        results=_atom_cards(given, note, "atoms"),
        replaced=_atom_cards(given, note, "replaced"),
    )


def _synthesised(given: Gathered, run: Run, note: Mapping[str, Any]) -> Decision:
    outcome = _outcome(note)
    version = _version(given, run, note)
    lines, unchanged = _changes(given, version) if version else ((), 0)
    return Decision(
        said=SAID.get(outcome, outcome),
        level=LEVELS.get(outcome, ""),
        title=f"{note['title']}, version {note['version']}" if "title" in note and "version" in note else "",
        url=_version_url(given, note, version),
        reason=str(note.get("reason", "")),
        text=_answer_text(note),
        results=_atom_cards(given, note, "atoms"),
        lines=lines,
        unchanged=unchanged,
    )


def _portrayed(given: Gathered, run: Run, note: Mapping[str, Any]) -> Decision:
    outcome, slot = _outcome(note), str(note.get("slot", ""))
    written = next((row for row in _written_wordings(given, run) if row.trait.slot == slot), None)
    is_set = outcome == "set" and written is not None
    return Decision(
        said=SAID.get(outcome, outcome),
        level=LEVELS.get(outcome, ""),
        title=SLOTS.get(slot, slot),
        url=persona_url(given.scope) if slot else "",
        reason=str(note.get("reason", "")),
        text="" if is_set else _answer_text(note) or str(note.get("text", "")),
        lines=(_wording(given, written),) if is_set and written else (),
    )


def _note(given: Gathered, run: Run, note: Mapping[str, Any]) -> Decision:
    outcome = _outcome(note)
    return Decision(SAID.get(outcome, outcome), LEVELS.get(outcome, ""), reason=str(note.get("reason", "")))


_BUILDERS: Mapping[str, Callable[[Gathered, Run, Mapping[str, Any]], Decision]] = {
    "l1_extract": _extracted,
    "scene_synthesis": _synthesised,
    "persona": _portrayed,
}


def _outcome(note: Mapping[str, Any]) -> str:
    return str(note.get("outcome", "noted"))


def _answer_text(note: Mapping[str, Any]) -> str:
    """The words of an item that was not taken, as the model gave them."""
    answer = note.get("answer")
    if not isinstance(answer, Mapping):
        return ""
    return next((str(answer[key]) for key in ("text", "title", "raw") if answer.get(key)), "")


def _rows(rows: Mapping[UUID, Any], note: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = (rows.get(UUID(id)) for id in note.get(key, ()))
    return [row for row in found if row is not None]


def _message(given: Gathered, row: Message) -> Card:
    return message_card(given.scope, message_record(row, given.scope.entity))


def _atom_cards(given: Gathered, note: Mapping[str, Any], key: str) -> tuple[Card, ...]:
    """Claims as they stood then, with the receipts that they had then."""
    return tuple(
        _as_of(atom_card(given.scope, atom_record(row), given.receipts.get(row.pk, ())), row)
        for row in _rows(given.atoms, note, key)
    )


def _as_of(card: Card, row: Any) -> Card:
    return replace(card, state="" if row.holds_then else card.state)


def _version(given: Gathered, run: Run, note: Mapping[str, Any]) -> SceneVersion | None:
    found = (
        row
        for row in given.versions.values()
        if row.run_id == run.pk
        and str(row.scene_id) == note.get("scene")
        and row.number == note.get("version")
    )
    return next(found, None)


def _version_url(given: Gathered, note: Mapping[str, Any], version: SceneVersion | None) -> str:
    if version is not None:
        return version_url(given.scope, version.scene_id, version.number)
    return record_url(given.scope, "scene", UUID(note["scene"])) if note.get("scene") else ""


def _changes(given: Gathered, version: SceneVersion) -> tuple[tuple[WrittenLine, ...], int]:
    """The lines that differ from the version before, by section, and how many stayed."""
    before, after = (
        [
            differing.VersionLine(place.line_id, place.line.section, place.line.text)
            for place in given.places.get((version.scene_id, number), ())
        ]
        for number in (version.number - 1, version.number)
    )
    found = differing.difference(before, after).changes
    changed = [change for change in found if change.change is not Change.UNCHANGED]
    lines = sorted((_line(given, change) for change in changed), key=lambda pair: pair[0])
    return tuple(line for _, line in lines), len(found) - len(changed)


def _line(given: Gathered, change: differing.LineChange) -> tuple[int, WrittenLine]:
    before, after = change.before, change.after
    shown = after or before
    assert shown is not None  # noqa: S101  # a change has one side at least
    id = UUID(str(shown.id))
    line = WrittenLine(
        change=change.change.value,
        heading=str(Section(shown.section).label),
        before=before.text if before else "",
        after=after.text if after else "",
        words=differing.word_difference(before.text, after.text) if before and after else (),
        url=record_url(given.scope, "line", id),
        receipts=given.receipts.get(id, ()),
    )
    return _POSITION[shown.section], line


def _written_wordings(given: Gathered, run: Run) -> Iterable[TraitVersion]:
    return (row for row in given.wordings.values() if row.run_id == run.pk)


def _wording(given: Gathered, written: TraitVersion) -> WrittenLine:
    """A wording beside the one before it, where the run was shown one."""
    earlier = [
        row
        for row in given.wordings.values()
        if row.trait_id == written.trait_id and row.number == written.number - 1
    ]
    before = earlier[0].text if earlier else ""
    return WrittenLine(
        change="reworded" if before else "added",
        heading="",
        before=before,
        after=written.text,
        words=differing.word_difference(before, written.text) if before else (),
        url=persona_url(given.scope),
        receipts=given.receipts.get(written.pk, ()),
    )
