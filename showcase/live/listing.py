"""Rows of one layer, the newest first: narrowed down by state, text and time, page by page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from memory.models import Atom, Entity, Message, Scene, SceneVersion, TraitVersion, VersionLine
from memory.recall import ladder
from memory.recall.atoms import atom_record
from showcase.access import Scope
from showcase.cards import atom_card, message_card, trait_card
from showcase.links import record_url, version_url
from showcase.live.forms import RowsForm
from showcase.parts import Card, Fact
from showcase.receipts import receipts_of

PAGE_SIZE = 25


@dataclass(frozen=True, slots=True)
class Rows:
    """One page of a list. `newer` and `older` are the numbers that its ends lie at; None at an end."""

    cards: tuple[Card, ...]
    newer: int | None
    older: int | None


def list_rows(scope: Scope, form: RowsForm, *, before: int | None = None, after: int | None = None) -> Rows:
    """A page of what a valid form asks for, in one statement, and one more for receipts."""
    wanted = form.cleaned_data
    rows = _LAYERS[wanted["layer"]](scope.entity, wanted["state"])
    rows = _narrowed(rows, wanted["layer"], wanted["text"], form)
    if after is not None:
        found = list(rows.filter(seq__gt=after).order_by("seq")[: PAGE_SIZE + 1])
        shown = found[:PAGE_SIZE][::-1]
        has_newer, has_older = len(found) > PAGE_SIZE, True
    else:
        older = rows if before is None else rows.filter(seq__lt=before)
        found = list(older.order_by("-seq")[: PAGE_SIZE + 1])
        shown = found[:PAGE_SIZE]
        has_newer, has_older = before is not None, len(found) > PAGE_SIZE
    return Rows(
        _CARDS[wanted["layer"]](scope, shown),
        shown[0].seq if shown and has_newer else None,
        shown[-1].seq if shown and has_older else None,
    )


def _messages(entity: Entity, state: str) -> QuerySet[Any]:
    rows = Message.objects.for_entity(entity).select_related("session").defer("metadata")
    return {"history": rows.none, "pending": rows.pending, "parked": rows.parked}.get(state, rows.all)()


def _atoms(entity: Entity, state: str) -> QuerySet[Any]:
    rows = Atom.objects.for_entity(entity).select_related("entity").defer("terms")
    # Cards show the receipts themselves.
    counted = rows.annotate(receipts=Value(0))
    return {
        "holds": counted.live,
        "history": counted.dead,
        "pending": counted.pending,
        "parked": counted.parked,
    }.get(state, counted.all)()


def _scenes(entity: Entity, state: str) -> QuerySet[Any]:
    rows = SceneVersion.objects.for_entity(entity).select_related("scene")
    holds = Q(is_head=True, scene__status=Scene.Status.LIVE)
    if state in ("holds", "history"):
        return rows.filter(holds) if state == "holds" else rows.exclude(holds)
    return {"pending": rows.pending, "parked": rows.parked}.get(state, rows.all)()


def _traits(entity: Entity, state: str) -> QuerySet[Any]:
    rows = TraitVersion.objects.for_entity(entity).select_related("trait").annotate(receipts=Value(0))
    holds = Q(is_head=True, trait__status="live")
    if state in ("holds", "history"):
        return rows.filter(holds) if state == "holds" else rows.exclude(holds)
    return rows if state == "all" else rows.none()


def _narrowed(rows: QuerySet[Any], layer: str, text: str, form: RowsForm) -> QuerySet[Any]:
    since, until = form.instants()
    at = "recorded_at" if layer == "L0" else "created_at"
    dated = rows.annotate(at=Coalesce("occurred_at", at)) if layer in ("L0", "L1") else rows
    at = "at" if layer in ("L0", "L1") else at
    if since is not None:
        dated = dated.filter(**{f"{at}__gte": since})
    if until is not None:
        dated = dated.filter(**{f"{at}__lt": until})
    return dated.filter(_HOLDS[layer](text)) if text else dated


def _scene_holds(text: str) -> Q:
    lines = VersionLine.objects.filter(version=OuterRef("pk"), line__text__icontains=text)
    return Q(title__icontains=text) | Q(summary__icontains=text) | Q(Exists(lines))


_HOLDS: Mapping[str, Callable[[str], Q]] = {
    "L0": lambda text: Q(text__icontains=text) | Q(attachment_text__icontains=text),
    "L1": lambda text: Q(text__icontains=text),
    "L2": _scene_holds,
    "L3": lambda text: Q(text__icontains=text),
}
_LAYERS: Mapping[str, Callable[[Entity, str], QuerySet[Any]]] = {
    "L0": _messages,
    "L1": _atoms,
    "L2": _scenes,
    "L3": _traits,
}


def _message_cards(scope: Scope, rows: list[Any]) -> tuple[Card, ...]:
    return tuple(message_card(scope, ladder.message_record(row, scope.entity)) for row in rows)


def _atom_cards(scope: Scope, rows: list[Any]) -> tuple[Card, ...]:
    receipts = receipts_of(scope, [row.pk for row in rows])
    return tuple(atom_card(scope, atom_record(row), receipts[row.pk]) for row in rows)


def _scene_cards(scope: Scope, rows: list[SceneVersion]) -> tuple[Card, ...]:
    return tuple(_scene_card(scope, row) for row in rows)


def _scene_card(scope: Scope, row: SceneVersion) -> Card:
    is_current = row.is_head and row.scene.status == Scene.Status.LIVE
    url = record_url(scope, "scene", row.scene_id)
    return Card(
        kind="scene",
        id=row.scene_id,
        text=row.summary or row.title,
        title=row.title,
        url=url if is_current else version_url(scope, row.scene_id, row.number),
        at=row.created_at.astimezone(scope.entity.zone),
        facts=(Fact("version", str(row.number)),),
        state="" if is_current else row.scene.get_status_display() if row.is_head else "earlier version",
    )


def _trait_cards(scope: Scope, rows: list[TraitVersion]) -> tuple[Card, ...]:
    receipts = receipts_of(scope, [row.pk for row in rows])
    return tuple(trait_card(scope, ladder.trait_record(row), receipts[row.pk]) for row in rows)


_CARDS: Mapping[str, Callable[[Scope, list[Any]], tuple[Card, ...]]] = {
    "L0": _message_cards,
    "L1": _atom_cards,
    "L2": _scene_cards,
    "L3": _trait_cards,
}
