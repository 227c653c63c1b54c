"""compaction: the oldest turns become a summary with receipts, an ended session leaves a brief."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from memory.cascade import compaction_reading, compaction_writing, work
from memory.cascade.compaction import ask_compaction
from memory.cascade.engine import drain
from memory.ingest.messages import append_messages
from memory.ingest.problems import IngestConflict
from memory.ingest.sessions import end_session
from memory.llm.protocol import PermanentModelError
from memory.models import Digest, Entity, Evidence, Message, Run, Session, Step, Work
from tests.cascade.story import NOTHING, an_entity, answer, runs, say, settle
from tests.cascade.talks import covered, digest_item, digests, folding, open_talk, take, talk_of, tool_call
from tests.ingest.words import said
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    return an_entity()


@pytest.fixture
def session(entity: Entity) -> Session:
    return open_talk(entity)


def summary(text: str) -> dict[str, Any]:
    return answer(digest_item("summary", text))


def brief(text: str) -> dict[str, Any]:
    return answer(digest_item("brief", text))


def compact(entity: Entity, *script: Any) -> ScriptedModel:
    """Settle with answers for compaction alone, in their order."""
    left = list(script)

    def next_said(request: Any) -> Any:
        answered = left.pop(0) if left else AssertionError("one question too many")
        return answered(request) if callable(answered) else answered

    model = settle(entity, compaction=next_said)
    assert left == []
    return model


def asked(model: ScriptedModel) -> list[Any]:
    return [request for request in model.requests if request.task == "compaction"]


def test_the_oldest_turns_are_folded_and_the_newest_stay(entity: Entity, session: Session) -> None:
    turns = talk_of(session, 6)
    with folding(kept=2):
        ask_compaction(session)
        [request] = asked(compact(entity, summary("Alice speaks of apples.")))
    assert digests(session) == [("summary", 1, "Alice speaks of apples.", 4, True)]
    assert covered(Digest.objects.get()) == turns[:4]
    session.refresh_from_db()
    assert (session.folded_until, session.fold_asked_at, session.consumed_by_id) == (4, None, None)
    assert (request.alias, [turn.handle for turn in request.payload.turns]) == (
        "cheap",
        ["m1", "m2", "m3", "m4"],
    )
    assert Message.objects.filter(session=session).count() == 6
    [run] = runs(entity, "compaction")
    assert run.inputs == {"sessions": [str(session.pk)], "messages": [str(pk) for pk in turns[:4]]}
    assert run.outputs == {"summaries": [str(Digest.objects.get().pk)]}


def test_a_later_fold_stands_for_the_summary_and_the_turns_since(entity: Entity, session: Session) -> None:
    turns = talk_of(session, 4)
    with folding(kept=2):
        ask_compaction(session)
        compact(entity, summary("Apples."))
        turns += talk_of(session, 3)
        ask_compaction(session)
        [request] = asked(compact(entity, summary("Apples, and more apples.")))
    assert (request.payload.summary, len(request.payload.turns)) == ("Apples.", 3)
    assert digests(session) == [
        ("summary", 1, "Apples.", 2, False),
        ("summary", 2, "Apples, and more apples.", 5, True),
    ]
    assert covered(Digest.objects.heads().get()) == turns[:5]


def test_an_ended_session_leaves_a_brief_of_everything(entity: Entity, session: Session) -> None:
    turns = talk_of(session, 4)
    with folding(kept=2):
        ask_compaction(session)
        compact(entity, summary("Apples."))
        end_session(session)
        [request] = asked(compact(entity, brief("A talk of apples.")))
    assert (request.payload.summary, len(request.payload.turns), request.payload.limit) == ("Apples.", 2, 600)
    head = Digest.objects.get(kind="brief")
    assert (head.text, head.until_ordinal, covered(head)) == ("A talk of apples.", 4, turns)
    session.refresh_from_db()
    assert session.consumed_by_id == runs(entity, "compaction")[-1].pk
    compact(entity)
    assert work.pending_counts(entity)[Step.COMPACTION] == 0


def test_a_session_without_a_word_ends_without_a_brief(entity: Entity, session: Session) -> None:
    end_session(session)
    compact(entity)
    [run] = runs(entity, "compaction")
    assert (run.noop_reason, run.calls, run.status) == ("the session ended without a word", 0, "succeeded")
    session.refresh_from_db()
    assert (session.consumed_by_id, Digest.objects.count()) == (run.pk, 0)


def test_a_brief_may_be_left_out_with_a_reason(entity: Entity, session: Session) -> None:
    take(session, "Hi.", role="user")
    end_session(session)
    compact(entity, answer(nothing_reason="a greeting"))
    [run] = runs(entity, "compaction")
    assert (run.status, run.noop_reason, Digest.objects.count()) == ("succeeded", "a greeting", 0)


def test_a_summary_cannot_be_left_out(entity: Entity, session: Session) -> None:
    talk_of(session, 4)
    with folding(kept=2):
        ask_compaction(session)
        model = ScriptedModel([answer(nothing_reason="small talk")])
        work.flush(entity)
        drain(entity_id=entity.pk, step=Step.COMPACTION, model=model)
    [run] = runs(entity, "compaction")
    assert (run.status, run.error_kind) == ("failed", "no_digest")
    session.refresh_from_db()
    assert (session.folded_until, session.fold_asked_at is None) == (0, False)


def test_sessions_of_imports_are_never_compacted(entity: Entity) -> None:
    say(entity, *[f"Turn {n}." for n in range(6)])
    session = Session.objects.get()
    with folding(kept=1, after=2):
        with pytest.raises(IngestConflict, match="opened by no turn loop"):
            ask_compaction(session)
        end_session(session)
        assert "compaction" not in settle(entity).tasks
    assert runs(entity, "compaction") == []


def test_an_ended_session_is_asked_no_more(session: Session) -> None:
    end_session(session)
    with pytest.raises(IngestConflict, match="has ended"):
        ask_compaction(session)


def test_a_call_of_a_tool_is_folded_with_its_result_or_not_at_all(entity: Entity, session: Session) -> None:
    take(session, "Weather?", role="user")
    called = take(session, "", tool_calls=[tool_call("c1", "weather", {"city": "Oslo"})])
    nested = take(session, "Asking the station.", parent=called)
    told = take(session, "21 °C", role="tool", tool_call_id="c1")
    take(session, "It has 21 °C.")
    with folding(kept=2):
        ask_compaction(session)
        compact(entity, summary("Alice asks for the weather."))
        assert Digest.objects.get().until_ordinal == 1
    with folding(kept=1):
        ask_compaction(session)
        [request] = asked(compact(entity, summary("Oslo has 21 °C.")))
    assert covered(Digest.objects.heads().get())[1:] == [called, nested, told]
    first, second, third = request.payload.turns
    assert [(call.name, call.arguments) for call in first.calls] == [("weather", '{"city": "Oslo"}')]
    assert (second.under, third.tool_name) == ("m1", "weather")


@pytest.mark.parametrize("turns", [0, 2])
def test_a_short_session_has_nothing_to_fold(entity: Entity, session: Session, turns: int) -> None:
    talk_of(session, turns)
    with folding(kept=2):
        ask_compaction(session)
        compact(entity)
    [run] = runs(entity, "compaction")
    assert (run.noop_reason, Session.objects.pending().count()) == (
        "it has no turns beside the newest ones",
        0,
    )


def test_a_call_that_goes_on_is_waited_for(entity: Entity, session: Session) -> None:
    called = take(session, "", tool_calls=[tool_call("c1", "build")])
    for number in range(4):
        take(session, f"log {number}", parent=called)
    with folding(kept=2):
        ask_compaction(session)
        compact(entity)
    assert runs(entity, "compaction")[0].noop_reason == (
        "its older turns belong to calls of tools that are still going on"
    )


def test_a_session_longer_than_a_question_is_folded_in_several(entity: Entity, session: Session) -> None:
    turns = talk_of(session, 130)
    with folding(kept=5, after=10):
        ask_compaction(session)
        compact(entity, summary("Apples."), summary("Red apples."), summary("Green apples."))
    assert [(text, until) for _, _, text, until, _ in digests(session)] == [
        ("Apples.", 60),
        ("Red apples.", 120),
        ("Green apples.", 125),
    ]
    talk_of(session, 120)
    end_session(session)
    compact(entity, summary("Sour apples."), summary("Sweet apples."), brief("Apples."))
    head = Digest.objects.get(kind="brief")
    assert (head.until_ordinal, len(covered(head)), covered(head)[:130]) == (250, 250, turns)


def test_a_bounded_number_of_earlier_versions_stays(
    entity: Entity, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction_writing, "SUPERSEDED_KEPT", 2)
    talk_of(session, 1)
    with folding(kept=1):
        for number in range(5):
            talk_of(session, 1)
            ask_compaction(session)
            compact(entity, summary(f"Apples{'!' * number}"))
    check_constraints()
    assert [number for _, number, *_ in digests(session)] == [3, 4, 5]
    assert Evidence.objects.filter(of_digest__isnull=False).count() == 3 + 4 + 5


def test_turns_that_come_while_the_model_thinks_stay_outside(entity: Entity, session: Session) -> None:
    def says_more(request: Any) -> Any:
        talk_of(session, 6)
        return summary("Apples.")

    with folding(kept=2, after=4):
        talk_of(session, 5)
        # It has grown beyond the limit again, so the fold goes on.
        [_, request] = asked(compact(entity, says_more, summary("More apples.")))
    assert [until for *_, until, _ in digests(session)] == [3, 9]
    assert len(request.payload.turns) == 6


def test_a_session_that_ends_while_the_model_thinks_gets_its_brief_next(
    entity: Entity, session: Session
) -> None:
    talk_of(session, 4)

    def ends(request: Any) -> Any:
        end_session(session)
        return summary("Apples.")

    with folding(kept=2):
        ask_compaction(session)
        compact(entity, ends, brief("A talk of apples."))
    assert [(kind, until) for kind, _, _, until, _ in digests(session)] == [("brief", 4), ("summary", 2)]


def test_a_turn_that_is_gone_when_the_answer_comes_makes_it_ask_again(
    entity: Entity, session: Session
) -> None:
    turns = talk_of(session, 4)

    def erases(request: Any) -> Any:
        Message.objects.filter(pk=turns[0]).delete()
        return summary("Apples.")

    with folding(kept=2):
        ask_compaction(session)
        compact(entity, erases, summary("Apples."))
    assert covered(Digest.objects.get()) == turns[1:2]
    assert [run.status for run in runs(entity, "compaction")] == ["discarded", "succeeded"]


def check_constraints() -> None:
    """What is checked at a commit."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def erase_messages(session: Session) -> None:
    with transaction.atomic():
        Message.objects.filter(session=session).delete()
        check_constraints()


def test_the_database_refuses_a_digest_whose_messages_are_gone(entity: Entity, session: Session) -> None:
    talk_of(session, 4)
    with folding(kept=2):
        ask_compaction(session)
        compact(entity, summary("Apples."))
    check_constraints()
    with pytest.raises(IntegrityError, match="was the last of a derived row"):
        erase_messages(session)
    session.delete()
    check_constraints()
    assert (Digest.objects.count(), Evidence.objects.filter(of_digest__isnull=False).count()) == (0, 0)


def fail(entity: Entity, times: int) -> None:
    for _ in range(times):
        Work.objects.filter(entity=entity, step=Step.COMPACTION).update(due_at=Now())
        model = ScriptedModel(otherwise="no JSON")
        drain(entity_id=entity.pk, step=Step.COMPACTION, model=model, seconds=0.0)


def test_what_no_model_can_fold_is_parked_seen_and_tried_again(entity: Entity, session: Session) -> None:
    talk_of(session, 3)
    with folding(kept=1):
        ask_compaction(session)
        fail(entity, 4)
        assert work.parked_counts(entity)[Step.COMPACTION] == 1
        assert {run.error_kind for run in runs(entity, "compaction")} == {"no_answer"}
        talk_of(session, 1)
        assert work.retry_parked(entity=entity, step=Step.COMPACTION) == 1
        compact(entity, summary("Apples."))
    assert digests(session) == [("summary", 1, "Apples.", 3, True)]


def test_a_parked_session_does_not_hold_up_the_others(entity: Entity, session: Session) -> None:
    talk_of(session, 3)
    other = open_talk(entity, "other")
    talk_of(other, 3)
    with folding(kept=1):
        ask_compaction(session)
        fail(entity, 4)
        ask_compaction(other)
        settle(entity, compaction=summary("Apples."))
        assert (digests(session), digests(other)[-1][3]) == ([], 2)
        ask_compaction(session)
        settle(entity, compaction=summary("Apples."))
    assert digests(session)[-1][3] == 2


def test_an_endpoint_that_refuses_parks_nothing(entity: Entity, session: Session) -> None:
    talk_of(session, 3)
    with folding(kept=1):
        ask_compaction(session)
        Work.objects.filter(step=Step.COMPACTION).update(due_at=Now())
        model = ScriptedModel([PermanentModelError("http_401", "no key")])
        drain(entity_id=entity.pk, step=Step.COMPACTION, model=model)
    assert (work.parked_counts(entity)[Step.COMPACTION], runs(entity, "compaction")[0].error_kind) == (
        0,
        "http_401",
    )


def test_a_cut_off_answer_is_asked_again_for_fewer_turns(entity: Entity, session: Session) -> None:
    talk_of(session, 9)
    with folding(kept=1):
        ask_compaction(session)
        Work.objects.filter(step=Step.COMPACTION).update(due_at=Now())
        model = ScriptedModel(
            ['{"items": [{"action": "summary", "te', summary("Apples."), summary("More apples.")]
        )
        drain(entity_id=entity.pk, step=Step.COMPACTION, model=model)
    assert [until for *_, until, _ in digests(session)] == [4, 8]


def test_the_longest_waiting_session_comes_first(entity: Entity) -> None:
    talks = [open_talk(entity, name) for name in "abc"]
    for talk in talks:
        talk_of(talk, 2)
    for talk in (talks[1], talks[0], talks[2]):
        end_session(talk)
    model = settle(entity, compaction=lambda request: brief("Apples."))
    assert [request.payload.session for request in asked(model)] == ["b", "a", "c"]


def test_statements_do_not_grow_with_turns(entity: Entity) -> None:
    counts = []
    for size in (4, 40):
        session = open_talk(entity, f"of {size}")
        talk_of(session, size)
        with folding(kept=2):
            ask_compaction(session)
            Work.objects.filter(step=Step.COMPACTION).update(due_at=Now())
            with CaptureQueriesContext(connection) as captured:
                drain(entity_id=entity.pk, step=Step.COMPACTION, model=ScriptedModel([summary("Apples.")]))
        counts.append(len(captured))
    assert counts[0] == counts[1] < 60


def test_a_late_message_below_the_fold_is_no_receipt_of_it(entity: Entity, session: Session) -> None:
    Session.objects.update(next_ordinal=2)
    take(session, "Apples.", role="user")
    take(session, "More apples.")
    with folding(kept=1):
        ask_compaction(session)
        compact(entity, summary("Apples."))
    append_messages(entity=entity, messages=[said("Late.", session="talk", ordinal=0)])
    end_session(session)
    compact(entity, brief("Apples."))
    told = Digest.objects.get(kind="brief").evidence.order_by("id").values_list("message__text", flat=True)
    assert list(told) == ["Apples.", "More apples."]


def test_the_lookahead_of_a_fold_is_bounded(
    entity: Entity, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction_reading, "TURNS_LOOKED_AT", 6)
    talk_of(session, 10)
    end_session(session)
    compact(entity, summary("Apples."), brief("All apples."))
    assert [until for *_, until, _ in digests(session)] == [10, 6]


def test_nothing_is_written_for_an_entity_that_was_erased_meanwhile(entity: Entity, session: Session) -> None:
    talk_of(session, 3)

    def erases(request: Any) -> Any:
        Entity.objects.filter(pk=entity.pk).update(erase_epoch=7)
        return summary("Apples.")

    with folding(kept=1):
        ask_compaction(session)
        Work.objects.filter(step=Step.COMPACTION).update(due_at=Now())
        drain(entity_id=entity.pk, step=Step.COMPACTION, model=ScriptedModel([erases, NOTHING]), seconds=0.0)
    assert Digest.objects.count() == 0
    assert Run.objects.order_by("started_at").first().status == "discarded"  # type: ignore[union-attr]


def test_results_name_the_call_that_they_answer_in_whatever_order_they_come(
    entity: Entity, session: Session
) -> None:
    calls = [tool_call(name, "stock", {"city": city}) for name, city in (("x", "Bergen"), ("y", "Oslo"))]
    take(session, "", tool_calls=calls)
    take(session, "1240", role="tool", tool_call_id="y")
    take(session, "310", role="tool", tool_call_id="x")
    take(session, "", tool_calls=[tool_call("x", "stock", {"city": "Rome"})])
    take(session, "12", role="tool", tool_call_id="x")
    take(session, "Done.")
    with folding(kept=1):
        ask_compaction(session)
        [request] = asked(compact(entity, summary("Oslo has 1240.")))
    turns = request.payload.turns
    assert [[(call.handle, call.arguments) for call in turn.calls] for turn in turns if turn.calls] == [
        [("c1", '{"city": "Bergen"}'), ("c2", '{"city": "Oslo"}')],
        [("c3", '{"city": "Rome"}')],
    ]
    assert [(turn.text, turn.result_of) for turn in turns if turn.role == "tool"] == [
        ("1240", "c2"),
        ("310", "c1"),
        ("12", "c3"),
    ]
    assert "m2 tool «stock» result of c2, 2" in request.user
    assert '[calls «stock» as c3 with "{\\"city\\": \\"Rome\\"}"]' in request.user
