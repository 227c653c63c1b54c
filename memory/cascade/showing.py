"""Offered records as lines of a prompt. What is stored is data: quoted, on one line, never markup."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from memory.cascade.contract import OfferedAtom, OfferedLine, OfferedMessage, OfferedScene, OfferedTrait

NOTHING = "(none)"
TOPICS_SHOWN = 6

BREAKS = {ord(each): f"\\u{ord(each):04x}" for each in "\x7f\x85\u2028\u2029"}
"""What JSON leaves in a string although it may end a line."""


def show_messages(messages: Sequence[OfferedMessage]) -> str:
    """`m1 user (Alice), session s, 2026-06-02 09:00 Tuesday: "…"`, one a line."""
    return "\n".join(_message(message) for message in messages) or NOTHING


def _message(message: OfferedMessage) -> str:
    who = f"{message.role} ({one_line(message.speaker)})" if message.speaker else message.role
    tool = f" «{one_line(message.tool_name)}»" if message.tool_name else ""
    attached = f" [attachment: {quote(message.attachment_text)}]" if message.attachment_text else ""
    return (
        f"{message.handle} {who}{tool}, session {one_line(message.session)}, {moment(message.said_at)}: "
        f"{quote(message.text)}{attached}"
    )


def show_atoms(atoms: Sequence[OfferedAtom]) -> str:
    """`a1 [instruction, 90, topic …, user, live, said …] "…"`, one a line."""
    return "\n".join(_atom(atom) for atom in atoms) or NOTHING


def _atom(atom: OfferedAtom) -> str:
    facts = [
        atom.kind,
        str(atom.priority),
        f"topic {one_line(atom.topic) or '-'}",
        atom.authority,
        atom.state,
    ]
    if atom.said_at is not None:
        facts.append(f"said {atom.said_at:%Y-%m-%d}")
    if atom.scope:
        facts.append(f"only: {quote(atom.scope)}")
    if atom.is_new:
        facts.insert(0, "new")
    before = f" (before: {'; '.join(quote(text) for text in atom.supersedes)})" if atom.supersedes else ""
    return f"{atom.handle} [{', '.join(facts)}] {quote(atom.text)}{before}"


def show_scenes(scenes: Sequence[OfferedScene]) -> str:
    """Scenes with their lines where they are shown in full, else by summary."""
    return "\n\n".join(_scene(scene) for scene in scenes) or NOTHING


def _scene(scene: OfferedScene) -> str:
    topics = ", ".join(map(one_line, scene.topics[:TOPICS_SHOWN])) or "-"
    head = (
        f"{scene.handle} {quote(scene.title)} ({scene.atom_count} claims; topics: {topics})"
        f"\n  summary: {quote(scene.summary)}"
    )
    if not scene.is_full:
        return f"{head}\n  (lines not shown)"
    more = [f"  ({scene.lines_left_out} more lines not shown)"] if scene.lines_left_out else []
    return "\n".join([head, *(_line(line) for line in scene.lines), *more])


def _line(line: OfferedLine) -> str:
    marks = f"{' DUE' if line.is_due else ''}{' PINNED' if line.is_pinned else ''}"
    return f"  {line.handle} {line.section}{marks} [{', '.join(line.atoms)}] {quote(line.text)}"


def show_traits(traits: Sequence[OfferedTrait]) -> str:
    """`t1 role [s1.l2] "…"`, one a line."""
    return "\n".join(_trait(trait) for trait in traits) or NOTHING


def _trait(trait: OfferedTrait) -> str:
    due = " DUE" if trait.is_due else ""
    return f"{trait.handle} {trait.slot}{due} [{', '.join(trait.lines)}] {quote(trait.text)}"


def quote(text: str) -> str:
    """A JSON string: no line break or quotation mark of the data can end it."""
    return json.dumps(text, ensure_ascii=False).translate(BREAKS)


def one_line(text: str) -> str:
    """A name of the data, without line breaks that could look like more of the prompt."""
    return " ".join(text.split())


def moment(at: datetime | None) -> str:
    """When something was said, in words of a prompt."""
    return "time unknown" if at is None else f"{at:%Y-%m-%d %H:%M %A}"
