"""Reads what the graph shows, in a number of statements that does not grow with the memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import (
    Case,
    Count,
    IntegerField,
    Min,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from memory.fixed_queries import FixedQuery, one_of
from memory.models import (
    Atom,
    Entity,
    Line,
    Message,
    Scene,
    SceneVersion,
    Session,
    TraitVersion,
    VersionLine,
)
from memory.recall.connected import connected
from showcase.days import end_of, start_of
from showcase.graph.asked import Asked
from showcase.graph.receipts import read_receipts
from showcase.graph.rows import (
    GROUPS_LIMIT,
    LAYER_LIMIT,
    SHOWN_LIMIT,
    Claim,
    Group,
    Read,
    Said,
    SceneHead,
    SceneLine,
    TraitHead,
    key,
    topic_key,
)

SEEDS_LIMIT = 500
"""Rows that are followed when the graph is narrowed down."""
FOLLOWED, NEAR = "followed", "near"
Rows = TypeVar("Rows", bound=QuerySet[Any])


def read_graph(entity: Entity, asked: Asked) -> Read:
    """At most ten statements."""
    scenes, lines, traits = _scenes(entity), _lines(entity), _traits(entity)
    seeds = _seeds(entity, asked, lines, traits) if asked.is_narrowed else []
    groups = {FOLLOWED: seeds, NEAR: _around(asked, lines, traits)}
    found = connected(entity, **groups) if seeds or groups[NEAR] else {NEAR: frozenset()}
    followed = found.get(FOLLOWED, frozenset()) if asked.is_narrowed else None
    near = found[NEAR]
    lines = [line for line in lines if followed is None or line.id in followed]
    traits = [trait for trait in traits if followed is None or trait.version in followed]
    held = {line.scene for line in lines}
    all_sessions, topics = _sessions(entity, followed), _topics(entity, followed)
    sessions = [group for group in all_sessions if group.count]
    messages = _messages(entity, asked, followed, near, sessions)
    atoms = _atoms(entity, asked, followed, near, topics)
    return Read(
        all_sessions=tuple(all_sessions),
        sessions=tuple(sessions),
        messages=tuple(messages),
        topics=tuple(topics),
        atoms=tuple(atoms),
        scenes=tuple(scene for scene in scenes if followed is None or scene.id in held),
        lines=tuple(lines),
        traits=tuple(traits),
        receipts=read_receipts(
            entity,
            followed,
            messages=[message.id for message in messages],
            atoms=[atom.id for atom in atoms],
            sessions=[group.id for group in sessions[-GROUPS_LIMIT:] if group.id],
            topics=[group.name for group in topics[:GROUPS_LIMIT]],
            lines=[line.id for line in lines],
            traits=[trait.version for trait in traits],
        ),
        near=near,
        is_cut=len(seeds) >= SEEDS_LIMIT,
    )


def _owned(entity: Entity) -> dict[str, UUID]:
    return {"workspace": entity.workspace_id, "entity": entity.pk}


def _heads(*, workspace: UUID, entity: UUID) -> QuerySet[Any, Any]:
    heads = SceneVersion.objects.filter(workspace=workspace, entity=entity).live()
    return heads.values_list("scene_id", "title", "number")


_HEADS = FixedQuery(_heads, workspace=UUID, entity=UUID)


def _scenes(entity: Entity) -> list[SceneHead]:
    return [SceneHead(*row) for row in _HEADS.rows(**_owned(entity))]


def _places_of_lines(*, workspace: UUID, entity: UUID) -> QuerySet[Any, Any]:
    """Lines of current versions with their positions, and without one those that standing traits rest on.

    Two queries as one: to look for the position of each line takes ten times as long.
    """
    owned = {"workspace": workspace, "entity": entity}
    places = VersionLine.objects.filter(
        **owned, version__is_head=True, version__scene__status=Scene.Status.LIVE, line__erased_at=None
    ).order_by()
    receipts = TraitVersion.objects.filter(**owned).live().order_by().filter(evidence__line__isnull=False)
    under = Line.objects.filter(
        **owned, pk__in=receipts.values("evidence__line"), scene__status=Scene.Status.LIVE, erased_at=None
    )
    nowhere = Value(None, output_field=IntegerField())
    found = under.order_by().values_list("id", "scene_id", "section", "text", nowhere)
    stand = places.values_list("line_id", "version__scene_id", "line__section", "line__text", "position")
    return stand.union(found, all=True)


_LINES = FixedQuery(_places_of_lines, workspace=UUID, entity=UUID)


def _lines(entity: Entity) -> list[SceneLine]:
    """Lines of current versions, and of earlier ones where a trait still rests on them."""
    rows = [SceneLine(*row) for row in _LINES.rows(**_owned(entity))]
    stand = sorted((row for row in rows if row.position is not None), key=lambda row: (row.position, row.id))
    current = {row.id for row in stand}
    return stand + sorted((row for row in rows if row.id not in current), key=lambda row: row.id)


def _slots(*, workspace: UUID, entity: UUID) -> QuerySet[Any, Any]:
    heads = TraitVersion.objects.filter(workspace=workspace, entity=entity).live()
    return heads.values_list("trait_id", "id", "trait__slot", "text", "number")


_SLOTS = FixedQuery(_slots, workspace=UUID, entity=UUID)


def _traits(entity: Entity) -> list[TraitHead]:
    return [TraitHead(*row) for row in _SLOTS.rows(**_owned(entity))]


def _seeds(
    entity: Entity, asked: Asked, lines: Iterable[SceneLine], traits: Iterable[TraitHead]
) -> list[UUID]:
    """The rows that hold what is asked for. Sessions and times are those of messages."""
    messages = _said_in(Message.objects.for_entity(entity), entity, asked).order_by().values_list("pk")
    if not asked.follows_words_alone:
        return [id for (id,) in messages[:SEEDS_LIMIT]]
    atoms = Atom.objects.for_entity(entity).filter(text__icontains=asked.text).order_by().values_list("pk")
    wanted = asked.text.casefold()
    above = [line.id for line in lines if wanted in line.text.casefold()]
    above += [trait.version for trait in traits if wanted in trait.text.casefold()]
    return above + [id for (id,) in messages.union(atoms, all=True)[:SEEDS_LIMIT]]


def _said_in(messages: Rows, entity: Entity, asked: Asked) -> Rows:
    if asked.text:
        messages = messages.filter(text__icontains=asked.text)
    if asked.session:
        messages = messages.filter(session=asked.session)
    if asked.since:
        messages = messages.filter(occurred_at__gte=start_of(asked.since, entity.zone))
    if asked.until:
        messages = messages.filter(occurred_at__lt=end_of(asked.until, entity.zone))
    return messages


def _around(asked: Asked, lines: Iterable[SceneLine], traits: Iterable[TraitHead]) -> list[UUID]:
    """The row that stands out; a trait by its version, a scene by its lines."""
    if asked.at is None:
        return []
    of_scene = [line.id for line in lines if line.scene == asked.at]
    of_trait = [trait.version for trait in traits if trait.id == asked.at]
    return of_scene or of_trait or [asked.at]


def _within(rows: Rows, followed: Collection[UUID] | None) -> Rows:
    return rows if followed is None else rows.filter(pk__in=followed)


def _sessions(entity: Entity, followed: Collection[UUID] | None) -> list[Group]:
    """All of them in the order of their first words, with how many messages of each are followed."""
    if followed is None:
        counted = _ALL_SESSIONS.rows(**_owned(entity))
    else:
        counted = _SESSIONS.rows(**_owned(entity), followed=list(followed))
    return [Group(key("session", id), name, count, id=id) for id, name, count in counted]


def _said_by_session(
    *, workspace: UUID, entity: UUID, followed: list[UUID] | None = None
) -> QuerySet[Any, Any]:
    kept = Q() if followed is None else one_of("messages__pk", followed)
    sessions = Session.objects.filter(
        workspace=workspace, entity=entity, messages__workspace=workspace, messages__entity=entity
    )
    ordered = sessions.annotate(
        count=Count("messages", filter=kept), first=Min("messages__occurred_at")
    ).order_by(Coalesce("first", "created_at"), "created_at")
    counted: QuerySet[Any, Any] = ordered.values_list("id", "external_id", "count")
    return counted


_ALL_SESSIONS = FixedQuery(_said_by_session, workspace=UUID, entity=UUID)
_SESSIONS = FixedQuery(_said_by_session, workspace=UUID, entity=UUID, followed=list[UUID])


def _topics(entity: Entity, followed: Collection[UUID] | None) -> list[Group]:
    """The largest first."""
    if followed is None:
        counted = _ALL_TOPICS.rows(**_owned(entity))
    else:
        counted = _TOPICS.rows(**_owned(entity), followed=list(followed))
    return [Group(topic_key(topic), topic, count, past) for topic, count, past in counted]


def _atoms_by_topic(
    *, workspace: UUID, entity: UUID, followed: list[UUID] | None = None
) -> QuerySet[Any, Any]:
    atoms = Atom.objects.filter(workspace=workspace, entity=entity).order_by()
    kept = atoms if followed is None else atoms.filter(one_of("pk", followed))
    past = Count("pk", filter=~Q(status=Atom.Status.LIVE))
    counted: QuerySet[Any, Any] = kept.values_list("topic").annotate(count=Count("pk"), past=past)
    return counted.order_by("-count", "topic")


_ALL_TOPICS = FixedQuery(_atoms_by_topic, workspace=UUID, entity=UUID)
_TOPICS = FixedQuery(_atoms_by_topic, workspace=UUID, entity=UUID, followed=list[UUID])


def _messages(
    entity: Entity,
    asked: Asked,
    followed: Collection[UUID] | None,
    near: Collection[UUID],
    sessions: list[Group],
) -> list[Said]:
    opened = [group.id for group in sessions if group.key in asked.opened]
    if not (opened or near or _are_few(sessions)):
        return []
    rows = _within(Message.objects.for_entity(entity), followed)
    chosen = _chosen(rows, Q(session__in=opened), near, sessions)
    ordered = chosen.order_by("rank", "session__created_at", "session_id", "ordinal")[:SHOWN_LIMIT]
    found = ordered.values_list(
        "id", "session_id", "speaker", "role", "text", "occurred_at", "ordinal", "tool_name"
    )
    told = sorted(found, key=lambda row: (row[5] is None, row[5], row[6]))
    return [
        Said(id, key("session", session), speaker or role, text or f"calls {tool or 'a tool'}", at)
        for id, session, speaker, role, text, at, _, tool in told
    ]


def _atoms(
    entity: Entity,
    asked: Asked,
    followed: Collection[UUID] | None,
    near: Collection[UUID],
    topics: list[Group],
) -> list[Claim]:
    opened = [group.name for group in topics[:GROUPS_LIMIT] if group.key in asked.opened]
    if not (opened or near or _are_few(topics)):
        return []
    rows = _within(Atom.objects.for_entity(entity), followed)
    chosen = _chosen(rows, Q(topic__in=opened), near, topics).order_by("rank", "-priority", "seq")
    found = chosen[:SHOWN_LIMIT].values_list(
        "id", "topic", "chain_id", "kind", "priority", "status", "text", "superseded_by_id", "seq"
    )
    return [Claim(id, topic_key(topic), *rest) for id, topic, *rest in found]


def _chosen(rows: Rows, opened: Q, near: Collection[UUID], groups: Iterable[Group]) -> Any:
    """All rows of a small layer; of a large one what was opened, and before that what is connected."""
    if not _are_few(groups):
        rows = rows.filter(opened | Q(pk__in=near))
    rank = Case(When(pk__in=near, then=Value(0)), default=Value(1), output_field=IntegerField())
    return rows.annotate(rank=rank)


def _are_few(groups: Iterable[Group]) -> bool:
    """Whether all rows of a layer are shown, each for itself."""
    return sum(group.count for group in groups) <= LAYER_LIMIT
