"""What people decided, respected by extraction: looked at again when a run commits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.cascade.l1_judging import Extracted
from memory.cascade.offering import said_words
from memory.cascade.rulings import Ruling, overruling, rulings_of
from memory.cascade.sameness import adds, states
from memory.models import Atom, Entity, Message


@dataclass(frozen=True, slots=True)
class Respect:
    """The decisions about claims, and the messages that a batch's items cite."""

    rulings: Sequence[Ruling]
    messages: Mapping[UUID, Message]

    @classmethod
    def read(cls, entity: Entity, cited: Collection[UUID]) -> Respect:
        """Within the committing transaction; nothing is read of messages where nobody decided anything."""
        rulings = rulings_of(entity)
        rows = Message.objects.for_entity(entity).filter(pk__in=set(cited)) if rulings else ()
        return cls(rulings, {message.pk: message for message in rows})

    def against(self, item: Extracted, replaced: Sequence[Atom]) -> Ruling | None:
        """The decision that a claim goes against with no words behind it that were said since; else None.

        It goes against one by saying in the same or other words what a person took back, replaced or wrote,
        or by taking the place of what a person wrote.
        """
        if item.decision.action == "skip" or not self.rulings:
            return None
        text = item.decision.text
        for ruling in overruling(self.rulings, text):
            is_repeat = ruling.kind == "written" and ruling.atom.text == text and ruling.atom not in replaced
            if not is_repeat and not states(text, *self._said_since(item, ruling)):
                return ruling
        targets = {atom.pk for atom in replaced}
        for ruling in self.rulings:
            if ruling.kind == "written" and ruling.atom.pk in targets and not self._is_news(item, ruling):
                return ruling
        return None

    def _is_news(self, item: Extracted, ruling: Ruling) -> bool:
        words, names = self._said_since(item, ruling)
        text = item.decision.text
        return adds(text, words, ruling.atom.text) or states(text, words, names)

    def _said_since(self, item: Extracted, ruling: Ruling) -> tuple[list[str], list[str]]:
        """Words and speakers of the cited messages that were said after the decision."""
        newer = [
            message
            for message_id in item.messages
            if (message := self.messages.get(message_id)) is not None
            and (message.occurred_at or message.recorded_at) > ruling.decided_at
        ]
        speakers = [message.speaker for message in newer if message.speaker]
        return [said_words(message) for message in newer], speakers
