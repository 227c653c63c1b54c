"""From rows that go to the rows that rest on them, layer by layer, along the receipts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from django.db.models import Min

from memory.models import (
    Atom,
    Digest,
    Entity,
    Evidence,
    GraphEdge,
    LiveValue,
    Message,
    ProcedureLine,
    SceneVersion,
    Section,
    TraceStep,
    VersionLine,
)
from memory.recall.terms import terms_of
from memory.stewardship.erasing.affected import Affected
from memory.stewardship.erasing.parts import found_by, in_parts

QUOTED_PART = 0.6
"""A line that holds so much of the words of a claim repeats it."""


def spread(entity: Entity, affected: Affected) -> None:
    """Add everything that rests on what is affected already, whole layers at a time."""
    _spread_words(entity, affected)
    _spread_atoms(entity, affected)
    _spread_lines(entity, affected)
    _spread_skills(entity, affected)


def _receipts(entity: Entity, column: str, ids: set[UUID], derived: str) -> set[UUID]:
    rows = Evidence.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, **{f"{derived}__isnull": False}
    )
    return found_by(rows, column, ids, f"{derived}_id")


def _spread_words(entity: Entity, affected: Affected) -> None:
    """A digest tells a session from its beginning: with one of its turns all versions of it go."""
    covering = affected.digests | _receipts(entity, "message_id", affected.messages, "of_digest")
    digests = Digest.objects.for_entity(entity)
    touched = found_by(digests, "pk", covering, "session_id")
    affected.digests |= found_by(digests, "session_id", touched, "pk")
    affected.folded_sessions |= touched - affected.sessions
    steps = TraceStep.objects.for_entity(entity)
    affected.trace_steps |= found_by(steps, "message_id", affected.messages, "pk")
    affected.traces |= found_by(steps, "pk", affected.trace_steps, "trace_id")


def _spread_atoms(entity: Entity, affected: Affected) -> None:
    affected.atoms |= _receipts(entity, "message_id", affected.messages, "of_atom")
    of_gone = Evidence.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, message__isnull=False
    )
    sources = found_by(of_gone, "of_atom_id", affected.atoms, "message_id")
    affected.messages_again |= sources - affected.messages
    affected.edges |= found_by(GraphEdge.objects.for_entity(entity), "atom_id", affected.atoms, "pk")
    affected.live_values |= found_by(LiveValue.objects.for_entity(entity), "atom_id", affected.atoms, "pk")


def _spread_lines(entity: Entity, affected: Affected) -> None:
    affected.lines |= _receipts(entity, "atom_id", affected.atoms, "of_line")
    affected.lines |= _lines_quoting(entity, affected.atoms)
    affected.trait_versions |= _receipts(entity, "line_id", affected.lines, "of_trait_version")
    affected.scene_versions |= _versions_since(entity, affected.lines)


def _lines_quoting(entity: Entity, atoms: set[UUID]) -> set[UUID]:
    """Lines of the Evolution Record that repeat an atom: «before: …» rests on what replaced it alone."""
    texts: dict[UUID, list[frozenset[str]]] = defaultdict(list)
    for chain, text in found_by(Atom.objects.for_entity(entity), "pk", atoms, "chain_id", "text"):
        texts[chain].append(frozenset(terms_of(text)))
    receipts = Evidence.objects.filter(
        workspace_id=entity.workspace_id,
        entity_id=entity.pk,
        of_line__section=Section.EVOLUTION_RECORD,
        of_line__erased_at__isnull=True,
    )
    told = found_by(receipts, "atom__chain_id", set(texts), "of_line_id", "of_line__text", "atom__chain_id")
    return {line for line, text, chain in told if any(_quotes(terms_of(text), said) for said in texts[chain])}


def _quotes(line: Iterable[str], said: frozenset[str]) -> bool:
    return bool(said) and len(said.intersection(line)) >= QUOTED_PART * len(said)


def _versions_since(entity: Entity, lines: set[UUID]) -> set[UUID]:
    """Versions that hold one of the lines, and later ones of the same scenes: their title and summary were
    written by somebody who had seen the line."""
    places = VersionLine.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)
    first: dict[UUID, int] = {}
    for part in in_parts(sorted(lines)):
        holding = places.filter(line_id__in=part).order_by().values_list("version__scene_id")
        for scene, number in holding.annotate(first=Min("version__number")):
            first[scene] = min(number, first.get(scene, number))
    numbers = SceneVersion.objects.for_entity(entity).filter(scene_id__in=first)
    return {
        version
        for version, scene, number in numbers.values_list("pk", "scene_id", "number")
        if number >= first[scene]
    }


def _spread_skills(entity: Entity, affected: Affected) -> None:
    affected.procedure_lines |= _receipts(
        entity, "trace_step_id", affected.trace_steps, "of_procedure_line"
    ) | _receipts(entity, "feedback_id", affected.feedback, "of_procedure_line")
    lines = ProcedureLine.objects.for_entity(entity)
    affected.procedure_versions |= found_by(lines, "pk", affected.procedure_lines, "version_id")


def note_empty_sessions(entity: Entity, affected: Affected) -> None:
    """Sessions that lose their last message go, but for one whose turn loop is still open."""
    messages = Message.objects.for_entity(entity)
    touched = found_by(
        messages, "pk", affected.messages, "session_id", "session__takes_turns", "session__ended_at"
    )
    left: dict[UUID, int] = defaultdict(int)
    for part in in_parts(sorted(session for session, _, _ in touched)):
        for session, message in messages.filter(session_id__in=part).values_list("session_id", "pk"):
            left[session] += message not in affected.messages
    for session, takes_turns, ended_at in touched:
        if not left[session] and (ended_at is not None or not takes_turns):
            affected.sessions.add(session)
    affected.folded_sessions -= affected.sessions
