"""What of an answer may stand for a session: within its limit, and grounded in the turns it is made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from memory.cascade.compaction_contract import DigestAction, DigestItem
from memory.cascade.contract import Refusal
from memory.cascade.offering import said_words
from memory.cascade.rules.digest_text import cut_to, without
from memory.cascade.rules.grounding import Ground, dates_said
from memory.cascade.stage import Judged, RefusedError
from memory.ingest.tool_calls import read_tool_calls
from memory.models import Entity, Message, Session

ROLE_NAMES = ("User", "Assistant", "Agent", "Tool", "System")
"""Who speaks, where nobody has a name; models write them with a capital."""


def ground_of(entity: Entity, session: Session, turns: Sequence[Message], summary: str) -> Ground:
    """The names, numbers and dates that the words of some turns hold, and the summary before them."""
    speakers = {turn.speaker for turn in turns if turn.speaker}
    extra = (*sorted(speakers), entity.name, session.title, session.external_id, *ROLE_NAMES)
    return Ground(
        [summary, *(text for turn in turns for text in _texts(turn))],
        extra=extra,
        allowed_dates=_dates(entity, turns),
    )


def _texts(turn: Message) -> Iterator[str]:
    yield said_words(turn)
    yield turn.tool_name
    for call in read_tool_calls(turn.tool_calls):
        yield f"{call.name} {call.arguments}"


def _dates(entity: Entity, turns: Sequence[Message]) -> frozenset[date]:
    """The days of the turns, in the entity's zone, and those that their relative words mean."""
    return frozenset(
        day
        for turn in turns
        if turn.occurred_at
        for day in dates_said(said_words(turn), turn.occurred_at.astimezone(entity.zone).date())
    )


@dataclass(slots=True)
class DigestJudge:
    """Takes one text. What was refused first is mended by code if nothing better comes after it."""

    action: DigestAction
    limit: int
    ground: Ground
    markers: tuple[str, ...]
    _refused: list[str] = field(default_factory=list)
    """Texts that may still be mended."""

    def judge(self, items: Sequence[tuple[int, DigestItem]], is_last: bool) -> Judged[str]:
        """The first text that stands; as the last word also one that could be mended."""
        taken: list[str] = []
        refused: list[Refusal] = []
        for index, item in items:
            try:
                if taken:
                    raise RefusedError("One text is wanted; an earlier item of this answer is it.")
                taken.append(self._take(item))
            except RefusedError as error:
                refused.append(Refusal(index, str(error), item.model_dump(mode="json")))
        if is_last and not taken:
            mended = next(self._mended(), None)
            if mended is not None:
                text, note = mended
                return Judged((text,), (), ({"outcome": "repaired", "reason": note},))
        return Judged(tuple(taken), tuple(refused))

    def _take(self, item: DigestItem) -> str:
        if item.action != self.action:
            raise RefusedError(f"A {self.action} is wanted.")
        if not item.text:
            raise RefusedError("The text is empty.")
        if any(marker.casefold() in item.text.casefold() for marker in self.markers):
            raise RefusedError("It repeats an example of the prompt.")
        missing = self.ground.ungrounded(item.text)
        if len(item.text) > self.limit or missing:
            self._refused.append(item.text)
        if missing:
            raise RefusedError(f"Neither turns nor earlier summary hold: {', '.join(missing)}.")
        if len(item.text) > self.limit:
            raise RefusedError(f"It has {len(item.text)} characters; at most {self.limit} are taken.")
        return item.text

    def _mended(self) -> Iterator[tuple[str, str]]:
        """Refused texts without what nobody said, within the limit; the newest first."""
        for text in reversed(self._refused):
            grounded = without(text, lambda part: bool(self.ground.ungrounded(part)))
            kept = cut_to(grounded, self.limit)
            if kept and not self.ground.ungrounded(kept):
                was = f"{len(text)} characters became {len(kept)}"
                yield kept, f"{was}: what no turn holds was left out, the rest cut at the end of a sentence"
