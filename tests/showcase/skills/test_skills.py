"""The skill loop, as visitors and reviewers get it."""

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory.models import Entity, Member, Procedure, ProcedureVersion, TraceStep
from memory.skills.review import approve, reject
from memory.skills.traces import IncomingStep, record_trace
from showcase.links import anchor
from showcase.skills import reading
from tests.cascade.story import an_entity
from tests.showcase.reactor.telling import plain
from tests.showcase.skills.looping import ASKED, SKILLS, learn, use_and_say
from tests.showcase.statements import assert_few_statements, statements
from tests.skills.skilled import PERSON


def page_of(client: Client, path: str = SKILLS) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def stations(content: str) -> list[tuple[str, ...]]:
    found = re.findall(
        r'station-(\w+)">.*?<b>([\w ]+)</b>.*?<span class="small quiet">([^<]*)', content, re.DOTALL
    )
    return [(name, said, state) for state, name, said in found]


def test_a_draft_waits_with_what_each_line_rests_on(draft: ProcedureVersion, client: Client) -> None:
    content = page_of(client)
    assert stations(content) == [
        ("Trace", "2 tasks", "done"),
        ("Draft", "version 1", "done"),
        ("Review", "waits for a reviewer", "waits"),
        ("Active", "none yet", "ahead"),
        ("Use", "none yet", "ahead"),
        ("Feedback", "none yet", "ahead"),
        ("Next draft", "none yet", "ahead"),
    ]
    followed = set(re.findall(r'class="chip[^"]*" href="#([^"]+)"', content))
    assert followed
    assert followed <= set(re.findall(r'\sid="([^"]+)"', content))
    silent = TraceStep.objects.get(text__startswith="Cleared a full build cache")
    step = content.split(f'id="{anchor("trace_step", silent.pk)}"')[1].split("</li>")[0]
    assert "no line rests on it" in step


def test_visitors_are_told_who_is_waited_for_and_how(draft: ProcedureVersion, client: Client) -> None:
    content = page_of(client)
    assert "Waiting for a reviewer" in content
    assert f"procedure approve {draft.pk.hex[-8:]}" in content
    assert "AGENT_MEMORY_RUN_ID=demo python manage.py walkthrough --no-tour" in content
    assert "/admin/login/?next=%2Fshowcase%2Fagent-memory%2Fskills%2F" in content
    assert "/do/approve/" not in content


def test_reviewers_get_the_ways_to_the_forms(draft: ProcedureVersion, reviewer: User, client: Client) -> None:
    client.force_login(reviewer)
    page = f"/admin/memory/procedureversion/{draft.pk}"
    links = re.findall(r'href="(/admin/memory/[^"]+)"', page_of(client))
    assert links == [f"{page}/do/approve/", f"{page}/edit/", f"{page}/do/reject/"]
    assert [client.get(link).status_code for link in links] == [200, 200, 200]


def test_viewers_are_told_that_their_role_does_not_review(
    draft: ProcedureVersion, reviewer: User, client: Client
) -> None:
    Member.objects.update(role=Member.Role.VIEWER)
    client.force_login(reviewer)
    content = page_of(client)
    assert "Your role in this workspace does not review." in content
    assert "/do/approve/" not in content


def test_the_loop_goes_round_and_feedback_is_found_in_the_next_draft(
    draft: ProcedureVersion, taught: Entity, client: Client
) -> None:
    version = approve(draft=draft, actor=PERSON, base=None, reason="as we do it")
    assert "Nobody was given it yet." in page_of(client)
    said = use_and_say(version)
    assert "Waits for a worker" in page_of(client)
    learn(taught)
    content = page_of(client)
    assert [station[1:] for station in stations(content)] == [
        ("2 tasks", "done"),
        ("version 1", "done"),
        ("waits for a reviewer", "waits"),
        ("version 1", "done"),
        ("1 use", "done"),
        ("1 given", "done"),
        ("version 2", "waits"),
    ]
    newest, first = content.split('id="version-1"')
    assert re.findall(r'<ins class="text"><bdi class="said">([^<]+)', newest) == [ASKED]
    assert f'href="#feedback-{said.pk.hex[-8:]}"' in newest
    assert f"Version 2 rests on it: {ASKED}" in plain(first)
    assert "Approved, " in plain(first)
    assert "as we do it" in first


def test_who_decided_is_told_to_members_alone(
    draft: ProcedureVersion, reviewer: User, client: Client
) -> None:
    reject(draft=draft, actor=PERSON, reason="too thin")
    assert "Robin" not in page_of(client)
    assert "too thin" in page_of(client)
    client.force_login(reviewer)
    assert "Rejected by Robin" in plain(page_of(client))


def test_of_many_versions_the_newest_are_shown_and_older_ones_are_found(
    draft: ProcedureVersion, taught: Entity, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "VERSIONS_SHOWN", 1)
    use_and_say(approve(draft=draft, actor=PERSON, base=None))
    learn(taught)
    content = page_of(client)
    assert re.findall(r'id="version-(\d)"', content) == ["2"]
    older = re.findall(r'href="([^"]+)" rel="next"', content)
    assert older == [f"{SKILLS}{draft.procedure_id}/?before=2"]
    content = page_of(client, older[0])
    assert re.findall(r'id="version-(\d)"', content) == ["1"]
    assert "Newest versions" in content
    for said in ("x", "-1", "99999999999999999999", "²"):
        assert 'id="version-2"' in page_of(client, f"{SKILLS}?before={said}")


def test_another_procedure_has_a_page_of_its_own(
    draft: ProcedureVersion, taught: Entity, client: Client
) -> None:
    steps = [("instruction", "Rotate the signing keys."), ("action", "Made a new key"), ("check", "It signs")]
    given = [IncomingStep.model_validate({"kind": kind, "text": text}) for kind, text in steps]
    record_trace(entity=taught, task="Rotate the signing keys", outcome="success", steps=given)
    learn(taught)
    content = page_of(client, f"{SKILLS}{draft.procedure_id}/")
    assert "Move the route of billing" in content.split('id="skill-title"')[1].split("</h2>")[0]
    listed = re.findall(rf'<a href="{SKILLS}([0-9a-f-]+)/"( aria-current="page")?>', content)
    assert [is_here for _, is_here in listed] == ["", ' aria-current="page"']


def test_the_page_takes_few_statements_however_much_there_is(
    draft: ProcedureVersion, taught: Entity, reviewer: User, client: Client
) -> None:
    use_and_say(approve(draft=draft, actor=PERSON, base=None))
    learn(taught)

    def grow() -> None:
        for number in range(4):
            waiting = ProcedureVersion.objects.drafts().get(procedure=draft.procedure)
            version = approve(draft=waiting, actor=PERSON, base=waiting.base and waiting.base.number)
            use_and_say(version, f"Write down step {number} of the change log before the deploy.")
            learn(taught)

    assert_few_statements(client, SKILLS, grow)
    client.force_login(reviewer)
    assert statements(client, SKILLS) <= 12


def test_nothing_recorded_and_nothing_learnt_say_what_to_do(client: Client, transactional_db: None) -> None:
    assert "make demo" in page_of(client)
    entity = an_entity("agent.alice-demo")
    assert "No task was recorded yet" in page_of(client)
    step = IncomingStep(kind="action", text="Made a new key")
    record_trace(entity=entity, task="Rotate the keys", outcome="success", steps=[step])
    assert "1 trace waits for a worker" in page_of(client)
    assert client.get(f"{SKILLS}{uuid4()}/").status_code == 404


def test_procedures_of_other_memories_are_not_found(taught: Entity, client: Client) -> None:
    other = an_entity("agent.bob", workspace="southwind")
    step = IncomingStep(kind="action", text="Opened the vault")
    record_trace(entity=other, task="Open the vault", outcome="success", steps=[step])
    learn(other)
    procedure = Procedure.objects.get(entity=other)
    assert client.get(f"{SKILLS}{procedure.pk}/").status_code == 404
    assert "vault" not in page_of(client)
