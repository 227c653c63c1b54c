"""Reading single records with their evidence and their history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from memory.client.asking import Asking
from memory.client.exchange import Flow
from memory.client.given import names, told
from memory.client.record_results import Changes, ChangesReply, Message, ReadAtom, ReadMessage, Trait
from memory.client.running import Pages, door, listing
from memory.client.scene_results import (
    DifferenceReply,
    PersonaReply,
    Scene,
    SceneDifference,
    SceneSummary,
    SceneVersion,
    SceneVersionSummary,
    VersionReply,
    Wording,
)

Id = UUID | str


class ReadingDoors(Asking):
    """Messages, atoms, scenes and traits."""

    @listing
    def messages(
        self,
        *,
        entity: str,
        session: str | None = None,
        role: Sequence[str] | str = (),
        speaker: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
    ) -> Pages[Message]:
        """What was said word for word, in the order of storing; of all sessions or of one by its name."""
        query = told(
            entity=entity, session=session, role=names(role), speaker=speaker, since=since, until=until
        )
        return self._pages(Message, "records", "records", limit=limit, query=query)

    @door
    def message(self, message_id: Id) -> Flow[ReadMessage]:
        """A message with what was taken from it."""
        return (yield from self._read(ReadMessage, "GET", f"records/{UUID(str(message_id))}"))

    @door
    def changes(self, message_id: Id) -> Flow[Changes]:
        """What a message did to every layer so far."""
        path = f"records/{UUID(str(message_id))}/changes"
        return (yield from self._read(ChangesReply, "GET", path)).changes

    @door
    def changes_of(self, message_ids: Iterable[Id], *, entity: str) -> Flow[Changes]:
        """What several messages, at most a hundred, did together: each row once."""
        query = told(entity=entity, record=tuple(UUID(str(id)) for id in message_ids))
        return (yield from self._read(ChangesReply, "GET", "records/changes", query=query)).changes

    @door
    def atom(self, atom_id: Id) -> Flow[ReadAtom]:
        """An atom with the words below it and the lines above it."""
        return (yield from self._read(ReadAtom, "GET", f"atoms/{UUID(str(atom_id))}"))

    @listing
    def scenes(
        self, *, entity: str, status: Sequence[str] | str = (), limit: int | None = None
    ) -> Pages[SceneSummary]:
        """Scenes in slot order, ended ones (`merged`, `retired`) after those that live."""
        query = told(entity=entity, status=names(status))
        return self._pages(SceneSummary, "scenes", "scenes", limit=limit, query=query)

    @door
    def scene(self, scene_id: Id, *, number: int | None = None) -> Flow[Scene]:
        """A scene with its current version line by line, or with an earlier one."""
        return (yield from self._read(Scene, "GET", _scene(scene_id), query=told(number=number)))

    @listing
    def scene_versions(self, scene_id: Id, *, limit: int | None = None) -> Pages[SceneVersionSummary]:
        """The versions of a scene, newest first, each with how many lines it changed."""
        path = f"{_scene(scene_id)}/versions"
        return self._pages(SceneVersionSummary, path, "versions", limit=limit, query={})

    @door
    def scene_version(self, scene_id: Id, number: int) -> Flow[SceneVersion]:
        """One version of a scene line by line."""
        path = f"{_scene(scene_id)}/versions/{number}"
        return (yield from self._read(VersionReply, "GET", path)).version

    @door
    def scene_difference(
        self, scene_id: Id, *, from_number: int | None = None, to_number: int | None = None
    ) -> Flow[SceneDifference]:
        """What changed between two versions, line by line and word by word; without numbers the last one."""
        query = told(from_number=from_number, to_number=to_number)
        path = f"{_scene(scene_id)}/difference"
        return (yield from self._read(DifferenceReply, "GET", path, query=query)).difference

    @door
    def persona(self, *, entity: str) -> Flow[tuple[Trait, ...]]:
        """The live traits, one a slot."""
        return (yield from self._read(PersonaReply, "GET", "persona", query={"entity": entity})).traits

    @listing
    def wordings(self, trait_id: Id, *, limit: int | None = None) -> Pages[Wording]:
        """What a trait has said, newest first, each with its author and the lines under it."""
        path = f"persona/{UUID(str(trait_id))}/versions"
        return self._pages(Wording, path, "versions", limit=limit, query={})


def _scene(scene_id: Id) -> str:
    return f"scenes/{UUID(str(scene_id))}"
