"""The graph as anybody gets it: what it draws is what the database holds."""

import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from memory.models import Atom, Correction, Entity, Evidence, Line, Message, Scene, TraitVersion
from showcase.access import Place, Scope
from showcase.graph.asked import Asked
from showcase.graph.drawing import Sketch, sketch
from showcase.graph.reading import read_graph
from tests.factories import make_atom, make_message, make_next_version
from tests.showcase.conftest import SECRET
from tests.showcase.graph.growing import grow
from tests.showcase.statements import STATEMENTS_LIMIT, statements

PAGE = "/showcase/agent-memory/graph/"


def page(client: Client, **asked: Any) -> str:
    response = client.get(PAGE, asked)
    assert response.status_code == 200
    return response.content.decode()


def drawn(entity: Entity, **asked: Any) -> Sketch:
    wanted = Asked(**asked)
    return sketch(Scope(entity, Place.DEMO), wanted, read_graph(entity, wanted))


def edges_of(found: Sketch) -> set[tuple[str, str]]:
    return {(edge.upper, edge.lower) for edge in found.edges if not edge.is_succession}


def stored(entity: Entity) -> set[tuple[str, str]]:
    """All evidence of the ladder, as the graph names its ends."""
    found = set()
    for row in Evidence.objects.filter(entity=entity):
        upper = row.of_trait_version_id or row.of_line_id or row.of_atom_id
        lower = row.line_id or row.atom_id or row.message_id
        kinds = ("trait", "line") if row.of_trait_version_id else ("line", "atom")
        kinds = ("atom", "message") if row.of_atom_id else kinds
        found.add((f"{kinds[0]}-{upper}", f"{kinds[1]}-{lower}"))
    return found


def test_its_edges_are_the_stored_evidence(alice: Entity) -> None:
    assert edges_of(drawn(alice)) == stored(alice)
    assert len(stored(alice)) == 6


def test_grouped_edges_count_every_row_of_evidence(alice: Entity) -> None:
    grow(alice)
    found = drawn(alice)
    assert sum(edge.count for edge in found.edges) == Evidence.objects.filter(entity=alice).count()
    assert len(found.nodes) <= 60
    assert [column.count for column in found.columns] == [147, 146, 50, 1]


def test_a_row_that_stands_out_is_shown_itself_with_all_above_and_below_it(alice: Entity) -> None:
    grow(alice)
    version = TraitVersion.objects.get(entity=alice)
    lines = [row.line_id for row in version.evidence.all()]
    atoms = Evidence.objects.filter(of_line__in=lines).values_list("atom", flat=True)
    messages = Evidence.objects.filter(of_atom__in=atoms).values_list("message", flat=True)
    wanted = {f"trait-{version.pk}", *(f"line-{id}" for id in lines)}
    wanted |= {*(f"atom-{id}" for id in atoms), *(f"message-{id}" for id in messages)}
    for at in (version.pk, version.trait_id):
        found = drawn(alice, at=at)
        assert found.lit == wanted
        assert wanted <= {node.key for node in found.nodes}
        assert [node.key for node in found.nodes if node.is_at] == [f"trait-{version.pk}"]


def test_a_scene_stands_out_with_its_lines(alice: Entity) -> None:
    scene = Scene.objects.get(entity=alice)
    assert {f"line-{line.pk}" for line in Line.objects.filter(scene=scene)} <= drawn(alice, at=scene.pk).lit


def test_groups_open_and_close(alice: Entity, client: Client) -> None:
    grow(alice)
    content = page(client)
    [(group, count)] = re.findall(
        r'data-node="(topic-[0-9a-f]+)"[^>]*aria-label="Service 3. (\d+) atoms', content
    )
    assert "Service 3 runs on port" not in content
    opened = page(client, open=group)
    shown = re.findall(r"<title>[^<]*Service 3 runs on port \d+\.[^<]*</title>", opened)
    assert len(shown) == int(count) == 12
    assert f'data-node="{group}"' not in opened
    assert 'aria-label="Close Service 3"' in opened


def test_what_was_superseded_is_drawn_with_what_took_its_place(alice: Entity, client: Client) -> None:
    before = Atom.objects.filter(entity=alice).first()
    assert before is not None
    with transaction.atomic():
        message = make_message(alice, "Until November 1.")
        after = make_atom(alice, "Until November 1.", [message], replaces=before)
    found = drawn(alice)
    assert [(edge.lower, edge.upper) for edge in found.edges if edge.is_succession] == [
        (f"atom-{before.pk}", f"atom-{after.pk}")
    ]
    content = page(client)
    assert 'class="edge succession"' in content
    assert "superseded by" in content
    assert "took the place of" in content


def test_scenes_show_their_versions_and_lines_that_only_traits_still_rest_on(
    alice: Entity, client: Client
) -> None:
    scene = Scene.objects.get(entity=alice)
    head = scene.versions.get(is_head=True)
    gone = head.lines.first()
    assert gone is not None
    make_next_version(head, removed=[gone])
    content = page(client)
    assert re.findall(rf"scenes/{scene.pk}/versions/(\d)/", content) == ["1", "2", "1", "2"]
    assert "earlier version" in content
    assert edges_of(drawn(alice)) == stored(alice)


def test_a_correction_is_named_where_a_row_rests_on_one(alice: Entity, client: Client) -> None:
    atom = Atom.objects.filter(entity=alice).first()
    correction = Correction.objects.create(
        workspace=alice.workspace, entity=alice, kind=Correction.Kind.ATOM_RESTORED, by="terminal"
    )
    Evidence.objects.create(workspace=alice.workspace, entity=alice, of_atom=atom, correction=correction)
    assert "rests on a person&#x27;s correction" in page(client)


def test_words_are_followed_up_and_down(alice: Entity) -> None:
    grow(alice)
    found = drawn(alice, text="before you act")
    assert {node.kind for node in found.nodes} == {"trait", "line", "atom", "message"}
    assert [column.count for column in found.columns] == [2, 2, 2, 1]
    assert [column.count for column in drawn(alice, text="port 8003").columns] == [12, 12, 8, 0]


def test_a_session_and_a_time_are_followed_upwards(alice: Entity) -> None:
    first = Message.objects.filter(entity=alice).first()
    assert first is not None
    assert first.occurred_at is not None
    day = first.occurred_at.date()
    assert [column.count for column in drawn(alice, session=first.session_id).columns] == [1, 1, 1, 1]
    assert [column.count for column in drawn(alice, since=day, until=day).columns] == [3, 2, 2, 1]
    assert [column.count for column in drawn(alice, until=day.replace(year=2000)).columns] == [0, 0, 0, 0]


def test_layers_are_left_out(alice: Entity) -> None:
    found = drawn(alice, layers=("L1", "L2"))
    assert [column.layer for column in found.columns] == ["L1", "L2"]
    assert {upper.partition("-")[0] for upper, _ in edges_of(found)} == {"line"}


def test_the_outline_says_what_the_drawing_shows(alice: Entity, client: Client) -> None:
    for number in (0, 12):
        grow(alice, topics=number)
        content = page(client)
        nodes = re.findall(r'data-node="([^"]+)"', content)
        assert sorted(nodes) == sorted(re.findall(r'class="outline-item[^"]*" id="o-([^"]+)"', content))
        edges = re.findall(r'data-lower="([^"]+)"', content)
        assert len(re.findall(r'href="#o-', content)) == 2 * len(edges)
        assert set(re.findall(r'href="#o-([^"]+)"', content)) <= set(nodes)


def test_it_takes_few_statements_at_ten_nodes_and_at_three_hundred(alice: Entity, client: Client) -> None:
    small = statements(client, PAGE)
    grow(alice)
    assert statements(client, PAGE) <= small <= STATEMENTS_LIMIT
    trait = TraitVersion.objects.get(entity=alice)
    for query in (
        "?text=port",
        f"?at={trait.pk}",
        f"?text=port&at={trait.pk}&open=scene-1",
        "?since=2026-01-01",
    ):
        assert statements(client, PAGE + query) <= STATEMENTS_LIMIT


@pytest.mark.parametrize(
    "query",
    ["?at=x", "?since=x", "?session=x", "?layers=L9", "?open=x&open=", f"?text={'a' * 300}", "?text=%00"],
)
def test_what_cannot_be_asked_breaks_nothing(query: str, alice: Entity, client: Client) -> None:
    assert client.get(PAGE + query).status_code == 200


def test_rows_that_are_not_there_are_said_to_be_missing(alice: Entity, bob: Entity, client: Client) -> None:
    other = Message.objects.get(entity=bob)
    assert "not among what is shown" in page(client, at=str(other.pk))
    assert "No row holds what was asked for." in page(client, text="nothing of that kind")


def test_only_the_demonstration_is_drawn(alice: Entity, bob: Entity, client: Client) -> None:
    other = Message.objects.get(entity=bob)
    for asked in ({}, {"text": "launch"}, {"at": str(other.pk)}, {"session": str(other.session_id)}):
        assert SECRET not in page(client, **asked)
    assert client.get(f"/showcase/agent-memory/live/{bob.pk}/graph/").status_code == 302
    assert client.post(PAGE).status_code == 405


def test_an_empty_memory_says_what_to_do_next(bob: Entity, client: Client) -> None:
    assert "make demo" in page(client)


def test_words_of_strangers_are_text(alice: Entity, client: Client) -> None:
    make_message(
        alice, '</text><script>alert(1)</script> \u202ex "', speaker="<b>", session='"><svg onload=x>'
    )
    content = page(client)
    assert "<script>alert" not in content
    assert "<svg onload" not in content
    assert "\u202e" not in content
    assert "[U+202E]" in content


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.parametrize("asked", [{"until": "9999-12-31"}, {"since": "0001-01-01"}, {"until": "9999-12-30"}])
def test_days_at_the_ends_of_the_calendar_are_refused_or_taken(
    asked: dict[str, str], zone: str, alice: Entity, client: Client
) -> None:
    Entity.objects.filter(pk=alice.pk).update(time_zone=zone)
    content = page(client, **asked)
    has_instant = asked == {"until": "9999-12-30"} or (zone, asked) == (
        "America/Los_Angeles",
        {"since": "0001-01-01"},
    )
    assert ("No memory reaches that far." in content) is not has_instant
