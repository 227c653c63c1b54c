"""What a context is made of, read in a number of statements that does not grow with the memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from memory.indexing.analyser import analyse
from memory.indexing.analyser_words import PIECE_MARK
from memory.models import Atom, Authority, Entity, Evidence, Layer
from memory.recall import ladder
from memory.recall.arms import Filters
from memory.recall.context.prefix_blocks import Rule
from memory.recall.hits import Found, Hit
from memory.recall.procedures import Procedures, active_procedures
from memory.recall.records import SceneRecord, TraitRecord
from memory.recall.search import Request, search

TOKENS_OF_A_LINE = 15
"""No line of memory is expected to take fewer: so many results are enough to fill the budget."""
LEAST_RESULTS = 40
MOST_RESULTS = 400
SAME_WORDS = 0.8
"""A line that holds so much of an atom's words says the same."""


@dataclass(frozen=True, slots=True)
class Material:
    """Rows as they stand, and what search found."""

    traits: tuple[TraitRecord, ...]
    rules: tuple[Rule, ...]
    scenes: tuple[SceneRecord, ...]
    found: Found
    superseded_messages: frozenset[UUID]
    scopes: Mapping[UUID, str]
    """Situations of the instructions among what was found."""
    atoms_of_lines: Mapping[UUID, tuple[tuple[UUID, str], ...]]
    """The live atoms, with their texts, that each line of a scene rests on."""
    messages_of_atoms: Mapping[UUID, frozenset[UUID]]
    """The messages that the rules and the atoms under lines cite."""
    procedures: Procedures


def read_material(
    entity: Entity, task: str, *, floor: int, filters: Filters, memory_budget: int, uses_meaning: bool
) -> Material:
    """Read everything; the database is asked for nothing else afterwards."""
    scenes = ladder.scenes(entity)
    rules = _rules(entity, floor)
    atoms_of_lines = _atoms_of_lines(entity, scenes)
    cited = {rule.id for rule in rules if rule.id} | {
        atom for atoms in atoms_of_lines.values() for atom, _ in atoms
    }
    found = _search(entity, task, filters, memory_budget, uses_meaning)
    return Material(
        traits=ladder.persona(entity),
        rules=rules,
        scenes=scenes,
        found=found,
        superseded_messages=superseded_messages(entity, found.hits),
        scopes=scopes_of(entity, found.hits),
        atoms_of_lines=atoms_of_lines,
        messages_of_atoms=_messages_of(entity, cited),
        procedures=active_procedures(entity),
    )


def _search(entity: Entity, task: str, filters: Filters, memory_budget: int, uses_meaning: bool) -> Found:
    """Traits are shown whole, not searched."""
    layers = tuple(layer for layer in filters.layers if layer != Layer.TRAIT)
    limit = min(MOST_RESULTS, LEAST_RESULTS + memory_budget // TOKENS_OF_A_LINE)
    narrowed = replace(filters, layers=layers)
    return search(entity, Request(task, limit=limit, filters=narrowed, uses_meaning=uses_meaning))


def _rules(entity: Entity, floor: int) -> tuple[Rule, ...]:
    found = Atom.objects.for_entity(entity).rules(floor)
    return tuple(
        Rule(
            atom.pk,
            atom.text,
            atom.priority,
            atom.scope,
            "" if atom.authority == Authority.USER else atom.get_authority_display(),
        )
        for atom in found.only("id", "text", "priority", "scope", "authority")
    )


def superseded_messages(entity: Entity, hits: Iterable[Hit]) -> frozenset[UUID]:
    """Of the raw messages among the hits those that said a claim which no longer holds.

    Shown as they are they would bring the dead claim back.
    """
    raw = [hit.id for hit in hits if hit.layer == "message"]
    dead = _receipts(entity).filter(message__in=raw, of_atom__isnull=False)
    dead = dead.exclude(of_atom__status=Atom.Status.LIVE)
    return frozenset(dead.values_list("message_id", flat=True)) - {None}


def scopes_of(entity: Entity, hits: Iterable[Hit]) -> Mapping[UUID, str]:
    """The situations that the instructions among the hits are bound to."""
    rules = [hit.id for hit in hits if hit.layer == "atom" and hit.kind == Atom.Kind.INSTRUCTION]
    found = Atom.objects.for_entity(entity).filter(pk__in=rules).exclude(scope="")
    return dict(found.values_list("id", "scope"))


def _atoms_of_lines(
    entity: Entity, scenes: Sequence[SceneRecord]
) -> Mapping[UUID, tuple[tuple[UUID, str], ...]]:
    lines = [line.id for scene in scenes for section in scene.sections for line in section.lines]
    rows = _receipts(entity).filter(of_line__in=lines, atom__status=Atom.Status.LIVE).order_by("id")
    atoms: dict[UUID, tuple[tuple[UUID, str], ...]] = {}
    for line, atom, text in rows.values_list("of_line_id", "atom_id", "atom__text"):
        atoms[line] = (*atoms.get(line, ()), (atom, text))
    return atoms


def _messages_of(entity: Entity, atoms: Collection[UUID]) -> Mapping[UUID, frozenset[UUID]]:
    rows = _receipts(entity).filter(of_atom__in=atoms, message__isnull=False)
    messages: dict[UUID, frozenset[UUID]] = {}
    for atom, message in rows.values_list("of_atom_id", "message_id"):
        messages[atom] = messages.get(atom, frozenset()) | {message}
    return messages


def _receipts(entity: Entity) -> Any:
    return Evidence.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)


def line_texts(material: Material, lines: Collection[UUID]) -> Mapping[UUID, str]:
    """The texts of some lines of scenes."""
    return {
        line.id: line.text
        for scene in material.scenes
        for section in scene.sections
        for line in section.lines
        if line.id in lines
    }


def told_in_lines(
    texts: Mapping[UUID, str],
    atoms_of_lines: Mapping[UUID, Sequence[tuple[UUID, str]]],
    languages: Sequence[str],
) -> frozenset[UUID]:
    """The atoms that a line, given by its text, says in the same words."""
    return frozenset(
        atom
        for line, text in texts.items()
        for atom, words in atoms_of_lines.get(line, ())
        if _says(text, words, languages)
    )


def messages_told(
    messages_of_atoms: Mapping[UUID, frozenset[UUID]], atoms: Collection[UUID]
) -> frozenset[UUID]:
    """The messages whose claims stand in another block."""
    return frozenset().union(*(messages_of_atoms.get(atom, frozenset()) for atom in atoms))


def _says(line: str, atom: str, languages: Sequence[str]) -> bool:
    """Whether a line holds nearly all words of an atom."""
    wanted = words_of(atom, languages)
    return len(wanted & words_of(line, languages)) >= SAME_WORDS * len(wanted)


def words_of(text: str, languages: Sequence[str]) -> frozenset[str]:
    """The words of a text in all their forms, as search compares them."""
    return frozenset(term for term in analyse(text, languages=languages) if not term.startswith(PIECE_MARK))
