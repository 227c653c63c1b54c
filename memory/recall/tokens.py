"""How many tokens a text takes: counted with the vocabulary `o200k_base`, without a download.

The vocabulary lies beside this module as OpenAI publishes it for tiktoken (MIT), in another packing: every
token in the order of its rank, one byte of length before its bytes, compressed. The first count loads it.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from math import ceil
from pathlib import Path
from threading import Lock

import regex

from memory.recall.byte_pairs import Vocabulary

KEPT_CHARACTERS = 1_000
KEPT_COUNTS = 8_192
"""So many counts of short texts are kept, and as many of their pieces: a few megabytes at most."""
KEPT_PIECE_CHARACTERS = 50
VOCABULARY = Path(__file__).with_name("tokens_o200k_base.gz")

# How many more tokens other vocabularies take, measured on the corpus of the tests. English and code take the
# same everywhere, the rest up to 1.8 times as many with GPT-4 and GPT-3.5 and 1.4 with Llama 3 and Qwen; but
# Arabic, Hebrew, Hindi and Thai up to three times, since those vocabularies nearly spell them.
_OWN_SAFETY, _OLDER_SAFETY, _UNKNOWN_SAFETY = 1.0, 1.8, 1.4
_OLDER = re.compile(r"gpt-(?:3|4(?!o|\.\d|-o))|text-embedding-")
_OWN = re.compile(r"(?:chat)?gpt-|o\d")

# How text is cut before tokens are looked for, as `tiktoken` defines it for this vocabulary.
_WORDS = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
)
_OTHERS = (r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+")

_PIECES = regex.compile("|".join(_WORDS + _OTHERS))


def _in_ascii(pattern: str) -> str:
    """The same for ASCII alone, which the standard library cuts in less than half the time."""
    for classes, letters in (
        (r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", "A-Z"),
        (r"\p{Ll}\p{Lm}\p{Lo}\p{M}", "a-z"),
        (r"\p{L}", "A-Za-z"),
        (r"\p{N}", r"\d"),
    ):
        pattern = pattern.replace(classes, letters)
    return pattern


_LINES = re.compile(r"(?<=\n)(?=[!-.0-~])")
"""Where a line begins with a visible character of ASCII other than a slash, a piece begins too: none goes on
over the end of a line but with spaces, more ends of lines and slashes. So the parts together take what the
whole takes, and those of a context were counted when it was put together."""

_ASCII_PIECES = re.compile(_in_ascii(_PIECES.pattern), re.ASCII)

_loading = Lock()


def count_tokens(text: str, *, safety: float = 1.0) -> int:
    """The tokens of a text, times a factor for models with another vocabulary, rounded up.

    With the factor 1 it is exact for OpenAI's models since GPT-4o. What looks like a special token counts
    as the text it is. Texts put together may take a token more or less than the sum of their counts.
    """
    if len(text) <= KEPT_CHARACTERS:
        return ceil(_kept(text) * safety)
    tokens = sum(
        _kept(part) if len(part) <= KEPT_CHARACTERS else _tokens(part) for part in _LINES.split(text)
    )
    return ceil(tokens * safety)


def _tokens(text: str) -> int:
    pieces = (_ASCII_PIECES if text.isascii() else _PIECES).findall(text)
    is_common = max(map(len, pieces), default=0) <= KEPT_PIECE_CHARACTERS
    return sum(map(_piece_kept if is_common else _piece, pieces))


def _piece(piece: str) -> int:
    return _vocabulary().count(piece.encode("utf-8", "surrogatepass"))


_piece_kept = lru_cache(maxsize=KEPT_COUNTS)(_piece)
"""Most of a text are words that have been seen before."""


@lru_cache(maxsize=KEPT_COUNTS)
def _kept(text: str) -> int:
    """The turns of a session and the lines of a memory are counted again with every turn."""
    return _tokens(text)


def fitting(texts: Iterable[str], budget: int, *, safety: float = 1.0) -> int:
    """How many of the texts, from the first on, stay together within a budget of tokens."""
    used = number = 0
    for text in texts:
        used += count_tokens(text, safety=safety)
        if used > budget:
            break
        number += 1
    return number


def safety_for(model: str) -> float:
    """The factor that keeps a count on the safe side for a model, told by its name."""
    name = model.rpartition("/")[2].lower()
    if _OLDER.match(name):
        return _OLDER_SAFETY
    return _OWN_SAFETY if _OWN.match(name) else _UNKNOWN_SAFETY


def tokens_by_rank() -> Iterator[bytes]:
    """The bytes of every token of the vocabulary, most common first."""
    packed = gzip.decompress(VOCABULARY.read_bytes())
    position = 0
    while position < len(packed):
        end = position + 1 + packed[position]
        yield packed[position + 1 : end]
        position = end


def _vocabulary() -> Vocabulary:
    with _loading:
        return _loaded()


@cache
def _loaded() -> Vocabulary:
    return Vocabulary(tokens_by_rank())
