"""What of long scenes a prompt shows."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memory.cascade.contract import OfferedAtom, OfferedLine, OfferedScene, OfferedTrait
from memory.cascade.showing import show_scenes
from memory.cascade.showing_lines import concerning, listed, shortened, under


def line(number: int, text: str, *, atoms: tuple[str, ...] = (), **marks: bool) -> OfferedLine:
    return OfferedLine(f"s1.l{number}", "work_context", text, atoms, **marks)


def scene(*lines: OfferedLine) -> OfferedScene:
    return OfferedScene("s1", "Billing", "About billing.", (), 2, is_full=True, lines=lines)


def atom(handle: str, text: str, *, is_new: bool = False) -> OfferedAtom:
    return OfferedAtom(handle, text, "episodic", 50, "Billing", "", "user", "live", None, is_new=is_new)


LINES = (
    line(1, "Billing runs in Lima."),
    line(2, "Ann checks the import."),
    line(3, "The old date was May.", is_due=True),
    line(4, "Never ship on Friday.", is_pinned=True),
    line(5, "Ben likes short words."),
)
SHORT = 80


def test_a_scene_with_room_for_all_its_lines_is_shown_as_it_is() -> None:
    assert shortened(scene(*LINES), 1_000, concerning(["Lima"])) == scene(*LINES)


def test_due_and_pinned_lines_come_first_then_those_about_what_is_new() -> None:
    shown = shortened(scene(*LINES), SHORT, concerning(["The import is late, says Ann."]))
    assert shown == replace(scene(*LINES[1:4]), lines_left_out=2)


def test_of_equal_weight_the_newest_are_shown() -> None:
    shown = shortened(scene(*LINES), SHORT, concerning(["Nothing of that"]))
    assert shown == replace(scene(*LINES[2:]), lines_left_out=2)


def test_lines_under_traits_are_shown_to_the_step_of_the_persona() -> None:
    trait = OfferedTrait("t1", "role", "Runs billing.", ("s1.l1",))
    shown = shortened(scene(*LINES), SHORT, under([trait]))
    assert [line.handle for line in shown.lines] == ["s1.l1", "s1.l3", "s1.l4"]


def test_a_prompt_counts_what_it_does_not_show() -> None:
    shown = shortened(scene(*LINES), SHORT, concerning([]))
    assert show_scenes([shown]).splitlines()[-1] == "  (2 more lines not shown)"


def test_a_claim_is_listed_when_it_is_new_or_its_line_says_it_otherwise() -> None:
    lines = (
        line(1, "Said in the same words.", atoms=("a2",)),
        line(2, "Said in others.", atoms=("a3",)),
        line(3, "It was true.", atoms=("a4",), is_due=True),
    )
    atoms = [
        atom("a1", "A new claim.", is_new=True),
        atom("a2", "Said in the same words."),
        atom("a3", "It is said otherwise."),
        atom("a4", "It was true."),
        atom("a5", "It stands under a line that is not shown."),
    ]
    assert listed(atoms, [scene(*lines)]) == [atoms[0], atoms[2], atoms[3]]


@given(
    texts=st.lists(st.text(min_size=1, max_size=30), max_size=20),
    marked=st.sets(st.integers(0, 19)),
    most=st.integers(0, 300),
)
def test_lines_keep_their_order_and_what_is_not_marked_keeps_to_the_limit(
    texts: list[str], marked: set[int], most: int
) -> None:
    lines = tuple(line(number, text, is_due=number in marked) for number, text in enumerate(texts))
    shown = shortened(scene(*lines), most, concerning(["a word"]))
    assert shown.lines_left_out == len(lines) - len(shown.lines)
    assert list(shown.lines) == [one for one in lines if one in shown.lines]
    assert {one.handle for one in lines if one.is_due} <= {one.handle for one in shown.lines}
    free = most - sum(len(one.text) for one in shown.lines if one.is_due)
    assert sum(len(one.text) for one in shown.lines if not one.is_due) <= max(free, 0)
