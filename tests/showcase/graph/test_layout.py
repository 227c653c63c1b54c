"""Places: nothing overlaps, nothing leaves the drawing, and edges end at their nodes."""

from dataclasses import replace
from itertools import combinations

import pytest

from showcase.graph.drawing import Sketch
from showcase.graph.layout import Box, Picture, place
from showcase.graph.measuring import width
from showcase.graph.nodes import Cluster, Column, Edge, Node


def node(key: str, text: str = "Some words that are told. " * 4) -> Node:
    return Node(key, "atom", "L1", "A head", text, f"/{key}/")


def sketch_of(count: int) -> Sketch:
    """A talk, its atoms, a scene and a trait."""
    messages = tuple(node(f"m{number}") for number in range(count))
    atoms = tuple(Cluster((node(f"a{number}"),)) for number in range(count))
    lines = tuple(node(f"l{number}") for number in range(count))
    columns = (
        Column("L0", "Messages", "said", (Cluster(messages, "A talk", "L0"),), count, "message"),
        Column("L1", "Atoms", "claims", atoms, count, "atom"),
        Column("L2", "Scenes", "documents", (Cluster(lines, "A scene " * 30, "L2"),), count, "line"),
        Column("L3", "Persona", "traits", (Cluster((node("t"),)),), 1, "trait"),
    )
    edges = [Edge(f"m{number}", f"a{count - 1 - number}", 1) for number in range(count)]
    edges += [Edge(f"a{number}", f"l{number}", 1) for number in range(count)]
    edges += [Edge("l0", "t", 1), Edge("a0", f"a{count - 1}", 1, is_succession=True)]
    return Sketch(columns, tuple(edges), frozenset({"t", "l0"}))


def clusters_of(picture: Picture) -> list[Box]:
    return [cluster.box for column in picture.columns for cluster in column.clusters]


def are_apart(one: Box, other: Box) -> bool:
    is_beside = one.end <= other.x or other.end <= one.x
    return is_beside or one.y + one.height <= other.y or other.y + other.height <= one.y


@pytest.mark.parametrize("count", [1, 3, 14, 30])
def test_nothing_overlaps_and_all_is_within_the_drawing(count: int) -> None:
    picture = place(sketch_of(count))
    boxes = clusters_of(picture)
    assert all(are_apart(one, other) for one, other in combinations(boxes, 2))
    assert all(box.x >= 0 and box.end <= picture.width for box in boxes)
    assert all(box.y >= 0 and box.y + box.height <= picture.height for box in boxes)
    for column in picture.columns:
        for cluster in column.clusters:
            inside = [placed.box for placed in cluster.nodes]
            assert all(are_apart(one, other) for one, other in combinations(inside, 2))
            assert all(
                cluster.box.y <= box.y and box.y + box.height <= cluster.box.y + cluster.box.height
                for box in inside
            )


@pytest.mark.parametrize(("count", "lines"), [(3, 3), (14, 2), (30, 1)])
def test_many_nodes_have_fewer_lines_that_fit_their_boxes(count: int, lines: int) -> None:
    picture = place(sketch_of(count))
    [talk] = picture.columns[0].clusters
    assert {len(placed.lines) for placed in talk.nodes} == {lines}
    assert all(
        line.x + width(line.text, 13) <= placed.box.end for placed in talk.nodes for line in placed.lines
    )


def test_atoms_stand_in_the_order_of_what_they_rest_on() -> None:
    picture = place(sketch_of(4))
    order = [cluster.nodes[0].node.key for cluster in picture.columns[1].clusters]
    assert order == ["a3", "a2", "a1", "a0"]


def test_many_that_rest_on_the_same_stand_around_it_and_not_below_it() -> None:
    messages = tuple(Cluster((node(f"m{number}"),)) for number in range(12))
    atoms = tuple(Cluster((node(f"a{number}"),)) for number in range(12))
    columns = (
        Column("L0", "Messages", "said", messages, 12, "message"),
        Column("L1", "Atoms", "claims", atoms, 12, "atom"),
    )
    first, *others = (f"a{number}" for number in range(12))
    edges = (Edge("m0", first, 1), *(Edge("m6", other, 1) for other in others))
    said, claimed = place(Sketch(columns, edges)).columns
    boxes = [cluster.box for cluster in said.clusters]
    assert [replace(cluster.box, x=0.0) for cluster in claimed.clusters] == boxes


def test_edges_end_at_their_nodes_and_shine_between_what_stands_out() -> None:
    picture = place(sketch_of(2))
    boxes = {
        placed.node.key: placed.box
        for column in picture.columns
        for cluster in column.clusters
        for placed in cluster.nodes
    }
    for placed in picture.edges:
        if not placed.edge.is_succession:
            assert placed.path.startswith(f"M{boxes[placed.edge.lower].end:g} ")
            upper = boxes[placed.edge.upper]
            assert placed.path.endswith(f" {upper.x:g} {upper.middle:g}")
    assert [placed.edge.upper for placed in picture.edges if placed.is_lit] == ["t"]


def test_an_empty_graph_has_a_size() -> None:
    assert place(Sketch((), ())).height > 0
