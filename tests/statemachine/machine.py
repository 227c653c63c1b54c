"""The machine: rules are what can happen to one entity, invariants what holds after each of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from memory.cascade import work
from memory.cascade.engine import drain, settle_entity
from memory.cascade.stages import LADDER, stage_of
from memory.claims.promotion import PromotionWorker
from memory.indexing.step import index_entity
from memory.models import Authority, Correction, Line, Message, Outbox, Run, Step, Work
from memory.recall.sharing import shared_with
from memory.stewardship.actors import RefusedChangeError
from memory.stewardship.sharing import share_memory, unshare_memory
from memory.stewardship.verify import verify
from tests.cascade.chaos import Killed
from tests.cascade.test_cascade_properties import let_time_pass
from tests.statemachine import holding
from tests.statemachine.answering import MOODS, ThinkingModel
from tests.statemachine.deeds import DEEDS
from tests.statemachine.erasing import Erasing
from tests.statemachine.hearing import picks
from tests.stewardship.erasing.planting import BOSS

SECONDS_OF_WORK = 5.0

steps = st.sampled_from((Step.L1_EXTRACT, Step.SCENE_SYNTHESIS, Step.PERSONA, Step.COMPACTION))
moods = st.lists(st.sampled_from(sorted(MOODS)), min_size=1, max_size=4)
deeds = st.sampled_from(sorted(DEEDS))


class MemoryMachine(Erasing):
    """One entity from its first message on; each example has one of its own."""

    looked_after = 0
    """So many transactions had written when the checker looked last."""

    @initialize(is_read=st.booleans())
    def tell_something(self, is_read: bool) -> None:
        """Two matters; one of them again; two more in the place of both; a talk; and a claim.

        Where it was read, something new was said of a matter and of the claim since.
        """
        for session, matter, minute in (("a", 1, 0), ("a", 2, 1), ("b", 1, 2), ("c", 6, 3), ("c", 7, 4)):
            self.say(session, "user", matter, minute)
        for matter in (3, 1, 4, 2, 5):
            self.take_a_turn("user", matter)
        self.observe(0, 5, Authority.USER)
        if is_read:
            self._settle(("good", "repeating", "joint", "good", "joint"))
            self.say("a", "user", 3, None)
            self.observe(1, 0, Authority.APPLICATION)
            self._settle()
            self.observe(2, 1, Authority.APPLICATION)
            self.promote()
            self.index()

    def _settle(self, moods: Sequence[str] = ("good",)) -> None:
        settle_entity(self.entity, model=ThinkingModel(moods), timeout_seconds=SECONDS_OF_WORK)

    # The cascade

    @rule(step=steps, moods=moods, seed=st.integers(0, 2**16))
    def work(self, step: Step, moods: list[str], seed: int) -> None:
        """A worker, whose model may fail, refuse, break off, lie or kill it; what it gives up is parked."""
        self._feed(step)
        pinned, given_up = self._pinned(), self._given_up()
        with suppress(Killed):
            self._drain(step, ThinkingModel(moods, seed))
        assert pinned <= self._pinned()
        assert self._given_up() == given_up or work.parked_counts(self.entity)[step]

    @rule(step=st.sampled_from(LADDER))
    def give_up(self, step: Step) -> None:
        """Whatever the step is asked, the model refuses."""
        self.work(step, ["refusal"], 0)

    def _feed(self, step: Step) -> None:
        """Give a step of the ladder something to do where nothing waits for it."""
        if step in LADDER and stage_of(step).waiting(self.entity) is None:
            self.say("a", "user", 1, None)
            for before in LADDER[: LADDER.index(step)]:
                self._drain(before, ThinkingModel())

    def _drain(self, step: Step, model: ThinkingModel) -> None:
        drain(entity_id=self.entity.pk, step=step, seconds=SECONDS_OF_WORK, model=model)

    def _pinned(self) -> set[UUID]:
        standing = Line.objects.filter(entity=self.entity, is_pinned=True, erased_at__isnull=True)
        heads = standing.filter(places__version__is_head=True, places__version__scene__status="live")
        return set(heads.values_list("pk", flat=True))

    def _given_up(self) -> int:
        return Outbox.objects.filter(entity=self.entity, event=Outbox.Event.INPUT_PARKED).count()

    @rule(step=steps, deed=deeds, pick=picks)
    def correct_meanwhile(self, step: Step, deed: str, pick: int) -> None:
        def change() -> bool:
            corrections = Correction.objects.for_entity(self.entity)
            before = corrections.count()
            self.correct(deed, pick)
            return step in LADDER and corrections.count() > before

        self._interrupt(step, change)

    @rule(step=steps, pick=picks)
    def erase_meanwhile(self, step: Step, pick: int) -> None:
        def change() -> bool:
            if self.ledger.stored:
                self.erase_a_message(pick)
            return bool(self.ledger.stored)

        self._interrupt(step, change)

    @rule(step=steps)
    def lose_the_lease_meanwhile(self, step: Step) -> None:
        """The lease of whoever thinks runs out, and another worker takes the work over."""

        def change() -> bool:
            rows = Work.objects.for_entity(self.entity).filter(step=step).values_list("token", flat=True)
            before = rows.get()
            let_time_pass(self.entity)
            self._drain(step, ThinkingModel())
            return rows.get() > before

        self._interrupt(step, change)

    def _interrupt(self, step: Step, change: Callable[[], bool]) -> None:
        """Something happens while a model thinks: if it says so, what was thought before is not written."""
        self._feed(step)
        overtaken: list[UUID] = []

        def meanwhile() -> None:
            thinking = Run.objects.for_entity(self.entity).filter(step=step, status=Run.Status.RUNNING)
            ids = list(thinking.values_list("pk", flat=True))
            overtaken.extend(ids if change() else ())

        self._drain(step, ThinkingModel(meanwhile=meanwhile))
        assert not Run.objects.filter(pk__in=overtaken, status=Run.Status.SUCCEEDED).exists()

    @rule()
    def climb(self) -> None:
        self._settle()

    @rule()
    def let_time_pass(self) -> None:
        let_time_pass(self.entity)

    @rule()
    def promote(self) -> None:
        PromotionWorker(self.entity).run_once()

    @rule()
    def index(self) -> None:
        index_entity(entity_id=self.entity.pk, embedder=self.embedder)

    @rule(step=steps)
    def retry_parked(self, step: Step) -> None:
        work.retry_parked(entity=self.entity, step=step)

    # People in charge

    @rule(deed=deeds, pick=picks)
    def correct(self, deed: str, pick: int) -> None:
        with suppress(RefusedChangeError):
            DEEDS[deed](self.entity, pick, self.ledger.new_word())

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
        """Not looked at again where nothing was written since."""
        if self.looked_after != (after := holding.transactions()):
            assert verify(self.entity) == []
            self.looked_after = after

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

    @invariant()
    def leaves_nothing_waiting_for_ever(self) -> None:
        assert holding.nobody_comes_for(self.entity) == []

    @invariant()
    def did_what_its_runs_say(self) -> None:
        assert holding.replaced_elsewhere(self.entity) == []
        assert holding.without_receipt(self.entity) == set()

    def teardown(self) -> None:
        """Left in peace, everything comes to rest whole; not looked at where something failed before."""
        if sys.exc_info()[0] is not None:
            return
        let_time_pass(self.entity)
        for step in Step:
            work.retry_parked(entity=self.entity, step=step)
        settle_entity(self.entity, model=ThinkingModel())
        PromotionWorker(self.entity).run_once()
        self.index()
        assert verify(self.entity, is_settled=True) == []
        assert self.ledger.words_that_came_back(self.entity) == set()
        assert holding.found_by_other_words(self.entity, self.embedder) == []
        stands, made_anew = holding.graph_made_anew(self.entity)
        assert stands == made_anew
