"""The machine: rules are what can happen to one entity, invariants what holds after each of them."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from memory.cascade import work
from memory.cascade.engine import drain, settle_entity
from memory.claims.promotion import PromotionWorker
from memory.indexing.step import index_entity
from memory.models import Line, Message, Run, Session, Step
from memory.recall.sharing import shared_with
from memory.stewardship.actors import RefusedChangeError
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.forgetting import confirm_forgetting, propose_forgetting
from memory.stewardship.sharing import share_memory, unshare_memory
from memory.stewardship.verify import verify
from tests.cascade.chaos import MOODS, Killed
from tests.cascade.story import START, an_entity
from tests.cascade.test_cascade_properties import let_time_pass
from tests.indexing.embedders import ScriptedEmbedder
from tests.statemachine.answering import ThinkingModel
from tests.statemachine.deeds import DEEDS
from tests.statemachine.hearing import Hearing, picks
from tests.statemachine.said import Said
from tests.stewardship.erasing.planting import BOSS

SECONDS_OF_WORK = 5.0

steps = st.sampled_from((Step.L1_EXTRACT, Step.SCENE_SYNTHESIS, Step.PERSONA, Step.COMPACTION))
moods = st.lists(st.sampled_from(sorted(MOODS)), min_size=1, max_size=4)
deeds = st.sampled_from(sorted(DEEDS))


class MemoryMachine(Hearing):
    """One entity from its first message on; each example has one of its own."""

    # The cascade

    @rule(step=steps, moods=moods, seed=st.integers(0, 2**16))
    def work(self, step: Step, moods: list[str], seed: int) -> None:
        """A worker, whose model may fail, refuse, break off, lie or kill it."""
        pinned = self._pinned()
        with suppress(Killed):
            self._drain(step, ThinkingModel(moods, seed))
        assert pinned <= self._pinned()

    def _drain(self, step: Step, model: ThinkingModel) -> None:
        drain(entity_id=self.entity.pk, step=step, seconds=SECONDS_OF_WORK, model=model)

    def _pinned(self) -> set[UUID]:
        standing = Line.objects.filter(entity=self.entity, is_pinned=True, erased_at__isnull=True)
        heads = standing.filter(places__version__is_head=True, places__version__scene__status="live")
        return set(heads.values_list("pk", flat=True))

    @rule(step=steps, deed=deeds, pick=picks)
    def correct_meanwhile(self, step: Step, deed: str, pick: int) -> None:
        self._drain(step, ThinkingModel(meanwhile=lambda: self.correct(deed, pick)))

    @precondition(lambda self: self.ledger.stored)
    @rule(step=steps, pick=picks)
    def erase_meanwhile(self, step: Step, pick: int) -> None:
        self._drain(step, ThinkingModel(meanwhile=lambda: self.erase_a_message(pick)))

    @rule(step=steps)
    def lose_the_lease_meanwhile(self, step: Step) -> None:
        """The lease of whoever thinks runs out, and another worker takes the work over."""

        def take_over() -> None:
            let_time_pass(self.entity)
            self._drain(step, ThinkingModel())

        self._drain(step, ThinkingModel(meanwhile=take_over))

    @rule()
    def climb(self) -> None:
        settle_entity(self.entity, model=ThinkingModel(), timeout_seconds=SECONDS_OF_WORK)

    @rule()
    def let_time_pass(self) -> None:
        let_time_pass(self.entity)

    @rule()
    def promote(self) -> None:
        PromotionWorker(self.entity).run_once()

    @rule()
    def index(self) -> None:
        index_entity(entity_id=self.entity.pk, embedder=ScriptedEmbedder("scripted", 8))

    @rule(step=steps)
    def retry_parked(self, step: Step) -> None:
        work.retry_parked(entity=self.entity, step=step)

    # People in charge

    @rule(deed=deeds, pick=picks)
    def correct(self, deed: str, pick: int) -> None:
        with suppress(RefusedChangeError):
            DEEDS[deed](self.entity, pick, self.ledger.new_word())

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

    def _erase(self, scope: Scope, gone: list[Said]) -> None:
        plan = plan_erasure(entity=self.entity, scope=scope, actor=BOSS)
        erase(erasure=plan, actor=BOSS)
        self.ledger.note_erased(gone)
        assert self.ledger.words_that_came_back(self.entity) == set()

    @precondition(lambda self: self.ledger.stored)
    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        """What goes with the word is told before; all of it goes and nothing else."""
        proposal = propose_forgetting(entity=self.entity, words=f"forget {self._said(pick).word}", actor=BOSS)
        if proposal.erasure is None:
            return
        confirm_forgetting(entity=self.entity, token=proposal.token, actor=BOSS)
        told = {words.id for match in proposal.found.chosen for words in match.messages}
        self.ledger.note_erased([said for pk, said in self.ledger.stored.items() if pk in told])
        assert self.ledger.words_that_came_back(self.entity) == set()

    @rule()
    def share_or_close(self) -> None:
        if self.is_shared:
            unshare_memory(entity=self.entity, reader=self.reader.name)
        else:
            share_memory(entity=self.entity, reader=self.reader, actor=BOSS)
        self.is_shared = not self.is_shared

    # What holds

    @invariant()
    def is_whole(self) -> None:
        assert verify(self.entity) == []

    @invariant()
    def holds_what_was_said_once(self) -> None:
        stored = Message.objects.for_entity(self.entity).values_list("pk", flat=True)
        assert sorted(stored) == sorted(self.ledger.stored)

    @invariant()
    def has_met_no_mistake_of_the_program(self) -> None:
        failed = (
            Run.objects.for_entity(self.entity)
            .filter(error_kind="internal")
            .values_list("error_text", flat=True)
        )
        assert list(failed) == []

    @invariant()
    def is_open_to_whom_it_was_shared_with(self) -> None:
        assert [entity.pk for entity in shared_with(self.reader, ["all"])] == [
            self.entity.pk
        ] * self.is_shared

    def teardown(self) -> None:
        """Left in peace, everything comes to rest whole; not looked at where something failed before."""
        if sys.exc_info()[0] is not None:
            return
        let_time_pass(self.entity)
        for step in Step:
            work.retry_parked(entity=self.entity, step=step)
        settle_entity(self.entity, model=ThinkingModel())
        PromotionWorker(self.entity).run_once()
        index_entity(entity_id=self.entity.pk, embedder=ScriptedEmbedder("scripted", 8))
        assert verify(self.entity, is_settled=True) == []
        assert self.ledger.words_that_came_back(self.entity) == set()
