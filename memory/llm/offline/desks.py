"""A scene as one run works on it: topics, length, edits, and the title that follows from them.

Nothing here depends on whether a scene was shown in full, so that any split into runs gives the same scenes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from memory.cascade.contract import TITLE_LIMIT, LineEdit, OfferedAtom, OfferedLine, OfferedScene
from memory.llm.offline.themes import area_of
from memory.llm.offline.titles import (
    grounded_title,
    is_personal_title,
    joined_title,
    owner_of,
    particulars,
    personal_title,
    theme_name,
)
from memory.llm.offline.words import content_words

WORKING_WITH = "working with "
NO_TOPIC = "notes"
VARIOUS = "various notes"
"""What a scene of unrelated small things is called."""
PERSONAL_OPENINGS = (WORKING_WITH, "about ")
PART = re.compile(r", part \d+$")


@dataclass(slots=True, eq=False)
class Desk:
    """A live scene, or one about to be created (no `scene`)."""

    topics: Counter[str]
    """How many claims are of each."""
    heads: tuple[str, ...] = ()
    """The pieces of work that it is named after; none for a scene of somebody's life."""
    given_title: str = ""
    """A title that a person wrote."""
    scene: OfferedScene | None = None
    absorbed: list[OfferedScene] = field(default_factory=list)
    """Live scenes that are merged into this one."""
    characters: int = 0
    said: frozenset[str] = frozenset()
    """Words of its title and of the claims placed in this run; see `particulars`."""
    edits: list[LineEdit] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What it is called by now, before titles are told apart."""
        return self.given_title or (
            _title_of_work(self.heads, self.said) if self.heads else _title_of_life(self.topics, self.said)
        )

    @property
    def lines(self) -> Iterator[OfferedLine]:
        """Its lines as far as they are shown, those of absorbed scenes too."""
        for scene in (*([self.scene] if self.scene else []), *self.absorbed):
            yield from scene.lines

    @property
    def words(self) -> frozenset[str]:
        """What it is about, whoever it is about."""
        named = [theme_name(topic) if owner_of(topic) else topic for topic in self.topics]
        return content_words(" ".join([*sorted(named), self.given_title]))

    @property
    def people(self) -> frozenset[str]:
        """The persons whose topics it holds."""
        return frozenset(person for topic in self.topics if (person := person_of(topic)))

    @property
    def areas(self) -> Mapping[str, float]:
        """The areas of life it touches, each with its share of the claims."""
        counts: Counter[str] = Counter()
        for topic, count in self.topics.items():
            # The claim for which a scene is opened is placed and counted after this.
            counts[area_of(theme_name(topic)) if owner_of(topic) else ""] += max(1, count)
        return {area: count / counts.total() for area, count in counts.items()}

    @property
    def is_of_manners(self) -> bool:
        """Whether it holds how to work with somebody."""
        return any(topic.startswith(WORKING_WITH) for topic in self.topics)

    def take(self, atom: OfferedAtom, edit: LineEdit, *, instead_of: OfferedLine | None = None) -> None:
        """Add or replace a line; a claim in the place of another, and its record, count no further."""
        self.edits.append(edit)
        self.characters += len(edit.text) - (len(instead_of.text) if instead_of else 0)
        is_counted = instead_of is None and edit.section != "evolution_record"
        self.topics[atom.topic or NO_TOPIC] += is_counted
        self.said |= particulars([atom.text, atom.subject])


def desk_of(scene: OfferedScene) -> Desk:
    """A desk over a live scene."""
    counts = scene.topic_counts or (1,) * len(scene.topics)
    topics = Counter(dict(zip(scene.topics, counts, strict=True)))
    said = particulars([scene.title])
    title = PART.sub("", scene.title)
    heads = _heads_of(title, topics, said)
    is_by_rule = bool(heads) or _is_title_of_life(title, topics, said)
    return Desk(
        topics,
        heads,
        given_title="" if is_by_rule else scene.title,
        scene=scene,
        characters=scene.characters,
        said=said,
    )


def new_desk(atom: OfferedAtom) -> Desk:
    """A desk for a scene to be created, without the claim as yet."""
    heads = () if person_of(atom.topic) else (atom.topic,)
    topics = Counter({atom.topic: 0})
    return Desk(topics, heads, said=particulars([atom.text, atom.subject]))


def merge(larger: Desk, smaller: Desk, order: Sequence[str]) -> Desk:
    """The one of two desks that stays, with all of both: a live scene rather than one about to be created.

    `order` holds the handles of claims in the order in which they were said.
    """
    stays, goes = (larger, smaller) if larger.scene or not smaller.scene else (smaller, larger)
    places = {handle: place for place, handle in enumerate(order)}
    stays.heads = _joined_heads(larger, smaller)
    stays.given_title = larger.given_title or smaller.given_title
    stays.topics = Counter(
        {topic: larger.topics[topic] + smaller.topics[topic] for topic in (*larger.topics, *smaller.topics)}
    )
    stays.said = larger.said | smaller.said
    stays.absorbed += [*([goes.scene] if goes.scene else []), *goes.absorbed]
    stays.characters += goes.characters
    stays.edits = sorted(
        [*stays.edits, *goes.edits], key=lambda edit: places[edit.atoms[0]] if edit.atoms else -1
    )
    return stays


def titles_apart(desks: Iterable[Desk]) -> Mapping[int, str]:
    """The title of each desk by its place; live scenes keep theirs, equal ones get a number."""
    desks = list(desks)
    taken: set[str] = set()
    titles: dict[int, str] = {}
    for place, desk in sorted(enumerate(desks), key=lambda pair: pair[1].scene is None):
        stored = desk.scene.title if desk.scene else ""
        title = stored if PART.sub("", stored) == desk.title else _free(desk.title, taken)
        taken.add(title.casefold())
        titles[place] = title
    return titles


def person_of(topic: str) -> str:
    """Whose life a topic tells of («Ann's music», «about Ann»); empty for a piece of work or a thing."""
    opening = next((opening for opening in PERSONAL_OPENINGS if topic.startswith(opening)), "")
    return topic.removeprefix(opening) if opening else owner_of(topic)


def _free(title: str, taken: set[str]) -> str:
    numbered = (f"{title[: TITLE_LIMIT - 8]}, part {number}" for number in range(2, len(taken) + 3))
    return next(name for name in (title, *numbered) if name.casefold() not in taken)


def _title_of_life(topics: Mapping[str, int], said: frozenset[str]) -> str:
    """By how to work with somebody, else by themes, else by whom it is about; empty without a person."""
    personal = sorted(topic for topic in topics if person_of(topic))
    manners = [topic for topic in personal if topic.startswith(WORKING_WITH)]
    themes = {topic: topics[topic] for topic in personal if owner_of(topic)}
    if themes and not manners:
        return personal_title(themes, said)
    return grounded_title((manners or personal)[0], said) if personal else ""


def _is_title_of_life(title: str, topics: Mapping[str, int], said: frozenset[str]) -> bool:
    owners = {owner for topic in topics if (owner := owner_of(topic))}
    plain = {grounded_title(topic, said) for topic in topics if person_of(topic) and not owner_of(topic)}
    return title in plain or is_personal_title(title, owners)


def _title_of_work(heads: Sequence[str], said: frozenset[str]) -> str:
    first, *others = (grounded_title(head, said) for head in heads)
    return joined_title(first, others[0]) if others else first


def _heads_of(title: str, topics: Iterable[str], said: frozenset[str]) -> tuple[str, ...]:
    """The topics that the title was made of; none when it was made otherwise."""
    work = sorted(topic for topic in topics if not person_of(topic))
    candidates = [
        (VARIOUS,),
        *((topic,) for topic in work),
        *(permutations(work, 2) if " and " in title else ()),
    ]
    return next((heads for heads in candidates if _title_of_work(heads, said) == title), ())


def _joined_heads(larger: Desk, smaller: Desk) -> tuple[str, ...]:
    heads = (*larger.heads, *smaller.heads)
    if len(heads) <= 2 and (larger.words & smaller.words or not smaller.heads):
        return heads
    return larger.heads if larger.words & smaller.words else (VARIOUS,)
