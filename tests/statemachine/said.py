"""What the machine has said so far, and which of it should still be there."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from memory.models import Entity
from tests.stewardship.erasing.scanning import everything_of, fold


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
        """Words of erased messages that any row of the entity still holds."""
        rows = [fold(row) for rows in everything_of(entity).values() for row in rows]
        return {said.word for said in self.erased if any(said.word in row for row in rows)}
