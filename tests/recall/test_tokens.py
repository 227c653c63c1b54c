"""Counts of tokens: exact for the vocabulary, on the safe side for others."""

import tomllib
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from memory.recall import tokens
from memory.recall.tokens import count_tokens, fitting, safety_for, tokens_by_rank

CORPUS = tomllib.loads(Path(__file__).with_name("test_tokens_corpus.toml").read_text(encoding="utf-8"))

PUBLISHED_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""The digest that tiktoken demands of the vocabulary it downloads."""


@pytest.mark.parametrize("name", CORPUS)
def test_a_count_is_that_of_the_vocabulary(name: str) -> None:
    assert count_tokens(CORPUS[name]["text"]) == CORPUS[name]["tokens"]


@pytest.fixture(scope="session")
def published() -> tiktoken.Encoding:
    """The encoder of those who made the vocabulary, with it and with the pattern that it is cut by."""
    return tiktoken.Encoding(
        "o200k_base",
        pat_str=tokens._PIECES.pattern,
        mergeable_ranks={token: rank for rank, token in enumerate(tokens_by_rank())},
        special_tokens={},
    )


OLD_LETTERS = st.characters(max_codepoint=0x10FF, exclude_categories=["Cs", "Cn"])
"""Of scripts that every table of letters has known for long: cutting depends on the table's year."""
WRITTEN = st.one_of(
    st.text(OLD_LETTERS, max_size=60),
    st.text(st.characters(max_codepoint=0x7F), max_size=60),
    st.text(st.sampled_from("漢字かなカナ한글👍🏽é ab'sſ’\n\r\t 12."), max_size=60),
    st.sampled_from("ab \n=-é漢").flatmap(lambda one: st.integers(1, 300).map(lambda times: one * times)),
)


@given(text=st.lists(WRITTEN, max_size=4).map("".join))
@example(text="Krankenversicherungsbeitrag wasn't, I'LL\x1c\x85\u2028 see // C:\\data\\in/out")
@example(text="ab" * 3_000)
def test_any_text_takes_as_many_tokens_as_its_makers_say(published: tiktoken.Encoding, text: str) -> None:
    assert count_tokens(text) == len(published.encode_ordinary(text))


LINES = st.lists(
    st.one_of(WRITTEN, st.text(st.sampled_from("ab'1. -/#\n\r\t\x0b\u2028é漢"), max_size=12)),
    min_size=2,
    max_size=12,
).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\n\n", " \n", ".\n", "/\n"]).map(
        lambda end: end.join(lines)
    )
)


@given(text=LINES)
@example(text="a.\n/b\n\n- c\n \n-d\r\n\r\n#e\n\u2028-f")
def test_lines_that_are_counted_apart_take_what_the_whole_takes(
    published: tiktoken.Encoding, text: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "KEPT_CHARACTERS", 0)
        assert count_tokens(text) == len(published.encode_ordinary(text))


def test_the_vocabulary_is_the_published_one() -> None:
    published = sha256()
    for rank, token in enumerate(tokens_by_rank()):
        published.update(b64encode(token) + f" {rank}\n".encode())
    assert published.hexdigest() == PUBLISHED_SHA256


def test_a_factor_is_applied_and_rounded_up() -> None:
    assert count_tokens("Deploy it tonight.", safety=1.2) == 5
    assert count_tokens("", safety=1.2) == 0


@pytest.mark.parametrize(
    "text", ["a" * 65_536, " " * 65_536, "👍" * 20_000, "\ud800 x", "\0", "<|endoftext|>"]
)
def test_any_text_is_counted(text: str) -> None:
    assert 0 < count_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


def test_texts_are_taken_while_they_fit_together() -> None:
    texts = ["one two three"] * 5
    assert [fitting(texts, budget) for budget in (0, 2, 3, 6, 8, 99)] == [0, 0, 1, 2, 2, 5]
    assert fitting(texts, 6, safety=1.5) == 1
    assert fitting([], 10) == 0


def test_the_factor_of_a_model_is_told_by_its_name() -> None:
    names = (
        "gpt-5.1",
        "openai/gpt-4o-mini",
        "gpt-4.1",
        "o3",
        "gpt-4",
        "gpt-4-turbo",
        "gpt-3.5-turbo",
        "llama3:8b",
    )
    assert [safety_for(name) for name in names] == [1.0, 1.0, 1.0, 1.0, 1.8, 1.8, 1.8, 1.4]


def test_threads_count_alike() -> None:
    texts = [entry["text"] for entry in CORPUS.values()] * 5
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(count_tokens, texts)) == [entry["tokens"] for entry in CORPUS.values()] * 5
