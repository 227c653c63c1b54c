"""One thread through the ladder: a trait, a line it rests on, an atom below that, and the words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import QuerySet

from memory.models import Atom, Evidence, Message, Scene, Section, Trait, TraitVersion, VersionLine
from memory.recall.atoms import atom_record, with_receipts
from memory.recall.ladder import message_record
from showcase.access import Scope
from showcase.cards import SLOTS, atom_card, message_card
from showcase.links import record_url
from showcase.parts import Card, Fact

LINES_TRIED = 200
ATOMS_TRIED = 50


@dataclass(frozen=True)
class Thread:
    """The ids along the way; a layer that it does not reach is None."""

    message: UUID
    atom: UUID | None = None
    line: UUID | None = None
    trait: UUID | None = None
    """A version of it."""


def thread_of(scope: Scope) -> tuple[Card, ...]:
    """The highest thread there is, words first, each card resting on the one before.

    Of several the one with the weightiest atom. Without atoms it is the latest message alone, or nothing.
    At most nine statements.
    """
    for find in (_from_traits, _from_scenes, _from_atoms, _from_words):
        thread = find(scope)
        if thread is not None:
            ids = {kind: getattr(thread, kind) for kind in _CARDS}
            return tuple(_CARDS[kind](scope, id) for kind, id in ids.items() if id is not None)
    return ()


def _from_traits(scope: Scope) -> Thread | None:
    live = _evidence(scope).filter(
        of_trait_version__is_head=True,
        of_trait_version__trait__status=Trait.Status.LIVE,
        line__places__version__is_head=True,
    )
    traits = dict(live.values_list("line", "of_trait_version"))
    thread = _from_lines(scope, traits)
    return replace(thread, trait=traits[thread.line]) if thread and thread.line else None


def _from_scenes(scope: Scope) -> Thread | None:
    places = VersionLine.objects.filter(
        workspace_id=scope.entity.workspace_id,
        entity=scope.entity,
        version__is_head=True,
        version__scene__status=Scene.Status.LIVE,
    )
    return _from_lines(scope, places.values_list("line", flat=True)[:LINES_TRIED])


def _from_lines(scope: Scope, lines: Iterable[UUID]) -> Thread | None:
    """Down from the line with the weightiest atom for which somebody's words are there."""
    rests = _evidence(scope).filter(of_line__in=list(lines), atom__status=Atom.Status.LIVE)
    weightiest = rests.order_by("-atom__priority", "pk").values_list("atom", "of_line")
    pairs = list(weightiest[:ATOMS_TRIED])
    receipts = _said(scope).filter(of_atom__in=[atom for atom, _ in pairs])
    # The first words come last, and stay: those that were said again only repeat them.
    words = dict(receipts.order_by("role", "-pk").values_list("of_atom", "message"))
    threads = (Thread(words[atom], atom, line) for atom, line in pairs if atom in words)
    return next(threads, None)


def _from_atoms(scope: Scope) -> Thread | None:
    rows = _said(scope).filter(of_atom__status=Atom.Status.LIVE)
    path = rows.order_by("-of_atom__priority", "pk").values_list("message", "of_atom").first()
    return Thread(*path) if path else None


def _from_words(scope: Scope) -> Thread | None:
    latest = Message.objects.for_entity(scope.entity).exclude(text="").order_by("-seq")
    found = latest.values_list("pk", flat=True).first()
    return Thread(found) if found else None


def _said(scope: Scope) -> QuerySet[Evidence]:
    """Receipts that are somebody's words."""
    return _evidence(scope).filter(message__role=Message.Role.USER, message__text__gt="")


def _evidence(scope: Scope) -> QuerySet[Evidence]:
    return Evidence.objects.filter(workspace_id=scope.entity.workspace_id, entity=scope.entity)


def _message(scope: Scope, id: UUID) -> Card:
    row = Message.objects.for_entity(scope.entity).select_related("session").get(pk=id)
    return message_card(scope, message_record(row, scope.entity))


def _atom(scope: Scope, id: UUID) -> Card:
    return atom_card(scope, atom_record(with_receipts(Atom.objects.for_entity(scope.entity)).get(pk=id)))


def _line(scope: Scope, id: UUID) -> Card:
    place = VersionLine.objects.select_related("line", "version").get(
        line=id, version__is_head=True, entity=scope.entity
    )
    return Card(
        kind="line",
        id=id,
        text=place.line.text,
        title=place.version.title,
        url=record_url(scope, "scene", place.version.scene_id),
        facts=(
            Fact("section", str(Section(place.line.section).label)),
            Fact("version", str(place.version.number)),
        ),
    )


def _trait(scope: Scope, id: UUID) -> Card:
    version = TraitVersion.objects.for_entity(scope.entity).select_related("trait").get(pk=id)
    return Card(
        kind="trait",
        id=version.trait_id,
        text=version.text,
        title=SLOTS[version.trait.slot],
        url=record_url(scope, "trait", version.trait_id),
    )


_CARDS: Mapping[str, Callable[[Scope, UUID], Card]] = {
    "message": _message,
    "atom": _atom,
    "line": _line,
    "trait": _trait,
}
