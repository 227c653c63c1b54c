"""Where a claim belongs among the scenes: by topic, then by shared words, at the cap in the nearest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memory.cascade.contract import TITLE_LIMIT, LineEdit, OfferedScene
from memory.llm.offline.titles import title_of
from memory.llm.offline.topics import distinctive, is_undertaking
from memory.llm.offline.words import content_words, likeness

ROOM_CHARACTERS = 5_200
"""Below the hard limit of a scene by more than one claim with its history."""
USUAL_LINE = 100


@dataclass(slots=True)
class Desk:
    """A scene as this run works on it: a live one, or one about to be created (no handle)."""

    title: str
    topics: set[str]
    scene: OfferedScene | None = None
    summary: str = ""
    edits: list[LineEdit] = field(default_factory=list)

    @property
    def has_room(self) -> bool:
        """Whether another line fits; a scene shown by summary is measured by its claims."""
        lines = self.scene.lines if self.scene else ()
        stored = sum(len(line.text) for line in lines) or (
            self.scene.atom_count * USUAL_LINE if self.scene else 0
        )
        return stored + sum(len(edit.text) for edit in self.edits) < ROOM_CHARACTERS

    @property
    def words(self) -> frozenset[str]:
        """What the scene is about, for finding the nearest."""
        return content_words(" ".join([self.title, self.summary, *sorted(self.topics)]))


def desk_of(scene: OfferedScene) -> Desk:
    """A desk over a live scene."""
    return Desk(scene.title, {topic.casefold() for topic in scene.topics}, scene, scene.summary)


def fitting_desk(topic: str, desks: Iterable[Desk]) -> Desk | None:
    """The desk with room that holds a topic already, else one of its title, else of its undertaking."""
    with_room = [desk for desk in desks if desk.has_room]
    title = title_of(topic).casefold()
    fits = (
        [desk for desk in with_room if topic.casefold() in desk.topics]
        or [desk for desk in with_room if desk.title.casefold() == title]
        or [desk for desk in with_room if _same_undertaking(topic, desk)]
    )
    return fits[0] if fits else None


def free_title(topic: str, desks: Iterable[Desk]) -> str:
    """The topic's title, with a number where scenes of that title are full."""
    taken = {desk.title.casefold() for desk in desks}
    title = title_of(topic)
    numbered = (f"{title[: TITLE_LIMIT - 8]}, part {number}" for number in range(2, len(taken) + 3))
    return (
        title
        if title.casefold() not in taken
        else next(name for name in numbered if name.casefold() not in taken)
    )


def nearest_desk(topic: str, text: str, desks: Iterable[Desk]) -> Desk:
    """The desk with most in common: one with room, of the same person, with most shared words."""
    owner = topic.partition("'s ")[0].casefold()
    words = content_words(f"{topic} {text}")

    def closeness(desk: Desk) -> tuple[bool, bool, float, str]:
        is_of_same = desk.title.casefold().startswith(owner)
        return desk.has_room, is_of_same, likeness(words, desk.words), desk.title

    return max(desks, key=closeness)


def _same_undertaking(topic: str, desk: Desk) -> bool:
    own = distinctive(topic)
    if not is_undertaking(topic) or not own:
        return False
    return any(
        is_undertaking(other) and own == distinctive(other)
        for other in (desk.title.casefold(), *sorted(desk.topics))
    )
