"""Handles: short, unique, and nothing comes back that was not offered."""

from uuid import UUID, uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.handles import Handles, Kind, NotOfferedError

MESSAGE, ATOM, SCENE, LINE, OTHER = (UUID(int=number) for number in range(1, 6))


@pytest.fixture
def handles() -> Handles:
    offered = Handles()
    offered.offer(Kind.MESSAGE, MESSAGE)
    offered.offer(Kind.ATOM, ATOM)
    offered.offer(Kind.SCENE, SCENE)
    offered.offer(Kind.LINE, LINE, scene=SCENE)
    return offered


@settings(deadline=None, max_examples=200)
@given(offers=st.lists(st.tuples(st.sampled_from(list(Kind)), st.integers(0, 12)), max_size=60))
def test_no_two_rows_share_a_handle_and_each_comes_back(offers: list[tuple[Kind, int]]) -> None:
    offered = Handles()
    scene = uuid5(OTHER, "scene")
    offered.offer(Kind.SCENE, scene)
    given_out: dict[str, UUID] = {}
    for kind, number in offers:
        row = uuid5(OTHER, f"{kind}{number}")
        handle = offered.offer(kind, row, scene=scene if kind is Kind.LINE else None)
        assert given_out.setdefault(handle, row) == row
        assert offered.handle(row) == handle
    for handle, row in given_out.items():
        assert (offered.resolve(handle), offered.resolve(str(row))) == (row, row)


@settings(deadline=None, max_examples=300)
@given(
    said=st.one_of(st.text(max_size=30), st.from_regex(r"[masl][0-9]{1,3}(\.l[0-9]{1,2})?", fullmatch=True))
)
def test_anything_else_is_refused_with_a_reason(said: str) -> None:
    nothing = Handles()
    with pytest.raises(NotOfferedError) as refusal:
        nothing.resolve(said)
    assert str(refusal.value).strip()


def test_handles_count_in_the_order_of_offering() -> None:
    offered = Handles()
    first, second, line, other_line = (UUID(int=number) for number in range(10, 14))
    assert offered.offer(Kind.SCENE, first) == "s1"
    assert offered.offer(Kind.SCENE, second) == "s2"
    assert offered.offer(Kind.LINE, line, scene=second) == "s2.l1"
    assert offered.offer(Kind.LINE, other_line, scene=first) == "s1.l1"
    assert offered.offer(Kind.SCENE, first) == "s1"
    assert offered.offered(Kind.SCENE) == (first, second)


@pytest.mark.parametrize(
    ("said", "row"),
    [
        ("m1", MESSAGE),
        (" M1 ", MESSAGE),
        ("[m1]", MESSAGE),
        ("#m1", MESSAGE),
        ("`m1`,", MESSAGE),
        ("(#A1)", ATOM),
        ("ａ１", ATOM),
        ("s1.l1", LINE),
        ("[S1.L1]", LINE),
        ("s1 l1", LINE),
        ("s1/l1", LINE),
        (str(ATOM), ATOM),
        (str(ATOM).upper(), ATOM),
        (ATOM.hex, ATOM),
        (ATOM.urn, ATOM),
        (f"{{{ATOM}}}", ATOM),
    ],
)
def test_handles_are_read_tolerantly(handles: Handles, said: str, row: UUID) -> None:
    assert handles.resolve(said) == row


@pytest.mark.parametrize(
    "said", ["m2", "m01", "1", "m", "m1 m2", "m1.l1", "l1", "s1.l2", "a-1", str(OTHER), "memory 1"]
)
def test_what_was_not_offered_is_refused(handles: Handles, said: str) -> None:
    with pytest.raises(NotOfferedError, match="was not offered; offered were m1, a1, s1"):
        handles.resolve(said)


def test_a_row_of_another_kind_is_refused(handles: Handles) -> None:
    with pytest.raises(NotOfferedError, match="a1 names an atom; a message or a line is wanted here"):
        handles.resolve("a1", kinds={Kind.LINE, Kind.MESSAGE})


def test_a_row_is_offered_as_one_kind_only(handles: Handles) -> None:
    with pytest.raises(ValueError, match="was offered as a message"):
        handles.offer(Kind.ATOM, MESSAGE)
    with pytest.raises(ValueError, match="within a scene"):
        handles.offer(Kind.LINE, OTHER)
    with pytest.raises(NotOfferedError):
        handles.offer(Kind.LINE, UUID(int=77), scene=UUID(int=78))
