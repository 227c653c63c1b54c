"""Search over a real memory: what is found, what never is, and how the arms did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from memory import queries
from memory.cascade.designs import load_design
from memory.indexing.step import index_entity, index_terms
from memory.llm.embedders.queries import QueryVector
from memory.models import Atom, Entity, Layer
from memory.recall.arms import Filters
from memory.recall.hits import Hit
from memory.recall.search import QUERY_LIMIT, Request, search
from tests.cast import Alice, make_alice
from tests.factories import NewLine, make_atom, make_entity, make_message, make_scene, make_trait
from tests.indexing.embedders import ScriptedEmbedder

pytestmark = pytest.mark.django_db

EMBEDDER = ScriptedEmbedder("scripted", 8)
STATEMENT_LIMIT = 14
"""Three of them set time limits."""
STATEMENTS_OF_THE_TAIL = 6
"""The queue, and the rows of each layer that wait in it."""

# Stored text and the query that finds it.
ANY_SCRIPT = {
    "Chinese": ("我们的账单服务在北京的服务器上运行", "北京的账单"),
    "Japanese": ("来週の東京タワー見学は中止になりました", "東京タワー"),
    "Arabic": ("اجتماع الميزانيّة يوم الخميس القادم", "ميزانية"),
    "Hebrew": ("הפגישה עם הלקוח נדחתה ליום שלישי", "פגישה"),
    "Turkish dotless i": ("Toplantıyı ISPARTA ofisinde yapıyoruz", "ısparta"),
    "emoji": ("The launch went well 🎉 for everyone", "🎉"),
    "full-width digits": ("Room ４０７ is booked for Friday", "407"),
    "compound": ("Der Krankenversicherungsbeitrag steigt im Januar", "Versicherung"),
    "path": (r"Put the export to C:\data\in/out every night", r"C:\data\in/out"),
    "ticket": ("The refund belongs to ORDER-481 of March", "ORDER-481"),
    "UUID": ("Trace 3f2504e0-4f89-41d3-9a0c-0305e82c3301 failed", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
    "version": ("We pinned the driver to v8.2.1 in production", "v8.2.1"),
}
NEAR_MISSES = (
    "我们的天气服务在上海的云端运行",
    "先週の大阪城公園は開いていました",
    "كتاب الرياضيات يوم الأحد",
    "הספר החדש נמצא בספרייה",
    "Izmir ofisinde çay içiyoruz",
    "The launch was moved 🚀 once more",
    "Room ７０４ is free on Friday",
    "Der Sicherheitsbeauftragte kommt im Februar",
    r"Put the import to D:\logs\old every night",
    "The refund belongs to ORDER-814 of March",
    "Trace 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d failed",
    "We pinned the driver to v8.1.2 in production",
)


@pytest.fixture
def words_alone(settings: Any) -> None:
    product = settings.MEMSEEK
    settings.MEMSEEK = replace(product, embedding=replace(product.embedding, provider="none"))


@pytest.fixture
def languages(words_alone: None) -> Entity:
    """A memory of all scripts, with texts beside each that are near misses."""
    entity = make_entity()
    for number, text in enumerate([*(stored for stored, _ in ANY_SCRIPT.values()), *NEAR_MISSES]):
        make_message(entity, text, session=f"s{number}", speaker="", occurred_at=None)
    while index_terms(entity, wants_vectors=False):
        pass
    return entity


def asked(entity: Entity, query: str, **options: Any) -> tuple[Hit, ...]:
    return search(entity, Request(query, **options)).hits


def given_vector(text: str) -> QueryVector:
    return QueryVector(EMBEDDER.embed_query(text), EMBEDDER.space)


@pytest.mark.parametrize("kind", ANY_SCRIPT)
def test_text_of_every_script_is_found_by_its_words_alone(languages: Entity, kind: str) -> None:
    """The right text comes first, and of 23 others no more than one shares a term with the query."""
    stored, query = ANY_SCRIPT[kind]
    found = search(languages, Request(query))
    assert found.hits[0].text == stored
    assert len(found.hits) <= 2
    assert found.arms == {
        "words": "answered",
        "meaning": "off",
        "related": "answered",
        "unindexed": "answered",
    }


def test_text_of_every_script_is_found_before_it_is_indexed(words_alone: None) -> None:
    entity = make_entity()
    for number, (stored, _) in enumerate(ANY_SCRIPT.values()):
        make_message(entity, stored, session=f"s{number}", speaker="", occurred_at=None)
    found = {kind: asked(entity, query)[0].text for kind, (_, query) in ANY_SCRIPT.items()}
    assert found == {kind: stored for kind, (stored, _) in ANY_SCRIPT.items()}


def test_an_atom_and_its_messages_are_one_result(alice: Alice) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    hits = asked(
        alice.entity, "Express billing deadline", filters=Filters(layers=(Layer.MESSAGE, Layer.ATOM))
    )
    assert [(hit.layer, hit.id) for hit in hits] == [
        ("atom", alice.deadline.pk),
        ("atom", alice.approval.pk),
    ][: len(hits)]
    assert hits[0].messages[0].id == alice.messages[3].pk


def test_every_layer_is_found_with_the_terms_of_its_score(alice: Alice) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    hits = asked(alice.entity, "approval")
    assert {hit.layer for hit in hits} == {"atom", "section", "trait"}
    assert all(hit.score == pytest.approx(sum(hit.terms.values())) for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_what_is_found_of_a_topic_lifts_the_rest_of_it() -> None:
    """Neither of the last two shares a word with the question; one of them has the topic of those that do."""
    entity = make_entity()
    for topic, text in (
        ("pantry", "Tea stands on the upper shelf."),
        ("garden", "Tulips grow beside the fence."),
        ("garden", "Tulips are planted in autumn."),
        ("cellar", "Wine lies beneath the stairs."),
        ("garden", "Moss covers the northern wall."),
    ):
        make_atom(entity, text, [make_message(entity, text, session=text)], topic=topic)
    index_entity(entity_id=entity.pk, embedder=EMBEDDER)
    weights = load_design().weights.model_copy(update={"meaning": 0.0, "topic": 1.0})
    hits = asked(
        entity,
        "Where are the tulips planted?",
        filters=Filters(layers=(Layer.ATOM,)),
        weights=weights,
        vector=given_vector("tulips"),
    )
    places = {hit.text: place for place, hit in enumerate(hits)}
    assert places["Moss covers the northern wall."] < places["Wine lies beneath the stairs."]
    assert {hit.topic: "topic" in hit.terms for hit in hits} == dict.fromkeys(
        ("garden", "cellar", "pantry"), True
    )


def test_a_message_that_no_claim_covers_stands_for_itself(alice: Alice) -> None:
    said = make_message(alice.entity, "The coffee machine is broken.")
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    [hit] = asked(alice.entity, "coffee machine", limit=1)
    assert (hit.layer, hit.id, hit.is_raw) == ("message", said.pk, True)


@pytest.mark.parametrize("is_indexed", [True, False])
def test_the_dead_are_found_neither_by_words_nor_by_meaning(alice: Alice, is_indexed: bool) -> None:
    if is_indexed:
        index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    Atom.objects.filter(pk=alice.approval.pk).update(status=Atom.Status.RETRACTED)
    vector = given_vector("Never deploy without Alice's approval.")
    hits = asked(alice.entity, "never deploy approval July 15", vector=vector, limit=100)
    assert {alice.approval.pk, alice.old_deadline.pk}.isdisjoint(hit.id for hit in hits)


def test_bob_is_never_found(alice: Alice) -> None:
    hits = asked(
        alice.entity, "Bob's Deploys: Bob is careful, never deploy without Bob's approval", limit=100
    )
    assert hits
    assert not any("Bob" in hit.text for hit in hits)


@pytest.mark.parametrize(
    "query",
    [
        "".join(map(chr, range(32, 127))),
        "' OR 1=1; --",
        '"exact phrase" AND (NOT deploy) | & ! :* <->',
        "%s %(entity)s {entity} {}",
        "deploy \x00\x1f approval \ud800",
        "deploy " * 2_000,
        "   ",
        "",
    ],
    ids=["ascii", "sql", "operators", "placeholders", "control", "long", "blank", "empty"],
)
def test_a_query_is_data_whatever_it_holds(alice: Alice, query: str) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    found = search(alice.entity, Request(query, uses_meaning=False))
    assert found.arms["words"] == "answered"
    assert bool(found.hits) == ("deploy" in query)


def test_only_the_beginning_of_an_endless_query_is_read(alice: Alice) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    assert asked(alice.entity, " " * QUERY_LIMIT + "approval", uses_meaning=False) == ()


@pytest.mark.parametrize(
    ("filters", "layers"),
    [
        (Filters(layers=(Layer.TRAIT,)), {"trait"}),
        (Filters(layers=(Layer.ATOM,), kinds=("instruction",)), {"atom"}),
        (Filters(layers=(Layer.ATOM,), topics=("gardening",)), set()),
        (Filters(layers=(Layer.SECTION, Layer.ATOM)), {"section", "atom"}),
    ],
)
@pytest.mark.parametrize("is_indexed", [True, False])
def test_filters_hold_for_what_is_indexed_and_what_waits(
    alice: Alice, filters: Filters, layers: set[str], is_indexed: bool
) -> None:
    if is_indexed:
        index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    hits = asked(alice.entity, "approval billing Express", filters=filters, vector=given_vector("approval"))
    assert {hit.layer for hit in hits} == layers


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(kinds=("instruction",)), {"approval"}),
        (Filters(topics=("nothing of this name",)), set()),
        (Filters(layers=(Layer.MESSAGE,), kinds=("episodic",)), {"deadline"}),
    ],
    ids=["kind", "unknown topic", "through its words"],
)
def test_words_count_for_claims_of_the_wanted_kinds_and_topics_alone(
    alice: Alice, filters: Filters, found: set[str]
) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    hits = asked(
        alice.entity, "approval billing Express deadline", filters=filters, vector=given_vector("approval")
    )
    assert {hit.id for hit in hits} == {getattr(alice, name).pk for name in found}


def test_a_given_vector_is_used_and_nothing_embedded(alice: Alice, words_alone: None) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    found = search(
        alice.entity, Request("", vector=given_vector("Asks for approval first."), uses_words=False)
    )
    assert found.hits[0].text == "Asks for approval first."
    assert found.arms["meaning"] == "answered"


def test_vectors_of_another_space_are_never_compared(alice: Alice, words_alone: None) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    other = QueryVector(np.ones(3, dtype=np.float32), "other/3")
    found = search(alice.entity, Request("approval", vector=other))
    assert found.hits
    assert all(hit.terms["meaning"] == 0.0 for hit in found.hits)


@pytest.mark.django_db(transaction=True)
def test_arms_that_are_too_slow_are_left_out_and_named() -> None:
    """Somebody locks the units: both arms wait until their time is up; what waits is found all the same."""
    with transaction.atomic():
        alice = make_alice()
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    make_message(alice.entity, "The newest words are about an approval.")
    request = Request(
        "approval",
        vector=given_vector("approval"),
        words_milliseconds=50,
        meaning_milliseconds=50,
        related_milliseconds=50,
    )
    with queries.owner_cursor() as other:
        other.execute("BEGIN")
        other.execute("LOCK TABLE memory_searchunit IN ACCESS EXCLUSIVE MODE")
        found = search(alice.entity, request)
        other.execute("ROLLBACK")
    assert found.arms == {"words": "late", "meaning": "late", "related": "late", "unindexed": "answered"}
    assert [hit.text for hit in found.hits] == ["The newest words are about an approval."]


def test_a_search_leaves_no_time_limit_to_the_transaction_around_it(alice: Alice) -> None:
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    search(alice.entity, Request("approval", vector=given_vector("approval")))
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        assert cursor.fetchone() == ("0",)


def grow(entity: Entity, times: int) -> None:
    for number in range(times):
        said = make_message(entity, f"Approval of the billing part {number}.", session=f"grown-{number}")
        atom = make_atom(entity, f"Part {number} of billing has an approval.", [said])
        if number < 5:
            scene = make_scene(
                entity, f"Part {number}", [NewLine("work_context", f"Approval {number}.", [atom])]
            )
            if number == 0:
                make_trait(entity, "role", "Gives approval to billing.", list(scene.lines.all()))


def statements(entity: Entity) -> int:
    with CaptureQueriesContext(connection) as captured:
        hits = asked(entity, "approval of billing", limit=50, vector=given_vector("approval"))
    assert {hit.layer for hit in hits} >= {"atom", "section", "trait"}
    # What goes through a pipeline is counted, and its text is not known yet.
    texts = [query["sql"] or "" for query in captured]
    return sum(not text.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK TO")) for text in texts)


def test_the_number_of_statements_is_the_same_for_ten_times_the_rows_that_wait(alice: Alice) -> None:
    """Nothing is indexed, and every third claim has taken the place of another."""
    counts = []
    for name, times in (("agent.few", 3), ("agent.many", 30)):
        entity = make_entity(name, workspace=alice.entity.workspace)
        grow(entity, times)
        for number in range(0, times, 3):
            said = make_message(
                entity, f"No: part {number} of billing needs none.", session=f"changed-{number}"
            )
            old = Atom.objects.get(entity=entity, text=f"Part {number} of billing has an approval.")
            make_atom(entity, f"Part {number} of billing needs no approval.", [said], replaces=old)
        counts.append(statements(entity))
    assert counts[0] == counts[1] <= STATEMENT_LIMIT + STATEMENTS_OF_THE_TAIL


def test_the_number_of_statements_is_the_same_for_ten_times_the_rows(alice: Alice) -> None:
    grow(alice.entity, 3)
    index_entity(entity_id=alice.entity.pk, embedder=EMBEDDER)
    few = statements(alice.entity)
    grow_more = make_entity("agent.more", workspace=alice.entity.workspace)
    grow(grow_more, 40)
    index_entity(entity_id=grow_more.pk, embedder=EMBEDDER)
    assert few == statements(grow_more)
    assert few <= STATEMENT_LIMIT
