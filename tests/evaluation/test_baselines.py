"""The simple methods."""

import numpy as np

from memory.evaluation.baselines import Bm25, english_stems, nearest, plain_words

TEXTS = [
    "the dog runs in the garden",
    "a cat and a dog",
    "deploys need approval, approval of Alice",
    "the garden of Alice",
]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    assert Bm25(TEXTS, plain_words).order("the cat") == [1, 0, 3]


def test_a_shorter_text_comes_first_and_equal_ones_stay_in_order() -> None:
    assert Bm25(["dog", "a dog", "dog"], plain_words).order("dog") == [0, 2, 1]


def test_what_shares_no_word_is_not_found() -> None:
    assert Bm25(TEXTS, plain_words).order("zebra") == []
    assert Bm25([], plain_words).order("dog") == []


def test_stems_find_other_forms_and_leave_stop_words_out() -> None:
    assert plain_words("The dogs' garden") == ["the", "dogs", "garden"]
    assert english_stems("The running dogs were in the gardens") == ["run", "dog", "garden"]
    assert Bm25(TEXTS, plain_words).order("deployed gardens") == []
    assert Bm25(TEXTS, english_stems).order("deployed") == [2]


def test_the_nearest_row_comes_first() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], dtype=np.float32)
    assert nearest(rows, np.array([0.0, 1.0], dtype=np.float32)) == [1, 2, 0]
