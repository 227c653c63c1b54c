"""Claims of another memory, with the reference to it as their evidence."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.cascade.engine import settle_entity
from memory.ingest.importing import import_file
from memory.ingest.outside_claims import OutsideClaim, record_outside_claims
from memory.ingest.problems import IngestError
from memory.models import Atom, Authority, Entity, Evidence, Line, Step, Work, Workspace
from memory.stewardship.verify import verify

SAMPLE = Path(__file__).parent / "files" / "mem0.json"
JANUARY, FEBRUARY, MARCH = (datetime(2025, month, 1, tzinfo=UTC) for month in (1, 2, 3))


def claim(text: str, reference: str = "m1", **fields: Any) -> OutsideClaim:
    return OutsideClaim(source="mem0", reference=reference, text=text, **fields)


def atoms(entity: Entity) -> list[tuple[str, str]]:
    return list(Atom.objects.for_entity(entity).order_by("seq").values_list("text", "status"))


def receipts(entity: Entity) -> list[tuple[Any, ...]]:
    rows = Evidence.objects.filter(entity=entity).order_by("id")
    names = ("of_atom__text", "outside_kind", "outside_reference", "outside_authority", "role")
    return list(rows.values_list(*names))


def test_a_claim_rests_on_where_it_comes_from(alice: Entity) -> None:
    said = claim("Likes tea", kind="persona", topic="drinks", subject="Ann", said_at=JANUARY)
    assert record_outside_claims(entity=alice, claims=[said]) == 1
    (atom,) = Atom.objects.for_entity(alice)
    names = ("kind", "topic", "subject", "occurred_at", "last_seen_at", "authority", "status", "decision")
    assert [getattr(atom, name) for name in names] == [
        "persona",
        "drinks",
        "Ann",
        JANUARY,
        JANUARY,
        Authority.INFERENCE,
        "live",
        "store",
    ]
    assert receipts(alice) == [("Likes tea", "mem0", "m1", 1, "source")]


def test_a_claim_goes_on_into_scenes(alice: Entity) -> None:
    record_outside_claims(entity=alice, claims=[claim("Ann's dentist is Dr. Okafor in Lund.")])
    assert Work.objects.get(entity=alice, step=Step.SCENE_SYNTHESIS).due_at is not None
    settle_entity(alice)
    assert Line.objects.for_entity(alice).filter(evidence__atom__text__contains="Okafor").exists()
    assert verify(alice, is_settled=True) == []


def test_the_same_claim_twice_is_one(alice: Entity, bob: Entity) -> None:
    claims = [claim("Likes tea"), claim("Likes tea"), claim("Plays chess", "m2")]
    assert record_outside_claims(entity=alice, claims=claims) == 2
    assert record_outside_claims(entity=alice, claims=claims) == 0
    assert record_outside_claims(entity=bob, claims=claims[:1]) == 1
    assert len(receipts(alice)) == 2


def test_words_that_stand_already_get_one_more_receipt(alice: Entity) -> None:
    record_outside_claims(entity=alice, claims=[claim("Likes tea", said_at=JANUARY)])
    assert record_outside_claims(entity=alice, claims=[claim("Likes tea", "m2", said_at=FEBRUARY)]) == 1
    (atom,) = Atom.objects.for_entity(alice)
    assert (atom.occurred_at, atom.last_seen_at) == (JANUARY, FEBRUARY)
    assert receipts(alice)[1] == ("Likes tea", "mem0", "m2", 1, "repeat")


def test_a_reference_with_other_words_replaces_what_it_stood_for(alice: Entity) -> None:
    record_outside_claims(entity=alice, claims=[claim("Lives in Rome", said_at=JANUARY)])
    record_outside_claims(entity=alice, claims=[claim("Lives in Bari", said_at=FEBRUARY)])
    assert atoms(alice) == [("Lives in Rome", "superseded"), ("Lives in Bari", "live")]
    old, new = Atom.objects.for_entity(alice).order_by("seq")
    assert (old.superseded_by, old.chain_id, new.merge_reason) == (new, new.chain_id, "value")
    assert record_outside_claims(entity=alice, claims=[claim("Lives in Rome", said_at=JANUARY)]) == 0


def test_what_is_said_again_after_it_gave_way_holds_again(alice: Entity) -> None:
    for text, time in (("Lives in Rome", JANUARY), ("Lives in Bari", FEBRUARY), ("Lives in Rome", MARCH)):
        said = claim(text, said_at=time)
        assert [record_outside_claims(entity=alice, claims=[said]) for _ in range(2)] == [1, 0]
    assert atoms(alice) == [
        ("Lives in Rome", "superseded"),
        ("Lives in Bari", "superseded"),
        ("Lives in Rome", "live"),
    ]


def test_an_older_export_does_not_replace_what_was_said_later(alice: Entity) -> None:
    for text, time in (("Lives in Bari", FEBRUARY), ("Lives in Rome", JANUARY)):
        record_outside_claims(entity=alice, claims=[claim(text, said_at=time)])
    assert atoms(alice) == [("Lives in Bari", "live"), ("Lives in Rome", "superseded")]


def test_what_a_person_retracted_stays_retracted(alice: Entity) -> None:
    record_outside_claims(entity=alice, claims=[claim("Lives in Rome")])
    Atom.objects.for_entity(alice).update(status=Atom.Status.RETRACTED)
    assert record_outside_claims(entity=alice, claims=[claim("Lives in Rome")]) == 0
    record_outside_claims(entity=alice, claims=[claim("Lives in Bari")])
    assert atoms(alice) == [("Lives in Rome", "retracted"), ("Lives in Bari", "live")]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"text": "x" * 501}, "messages[1].text: has 501 characters, at most 500 are taken"),
        ({"text": " "}, "messages[1].text: is blank"),
        ({"text": "a\0"}, "messages[1].text: holds the character U+0000"),
        (
            {"text": "a", "reference": "r" * 501},
            "messages[1].reference: has 501 characters, at most 500 are taken",
        ),
    ],
)
def test_what_cannot_be_stored_is_refused_as_a_whole(
    alice: Entity, fields: dict[str, Any], problem: str
) -> None:
    with pytest.raises(IngestError) as raised:
        record_outside_claims(entity=alice, claims=[claim("Likes tea"), claim(**fields)])
    assert str(raised.value) == problem
    assert atoms(alice) == []


def test_a_file_of_mem0_becomes_claims_of_each_user(workspace: Workspace) -> None:
    report = import_file(workspace=workspace, path=SAMPLE, time_zone="Europe/Berlin")
    assert (report.format, report.entities, report.claims, report.new) == ("mem0", ["lena", "ivo"], 3, 3)
    assert [(row.place, row.problem) for row in report.bad_rows] == [("item 3", "has no memory or no id")]
    lena = Entity.objects.get(name="lena")
    found = Atom.objects.for_entity(lena).order_by("seq")
    assert [(a.text, a.kind, a.topic, a.subject, a.occurred_at) for a in found] == [
        (
            "Prefers window seats on trains",
            "persona",
            "travel preferences",
            "lena",
            datetime(2025, 1, 5, 18, tzinfo=UTC),
        ),
        (
            "Has a dentist appointment on 3 March 2025",
            "episodic",
            "health",
            "lena",
            datetime(2025, 2, 2, 8, tzinfo=UTC),
        ),
    ]
    again = import_file(workspace=workspace, path=SAMPLE, is_dry_run=True)
    assert (again.new, again.already_there) == (0, 3)


def test_one_entity_can_take_the_memories_of_all_users(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "mem0.jsonl"
    rows = [
        {"id": str(number), "memory": f"Fact {number}", "user_id": f"u{number % 2}"} for number in range(4)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    report = import_file(workspace=workspace, path=path, entity="team", is_dry_run=True)
    assert (report.entities, report.claims, report.new) == (["team"], 4, 4)
    assert import_file(workspace=workspace, path=path).entities == ["u0", "u1"]
    only = import_file(workspace=workspace, path=path, entity="team", only="u1")
    assert (only.entities, only.new) == (["team"], 2)
