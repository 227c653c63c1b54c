import io
import re
from dataclasses import replace

import pytest
from django.conf import settings as site

from memory.ingest.entities import ensure_entity
from memory.measuring.only_words import ONLY_WORDS
from memory.models import Atom, Entity, Message, ProcedureVersion, Review, SceneVersion, Session, TaskTrace
from memory.recall import ladder
from memory.recall.changes import changes_of
from memory.recall.rules import standing_rules
from memory.recall.short_ids import short_id
from memory.walkthrough.access import MemoryProblemError
from memory.walkthrough.demonstrating import run_demo_tour
from memory.walkthrough.local import LocalMemory
from memory.walkthrough.naming import RUN_ID_LENGTH, entity_name, new_run_id
from memory.walkthrough.story import story
from memory.walkthrough.tour import APPROVAL_ASKED, WAITS, Ask, TourUnfinishedError, run_tour
from tests.factories import make_workspace
from tests.walkthrough.engine import engine_for

ACTS = [
    "Act 1. First session: how the platform is run",
    "Act 2. The cascade: what became of it, layer by layer",
    "Act 3. Second session: one rule repeated, one deadline moved, one constraint new",
    "Act 4. A reviewed procedure: what two tasks show, and what a person makes of it",
    "Act 5. The risky request: what an agent is told before it acts",
    "Act 6. One trait opened, down to the words",
]


@pytest.fixture
def entity(transactional_db: None) -> Entity:
    return ensure_entity(workspace=make_workspace(), name="agent.alice-tour")


def told(entity: Entity, timeout_seconds: float = 60.0, ask: Ask | None = None) -> str:
    """What the tour says."""
    output = io.StringIO()
    run_tour(LocalMemory(entity, timeout_seconds=timeout_seconds), output, ask=ask)
    return output.getvalue()


def said_in(entity: Entity, session: str) -> list[Message]:
    return list(Message.objects.for_entity(entity).filter(session__external_id=session))


def test_the_tour_shows_one_skip_one_merge_and_a_second_version(entity: Entity) -> None:
    with engine_for(entity):
        text = told(entity)
    assert re.findall(r"(?m)^Act .*$", text) == ACTS
    changes = changes_of(entity, [message.pk for message in said_in(entity, "tour-2")])
    (skip,) = changes.skipped
    (merge,) = changes.merged
    third = text[text.index(ACTS[2]) :]
    assert f"= known: {skip.text}" in third
    assert "now 2 receipts" in third
    assert f"takes the place of: {merge.old[0].text}" in third
    assert "October 15" in merge.new.text
    assert "July 15" in merge.old[0].text
    assert changes.stored != ()
    assert [scene.number for scene in changes.scenes] == [2]
    assert f"▣ {changes.scenes[0].title}: version 2" in third
    assert all(f"{line.section}: {line.after}" in third for line in changes.scenes[0].lines if line.after)


def test_the_old_deadline_stands_only_in_the_evolution_record(entity: Entity) -> None:
    with engine_for(entity):
        told(entity)
    rules = [rule.text for rule in standing_rules(entity, floor=0).rules]
    lines = [
        line.text
        for scene in ladder.scenes(entity)
        for section in scene.sections
        if section.section != "evolution_record"
        for line in section.lines
    ]
    assert any("October 15" in text for text in rules)
    assert not [text for text in (*rules, *lines) if "July 15" in text]


def test_a_second_tour_stores_nothing_and_shows_what_stands(entity: Entity) -> None:
    with engine_for(entity):
        first = told(entity)
        counts = [rows.objects.for_entity(entity).count() for rows in (Message, Atom, SceneVersion)]
        second = told(entity)
    assert counts == [rows.objects.for_entity(entity).count() for rows in (Message, Atom, SceneVersion)]
    assert "10 messages stored." in first
    assert second.count("Told before: nothing was stored again.") == 2
    assert without_worker(first[first.index("How everything") :]) == without_worker(
        second[second.index("How everything") :]
    )


def without_worker(text: str) -> list[str]:
    """The lines of a page but those that tell the seconds since a worker was seen, and what it took."""
    return [line for line in text.splitlines() if not line.startswith(("  worker ", "The worker "))]


def test_the_risky_request_meets_the_rules(entity: Entity) -> None:
    with engine_for(entity):
        text = told(entity)
    act = text[text.index(ACTS[4]) : text.index(ACTS[5])]
    rules = act[act.index("## Standing rules") :].split("\n## ")[0]
    assert "Asked for: Rewrite billing in Fastify and deploy it tonight" in act
    for words in ("Never deploy to production without", "telemetry", "Express until October 15"):
        assert words in rules
    assert [word for word in ("July", "next month") if word in act] == []


def test_the_procedure_waits_where_nobody_is_asked(entity: Entity) -> None:
    with engine_for(entity):
        text = told(entity)
    act = text[text.index(ACTS[3]) : text.index(ACTS[4])]
    draft = ProcedureVersion.objects.get()
    command = "AGENT_MEMORY_RUN_ID=tour python manage.py walkthrough --no-tour"
    assert f"{WAITS}\n  {command}\n  procedure approve {short_id(draft.pk)}\n" in act
    assert "    + Deploy the route.\n        trace step [" in act
    assert [word for word in ("refunds", "invoices", "cache", "June 1") if word in steps_of(draft)] == []
    assert (draft.status, Review.objects.count(), TaskTrace.objects.count()) == ("draft", 0, 2)
    assert "## Reviewed procedures" not in text


def test_a_person_who_is_asked_decides(entity: Entity) -> None:
    asked: list[str] = []

    def ask(question: str, answer: bool) -> bool:
        asked.append(question)
        return answer

    with engine_for(entity):
        refused = told(entity, ask=lambda question: ask(question, False))
        approved = told(entity, ask=lambda question: ask(question, True))
        once_more = told(entity, ask=lambda question: ask(question, True))
    assert asked == [APPROVAL_ASKED] * 2
    assert "Not approved: the draft waits" in refused
    assert "## Reviewed procedures" not in refused
    assert "Approved: version 1 is handed to agents from now on." in approved
    for text in (approved, once_more):
        act = text[text.index(ACTS[4]) : text.index(ACTS[5])]
        assert "## Reviewed procedures" in act
        assert "Asked Alice" not in act
    assert [review.verdict for review in Review.objects.all()] == ["approved"]


def steps_of(version: ProcedureVersion) -> str:
    return " ".join(version.lines.values_list("text", flat=True))


def test_the_prompt_reviews_uses_and_says_something_of_a_procedure(entity: Entity) -> None:
    memory = LocalMemory(entity, timeout_seconds=60.0)
    with engine_for(entity):
        told(entity)
        [shown] = memory.procedures("deploy the next route tonight").procedures
        assert shown.active is None
        assert shown.draft is not None
        first = short_id(shown.draft.summary.id)
        assert memory.procedures("paint the fence").notice == "No procedure is for that."
        assert memory.approve_draft(first, "Good.").procedures[0].active is not None
        used = memory.use_procedure(first)
        use = re.search(r"use \[([0-9a-f]{8})\]", used.notice)
        assert use
        said = memory.say_of_procedure(use[1], "attach a rollback plan", print)
    [after] = said.procedures
    assert said.notice == "Noted."
    assert after.draft is not None
    [change] = [line for line in after.draft.difference.lines if "rollback plan" in line.after.lower()]
    assert [cited.says for cited in change.citations] == ["attach a rollback plan"]
    turned_down = memory.reject_draft(short_id(after.draft.summary.id), "Not now.")
    assert turned_down.procedures[0].draft is None
    assert [review.verdict for review in Review.objects.order_by("created_at")] == ["approved", "rejected"]
    with pytest.raises(MemoryProblemError, match="There is no draft with such an id"):
        memory.approve_draft(first, "")
    with pytest.raises(MemoryProblemError, match="An id is written in hexadecimal digits"):
        memory.approve_draft("soon", "")


def test_a_trait_is_opened_down_to_the_words(entity: Entity) -> None:
    with engine_for(entity):
        text = told(entity)
    act = text[text.index(ACTS[5]) :]
    layers = re.findall(r"(?m)^[ │]*(?:[├└]─ )?(L\d \w+) \[[0-9a-f]{8}\]", act)
    assert layers[:4] == ["L3 trait", "L2 line", "L1 atom", "L0 message"]
    spoken = [line.strip() for line in act.splitlines()]
    assert any(message.text in spoken for message in said_in(entity, "tour-1"))


def test_without_a_worker_the_tour_stops_and_says_so(entity: Entity) -> None:
    with pytest.raises(TourUnfinishedError, match="no worker was ever seen here"):
        told(entity, timeout_seconds=0.1)
    assert len(said_in(entity, "tour-1")) == len(story()[0].messages)


def test_with_llm_fake_only_the_words_are_stored(entity: Entity, settings: object) -> None:
    settings.MEMSEEK = replace(site.MEMSEEK, is_llm_fake=True)  # type: ignore[attr-defined]
    text = told(entity)
    said = LocalMemory(entity, timeout_seconds=60.0).say("I moved to Berlin.", print)
    assert text.endswith(f"{ONLY_WORDS}\n")
    assert (said.changes.messages, said.is_settled, said.reasons) == (1, False, (ONLY_WORDS,))
    assert Message.objects.for_entity(entity).count() == 16


def test_the_tour_has_an_entity_of_its_own(transactional_db: None, settings: object) -> None:
    settings.MEMSEEK = replace(site.MEMSEEK, is_llm_fake=True)  # type: ignore[attr-defined]
    run_demo_tour(workspace=make_workspace(), output=io.StringIO())
    assert list(Entity.objects.values_list("name", flat=True)) == ["agent.alice-demo"]


def test_say_tells_what_changed(entity: Entity) -> None:
    memory = LocalMemory(entity, timeout_seconds=60.0)
    with engine_for(entity):
        said = memory.say("UI and UX guidelines must use blue by default.", print)
    assert [atom.text for atom in said.changes.stored] == ["UI and UX guidelines must use blue by default."]
    assert [scene.title for scene in said.changes.scenes] == ["UI Design Guidelines"]


def test_what_was_said_ends_with_the_prompt(entity: Entity) -> None:
    memory = LocalMemory(entity, timeout_seconds=0.0)
    memory.close()
    assert not Session.objects.for_entity(entity).exists()
    memory.say("Hello!", print)
    memory.close()
    assert [session.ended_at is None for session in Session.objects.for_entity(entity)] == [False]


def test_a_new_run_has_six_characters() -> None:
    run = new_run_id()
    assert re.fullmatch(rf"[a-z0-9]{{{RUN_ID_LENGTH}}}", run)
    assert entity_name(run) == f"agent.alice-{run}"
