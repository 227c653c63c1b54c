"""The common ground of the grounding rules: how texts are made comparable, and which words they hold."""

import re
import unicodedata

# Characters of scripts that are written without capitals and spaces between words.
UNSPACED = "\u0e00-\u0eff\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
LETTER = rf"(?:(?![{UNSPACED}])[^\W\d_])"
WORD = re.compile(rf"{LETTER}+(?:'{LETTER}+)*'?")

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_QUOTES = {**dict.fromkeys(map(ord, "’‘ʼ′"), "'"), **dict.fromkeys(map(ord, "“”„«»"), '"')}


class _Folding(dict[int, str]):
    """Maps a character to its first base letter in lower case, so that texts keep their length."""

    def __missing__(self, code: int) -> str:
        lower = chr(code).lower()[0]
        folded = lower if "\uac00" <= lower <= "\ud7af" else unicodedata.normalize("NFD", lower)[0]
        self[code] = folded
        return folded


class _Unifying(dict[int, str]):
    """Maps digits of all scripts to 0-9, and the many dashes and quotation marks to one of each."""

    def __missing__(self, code: int) -> str:
        digit = unicodedata.decimal(chr(code), None)
        self[code] = chr(code) if digit is None else str(digit)
        return self[code]


_FOLDING = _Folding()
_UNIFYING = _Unifying({**_DASHES, **_QUOTES})


def unify(text: str) -> str:
    """Return a text with compatible characters, digits, dashes and quotation marks in one form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).translate(_UNIFYING))


def fold(text: str) -> str:
    """Return a text without case and accents, character for character as long as before."""
    return text.translate(_FOLDING)


def mask(text: str, start: int, end: int) -> str:
    """Blank out a part of a text that was understood, keeping all places."""
    return text[:start] + "\0" * (end - start) + text[end:]


def forms(word: str) -> set[str]:
    """Return a folded word with what it may be the plural or possessive of."""
    base = word.removesuffix("'s").rstrip("'")
    found = {word, base, base.split("'")[-1]}
    for ending in ("s", "es"):
        if base.endswith(ending) and len(base) - len(ending) >= 3:
            found.add(base.removesuffix(ending))
    return found


def vocabulary(text: str) -> set[str]:
    """Return the folded words of a unified text in all their forms."""
    return {form for word in WORD.findall(fold(text)) for form in forms(word)}
