"""Rows as a model is shown them: frozen records under short handles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import cast
from uuid import UUID

from memory.cascade.contract import (
    AtomKind,
    AtomState,
    MessageRole,
    OfferedAtom,
    OfferedLine,
    OfferedMessage,
    OfferedScene,
)
from memory.cascade.rules.handles import Handles, Kind
from memory.cascade.scene_state import SceneState
from memory.ingest.recalled import strip_recalled
from memory.models import Atom, Entity, Message


def said_text(message: Message) -> str:
    """What was said, without blocks that memory itself had handed out."""
    return strip_recalled(message.text)


def attached_text(message: Message) -> str:
    """Captions and transcripts of its attachments, likewise."""
    return strip_recalled(message.attachment_text)


def said_words(message: Message) -> str:
    """All words of a message that may be evidence: what was said, and its attachments' captions."""
    return f"{said_text(message)} {attached_text(message)}"


def offer_message(
    handles: Handles, entity: Entity, message: Message, *, piece: tuple[str, str] | None = None
) -> OfferedMessage:
    """A message under a handle; `piece` is what is shown of its text and attachment when it is too long."""
    text, attachment_text = piece or (said_text(message), attached_text(message))
    return OfferedMessage(
        handle=handles.offer(Kind.MESSAGE, message.pk),
        role=cast(MessageRole, message.role),
        speaker=message.speaker,
        session=message.session.external_id,
        said_at=message.occurred_at and message.occurred_at.astimezone(entity.zone),
        text=text,
        attachment_text=attachment_text,
        tool_name=message.tool_name,
    )


def offer_atom(
    handles: Handles, entity: Entity, atom: Atom, *, supersedes: Sequence[str] = (), is_new: bool = False
) -> OfferedAtom:
    """An atom under a handle."""
    return OfferedAtom(
        handle=handles.offer(Kind.ATOM, atom.pk),
        text=atom.text,
        kind=cast(AtomKind, atom.kind),
        priority=atom.priority,
        topic=atom.topic,
        subject=atom.subject,
        authority=atom.get_authority_display(),
        state=cast(AtomState, atom.status),
        said_at=atom.occurred_at and atom.occurred_at.astimezone(entity.zone),
        happened_from=atom.happened_from,
        happened_until=atom.happened_until,
        scope=atom.scope,
        supersedes=tuple(supersedes),
        is_new=is_new,
    )


def offer_scene(
    handles: Handles, scene: SceneState, *, atoms: Mapping[UUID, Atom], is_full: bool
) -> OfferedScene:
    """A live scene under a handle, its lines too when it is shown in full.

    The atoms under its lines must have been offered before.
    """
    handle = handles.offer(Kind.SCENE, scene.id)
    lines: tuple[OfferedLine, ...] = ()
    if is_full:
        lines = tuple(
            OfferedLine(
                handle=handles.offer(Kind.LINE, line.id, scene=scene.id),
                section=line.section,
                text=line.text,
                atoms=tuple(handles.handle(atom_id) for atom_id in line.atoms),
                # To a model it is the same: a line that people decided about.
                is_pinned=line.is_kept,
                is_due=line.is_due,
            )
            for line in scene.lines
        )
    topics = topics_of(atoms[atom_id] for atom_id in scene.atoms)
    return OfferedScene(
        handle=handle,
        title=scene.title,
        summary=scene.summary,
        topics=tuple(topics),
        atom_count=len(scene.atoms),
        is_full=is_full,
        lines=lines,
        characters=scene.characters,
        topic_counts=tuple(topics.values()),
    )


def topics_of(atoms: Iterable[Atom]) -> dict[str, int]:
    """The topics of some atoms with their number, the most frequent first, equal ones by name."""
    counted = Counter(atom.topic for atom in atoms if atom.topic)
    return {topic: counted[topic] for topic in sorted(counted, key=lambda topic: (-counted[topic], topic))}
