"""What all pages of records have in common: few statements, one place, and words as text."""

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client

from memory.ingest.sandbox import open_sandbox
from memory.models import Correction, Entity, Process
from showcase.access import SANDBOX_KEY, Place, Scope
from showcase.links import difference_url, persona_url, record_url, trace_url, version_url
from tests.factories import NewLine, cite, make_atom, make_message, make_scene, make_trait
from tests.showcase.conftest import SECRET
from tests.showcase.records.conftest import HOSTILE, Told, reword, tell_history
from tests.showcase.statements import STATEMENTS_LIMIT, assert_few_statements, statements

ROOT = "/showcase/agent-memory"


def pages_of(told: Told, scope: Scope) -> dict[str, str]:
    """Every page that has something to show, by name."""
    scene, line = told.head.scene_id, told.head.lines.first()
    assert line is not None
    traced = {
        "message": told.messages[0].pk,
        "atom": told.rule.pk,
        "line": line.pk,
        "scene": scene,
        "version": told.first.pk,
        "trait": told.trait.trait_id,
        "wording": told.trait.pk,
    }
    return {
        "scene": record_url(scope, "scene", scene),
        "version": version_url(scope, scene, 1),
        "difference": difference_url(scope, scene, 1, 2),
        "persona": persona_url(scope),
        "atom": record_url(scope, "atom", told.rule.pk),
        "chain": record_url(scope, "atom", told.new.pk),
        "message": record_url(scope, "message", told.messages[0].pk),
        **{f"trace of {kind}": trace_url(scope, id) for kind, id in traced.items()},
    }


def grow(told: Told) -> None:
    """Ten times the rows around every record."""
    with transaction.atomic():
        line = told.head.lines.first()
        assert line is not None
        trait = told.trait
        for number in range(1, 6):
            more = tell_history(told.entity, number)
            trait = reword(trait, f"Wants to be asked first, time {number}.", list(more.head.lines.all()))
            make_message(told.entity, f"And one more, {number}.", session="ledger-0")


@pytest.mark.parametrize("name", ["scene", "version", "difference", "persona", "atom", "chain", "message"])
def test_a_page_takes_the_same_few_statements_whatever_it_shows(
    name: str, told: Told, client: Client
) -> None:
    path = pages_of(told, Scope(told.entity, Place.DEMO))[name]
    assert_few_statements(client, path, lambda: grow(told))


@pytest.mark.parametrize("kind", ["message", "atom", "line", "scene", "version", "trait", "wording"])
def test_a_trace_takes_the_same_few_statements_whatever_it_shows(
    kind: str, told: Told, client: Client
) -> None:
    path = pages_of(told, Scope(told.entity, Place.DEMO))[f"trace of {kind}"]
    assert_few_statements(client, path, lambda: grow(told))


def test_members_take_no_more_than_twelve_either(told: Told, signed_in: Callable[..., Client]) -> None:
    with transaction.atomic():
        correction = Correction.objects.create(
            workspace=told.entity.workspace, entity=told.entity, kind=Correction.Kind.ATOM_RESTORED
        )
        cite(told.entity, of_atom=told.rule, targets={"correction": [correction]})
    client = signed_in(told.entity, "operator")
    scope = Scope(told.entity, Place.LIVE)
    pages = {**pages_of(told, scope), "correction": trace_url(scope, correction.pk)}
    assert {
        name: count for name, path in pages.items() if (count := statements(client, path)) > STATEMENTS_LIMIT
    } == {}


def test_what_is_not_there_or_not_theirs_is_not_found(told: Told, bob: Entity, client: Client) -> None:
    message = make_message(bob, SECRET)
    atom = make_atom(bob, SECRET, [message])
    version = make_scene(bob, SECRET, [NewLine("work_context", SECRET, [atom])])
    scene = version.scene_id
    for id in (scene, uuid4()):
        for rest in ("", "versions/1/", "difference/"):
            assert client.get(f"{ROOT}/scenes/{id}/{rest}").status_code == 404
    for kind, id in (("atoms", atom.pk), ("messages", message.pk), ("traces", atom.pk), ("traces", scene)):
        assert client.get(f"{ROOT}/{kind}/{id}/").status_code == 404
        assert client.get(f"{ROOT}/{kind}/{uuid4()}/").status_code == 404
    assert client.get(f"{ROOT}/try/persona/").status_code == 404


def test_whoever_is_not_signed_in_is_asked_to_whether_or_not_there_is_such_a_record(
    told: Told, bob: Entity, client: Client
) -> None:
    for owner in (told.entity.pk, bob.pk, uuid4()):
        for path in ("persona/", "graph/", "composer/", f"atoms/{told.rule.pk}/", f"scenes/{uuid4()}/"):
            page = f"{ROOT}/live/{owner}/{path}"
            assert client.get(page)["Location"] == f"{ROOT}/live/sign-in/?next={page}"


def test_members_do_not_reach_another_entity_through_their_own(
    told: Told, bob: Entity, signed_in: Callable[..., Client]
) -> None:
    message = make_message(bob, SECRET)
    client = signed_in(told.entity, "operator")
    for path in (f"messages/{message.pk}", f"traces/{message.pk}"):
        assert client.get(f"{ROOT}/live/{told.entity.pk}/{path}/").status_code == 404
        assert client.get(f"{ROOT}/live/{bob.pk}/{path}/").status_code == 404


def test_links_stay_in_the_place_in_which_they_are_followed(
    told: Told, signed_in: Callable[..., Client]
) -> None:
    client = signed_in(told.entity, "viewer")
    for path in pages_of(told, Scope(told.entity, Place.LIVE)).values():
        content = client.get(path).content.decode()
        body = content.split("<main", 1)[1]
        led = re.findall(rf'href="({ROOT}/(?:scenes|atoms|messages|traces|persona)[^"]*)"', body)
        assert led == []


def test_a_visitor_reads_the_own_sandbox(client: Client, db: None) -> None:
    with transaction.atomic():
        told = tell_history(open_sandbox())
    session = client.session
    session[SANDBOX_KEY] = str(told.entity.pk)
    session.save()
    for path in pages_of(told, Scope(told.entity, Place.SANDBOX)).values():
        response = client.get(path)
        assert (response.status_code, "admin/memory" in response.content.decode()) == (200, False)


def test_hostile_words_are_shown_as_text(alice: Entity, client: Client) -> None:
    with transaction.atomic():
        message = make_message(
            alice, HOSTILE, speaker=HOSTILE, attachment_text=HOSTILE, tool_calls=[{"name": HOSTILE}]
        )
        atom = make_atom(alice, HOSTILE, [message], topic=HOSTILE[:20])
        version = make_scene(alice, HOSTILE, [NewLine("key_evidence", HOSTILE, [atom])], summary=HOSTILE)
        make_trait(alice, "role", HOSTILE, list(version.lines.all()))
    scope = Scope(alice, Place.DEMO)
    for path in (
        record_url(scope, "scene", version.scene_id),
        difference_url(scope, version.scene_id, 0, 1),
        persona_url(scope),
        record_url(scope, "atom", atom.pk),
        record_url(scope, "message", message.pk),
        trace_url(scope, version.scene_id),
    ):
        content = client.get(path).content.decode()
        assert "alert(1)" in content
        assert "<script>alert" not in content
        assert "\u202e" not in content


def test_pages_carry_nothing_inline(told: Told, client: Client) -> None:
    for path in pages_of(told, Scope(told.entity, Place.DEMO)).values():
        content = client.get(path).content.decode()
        assert (
            re.findall(r"<script(?! type=\"module\" src=\"/static/)|<style|\sstyle=|\son\w+=", content) == []
        )
        places = re.findall(r'\sid="([^"]+)"', content)
        assert len(places) == len(set(places))


def test_records_are_only_read(told: Told, client: Client) -> None:
    Process.objects.all().delete()
    for path in pages_of(told, Scope(told.entity, Place.DEMO)).values():
        assert client.post(path).status_code == 405
