"""Batches depend on the messages alone, and pieces lose nothing."""

import random
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.batches import BatchMessage, Piece, cut, halve, pieces


def message(number: int, session: int = 1, length: int = 10, at: int | None = None) -> BatchMessage:
    return BatchMessage(UUID(int=number), UUID(int=session), (number if at is None else at,), length)


many = st.lists(
    st.builds(message, st.integers(0, 500), st.integers(1, 4), st.integers(0, 60), st.integers(0, 50)),
    max_size=40,
    unique_by=lambda item: item.id,
)


@settings(deadline=None, max_examples=200)
@given(messages=many, size=st.integers(1, 6), characters=st.integers(1, 100), seed=st.randoms())
def test_batches_hold_every_message_once_within_the_limits(
    messages: list[BatchMessage], size: int, characters: int, seed: random.Random
) -> None:
    batches = cut(messages, size=size, characters=characters)
    assert sorted(item.id for batch in batches for item in batch) == sorted(item.id for item in messages)
    for batch in batches:
        assert 1 <= len(batch) <= size
        assert len({item.session_id for item in batch}) == 1
        assert len(batch) == 1 or sum(item.length for item in batch) <= characters
        assert batch == sorted(batch, key=lambda item: (item.position, item.id))
    shuffled = list(messages)
    seed.shuffle(shuffled)
    assert cut(shuffled, size=size, characters=characters) == batches


@settings(deadline=None, max_examples=200)
@given(messages=many, size=st.integers(1, 6))
def test_other_sessions_do_not_change_the_batches_of_one(messages: list[BatchMessage], size: int) -> None:
    own = [item for item in messages if item.session_id == UUID(int=1)]
    together = cut(messages, size=size, characters=100)
    assert [batch for batch in together if batch[0].session_id == UUID(int=1)] == cut(
        own, size=size, characters=100
    )


def test_a_late_message_at_the_end_changes_the_last_batch_only() -> None:
    messages = [message(number) for number in range(8)]
    before = cut(messages[:7], size=3, characters=1000)
    after = cut(messages, size=3, characters=1000)
    assert [len(batch) for batch in after] == [3, 3, 2]
    assert before[:2] == after[:2]


def test_a_long_message_stands_alone() -> None:
    batches = cut([message(1), message(2, length=500), message(3)], size=5, characters=100)
    assert [[item.id.int for item in batch] for batch in batches] == [[1], [2], [3]]


def test_batches_follow_their_first_event() -> None:
    batches = cut([message(1, 1, at=5), message(2, 2, at=1), message(3, 1, at=0)], size=5, characters=100)
    assert [[item.id.int for item in batch] for batch in batches] == [[3, 1], [2]]


def test_halving_keeps_every_item_and_order() -> None:
    assert halve([1, 2, 3]) == ([1, 2], [3])
    assert halve((1, 2)) == ([1], [2])
    with pytest.raises(ValueError):
        halve([1])


FRAGMENTS = ["word", " ", ". ", "\n\n", "。", "测试", "e\u0301", "👩\u200d👩\u200d👧", "x" * 30]
long_texts = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(FRAGMENTS), max_size=80).map("".join))


@settings(deadline=None, max_examples=500)
@given(text=long_texts, limit=st.integers(1, 60), data=st.data())
def test_pieces_lose_nothing(text: str, limit: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, limit // 2))
    found = pieces(text, limit, overlap)
    joined = ""
    for piece in found:
        assert len(piece.text) <= limit
        assert text[piece.start : piece.end] == piece.text
        assert 0 <= len(joined) - piece.start <= overlap
        assert piece.end > len(joined) or not text
        joined += piece.text[len(joined) - piece.start :]
    assert joined == text


def test_pieces_are_cut_at_the_best_border() -> None:
    assert [piece.text for piece in pieces("One two three. Four five\n\nsix seven", 30)] == [
        "One two three. Four five\n\n",
        "six seven",
    ]
    assert [piece.text for piece in pieces("One two three. Four five six", 24)] == [
        "One two three. ",
        "Four five six",
    ]
    assert [piece.text for piece in pieces("第一句话很长。第二句话", 10)] == ["第一句话很长。", "第二句话"]
    assert [piece.text for piece in pieces("abcdefghij", 4)] == ["abcd", "efgh", "ij"]


def test_an_overlap_starts_with_a_whole_word() -> None:
    assert pieces("alpha beta gamma delta", 12, 6) == (
        Piece(0, "alpha beta "),
        Piece(6, "beta gamma "),
        Piece(11, "gamma delta"),
    )


def test_composed_characters_stay_whole() -> None:
    assert [piece.text for piece in pieces("abce\u0301fg", 4)] == ["abc", "e\u0301fg"]


def test_the_end_of_a_very_long_message_is_kept() -> None:
    text = "All is quiet here. " * 3_200 + "And I am allergic to latex"
    found = pieces(text, 8_000, 200)
    assert found[-1].text.endswith("And I am allergic to latex")
    assert max(len(piece.text) for piece in found) <= 8_000


def test_an_overlap_beyond_half_the_limit_is_refused() -> None:
    with pytest.raises(ValueError):
        pieces("text", 4, 3)
