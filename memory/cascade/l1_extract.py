"""l1_extract: messages become atoms, one claim each. `l1_judging` and `l1_writing` do the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Max, Min
from django.db.models.functions import Now

from memory.cascade.contract import AtomDecision, ExtractAnswer, ExtractPayload
from memory.cascade.designs import Design, Limits, design_of_run, load_design
from memory.cascade.l1_judging import Extracted, ExtractionJudge
from memory.cascade.l1_writing import write_extraction
from memory.cascade.offering import attached_text, offer_atom, offer_message, said_text, said_words, topics_of
from memory.cascade.rules.batches import BatchMessage, cut, pieces
from memory.cascade.rules.handles import Handles
from memory.cascade.rulings import rulings_of, taken_back_near
from memory.cascade.showing import NOTHING, one_line, show_atoms, show_messages
from memory.cascade.stage import Question, Verdict, Written
from memory.cascade.waking import Waiting
from memory.cascade.work import Claim
from memory.models import Atom, Entity, Message, Step
from memory.recall.lookup import find_candidates

RECENT_ATOMS_FOR_TOPICS = 200
CONTEXT_CHARACTERS = 2_000
"""So much of an earlier turn is shown."""
TAKEN_BACK_SHOWN = 10
CONTEXT_SEARCHED = 2
"""Earlier turns whose words are searched too: «sorry, I meant Friday» mends what was said just before."""


@dataclass(frozen=True, slots=True)
class ExtractionBatch:
    """Messages of one session, what came before them, and what memory may hold already."""

    messages: tuple[Message, ...]
    context: tuple[Message, ...]
    candidates: tuple[Atom, ...]
    taken_back: tuple[Atom, ...] = ()
    """Claims that a person took back and that the messages may speak of: offered as such."""
    questions: tuple[Question[Extracted], ...] = field(default=())

    @property
    def size(self) -> int:
        """Messages that a split could separate."""
        return len(self.messages)

    @property
    def offered(self) -> tuple[Atom, ...]:
        """The claims that the model is shown."""
        return (*self.candidates, *self.taken_back)

    @property
    def input_ids(self) -> Mapping[str, Sequence[UUID]]:
        """For the run."""
        return {
            "messages": [message.pk for message in self.messages],
            "context": [message.pk for message in self.context],
            "atoms": [atom.pk for atom in self.offered],
        }


class Extraction:
    """L0 → L1."""

    step = Step.L1_EXTRACT
    upstream: tuple[Step, ...] = ()
    downstream: tuple[Step, ...] = (Step.SCENE_SYNTHESIS, Step.PROMOTION)

    def waiting(self, entity: Entity) -> Waiting | None:
        """Since when messages wait."""
        times = (
            Message.objects.for_entity(entity)
            .pending()
            .aggregate(first=Min("recorded_at"), last=Max("recorded_at"))
        )
        return Waiting(**times) if times["first"] else None

    def full_size(self, claim: Claim) -> int:
        """Messages in a batch that nothing limits."""
        return design_of_run(claim.run).limits.batch_messages

    def read(self, claim: Claim) -> ExtractionBatch | None:
        """The next messages of the session whose words are the oldest that wait."""
        design = design_of_run(claim.run)
        messages = _next_messages(claim.entity, design.limits, claim.batch_limit)
        if not messages:
            return None
        context = _context(claim.entity, messages, design.limits.context_messages)
        candidates = _candidates(claim.entity, messages, context, design.limits)
        words = [said_words(message) for message in (*messages, *context[-CONTEXT_SEARCHED:])]
        taken_back = taken_back_near(rulings_of(claim.entity), words, most=TAKEN_BACK_SHOWN)
        batch = ExtractionBatch(tuple(messages), tuple(context), tuple(candidates), tuple(taken_back))
        return replace(batch, questions=tuple(_questions(claim.entity, batch, design)))

    def write(self, claim: Claim, batch: ExtractionBatch, verdicts: Sequence[Verdict[Extracted]]) -> Written:
        """Atoms, chains and receipts; see `l1_writing`."""
        taken = [item for verdict in verdicts for item in verdict.taken]
        return write_extraction(claim, batch.messages, taken)

    def park(self, claim: Claim, batch: ExtractionBatch) -> None:
        """Set the messages aside for a person, with the run that could not read them."""
        _park(claim, [message.pk for message in batch.messages])

    def park_next(self, claim: Claim) -> Mapping[str, Sequence[UUID]]:
        """Set the next message aside."""
        ids = _next_id(claim.entity, load_design().limits)
        _park(claim, ids)
        return {"messages": ids}


def _candidates(
    entity: Entity, messages: Sequence[Message], context: Sequence[Message], limits: Limits
) -> list[Atom]:
    """What memory may hold of the messages, then of the turns just before, which they may mend."""
    found = find_candidates(
        entity=entity,
        texts=[said_words(message) for message in messages],
        each=limits.candidates_per_message,
        total=limits.candidates,
    )
    nearby = find_candidates(
        entity=entity,
        texts=[said_words(turn) for turn in context[-CONTEXT_SEARCHED:]],
        # What an earlier turn speaks of was offered when that turn was read.
        each=limits.candidates_per_message // 2,
        total=limits.candidates,
    )
    return list({atom.pk: atom for atom in (*found, *nearby)}.values())[: limits.candidates]


def _park(claim: Claim, ids: Sequence[UUID]) -> None:
    Message.objects.for_entity(claim.entity).filter(pk__in=ids).update(parked_at=Now(), parked_by=claim.run)


def _next_id(entity: Entity, limits: Limits) -> list[UUID]:
    return [message.pk for message in _next_messages(entity, limits, 1)]


def _next_messages(entity: Entity, limits: Limits, batch_limit: int | None) -> list[Message]:
    pending = Message.objects.for_entity(entity).pending().in_event_order()
    first = pending.values("session_id").first()
    if first is None:
        return []
    size = min(limits.batch_messages, batch_limit or limits.batch_messages)
    rows = list(pending.filter(session_id=first["session_id"]).select_related("session")[:size])
    records = [
        BatchMessage(row.pk, row.session_id, (event_time(row), row.ordinal), len(said_words(row)))
        for row in rows
    ]
    chosen = {record.id for record in cut(records, size=size, characters=limits.batch_characters)[0]}
    return [row for row in rows if row.pk in chosen]


def event_time(message: Message) -> datetime:
    """When it was said; what has no time falls where it was recorded."""
    return message.occurred_at or message.recorded_at


def _context(entity: Entity, messages: Sequence[Message], count: int) -> list[Message]:
    """The turns just before, so that «it» and «he» can be understood; the newest last."""
    first = messages[0]
    earlier = (
        Message.objects.for_entity(entity)
        .filter(session_id=first.session_id, ordinal__lt=first.ordinal, is_extractable=True)
        .exclude(pk__in=[message.pk for message in messages])
        .select_related("session")
        .order_by("-ordinal")
    )
    return list(reversed(earlier[:count]))


def _questions(entity: Entity, batch: ExtractionBatch, design: Design) -> list[Question[Extracted]]:
    """One question, or several for the pieces of a message that is too long for one."""
    longest, limits = batch.messages[0], design.limits
    if len(batch.messages) > 1 or len(said_words(longest)) <= limits.piece_characters:
        return [_question(entity, batch, design)]
    said, attached = (
        [part.text for part in pieces(text, limits.piece_characters, limits.piece_overlap)] if text else []
        for text in (said_text(longest), attached_text(longest))
    )
    shown = [*((text, "") for text in said), *(("", text) for text in attached)]
    return [_question(entity, batch, design, piece) for piece in shown]


def _question(
    entity: Entity, batch: ExtractionBatch, design: Design, piece: tuple[str, str] | None = None
) -> Question[Extracted]:
    """The question over a batch, or over a piece (of text, of attachment) of its only message."""
    handles = Handles()
    payload = ExtractPayload(
        entity=entity.name,
        time_zone=entity.time_zone,
        # Evaluated in this order, so that what is to be read is m1, m2, … and the earlier turns come after.
        messages=tuple(offer_message(handles, entity, message, piece=piece) for message in batch.messages),
        context=tuple(
            offer_message(handles, entity, message, piece=_glimpse(message)) for message in batch.context
        ),
        atoms=tuple(offer_atom(handles, entity, atom) for atom in batch.offered),
        topics=_known_topics(entity, batch.candidates),
    )
    judge = ExtractionJudge(
        entity=entity,
        handles=handles,
        messages={message.pk: message for message in (*batch.context, *batch.messages)},
        batch_ids=frozenset(message.pk for message in batch.messages),
        atoms={atom.pk: atom for atom in batch.offered},
        design=design,
    )
    return Question(
        payload=payload,
        values={
            "entity": entity.name,
            "time_zone": entity.time_zone,
            "topics": ", ".join(map(one_line, payload.topics)) or NOTHING,
            "atoms": show_atoms(payload.atoms),
            "context": show_messages(payload.context),
            "messages": show_messages(payload.messages),
        },
        answer_schema=ExtractAnswer,
        item_schema=AtomDecision,
        judge=judge.judge,
    )


def _glimpse(message: Message) -> tuple[str, str]:
    """The end of an earlier turn: what follows speaks of that, and a long one must not fill the prompt."""
    return said_text(message)[-CONTEXT_CHARACTERS:], attached_text(message)[:CONTEXT_CHARACTERS]


def _known_topics(entity: Entity, candidates: Sequence[Atom]) -> tuple[str, ...]:
    """Topics of the candidates first, then of the newest atoms: the same matter keeps its words."""
    recent = (
        Atom.objects.for_entity(entity)
        .live()
        .exclude(topic="")
        .order_by("-seq")
        .values_list("topic", flat=True)[:RECENT_ATOMS_FOR_TOPICS]
    )
    return tuple(dict.fromkeys([*topics_of(candidates), *recent]))
