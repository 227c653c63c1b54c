"""What depends on claims and words that may be forgotten."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any
from uuid import UUID

from memory.models import Atom, Entity, Evidence, GraphEdge, Message, SceneVersion, TraitVersion, VersionLine
from memory.stewardship.forgetting_records import Match, Words


class Dependents:
    """What rests on some claims and messages, read in a fixed number of statements."""

    def __init__(self, entity: Entity, atoms: Sequence[Atom], raw: Sequence[Message]) -> None:
        self._entity = entity
        self._atoms = [atom.pk for atom in atoms]
        self._raw = {message.pk: message for message in raw}

    def _pairs(self, key: str, value: str, keys: Collection[UUID]) -> dict[UUID, list[UUID]]:
        rows = Evidence.objects.filter(
            workspace_id=self._entity.workspace_id,
            entity_id=self._entity.pk,
            **{f"{key}__in": list(keys), f"{value}__isnull": False},
        )
        found: dict[UUID, list[UUID]] = defaultdict(list)
        for one, other in rows.order_by("id").values_list(key, value):
            found[one].append(other)
        return found

    @cached_property
    def messages_of(self) -> dict[UUID, list[UUID]]:
        """The messages under each claim."""
        return self._pairs("of_atom_id", "message_id", self._atoms)

    @cached_property
    def words(self) -> dict[UUID, Words]:
        """Every message, as it is shown."""
        wanted = {pk for found in self.messages_of.values() for pk in found} - self._raw.keys()
        rows = Message.objects.for_entity(self._entity).filter(pk__in=wanted).select_related("session")
        return {message.pk: self._shown(message) for message in (*self._raw.values(), *rows)}

    def _shown(self, message: Message) -> Words:
        return Words(
            id=message.pk,
            session=message.session.external_id,
            speaker=message.speaker or message.role,
            text=message.text or message.attachment_text,
            said_at=message.occurred_at and message.occurred_at.astimezone(self._entity.zone),
        )

    @cached_property
    def atoms_on(self) -> dict[UUID, list[UUID]]:
        """The claims on each message, those included that were not asked for."""
        return self._pairs("message_id", "of_atom_id", self.words.keys())

    @cached_property
    def texts(self) -> dict[UUID, str]:
        """What each claim says."""
        everything = {pk for found in self.atoms_on.values() for pk in found} | set(self._atoms)
        rows = Atom.objects.for_entity(self._entity).filter(pk__in=everything)
        return dict(rows.order_by("seq").values_list("pk", "text"))

    @cached_property
    def lines_on(self) -> dict[UUID, list[UUID]]:
        """The lines on each claim."""
        return self._pairs("atom_id", "of_line_id", self.texts.keys())

    @cached_property
    def standing(self) -> dict[UUID, str]:
        """The lines that stand in live scenes."""
        everything = {pk for found in self.lines_on.values() for pk in found}
        live = SceneVersion.objects.for_entity(self._entity).live().order_by().values("pk")
        places = VersionLine.objects.filter(line__in=everything, version__in=live, line__erased_at=None)
        return dict(places.order_by("line_id").values_list("line_id", "line__text"))

    @cached_property
    def traits_on(self) -> dict[UUID, list[str]]:
        """The live traits on each line."""
        versions = self._pairs("line_id", "of_trait_version_id", self.standing.keys())
        live = TraitVersion.objects.for_entity(self._entity).live()
        texts = dict(live.filter(pk__in=_all(versions)).values_list("pk", "text"))
        return {line: [texts[pk] for pk in found if pk in texts] for line, found in versions.items()}

    @cached_property
    def digests_on(self) -> dict[UUID, list[UUID]]:
        """The digests that cover each message."""
        return self._pairs("message_id", "of_digest_id", self.words.keys())

    @cached_property
    def edges(self) -> set[UUID]:
        """The claims that stand in the graph."""
        rows = GraphEdge.objects.for_entity(self._entity).filter(atom__in=list(self.texts))
        return set(rows.values_list("atom_id", flat=True))

    def match(self, subject: Atom | Message, *, is_chosen: bool, reason: str) -> Match:
        """A claim or a message with all that depends on it."""
        is_claim = isinstance(subject, Atom)
        messages = self.messages_of.get(subject.pk, []) if is_claim else [subject.pk]
        atoms = _ordered(pk for message in messages for pk in self.atoms_on.get(message, ()))
        also = [pk for pk in atoms if pk != subject.pk]
        lines = _ordered(line for pk in (subject.pk, *also) for line in self.lines_on.get(pk, ()))
        return Match(
            id=subject.pk,
            kind="memory" if is_claim else "message",
            text=subject.text,
            status=subject.status if isinstance(subject, Atom) else "raw",
            is_chosen=is_chosen,
            reason=reason,
            messages=tuple(self.words[pk] for pk in messages),
            also=tuple(self.texts[pk] for pk in also),
            lines=tuple(self.standing[line] for line in lines if line in self.standing),
            traits=tuple(_ordered(text for line in lines for text in self.traits_on.get(line, ()))),
            digests=len({pk for message in messages for pk in self.digests_on.get(message, ())}),
            edges=len(self.edges & {subject.pk, *also}),
        )


def _all(found: dict[UUID, list[UUID]]) -> list[UUID]:
    return [pk for values in found.values() for pk in values]


def _ordered(values: Iterable[Any]) -> list[Any]:
    """Each once, in the order of their first appearance."""
    return list(dict.fromkeys(values))
