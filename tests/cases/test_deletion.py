"""Cases 53 to 61: what is deleted is gone everywhere, and nothing else is."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory import tasks
from memory.cascade.engine import Outcome
from memory.indexing.step import index_entity
from memory.ingest.workspaces import create_key
from memory.models import Message, SearchUnit, Step, Unindexed
from memory.stewardship.verify import verify
from tests.api.conftest import Caller
from tests.cascade.story import answer
from tests.cases.agents import START, Agent
from tests.cases.answers import by_step, line_handle
from tests.cases.threads import at_once
from tests.stewardship.erasing.scanning import everything_of, places_of
from tests.stub_provider import Reply, word_counts
from tests.stub_provider.configured import as_the_model, well

BADGE = "My badge word is Orchidella."
BIKE = "My bike is blue."


def test_case_53_deleting_one_users_memory_leaves_the_others_as_they_were(agent: Agent) -> None:
    other, stranger = Agent("agent.bob"), Agent("agent.alice", workspace="elsewhere")
    for one in (agent, other, stranger):
        one.say("My locker is number 12.", "I prefer short answers.")
        one.work()
    before = [everything_of(one.entity) for one in (other, stranger)]
    for body in (
        {"entity": agent.name},
        {"scope": {"kind": "entity"}},
        {"entity": agent.name, "scope": {}},
        {"entity": agent.name, "scope": {"kind": "everything"}},
    ):
        agent.post("erase", body, status=400)
    for kind in ("messages", "session", "period"):
        agent.post("erase", {"entity": agent.name, "scope": {"kind": kind}}, status=409)
    with pytest.raises(CommandError):
        call_command("erase", agent.name, "--workspace", "demo")
    assert agent.layers()["messages"] == (2, 2)

    assert agent.erase({"kind": "entity"})["counts"]["messages"] == 2
    agent.get("atoms", entity=agent.name, status=404)
    assert [everything_of(one.entity) for one in (other, stranger)] == before
    assert other.recalled("locker")[0] == "Alice's locker is number 12."


def test_case_54_what_was_deleted_is_found_neither_at_once_nor_later(agent: Agent) -> None:
    (said, _) = agent.say("My locker is number 12.", BIKE)
    agent.work()
    assert agent.recalled("locker")[0] == "Alice's locker is number 12."
    agent.erase({"kind": "messages", "messages": [said]})

    def told() -> str:
        found = agent.recall("What is the number of my locker?")
        shown = str([hit["text"] for hit in found["hits"]])
        context = agent.context("Which locker?").partition("## Request")[0]
        # A tag made at random may hold the number too.
        return shown + re.sub('<memseek-recall id="[0-9a-f]+">', "", context) + str(agent.scenes())

    assert "12" not in told()
    # Whatever tasks and sweeps come an hour later.
    Unindexed.objects.for_entity(agent.entity).update(queued_at=START)
    tasks.sweep()
    agent.work()
    assert "12" not in told()
    assert [message["text"] for message in agent.messages()] == [BIKE]
    assert verify(agent.entity, is_settled=True) == []


@pytest.mark.django_db(transaction=True)
def test_case_55_an_erased_word_lives_on_in_no_summary_and_in_no_old_version(settings: Any) -> None:
    def portray(prompt: str) -> dict[str, Any]:
        line = line_handle(prompt, BADGE) if BADGE in prompt else line_handle(prompt, BIKE)
        text = BADGE if BADGE in prompt else BIKE
        return answer({"action": "set", "slot": "archetype", "text": text, "lines": [line]})

    def respond(body: dict[str, Any]) -> Reply:
        is_persona = "\nTraits now:" in body["messages"][-1]["content"]
        return by_step(persona=portray)(body) if is_persona else well(body)

    with as_the_model(settings, respond):
        agent = Agent()
        (said,) = agent.say(BADGE)
        agent.work()
        agent.say(BIKE)
        agent.work()
        (title,) = agent.scenes()
        assert agent.scenes() == {title: [BADGE, BIKE]}
        assert agent.persona()["archetype"][0] == BADGE
        assert len(places_of("Orchidella")) >= 5
        agent.erase({"kind": "messages", "messages": [said]})
        assert places_of("Orchidella") == []
        agent.work()
        assert places_of("Orchidella") == []
        assert (agent.claims("all"), list(agent.scenes().values())) == ([BIKE], [[BIKE]])
        assert agent.persona()["archetype"][0] == BIKE
        assert verify(agent.entity, is_settled=True) == []


@pytest.mark.django_db(transaction=True)
def test_case_56_a_scene_step_that_read_an_erased_fact_writes_nothing_of_it(settings: Any) -> None:
    with as_the_model(settings) as stub:
        agent = Agent()
        (said, _) = agent.say(BADGE, BIKE)
        agent.step(Step.L1_EXTRACT)

        def answer_late(body: dict[str, Any]) -> Reply:
            stub.respond = well
            at_once(lambda: agent.erase({"kind": "messages", "messages": [said]}))
            return well(body)

        stub.respond = answer_late
        assert agent.step(Step.SCENE_SYNTHESIS) == [Outcome.DISCARDED, Outcome.DONE]
        assert (list(agent.scenes().values()), places_of("Orchidella")) == ([[BIKE]], [])
        (discarded, _) = agent.runs(Step.SCENE_SYNTHESIS)
        told = [discarded[name] for name in ("status", "inputs", "outputs", "decisions", "raw_answer")]
        assert told == ["discarded", {}, {}, [], ""]
        agent.work()
        assert (agent.claims("all"), places_of("Orchidella")) == ([BIKE], [])
        assert verify(agent.entity, is_settled=True) == []


@pytest.mark.django_db(transaction=True)
def test_case_57_a_late_task_brings_no_deleted_row_back(settings: Any) -> None:
    with as_the_model(settings) as stub:
        product = settings.MEMSEEK
        embedding = replace(
            product.embedding, provider="openai_compatible", model="stub", base_url=stub.base_url
        )
        settings.MEMSEEK = replace(product, embedding=embedding)
        agent = Agent()
        (said, _) = agent.say(BADGE, BIKE)

        def embed_late(body: dict[str, Any]) -> Reply:
            stub.embed = lambda body: Reply.vectors([word_counts(text, 8) for text in body["input"]])
            at_once(lambda: agent.erase({"kind": "messages", "messages": [said]}))
            return stub.embed(body)

        stub.embed = embed_late
        index_entity(entity_id=agent.entity.pk)
        assert places_of("Orchidella") == []
        tasks.index_entity(str(agent.entity.pk))
        tasks.run_step(str(agent.entity.pk), "l1_extract")
        units = SearchUnit.objects.filter(message__isnull=False).values_list("message", flat=True)
        assert list(units) == list(Message.objects.values_list("pk", flat=True))
        assert all(hit["text"] and hit["id"] for hit in agent.recall("badge bike")["hits"])
        assert not any("Orchid" in hit["text"] for hit in agent.recall("badge word")["hits"])
        gone = str(agent.entity.pk)
        agent.erase({"kind": "entity"})
        for step in Step:
            tasks.run_step(gone, step.value)
        tasks.index_entity(gone)
        assert (SearchUnit.objects.count(), Unindexed.objects.count()) == (0, 0)


def test_case_59_an_id_of_another_memory_is_not_found_and_nothing_changes(agent: Agent) -> None:
    other = Agent("agent.bob")
    for one in (agent, other):
        one.say("My locker is number 12.")
        one.work()
    (foreign,), (atom,), (scene,) = (
        other.messages(),
        other.atoms(),
        other.get("scenes", entity=other.name)["scenes"],
    )
    bound = create_key(workspace=agent.workspace, label="bound", scopes=["admin"], entities=[agent.entity])
    mine = Caller(bound.token)
    token = other.post("erase", {"entity": other.name, "scope": {"kind": "entity"}})["token"]
    before = [everything_of(one.entity) for one in (agent, other)]
    messages = {"kind": "messages", "messages": [foreign["id"]]}
    tried = [
        ("erase", {"entity": agent.name, "scope": messages}),
        ("erase", {"entity": other.name, "scope": messages}),
        ("erase/confirm", {"entity": agent.name, "token": token}),
        ("erase/confirm", {"entity": other.name, "token": token}),
        (f"atoms/{atom['id']}/retract", {"reason": "not mine"}),
        (f"scenes/{scene['id']}/retire", {"reason": "not mine"}),
    ]
    replies = [mine.post(f"/api/v1/{path}", body).status_code for path, body in tried]
    assert replies == [404, 404, 409, 404, 404, 404]
    assert [everything_of(one.entity) for one in (agent, other)] == before


def test_case_60_a_request_to_forget_in_words_lists_asks_and_takes_what_is_old(agent: Agent) -> None:
    for place, town in enumerate(("Oslo", "Bergen", "Turku")):
        said_at = START + timedelta(days=30 * place)
        agent.say(f"My address is 5 Main Street in {town} now.", session=town, at=said_at)
        agent.work()
    agent.say("I play the cello.", session="more")
    agent.say("Forget my old address.", session="more", at=START + timedelta(days=90))
    agent.work()
    assert [status for text, status in agent.history() if "Main Street" in text] == [
        "superseded",
        "superseded",
        "live",
    ]
    asked = agent.post("forget", {"entity": agent.name, "text": "Forget my old address."})
    chosen = [match["text"] for match in asked["matches"] if match["is_chosen"]]
    assert (asked["wants_old"], len(asked["matches"]), len(chosen)) == (True, 3, 2)
    assert not any("Turku" in text for text in chosen)
    assert len(agent.history()) >= 4
    done = agent.post("forget/confirm", {"entity": agent.name, "token": asked["token"]})["erasure"]
    assert (done["status"], done["counts"]["messages"], done["counts"]["atoms"]) == ("done", 2, 2)
    left = [text for text, _ in agent.history() if "Main Street" in text]
    assert (len(left), "Turku" in left[0]) == (1, True)
    assert any("cello" in text for text in agent.claims())
    agent.work()
    assert not any(town in str(everything_of(agent.entity)) for town in ("Oslo", "Bergen"))
    (logged,) = agent.get("erasures", entity=agent.name)["erasures"]
    assert (logged["id"], logged["status"], logged["key"]) == (done["id"], "done", "a person")


def test_case_61_what_agents_share_stays_when_one_of_them_is_deleted(agent: Agent) -> None:
    team, other = Agent("team"), Agent("agent.bob")
    team.say("Never deploy without my approval.", "I prefer small, reversible steps.")
    team.work()
    before = everything_of(team.entity)
    for reader in (agent, other):
        team.post("entities/team/shares", {"reader": reader.name}, status=201)
        reader.say("I play the cello.")
        reader.work()

    def shared(reader: Agent) -> list[str]:
        (group,) = reader.recall("Who has to approve a deploy?", shared=["team"])["shared"]
        return [hit["text"] for hit in group["hits"]]

    told, persona = shared(other), team.persona()
    assert any("approval" in text for text in told)
    assert shared(agent) == told
    agent.erase({"kind": "entity"})
    assert (shared(other), team.persona()) == (told, persona)
    after = everything_of(team.entity)
    assert {table: rows for table, rows in after.items() if rows != before[table]} == {
        "memory_share": after["memory_share"]
    }
    assert len(team.get("entities/team/shares")["shares"]) == 1
    team.erase({"kind": "entity"})
    assert other.recall("cello", shared=["all"])["shared"] == []
    assert other.claims() != []
