"""Every door that takes words redacts them before it compares, hashes or stores anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.claims.observation import Observation, OutsideEvidence, Subject
from memory.claims.observing import observe
from memory.ingest.import_report import described
from memory.ingest.importing import import_file
from memory.ingest.incoming import IncomingTurn, read_messages
from memory.ingest.messages import append_messages
from memory.ingest.problems import IngestConflict, IngestError
from memory.ingest.turns import add_turns
from memory.llm.offline.confidential import holds_secret
from memory.models import Atom, Authority, Entity, Message, Session, TaskTrace, Workspace
from memory.models.messages import MESSAGE_TEXT_LIMIT
from memory.skills.traces import IncomingStep, record_trace
from memory.stewardship.erasing import Scope, erase, plan_erasure
from tests.factories import make_entity, make_workspace
from tests.stewardship.erasing.planting import BOSS

pytestmark = pytest.mark.django_db(transaction=True)

MAIL = "ann@example.com"


@pytest.fixture(autouse=True)
def everything(settings: Any) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, redact=frozenset({"secrets", "personal"}))


@pytest.fixture
def alice() -> Entity:
    return make_entity("agent.alice")


def message(**fields: Any) -> dict[str, Any]:
    return {"session": "first", "role": "user", "text": f"Write to {MAIL}.", **fields}


def test_all_that_a_message_says_is_redacted_and_its_addresses_stay(alice: Entity) -> None:
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "send", "arguments": f'{{"to": "{MAIL}"}}'},
    }
    said = message(
        role="assistant",
        speaker=MAIL,
        attachment_text=f"A card of {MAIL}",
        tool_calls=[call],
        metadata={"from": MAIL, "order": 7},
        dedupe_key=MAIL,
    )
    appended = append_messages(entity=alice, messages=read_messages([said]))
    stored = Message.objects.values(
        "text", "attachment_text", "tool_calls", "metadata", "speaker", "dedupe_key"
    ).get()
    place = "[redacted: e-mail]"
    assert stored == {
        "text": f"Write to {place}.",
        "attachment_text": f"A card of {place}",
        "tool_calls": [
            {**call, "function": {"name": "send", "arguments": f'{{"to": "{place}"}}'}},
        ],
        "metadata": {"from": place, "order": 7},
        "speaker": MAIL,
        "dedupe_key": MAIL,
    }
    assert appended.redacted == {"e-mail": 4}


def test_the_same_words_again_are_the_same_message(alice: Entity) -> None:
    said = [message(dedupe_key="one"), message(text="And 4111 1111 1111 1111.", dedupe_key="two")]
    first = append_messages(entity=alice, messages=read_messages(said))
    again = append_messages(entity=alice, messages=read_messages(said))
    assert [kept.id for kept in again.messages] == [kept.id for kept in first.messages]
    assert (first.new_count, again.new_count, again.redacted) == (2, 0, {"e-mail": 1, "card number": 1})


def test_a_transcript_that_is_sent_again_is_known(alice: Entity) -> None:
    said = [message(), message(role="assistant", text="I will.")]
    append_messages(entity=alice, messages=read_messages(said))
    again = append_messages(entity=alice, messages=read_messages([*said, message(text="Thanks.")]))
    assert [kept.is_new for kept in again.messages] == [False, False, True]


@pytest.fixture
def switched_on_later(settings: Any) -> Callable[[], None]:
    """Nothing is redacted until it is called."""
    chosen = settings.MEMSEEK
    settings.MEMSEEK = replace(chosen, redact=frozenset())

    def switch_on() -> None:
        settings.MEMSEEK = chosen

    return switch_on


@pytest.mark.parametrize(
    "said",
    [
        [message(dedupe_key="one")],
        [message(ordinal=0)],
        [message(), message(role="assistant", text="I will.")],
    ],
    ids=["key", "ordinal", "transcript"],
)
def test_what_was_stored_before_the_setting_is_known_by_what_is_sent(
    alice: Entity, switched_on_later: Callable[[], None], said: list[dict[str, Any]]
) -> None:
    first = append_messages(entity=alice, messages=read_messages(said))
    switched_on_later()
    again = append_messages(entity=alice, messages=read_messages(said))
    assert [(kept.id, kept.is_new) for kept in again.messages] == [
        (kept.id, False) for kept in first.messages
    ]
    assert Message.objects.filter(text=f"Write to {MAIL}.").count() == 1


def test_other_words_under_a_key_from_before_the_setting_are_refused(
    alice: Entity, switched_on_later: Callable[[], None]
) -> None:
    append_messages(entity=alice, messages=read_messages([message(dedupe_key="one")]))
    switched_on_later()
    other = message(dedupe_key="one", text="Write to bob@example.com.")
    with pytest.raises(IngestConflict, match="dedupe_key"):
        append_messages(entity=alice, messages=read_messages([other]))


def test_what_was_erased_before_the_setting_stays_erased(
    alice: Entity, switched_on_later: Callable[[], None]
) -> None:
    said = read_messages([message(ordinal=0), message(ordinal=1, text="Thanks.")])
    first = append_messages(entity=alice, messages=said)
    scope = Scope("messages", messages=(first.messages[0].id,))
    erase(erasure=plan_erasure(entity=alice, scope=scope, actor=BOSS), actor=BOSS)
    switched_on_later()
    again = append_messages(entity=alice, messages=said)
    assert ([kept.is_new for kept in again.messages], again.erased) == ([False], (0,))


@pytest.mark.parametrize("is_dry_run", [True, False])
def test_a_file_imported_before_the_setting_is_known(
    tmp_path: Path, switched_on_later: Callable[[], None], is_dry_run: bool
) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": f"Write to {MAIL}."}]}), "utf-8")
    workspace = make_workspace("imports")
    import_file(workspace=workspace, path=path, entity="agent.new")
    switched_on_later()
    again = import_file(workspace=workspace, path=path, entity="agent.new", is_dry_run=is_dry_run)
    assert (again.new, again.already_there, list(again.contents.redacted)) == (0, 1, ["e-mail"])


def test_turns_stored_before_the_setting_are_known(
    alice: Entity, switched_on_later: Callable[[], None]
) -> None:
    session = Session.objects.create(
        workspace_id=alice.workspace_id, entity=alice, external_id="s", takes_turns=True
    )
    turns = [IncomingTurn(role="user", text=MAIL, dedupe_key="one")]
    first = add_turns(session=session, turns=turns)
    switched_on_later()
    again = add_turns(session=session, turns=turns)
    assert ([kept.id for kept in again.messages], again.new_count) == (
        [kept.id for kept in first.messages],
        0,
    )


def test_traces_stored_before_the_setting_are_known(
    alice: Entity, switched_on_later: Callable[[], None]
) -> None:
    def record(text: str) -> TaskTrace:
        steps = [IncomingStep(kind="action", text=text)]
        return record_trace(entity=alice, task="Write", outcome="success", steps=steps, external_id="one")

    first = record(f"Write to {MAIL}")
    switched_on_later()
    assert record(f"Write to {MAIL}") == first
    with pytest.raises(IngestConflict, match="external_id"):
        record("Write to bob@example.com")


def test_turns_and_results_of_tools_are_redacted(alice: Entity) -> None:
    session = Session.objects.create(
        workspace_id=alice.workspace_id, entity=alice, external_id="s", takes_turns=True
    )
    turns = [
        IncomingTurn(
            role="assistant", tool_calls=[{"id": "c1", "name": "whois", "arguments": {"password": "open"}}]
        ),
        IncomingTurn(role="tool", tool_call_id="c1", text=f"He is {MAIL}"),
    ]
    added = add_turns(session=session, turns=turns)
    assert list(Message.objects.order_by("ordinal").values_list("text", "tool_calls")) == [
        ("", [{"id": "c1", "name": "whois", "arguments": {"password": "[redacted: password]"}}]),
        ("He is [redacted: e-mail]", []),
    ]
    assert added.redacted == {"password": 1, "e-mail": 1}


@pytest.mark.parametrize("given", ["arguments", "input"])
def test_names_among_the_arguments_of_a_call_are_words(alice: Entity, given: str) -> None:
    call = {
        "id": "c1",
        "type": "function",
        "name": MAIL,
        given: {"id": MAIL, "name": MAIL, "pin_password": 4711},
    }
    append_messages(entity=alice, messages=read_messages([message(role="assistant", tool_calls=[call])]))
    place = "[redacted: e-mail]"
    taken = {"id": place, "name": place, "pin_password": "[redacted: password]"}
    assert Message.objects.values_list("tool_calls", flat=True).get() == [{**call, given: taken}]


def test_arguments_that_are_json_text_are_redacted_by_their_names(alice: Entity) -> None:
    said = {"password": "correct horse", "to": "Robin"}
    calls = [{"id": "c1", "function": {"name": "log_in", "arguments": json.dumps(said)}}]
    append_messages(entity=alice, messages=read_messages([message(role="assistant", tool_calls=calls)]))
    [call] = Message.objects.values_list("tool_calls", flat=True).get()
    assert json.loads(call["function"]["arguments"]) == {**said, "password": "[redacted: password]"}


@pytest.mark.parametrize("text", ['{"password": ', '{"a":' * 2_000, '{"to":1,  "from":2}'])
def test_text_that_looks_like_json_stays_as_it_is(alice: Entity, text: str) -> None:
    calls = [{"id": "c1", "function": {"name": "log_in", "arguments": text}}]
    append_messages(entity=alice, messages=read_messages([message(role="assistant", tool_calls=calls)]))
    assert Message.objects.values_list("tool_calls", flat=True).get() == calls


def test_a_message_that_redaction_makes_too_long_is_refused_by_its_place(alice: Entity) -> None:
    text = "8.8.8.8 " * (MESSAGE_TEXT_LIMIT // 8)
    with pytest.raises(IngestError, match=r"messages\[1\]\.text: has more than 65536 characters once"):
        append_messages(entity=alice, messages=read_messages([message(), message(text=text)]))
    assert not Message.objects.exists()


def test_the_value_of_a_claim_is_redacted_by_its_look_and_by_its_predicate(alice: Entity) -> None:
    for predicate, value in (("contact.mail", {"to": MAIL}), ("wifi.password", "correct horse")):
        observe(entity=alice, observation=observation(predicate, value))
    assert list(Atom.objects.order_by("predicate").values_list("value", flat=True)) == [
        {"to": "[redacted: e-mail]"},
        "[redacted: password]",
    ]
    assert not Atom.objects.filter(text__contains=MAIL).exists()


def observation(predicate: str, value: Any) -> Observation:
    return Observation(
        subject=Subject("customer", "7"),
        predicate=predicate,
        value=value,
        authority=Authority.APPLICATION,
        evidence=(OutsideEvidence("crm", "event-1"),),
    )


@pytest.mark.parametrize("is_dry_run", [True, False])
def test_an_import_redacts_and_counts(tmp_path: Path, is_dry_run: bool) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": f"Write to {MAIL}."}]}), "utf-8")
    workspace: Workspace = make_workspace("imports")
    report = import_file(workspace=workspace, path=path, entity="agent.new", is_dry_run=is_dry_run)
    again = import_file(workspace=workspace, path=path, entity="agent.new", is_dry_run=is_dry_run)
    assert "redacted: e-mail 1" in list(described(report))
    assert (report.new, again.new) == ((1, 1) if is_dry_run else (1, 0))
    assert list(Message.objects.values_list("text", flat=True)) == (
        [] if is_dry_run else ["Write to [redacted: e-mail]."]
    )


def test_the_offline_model_learns_nothing_from_a_placeholder() -> None:
    assert holds_secret("My e-mail is [redacted: e-mail].")
    assert not holds_secret("Redacted texts are kept [for a year].")
