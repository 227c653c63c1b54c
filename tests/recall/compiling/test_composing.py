"""The context of a turn on real rows: what is in it and where, within which budget, what stays the same."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from memory.cascade.work import ensure_work
from memory.claims.promotion import PromotionWorker
from memory.indexing.step import index_entity
from memory.ingest.recalled import strip_recalled
from memory.models import Digest, Entity, Message, Session
from memory.recall.compiling import Compiled, CompileRequest, compile_context
from memory.recall.compiling.chat import chat_bytes
from memory.recall.compiling.turns import message_tokens
from memory.recall.tokens import count_tokens
from tests.cast import Alice
from tests.factories import (
    NewLine,
    cite,
    make_atom,
    make_claim,
    make_message,
    make_rule,
    make_scene,
    make_session,
)
from tests.stub_provider import StubProvider

NOON = datetime(2026, 6, 24, 12, 0, tzinfo=UTC)
SCHEMA = TypeAdapter(list[ChatCompletionMessageParam])


def compiled(entity: Entity, session: str = "talk", **values: Any) -> Compiled:
    """By words alone, at a fixed time, unless the values say something else."""
    make_session(entity, session)
    row = Session.objects.select_related("entity__workspace").get(entity=entity, external_id=session)
    return compile_context(row, CompileRequest(**({"as_of": NOON, "strategy": "text"} | values)))


def say(entity: Entity, *texts: str, session: str = "talk", **values: Any) -> list[Message]:
    return [make_message(entity, text, session=session, speaker="", **values) for text in texts]


def contents(made: Compiled) -> list[str]:
    return [message["content"] or "" for message in made.messages]


def part(made: Compiled, name: str) -> dict[str, Any]:
    return next(found for found in made.manifest["parts"] if found["name"] == name)


def promote(entity: Entity) -> None:
    ensure_work(entity)
    PromotionWorker(entity).run_once()


def digest(entity: Entity, session: str, kind: str, text: str, messages: Sequence[Message]) -> Digest:
    row = make_session(entity, session)
    made = Digest.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        session=row,
        kind=kind,
        number=1,
        text=text,
        until_ordinal=len(messages),
    )
    cite(entity, of_digest=made, targets={"message": messages})
    return made


def test_the_order_runs_from_what_stays_to_what_changes(alice: Alice) -> None:
    entity = alice.entity
    earlier = say(entity, "The rollout is in July.", session="spring")
    digest(entity, "spring", "brief", "The rollout was set for July.", earlier)
    Session.objects.filter(external_id="spring").update(ended_at=NOON)
    folded = say(entity, "Hello.", "Hello, Alice.")
    digest(entity, "talk", "summary", "They greeted each other.", folded)
    Session.objects.filter(external_id="talk").update(folded_until=2)
    say(entity, "Shall we deploy billing?")
    made = compiled(entity)
    assert [message["role"] for message in made.messages] == ["system", "user"]
    places = [
        made.messages[0]["content"].index(text)
        for text in (
            "## Persona\n- decision pattern: Asks for approval first.",
            "Never deploy without Alice's approval.",
            "## Scenes\n- Billing API",
            "## Earlier sessions\n- 2026-06-24: The rollout was set for July.",
            "## Earlier in this session\nThey greeted each other.",
        )
    ]
    assert places == sorted(places)
    asked = made.messages[1]["content"]
    assert asked.endswith("## Request (2026-06-24 12:00 UTC)\nShall we deploy billing?")
    assert "Billing stays on Express until October 15." in asked
    assert strip_recalled(asked).strip() == "Shall we deploy billing?"


def test_the_newest_turn_is_in_it_before_anything_was_extracted(alice: Alice) -> None:
    [message] = say(alice.entity, "We moved to Oslo an hour ago.", consumed_by_id=None)
    made = compiled(alice.entity)
    assert made.messages[-1]["content"].endswith("We moved to Oslo an hour ago.")
    assert part(made, "turns")["shown"] == [{"kind": "message", "id": str(message.pk)}]


def test_a_session_without_turns_takes_the_query_for_the_users_words(alice: Alice) -> None:
    made = compiled(alice.entity, "fresh", query="When does billing leave Express?")
    assert [message["role"] for message in made.messages] == ["system", "user"]
    assert made.messages[1]["content"].endswith("\nWhen does billing leave Express?")
    assert "October 15" in made.messages[1]["content"]


def test_the_prefix_is_the_same_bytes_over_twenty_turns(alice: Alice) -> None:
    prefixes: list[bytes] = []
    for number in range(20):
        say(alice.entity, f"Turn {number}: what about billing?")
        made = compiled(alice.entity)
        whole = chat_bytes(made.messages)
        prefixes.append(whole[: made.stable_prefix_bytes])
        assert len(made.messages) == made.stable_messages + 1
        say(alice.entity, f"Reply {number}.", role="assistant")
    for shorter, longer in pairwise(prefixes):
        assert longer.startswith(shorter)
        assert len(longer) > len(shorter)


def test_the_prefix_does_not_depend_on_the_query(alice: Alice) -> None:
    make_rule(alice.entity, "Sing at parties.", [alice.messages[0]], scope="a birthday party")
    say(alice.entity, "First.", "Second.")
    one = compiled(alice.entity, query="billing deadline")
    other = compiled(alice.entity, query="songs for the birthday party")
    prefix = chat_bytes(one.messages)[: one.stable_prefix_bytes]
    assert chat_bytes(other.messages)[: other.stable_prefix_bytes] == prefix
    assert ("Sing at parties." in contents(one)[-1], "Sing at parties." in contents(other)[-1]) == (
        False,
        True,
    )


def test_the_same_rows_and_time_give_the_same_bytes_and_their_hash(alice: Alice) -> None:
    say(alice.entity, "Shall we deploy billing?")
    one, other = compiled(alice.entity), compiled(alice.entity)
    assert one == other
    assert one.sha256 == hashlib.sha256(chat_bytes(one.messages)).hexdigest() == one.manifest["sha256"]


@pytest.mark.parametrize("budget", [800, 1_200, 3_000, 12_000])
def test_every_budget_is_kept_and_nothing_stands_twice(alice: Alice, budget: int) -> None:
    for number in range(60):
        make_rule(alice.entity, f"Rule {number}: keep the {number}th drawer shut.", [alice.messages[1]])
        make_atom(alice.entity, f"Billing fact {number} concerns Express.", [alice.messages[0]])
        say(alice.entity, f"Long turn {number} " + "about billing " * 20)
    made = compiled(alice.entity, budget=budget)
    assert made.tokens == 3 + sum(message_tokens(message, count_tokens) for message in made.messages)
    assert made.tokens <= budget
    shown = [
        (row["kind"], row["id"], row.get("part"))
        for found in made.manifest["parts"]
        for row in found["shown"]
    ]
    assert len(shown) == len(set(shown))
    rules = part(made, "rules")
    missing = sum(1 for row in rules["left_out"] if row["reason"] == "budget")
    assert len(rules["shown"]) + missing == 61
    assert (f"… and {missing} more standing" in contents(made)[0]) is (missing > 0)
    SCHEMA.validate_python(list(made.messages))


def test_a_turn_longer_than_the_budget_is_cut_and_the_manifest_says_so(alice: Alice) -> None:
    [message] = say(alice.entity, "Begin. " + "billing " * 5_000 + "Where is it?")
    made = compiled(alice.entity, budget=1_000)
    assert made.tokens <= 1_000
    *_, asked = contents(made)[-1].partition("\nBegin. billing ")
    assert (asked.count(" … "), asked[-12:]) == (1, "Where is it?")
    assert {"kind": "message", "id": str(message.pk), "reason": "cut"} in part(made, "turns")["left_out"]


def test_words_that_the_chat_shows_are_not_remembered_beside_it(alice: Alice) -> None:
    [said] = say(alice.entity, "The freeze begins on Monday.")
    atom = make_atom(alice.entity, "The freeze begins on Monday, Alice says.", [said])
    made = compiled(alice.entity, query="When does the freeze begin?")
    assert {"kind": "atom", "id": str(atom.pk), "reason": "in a turn"} in part(made, "memory")["left_out"]
    assert "".join(contents(made)).count("freeze begins on Monday") == 1


def test_what_was_superseded_never_comes_back(alice: Alice) -> None:
    made = compiled(alice.entity, query="Express until July 15 billing")
    assert "July" not in contents(made)[-1].rpartition("## Request")[0]
    assert "July" not in contents(made)[0]


def test_a_claim_is_recalled_with_its_value_and_its_evidence(alice: Alice) -> None:
    claim = make_claim(
        alice.entity,
        "billing.plan",
        {"cycle": "annual", "price": 1200},
        text="customer customer-123 billing.plan: cycle annual, price 1200",
    )
    promote(alice.entity)
    made = compiled(alice.entity, "later", query="Where did we land on billing?", strategy="hybrid")
    [recalled] = made.recalled_claims
    assert (recalled.id, recalled.value) == (claim.pk, {"cycle": "annual", "price": 1200})
    assert [(found.kind, found.reference, found.authority) for found in recalled.evidence] == [
        ("tool_event", "billing.plan.observed", "application")
    ]
    [fact] = [fact for fact in made.recalled_semantic if fact.atom == claim.pk]
    assert (fact.subject.identifier, fact.predicate) == ("customer-123", "billing.plan")
    assert fact.value == {"cycle": "annual", "price": 1200}
    assert "cycle annual, price 1200" in contents(made)[-1]


def test_a_claim_that_a_scene_tells_is_recalled_and_told_once(alice: Alice) -> None:
    text = "customer-123 billing.plan: annual"
    claim = make_claim(alice.entity, "billing.plan", "annual", text=text)
    make_scene(alice.entity, "Plans", [NewLine("key_evidence", text, [claim])])
    promote(alice.entity)
    index_entity(entity_id=alice.entity.pk)
    made = compiled(alice.entity, "later", query="Which billing plan has customer-123?", strategy="hybrid")
    assert [recalled.id for recalled in made.recalled_claims] == [claim.pk]
    assert [fact.atom for fact in made.recalled_semantic if fact.atom == claim.pk] == [claim.pk]
    assert contents(made)[-1].count("annual") == 1


def test_the_graph_alone_recalls_facts_and_no_memory(alice: Alice) -> None:
    make_claim(alice.entity, "billing.plan", "annual")
    promote(alice.entity)
    made = compiled(alice.entity, "later", query="customer-123 plan", strategy="graph")
    assert "## Related facts\n- customer customer-123 billing.plan: annual\n" in contents(made)[-1]
    assert part(made, "memory")["shown"] == []
    assert made.manifest["arms"] == {
        "words": "off",
        "meaning": "off",
        "related": "off",
        "unindexed": "answered",
    }


def test_another_memory_never_shows(alice: Alice) -> None:
    made = compiled(alice.entity, query="Bob's secret plan in the other workspace")
    assert "Bob" not in "".join(contents(made)).rpartition("## Request")[0]


def test_no_model_is_asked(alice: Alice) -> None:
    say(alice.entity, "Shall we deploy billing?")
    with StubProvider() as provider:
        model = replace(settings.MEMSEEK.model, base_url=provider.base_url, strong="stub", api_key="key")
        with override_settings(MEMSEEK=replace(settings.MEMSEEK, model=model)):
            compiled(alice.entity, strategy="hybrid")
        assert provider.requests == []


def test_the_number_of_statements_does_not_grow(alice: Alice) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            compiled(alice.entity, query="billing", depth=1)
        return len(captured)

    say(alice.entity, "Shall we deploy billing?")
    make_claim(alice.entity, "billing.plan", "annual")
    promote(alice.entity)
    before = statements()
    for number in range(30):
        say(alice.entity, f"Turn {number} about billing.")
        make_atom(alice.entity, f"Billing fact {number}.", [alice.messages[0]])
        make_rule(alice.entity, f"Rule {number} of billing.", [alice.messages[0]])
        make_claim(alice.entity, f"billing.part{number}", number, identifier=f"customer-{number}")
    promote(alice.entity)
    assert statements() == before


@pytest.mark.parametrize(
    "values",
    [
        {"budget": 799},
        {"budget": 1_000_001},
        {"strategy": "magic"},
        {"depth": 4},
        {"depth": -1},
        {"rules_floor": 101},
        {"as_of": NOON.replace(tzinfo=None)},
        {"safety": 0.5},
    ],
)
def test_values_out_of_their_range_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        CompileRequest(**values)


def test_the_manifest_is_json_and_tells_of_every_part(alice: Alice) -> None:
    say(alice.entity, "Shall we deploy billing?")
    made = compiled(alice.entity)
    told = json.loads(json.dumps(made.manifest))
    assert [found["name"] for found in told["parts"]] == [
        *("persona", "rules", "scenes", "briefs", "summary", "turns"),
        *("live", "sections", "memory", "facts", "procedure"),
    ]
    assert (told["session"], told["strategy"], told["as_of"]) == (
        str(Session.objects.get(external_id="talk").pk),
        "text",
        NOON.isoformat(),
    )


def test_the_words_that_are_answered_stay_although_their_turn_is_folded(alice: Alice) -> None:
    say(alice.entity, "Why was Berlin billed twice?", session="talk")
    steps = [f"Page {number} is read." for number in range(30)]
    say(alice.entity, *steps, session="talk", role=Message.Role.ASSISTANT)
    Session.objects.filter(external_id="talk").update(folded_until=11)
    made = compiled(alice.entity)
    assert [(message["role"], message["content"]) for message in made.messages[2:]] == [
        ("assistant", step) for step in steps[10:]
    ]
    assert made.messages[1]["role"] == "user"
    assert made.messages[1]["content"].endswith("\nWhy was Berlin billed twice?")
    assert compiled(alice.entity, budget=800).messages[1]["content"].endswith("billed twice?")


@pytest.mark.parametrize("budget", [800, 801, 2_000])
def test_a_query_that_is_no_turn_keeps_to_the_budget(alice: Alice, budget: int) -> None:
    made = compiled(alice.entity, session="new", query="我们的账单计划是什么？" * 400, budget=budget)
    assert made.messages[-1]["role"] == "user"
    assert " … " in made.messages[-1]["content"]
    assert made.tokens <= budget
