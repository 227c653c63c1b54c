"""What the machine has said so far, and which of it should still be there."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from memory.indexing.analyser import fold
from memory.indexing.units import hash_of
from memory.models import Entity, SearchUnit, TermCount
from tests.statemachine.embedding import RememberingEmbedder
from tests.stewardship.erasing.scanning import everything_of


@dataclass(frozen=True)
class Said:
    """A message as it was sent, with a word that stands in no other one."""

    id: UUID
    key: str
    session: str
    text: str
    word: str
    minute: int | None


@dataclass
class Ledger:
    """The machine's own account, kept beside the database."""

    embedder: RememberingEmbedder
    stored: dict[UUID, Said] = field(default_factory=dict)
    erased: list[Said] = field(default_factory=list)
    words: int = 0

    def new_word(self) -> str:
        """A word that was not said before."""
        self.words += 1
        return f"zumbak{self.words}q"

    def note_erased(self, gone: list[Said]) -> None:
        for said in gone:
            self.erased.append(self.stored.pop(said.id))

    def words_that_came_back(self, entity: Entity) -> set[str]:
        """Words of erased messages that any row of the entity still holds, as text, hash or vector."""
        return self.words_held(entity, {said.word for said in self.erased})

    def words_held(self, entity: Entity, words: set[str]) -> set[str]:
        """Those of some words that any row of the entity holds."""
        if not words:
            return set()
        rows = [fold(row) for rows in everything_of(entity).values() for row in rows]
        terms = _terms(entity)
        told = {word for word in words if any(word in row for row in rows)}
        hashed = {word for word in words if hash_of(entity.pk.bytes, word) in terms}
        return told | hashed | self.embedder.kept_of(entity, words)


def _terms(entity: Entity) -> set[int]:
    """By what its units are found, as hashes."""
    of_units = SearchUnit.objects.filter(entity=entity).values_list("terms", flat=True)
    counted = TermCount.objects.filter(entity=entity).values_list("term", flat=True)
    return {*counted, *(term for terms in of_units for term in terms)}
