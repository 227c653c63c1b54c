"""The stages of a real cascade, as anybody gets them."""

import re
from uuid import UUID

import pytest
from django.test import Client

from memory.cascade.engine import settle_entity
from memory.models import Atom, Correction, Entity, Run, Scene, SceneVersion, Session, Trait
from memory.stewardship.actors import Actor
from memory.stewardship.correcting_atoms import retract_atom
from memory.stewardship.correcting_scenes import retire_scene
from memory.stewardship.correcting_traits import retract_trait
from memory.stewardship.forgetting import confirm_forgetting, propose_forgetting
from showcase.reactor import walking
from showcase.reactor.stages import replay_of
from tests.cascade.story import an_entity, say
from tests.showcase.conftest import SECRET
from tests.showcase.reactor.telling import (
    REACTOR,
    counts,
    headline,
    page_of,
    plain,
    say_and_settle,
    stages,
)
from tests.showcase.statements import assert_few_statements
from tests.skills.skilled import PERSON

TOUR = ["start", "1-l0", "1-l1", "1-l2", "1-l3", "2-l0", "2-l1", "2-l2", "2-l3"]


def test_the_tour_is_told_stage_by_stage_with_the_layers_as_they_stood(
    toured: Entity, client: Client
) -> None:
    assert stages(page_of(client, "")) == TOUR
    told = [(headline(page), counts(page)) for page in (page_of(client, slug) for slug in TOUR)]
    assert told == [
        ("Before anything is said", [0, 0, 0, 0]),
        ("L0 10 messages are said", [10, 0, 0, 0]),
        ("L1 12 claims stored", [10, 12, 0, 0]),
        ("L2 4 scenes created", [10, 12, 4, 0]),
        ("L3 4 traits set", [10, 12, 4, 4]),
        ("L0 5 messages are said", [15, 12, 4, 4]),
        ("L1 1 claim skipped, 1 merged, 2 stored", [15, 14, 4, 4]),
        ("L2 1 scene updated", [15, 14, 4, 4]),
        ("L3 No standing preference, rule or role changed in the offered scenes", [15, 14, 4, 4]),
    ]


def test_decisions_come_item_by_item_with_their_reasons_and_rows(toured: Entity, client: Client) -> None:
    content = page_of(client, "2-l1")
    decisions = [plain(one) for one in re.findall(r'<li class="decision">(.*?)</li>', content, re.DOTALL)]
    repeated = Atom.objects.get(text__startswith="Never deploy to production")
    assert [re.match(r"\w+", one)[0] for one in decisions] == ["skipped", "merged", "stored", "stored"]  # type: ignore[index]
    assert f"repeats {repeated.pk.hex[-8:]}" in decisions[0]
    assert "a value changed" in decisions[1]
    assert "superseded" in decisions[1]
    assert "until July 15, 2026" in decisions[1]
    for row in Atom.objects.for_entity(toured).filter(run__isnull=False).order_by("-seq")[:3]:
        assert f'href="/showcase/agent-memory/atoms/{row.pk}/"' in content


def test_what_a_run_read_and_took_nothing_from_is_said(toured: Entity, client: Client) -> None:
    content = page_of(client, "2-l1")
    quiet = content.split("Read, and nothing taken")[1].split("</ul>")[0]
    assert "I will plan around both." in quiet
    assert "As I said" not in quiet
    assert re.findall(r"</span> (\d+ [a-z ]+)</summary>", content) == ["5 messages", "12 atoms"]


def test_a_new_version_is_shown_as_a_difference_to_the_one_before(toured: Entity, client: Client) -> None:
    content = page_of(client, "2-l2")
    version = SceneVersion.objects.get(entity=toured, number=2)
    assert f'/scenes/{version.scene_id}/versions/2/"' in content
    assert '<del><bdi class="said">July</bdi></del><ins><bdi class="said">October</bdi></ins>' in content
    assert "4 lines carried over as they were" in content


def test_a_run_tells_what_it_ran_under(toured: Entity, client: Client) -> None:
    content = plain(page_of(client, "1-l3").split('aria-label="What it read"')[0])
    run = Run.objects.filter(step="persona").earliest("started_at")
    for piece in ("model offline@1", f"design {run.design}", f"prompt {run.prompt_hash[:12]}", "calls 1"):
        assert piece in content


def test_the_past_is_told_as_it_stood_before_people_changed_it(toured: Entity, client: Client) -> None:
    before = {slug: counts(page_of(client, slug)) for slug in TOUR}
    retract_atom(atom=Atom.objects.live().filter(priority=92).get(), actor=PERSON, reason="no")
    retire_scene(scene=Scene.objects.earliest("created_at"), actor=PERSON, reason="over")
    retract_trait(trait=Trait.objects.get(slot="decision_pattern"), actor=PERSON, reason="no")
    assert {slug: counts(page_of(client, slug)) for slug in TOUR} == before
    settle_entity(toured)
    assert {slug: counts(page_of(client, slug)) for slug in TOUR} == before
    assert Correction.objects.count() == 3


def test_what_is_said_later_makes_another_wave(toured: Entity, client: Client) -> None:
    say(toured, "From now on, always write release notes in English.", session="later")
    assert "1 message waits to be read" in plain(page_of(client, "2-l3"))
    settle_entity(toured)
    listed = stages(page_of(client, "2-l3"))
    assert listed[: len(TOUR)] == TOUR
    assert listed[len(TOUR) :][:2] == ["3-l0", "3-l1"]
    assert "later · Words" in plain(page_of(client, "3-l0"))


def test_drops_say_what_was_not_taken_and_why(toured: Entity, client: Client) -> None:
    run = Run.objects.filter(step="l1_extract").latest("finished_at")
    note = {
        "item": 9,
        "outcome": "dropped",
        "reason": "m9 was not offered",
        "answer": {"text": "<b>Lies</b>"},
    }
    Run.objects.filter(pk=run.pk).update(decisions=[*run.decisions, note])
    content = page_of(client, "2-l1")
    assert "1 dropped" in headline(content)
    assert "&lt;b&gt;Lies&lt;/b&gt;" in content
    assert "m9 was not offered" in content


def test_failed_attempts_are_counted_where_they_were_overcome(toured: Entity, client: Client) -> None:
    first = Run.objects.filter(step="l1_extract").earliest("finished_at")
    first.pk, first.status, first.error_kind = UUID(int=7), Run.Status.FAILED, "cut_off"
    first.save(force_insert=True)
    assert "1 attempt failed before this one: cut_off." in plain(page_of(client, "1-l1"))
    assert stages(page_of(client, "")) == TOUR


def test_words_that_were_erased_are_not_told(toured: Entity, client: Client) -> None:
    run = Run.objects.filter(step="l1_extract").latest("finished_at")
    gone = ["00000000-0000-0000-0000-00000000000a"]
    Run.objects.filter(pk=run.pk).update(inputs={"messages": gone})
    assert "words that were erased" in page_of(client, "2-l1")
    assert "1 more is not there any more: erased since." in plain(page_of(client, "2-l1"))


@pytest.mark.parametrize("slug", ["2-l1", "2-l2", "2-l3", "2-l0"])
def test_a_stage_takes_few_statements_however_long_the_history(
    slug: str, toured: Entity, client: Client
) -> None:
    def grow() -> None:
        for number in range(4):
            say_and_settle(toured, f"more-{number}", [f"Always archive report {number} before a Monday."] * 3)

    assert_few_statements(client, f"{REACTOR}{slug}/", grow)


def test_of_a_long_history_the_stages_nearby_are_listed(
    toured: Entity, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "STAGES_AROUND", 2)
    content = page_of(client, "1-l3")
    assert stages(content) == TOUR[2:7]
    assert re.findall(rf'href="{REACTOR}([^/]+)/" data-go="(\w+)">(\d+)', content) == [
        ("1-l0", "earlier", "2"),
        ("2-l2", "later", "2"),
    ]


def test_stages_of_which_there_are_none_are_not_found(toured: Entity, client: Client) -> None:
    for slug in ("9-l9", "1-l4", "nowhere"):
        assert client.get(f"{REACTOR}{slug}/").status_code == 404


def test_nothing_said_and_nothing_run_are_said_with_what_to_do(
    client: Client, transactional_db: None
) -> None:
    assert "make demo" in page_of(client, "")
    entity = an_entity("agent.alice-demo")
    say(entity, "Hello.")
    assert "Nothing has run yet" in page_of(client, "")
    assert client.get(f"{REACTOR}1-l0/").status_code == 404
    assert len(replay_of(entity).stages) == 1


def test_stages_are_put_together_once_until_something_happens(toured: Entity) -> None:
    replay = replay_of(toured)
    assert replay_of(toured) is replay
    Session.objects.filter(entity=toured).update(title="Another name")
    renamed = replay_of(toured)
    assert renamed.waves[0].session == "Another name"
    say_and_settle(toured, "later", ["Always water the plants on Fridays."])
    assert [wave.session for wave in replay_of(toured).waves] == [
        *(wave.session for wave in renamed.waves),
        "later",
    ]


def test_no_other_memory_is_told(toured: Entity, client: Client) -> None:
    other = an_entity("agent.bob", workspace="southwind")
    say_and_settle(other, "s", [SECRET])
    assert all(SECRET not in page_of(client, slug) for slug in TOUR)
    assert stages(page_of(client, "")) == TOUR


@pytest.fixture
def forgotten(toured: Entity) -> Entity:
    """The tour after one matter of it was forgotten and the cascade has settled again."""
    actor = Actor(name="alice")
    asked = propose_forgetting(
        entity=toured, words="forget everything about the silent outage in March", actor=actor
    )
    confirm_forgetting(entity=toured, token=asked.token, actor=actor)
    settle_entity(toured)
    return toured


def test_a_run_whose_account_was_erased_says_so_with_what_still_stands(
    forgotten: Entity, client: Client
) -> None:
    for slug, left in {
        "1-l1": "Of 12 claims that it wrote, 10 are still there.",
        "1-l3": "Of 4 wordings that it wrote, 3 are still there.",
        "2-l3": "It wrote nothing.",
    }.items():
        content = page_of(client, slug)
        assert headline(content) == f"{slug[2:].upper()} What this run decided is erased"
        assert left in plain(content)
        for claim in ("and that is a success", "Read, and nothing taken", "Decided, item by item"):
            assert claim not in content
    assert headline(page_of(client, "1-l0")) == "L0 10 messages are said, 1 of them erased since"


def test_words_that_are_read_again_are_not_told_as_said(forgotten: Entity, client: Client) -> None:
    listed = stages(page_of(client, ""))
    assert listed[: len(TOUR)] == TOUR
    assert listed[len(TOUR)] == "3-l1"
    content = page_of(client, "3-l1")
    assert "tour-2, read again · Atoms" in plain(content)
    assert "Nothing new was said: words were read again" in plain(content)
    assert counts(content)[0] == counts(page_of(client, "2-l0"))[0]
    say_and_settle(forgotten, "tour-2", ["Always keep a changelog of the billing API."])
    assert headline(page_of(client, "4-l0")) == "L0 1 message is said"
