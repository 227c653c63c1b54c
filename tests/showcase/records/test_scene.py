"""Scene pages: sections, lines, evidence, versions, and what became of a scene."""

import re

from django.db import transaction
from django.test import Client

from memory.models import Atom, Entity, Line, Scene, SceneVersion
from showcase.access import Place, Scope
from showcase.links import record_url, version_url
from showcase.records import scenes
from showcase.records.scenes import ScenePage, scene_page
from tests.factories import NewLine, make_atom, make_message, make_next_version, make_scene
from tests.showcase.records.conftest import Told, erase_line, line_of, merge_into


def page_of(told: Told, number: int | None = None) -> ScenePage:
    return scene_page(Scope(told.entity, Place.DEMO), told.head.scene_id, number)


def lines_of(page: ScenePage) -> dict[str, list[str]]:
    return {
        section.section: [line.text for line in section.lines] for section in page.sections if section.lines
    }


def text_of(client: Client, url: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(url).content.decode()))


def test_a_scene_has_nine_sections_in_their_order(told: Told) -> None:
    page = page_of(told)
    assert len(page.sections) == 9
    assert list(lines_of(page).items()) == [
        ("work_context", ["The move of Ledger 0 is in June this year."]),
        ("prohibitions", ["Ask before Ledger 0 is deployed."]),
    ]
    assert page.empty == (
        "applies_when",
        "core_sop",
        "decision_logic",
        "key_evidence",
        "related_tasks",
        "evolution_record",
        "open_questions",
    )


def test_each_line_has_its_evidence_beside_it(told: Told) -> None:
    page = page_of(told)
    grounds = {line.text: line.grounds for section in page.sections for line in section.lines}
    assert {
        text: [(ground.receipt.id, ground.text, ground.state, ground.is_same) for ground in found]
        for text, found in grounds.items()
    } == {
        "The move of Ledger 0 is in June this year.": [(told.new.pk, told.new.text, "", False)],
        told.rule.text: [(told.rule.pk, told.rule.text, "", True)],
    }


def test_an_earlier_version_shows_what_stood_then(told: Told) -> None:
    page = page_of(told, 1)
    assert (page.number, page.is_head) == (1, False)
    assert lines_of(page)["work_context"] == ["The move of Ledger 0 is in May this year."]
    [line] = next(section.lines for section in page.sections if section.section == "work_context")
    assert (line.is_due, line.grounds[0].state) == (False, "superseded")


def test_a_line_over_what_no_longer_holds_waits_to_be_rewritten(told: Told, client: Client) -> None:
    Atom.objects.filter(pk=told.new.pk).update(status="retracted")
    page = page_of(told)
    assert (page.due, page_of(told, 1).due) == (1, 0)
    shown = text_of(client, record_url(Scope(told.entity, Place.DEMO), "scene", told.head.scene_id))
    assert "1 line waits to be rewritten" in shown


def test_versions_tell_what_was_decided_by_whom_and_why(told: Told) -> None:
    newest, oldest = page_of(told).versions
    assert (newest.number, newest.is_current, newest.is_shown) == (2, True, True)
    assert (newest.counts, newest.note) == ("update: 1 reworded", "the date moved")
    assert newest.author.endswith("with quiet-model")
    assert newest.compare_url.endswith("/difference/?from=1&to=2")
    assert (oldest.counts, oldest.compare_url) == ("2 added", "")


def test_a_long_history_goes_on(told: Told, client: Client, monkeypatch: object) -> None:
    with transaction.atomic():
        version = told.head
        for _ in range(scenes.VERSIONS_SHOWN):
            version = make_next_version(version)
    url = record_url(Scope(told.entity, Place.DEMO), "scene", version.scene_id)
    assert "?before=3" in client.get(url).content.decode()
    older = client.get(f"{url}?before=3").content.decode()
    assert re.findall(r"compare version|Version (\d+)</a>", older) == ["2", "1"]
    assert client.get(f"{url}?before=x").status_code == 404


def test_erased_words_are_shown_as_erased_where_they_stood(told: Told, client: Client) -> None:
    erase_line(line_of(told.first, told.rule.text))
    page = page_of(told, 1)
    [gone] = next(section.lines for section in page.sections if section.section == "prohibitions")
    assert (gone.is_erased, gone.text) == (True, "")
    shown = text_of(client, version_url(Scope(told.entity, Place.DEMO), told.head.scene_id, 1))
    assert "The words of this line were erased." in shown
    assert "Ask before Ledger 0" not in shown.split("Versions")[0].split("scene stood then")[1]


def test_pins_are_shown(told: Told, client: Client) -> None:
    Line.objects.filter(pk=line_of(told.head, told.rule.text).pk).update(is_pinned=True)
    assert "pinned" in text_of(
        client, record_url(Scope(told.entity, Place.DEMO), "scene", told.head.scene_id)
    )


def test_what_became_of_a_scene_is_said(told: Told, client: Client) -> None:
    with transaction.atomic():
        message = make_message(told.entity, "Payments hold the ledger.")
        atom = make_atom(told.entity, "Payments hold the ledger.", [message])
        other = make_scene(told.entity, "Payments", [NewLine("work_context", atom.text, [atom])])
    merge_into(told.head.scene, other.scene)
    scope = Scope(told.entity, Place.DEMO)
    gone = text_of(client, record_url(scope, "scene", told.head.scene_id))
    assert "its lines moved into Payments" in gone
    assert "Took in Ledger 0" in text_of(client, record_url(scope, "scene", other.scene_id))
    Scene.objects.filter(pk=other.scene_id).update(status="retired", slot=None)
    assert "This scene was retired" in text_of(client, record_url(scope, "scene", other.scene_id))


def test_what_an_erase_made_has_no_other_author(alice: Entity, told: Told) -> None:
    SceneVersion.objects.filter(pk=told.head.pk).update(run=None)
    assert [fact.value for fact in page_of(told).facts if fact.name == "written by"] == ["an erase"]
