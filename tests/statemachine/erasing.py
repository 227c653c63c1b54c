"""The part of the machine that takes words out, and what it expects to stay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from memory.indexing.step import index_entity, index_terms
from memory.models import Atom, Entity, Evidence, Line, Message, Scene, Session
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.forgetting import confirm_forgetting, propose_forgetting
from tests.cascade.story import START, an_entity
from tests.statemachine.hearing import Hearing, picks
from tests.statemachine.said import Said
from tests.stewardship.erasing.planting import BOSS


class Erasing(Hearing):
    """What is erased of one entity, in every scope."""

    @precondition(lambda self: self.ledger.stored)
    @rule(pick=picks)
    def erase_a_message(self, pick: int) -> None:
        said = self._said(pick)
        self._erase(Scope("messages", messages=(said.id,)), [said])

    @precondition(lambda self: self.ledger.stored)
    @rule(pick=picks)
    def erase_a_session(self, pick: int) -> None:
        name = self._said(pick).session
        row = Session.objects.for_entity(self.entity).get(external_id=name)
        gone = [said for said in self.ledger.stored.values() if said.session == name]
        self._erase(Scope("session", sessions=(row.pk,)), gone)

    @precondition(lambda self: any(said.minute is not None for said in self.ledger.stored.values()))
    @rule(first=st.integers(0, 4), length=st.integers(1, 3))
    def erase_a_period(self, first: int, length: int) -> None:
        since, until = (START + timedelta(minutes=minute) for minute in (first, first + length))
        gone = [
            said
            for said in self.ledger.stored.values()
            if said.minute is not None and first <= said.minute < first + length
        ]
        self._erase(Scope("period", since=since, until=until), gone)

    @precondition(lambda self: len(self.ledger.stored) > 1)
    @rule()
    def erase_everything(self) -> None:
        self._erase(Scope("entity"), list(self.ledger.stored.values()))
        self.entity, self.is_shared = an_entity(self.name), False
        self.observed.clear()

    def _erase(self, scope: Scope, gone: list[Said]) -> None:
        plan = plan_erasure(entity=self.entity, scope=scope, actor=BOSS)
        with self._losing(gone):
            erase(erasure=plan, actor=BOSS)

    @precondition(lambda self: self.ledger.stored)
    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        """What goes with the word is told before; all of it goes and nothing else."""
        proposal = propose_forgetting(entity=self.entity, words=f"forget {self._said(pick).word}", actor=BOSS)
        if proposal.erasure is None:
            return
        told = {words.id for match in proposal.found.chosen for words in match.messages}
        with self._losing([said for pk, said in self.ledger.stored.items() if pk in told]):
            confirm_forgetting(entity=self.entity, token=proposal.token, actor=BOSS)

    @contextmanager
    def _losing(self, gone: list[Said]) -> Iterator[None]:
        """Nothing of what goes is kept; what stays and loses a claim, or a line, is read or placed again."""
        leaning = _leaning_on(self.entity, {said.id for said in gone})
        lines = _atoms_of_lines(self.entity)
        yield
        self.ledger.note_erased(gone)
        self._look_for_erased()
        assert _read_already(self.entity, leaning) == []
        assert _placed_already(self.entity, lines) == []

    @rule()
    def erase_while_embedding(self) -> None:
        """The words are gone when their vectors arrive; another worker has indexed the turn after them."""
        for matter in (1, 2):
            self.say("a", "user", matter, None)
        first = list(self.ledger.stored.values())[-2]

        def meanwhile() -> None:
            self._erase(Scope("messages", messages=(first.id,)), [first])
            index_terms(self.entity, wants_vectors=True)
            # The next question to the embedder comes after what was erased might have been written.
            self.embedder.interrupt(self._look_for_erased)

        self.embedder.interrupt(meanwhile)
        index_entity(entity_id=self.entity.pk, embedder=self.embedder)
        self._look_for_erased()

    def _look_for_erased(self) -> None:
        assert self.ledger.words_that_came_back(self.entity) == set()


def _leaning_on(entity: Entity, gone: set[UUID]) -> dict[UUID, set[UUID]]:
    """By claim that rests on erased messages: the others that it rests on."""
    receipts = Evidence.objects.filter(entity=entity, of_atom__isnull=False, message__isnull=False)
    cited: dict[UUID, set[UUID]] = defaultdict(set)
    for atom, message in receipts.values_list("of_atom", "message"):
        cited[atom].add(message)
    return {atom: messages - gone for atom, messages in cited.items() if messages & gone}


def _read_already(entity: Entity, leaning: dict[UUID, set[UUID]]) -> list[str]:
    """Messages whose claim went with other words, and that nobody is to read again."""
    lost = leaning.keys() - set(Atom.objects.filter(pk__in=leaning).values_list("pk", flat=True))
    messages = {message for atom in lost for message in leaning[atom]}
    rows = Message.objects.for_entity(entity).filter(pk__in=messages, consumed_by__isnull=False)
    return list(rows.values_list("text", flat=True))


def _atoms_of_lines(entity: Entity) -> dict[UUID, set[UUID]]:
    """By line of a live scene: the claims that it rests on."""
    receipts = Evidence.objects.filter(
        entity=entity,
        atom__isnull=False,
        of_line__places__version__is_head=True,
        of_line__places__version__scene__status=Scene.Status.LIVE,
    )
    cited: dict[UUID, set[UUID]] = defaultdict(set)
    for line, atom in receipts.values_list("of_line", "atom"):
        cited[line].add(atom)
    return cited


def _placed_already(entity: Entity, lines: dict[UUID, set[UUID]]) -> list[str]:
    """Claims that hold, whose line went with other words, and that nobody is to place again."""
    lost = Line.objects.filter(pk__in=lines, erased_at__isnull=False).values_list("pk", flat=True)
    atoms = {atom for line in lost for atom in lines[line]}
    rows = Atom.objects.for_entity(entity).live().filter(pk__in=atoms, consumed_by__isnull=False)
    return list(rows.values_list("text", flat=True))
