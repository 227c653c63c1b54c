"""Differences between versions: exact, and told in a person's terms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.difference import (
    MOST_WORDS,
    Change,
    Edit,
    TextEdit,
    VersionLine,
    apply,
    difference,
    word_difference,
)

WORDS = ["the", "plan", "moves", "to", "10", "20", "September", "迁移", "blue", "never"]
words = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
lines = st.lists(
    st.builds(VersionLine, st.integers(0, 9), st.sampled_from(["core_sop", "key_evidence"]), words),
    max_size=7,
    unique_by=lambda line: line.id,
)


@settings(deadline=None, max_examples=300)
@given(old=lines, new=lines)
def test_a_difference_applied_to_the_old_version_gives_the_new(
    old: list[VersionLine], new: list[VersionLine]
) -> None:
    found = difference(old, new)
    assert apply(found, old) == tuple(new)
    assert found == difference(tuple(old), tuple(new))
    before = [line.before for line in found.changes if line.before]
    assert sorted(before, key=lambda line: line.id) == sorted(old, key=lambda line: line.id)


@settings(deadline=None, max_examples=300)
@given(old=lines)
def test_a_version_does_not_differ_from_itself(old: list[VersionLine]) -> None:
    found = difference(old, old)
    assert found.is_empty
    assert found.unchanged == tuple((line, line) for line in old)


@settings(deadline=None, max_examples=300)
@given(old=st.one_of(words, st.text(max_size=60)), new=st.one_of(words, st.text(max_size=60)))
def test_words_that_stayed_went_and_came_make_both_texts(old: str, new: str) -> None:
    edits = word_difference(old, new)
    assert "".join(edit.text for edit in edits if edit.edit is not Edit.INSERT) == old
    assert "".join(edit.text for edit in edits if edit.edit is not Edit.DELETE) == new


def test_lines_are_added_removed_reworded_and_kept() -> None:
    old = [
        VersionLine(1, "core_sop", "Keep plan and approval together."),
        VersionLine(2, "key_evidence", "The migration ends before 10 September."),
        VersionLine(3, "open_questions", "When will the contract be approved?"),
    ]
    new = [
        old[0],
        VersionLine(4, "key_evidence", "The migration ends before 24 September."),
        VersionLine(5, "related_tasks", "Blue buttons."),
    ]
    found = difference(old, new)
    assert found.unchanged == ((old[0], old[0]),)
    assert found.reworded == ((old[1], new[1]),)
    assert found.removed == (old[2],)
    assert found.added == (new[2],)
    assert [line.change for line in found.changes] == [
        Change.UNCHANGED,
        Change.REWORDED,
        Change.REMOVED,
        Change.ADDED,
    ]


def test_a_line_written_anew_in_the_same_words_is_unchanged() -> None:
    old, new = [VersionLine(1, "core_sop", "Test first.")], [VersionLine(2, "core_sop", "Test first.")]
    assert difference(old, new).unchanged == ((old[0], new[0]),)


def test_a_line_that_moved_to_another_section_is_reworded() -> None:
    old, new = [VersionLine(1, "core_sop", "Test first.")], [VersionLine(2, "key_evidence", "Test first.")]
    assert difference(old, new).reworded == ((old[0], new[0]),)


def test_the_most_alike_lines_are_paired() -> None:
    old = [VersionLine(1, "s", "alpha beta gamma delta"), VersionLine(2, "s", "alpha beta gamma epsilon")]
    new = [
        VersionLine(3, "s", "alpha beta gamma epsilon zeta"),
        VersionLine(4, "s", "alpha beta gamma delta eta"),
    ]
    assert difference(old, new).reworded == ((old[1], new[0]), (old[0], new[1]))


def test_a_difference_of_another_version_is_refused() -> None:
    found = difference([VersionLine(1, "s", "a")], [])
    with pytest.raises(ValueError, match="another version"):
        apply(found, [VersionLine(2, "s", "b")])


def test_a_moved_date_is_shown_word_by_word() -> None:
    assert word_difference("before 10 September", "before 24 September") == (
        TextEdit(Edit.EQUAL, "before "),
        TextEdit(Edit.DELETE, "10"),
        TextEdit(Edit.INSERT, "24"),
        TextEdit(Edit.EQUAL, " September"),
    )
    assert word_difference("默认蓝色", "默认绿色") == (
        TextEdit(Edit.EQUAL, "默认"),
        TextEdit(Edit.DELETE, "蓝"),
        TextEdit(Edit.INSERT, "绿"),
        TextEdit(Edit.EQUAL, "色"),
    )


def test_very_long_texts_are_compared_as_one_block() -> None:
    old = "word " * MOST_WORDS
    assert word_difference(old, old + "x") == (TextEdit(Edit.DELETE, old), TextEdit(Edit.INSERT, old + "x"))
    assert word_difference(old, old) == (TextEdit(Edit.EQUAL, old),)
