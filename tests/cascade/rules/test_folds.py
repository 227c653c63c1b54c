"""Where a session is cut: never between what belongs together, and never into the newest turns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.cascade.rules.folds import Fold, FoldTurn, choose_fold, places_to_cut


def person(id: int, **values: object) -> FoldTurn:
    return FoldTurn(id, is_person=True, **values)  # type: ignore[arg-type]


def calls(id: int, *ids: str, parent: int | None = None) -> FoldTurn:
    return FoldTurn(id, parent=parent, calls=ids)


def result(id: int, call: str, parent: int | None = None) -> FoldTurn:
    return FoldTurn(id, parent=parent, result_of=call)


def words(id: int, parent: int | None = None) -> FoldTurn:
    return FoldTurn(id, parent=parent)


def test_plain_turns_are_cut_anywhere() -> None:
    assert places_to_cut([person(0), words(1), person(2)]) == [1, 2, 3]
    assert places_to_cut([]) == []


def test_a_call_stays_with_its_results_also_with_several_of_them() -> None:
    turns = [person(0), calls(1, "a", "b"), result(2, "b"), result(3, "a"), words(4)]
    assert places_to_cut(turns) == [1, 4, 5]


def test_an_id_that_is_used_again_stands_for_the_later_call() -> None:
    turns = [calls(0, "a"), result(1, "a"), calls(2, "a"), result(3, "a")]
    assert places_to_cut(turns) == [2, 4]


def test_what_lies_under_a_call_stays_with_it() -> None:
    turns = [calls(0, "a"), calls(1, "b", parent=0), result(2, "b", parent=1), words(3, parent=1), words(4)]
    assert places_to_cut(turns, is_sealed=True) == [4, 5]


def test_a_chain_of_turns_that_each_name_the_one_before_can_be_cut() -> None:
    turns = [person(0), words(1, parent=0), person(2, parent=1), words(3, parent=2)]
    assert places_to_cut(turns) == [1, 2, 3, 4]


def test_a_call_whose_result_may_still_come_holds_what_follows_until_a_person_speaks() -> None:
    waiting = [person(0), calls(1, "a"), words(2)]
    assert places_to_cut(waiting) == [1]
    assert places_to_cut(waiting, is_sealed=True) == [1, 2, 3]
    assert places_to_cut([*waiting, person(3)]) == [1, 2, 3, 4]


def test_a_fold_leaves_the_newest_turns_and_keeps_to_its_limits() -> None:
    turns = [FoldTurn(n, characters=10) for n in range(10)]
    limits = {"most_turns": 100, "most_characters": 1_000}
    assert choose_fold(turns, kept=4, **limits) == Fold(6, 6, has_more=False)
    assert choose_fold(turns, kept=10, **limits) == Fold(0, 0, has_more=False)
    assert choose_fold(turns, kept=4, most_turns=5, most_characters=1_000) == Fold(5, 5, has_more=True)
    assert choose_fold(turns, kept=4, most_turns=100, most_characters=25) == Fold(2, 2, has_more=True)
    assert choose_fold(turns, kept=4, most_groups=3, **limits) == Fold(3, 3, has_more=True)


def test_what_cannot_be_cut_goes_whole_though_it_is_beyond_a_limit() -> None:
    turns = [calls(0, "a"), words(1, parent=0), result(2, "a"), words(3), words(4)]
    fold = choose_fold(turns, kept=1, most_turns=2, most_characters=10, most_groups=1)
    assert fold == Fold(3, 1, has_more=True)


@st.composite
def sessions(draw: st.DrawFn) -> list[FoldTurn]:
    """Turns in any order: people, words, calls, results of calls made before, some under earlier turns."""
    turns: list[FoldTurn] = []
    made: list[str] = []
    for place in range(draw(st.integers(0, 24))):
        parent = draw(st.sampled_from([None, None, *range(place)]))
        kind = draw(st.sampled_from(["person", "words", "calls", "result"]))
        if kind == "calls":
            ids = tuple(f"c{draw(st.integers(0, 6))}" for _ in range(draw(st.integers(1, 3))))
            made += ids
            turns.append(FoldTurn(place, parent, calls=tuple(dict.fromkeys(ids))))
        elif kind == "result" and made:
            turns.append(FoldTurn(place, parent, result_of=draw(st.sampled_from(made))))
        else:
            turns.append(FoldTurn(place, parent, is_person=kind == "person"))
    return turns


@given(turns=sessions(), kept=st.integers(0, 8), most=st.integers(1, 12), is_sealed=st.booleans())
def test_no_fold_parts_a_call_from_its_result_or_from_what_lies_under_it(
    turns: list[FoldTurn], kept: int, most: int, is_sealed: bool
) -> None:
    fold = choose_fold(turns, kept=kept, most_turns=most, most_characters=10**6, is_sealed=is_sealed)
    assert fold.turns <= max(0, len(turns) - kept)
    callers: dict[object, int] = {}
    latest: dict[str, int] = {}
    for place, turn in enumerate(turns):
        tied = [callers[turn.parent]] if turn.parent in callers else []
        tied += [latest.pop(turn.result_of)] if turn.result_of in latest else []
        for earlier in tied:
            assert not earlier < fold.turns <= place
        if turn.is_person and turn.parent is None:
            latest.clear()
        if turn.calls:
            callers[turn.id] = place
            latest |= dict.fromkeys(turn.calls, place)
    if not is_sealed:
        assert all(place >= fold.turns for place in latest.values())


@given(turns=sessions(), most=st.integers(1, 12))
def test_a_session_that_has_ended_is_folded_to_its_end(turns: list[FoldTurn], most: int) -> None:
    rest = turns
    while rest:
        fold = choose_fold(rest, kept=0, most_turns=most, most_characters=10**6, is_sealed=True)
        assert fold.turns > 0
        assert fold.has_more == (fold.turns < len(rest))
        rest = rest[fold.turns :]
