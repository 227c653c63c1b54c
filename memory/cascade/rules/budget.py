"""A quick estimate of how many tokens a text takes, for limits of prompts."""

import re

# Tokens per character in twelfths, as common vocabularies cut them, rather too many than too few:
# four ASCII characters a token; letters of other alphabets with spaces about two and a half; a character
# of Chinese, Japanese or Korean one; signs beyond the basic plane, such as emoji, two.
_ASCII, _ALPHABETIC, _IDEOGRAPHIC, _ASTRAL = 3, 5, 12, 24
_UNIT = 12

_PLAIN = re.compile(r"[\x00-\x7f]+")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
_BEYOND = re.compile(r"[\U00010000-\U0010ffff]+")


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text. It never counts more for a whole than for its parts together."""
    plain, wide, beyond = (sum(map(len, pattern.findall(text))) for pattern in (_PLAIN, _WIDE, _BEYOND))
    others = len(text) - plain - wide - beyond
    weight = plain * _ASCII + wide * _IDEOGRAPHIC + beyond * _ASTRAL + others * _ALPHABETIC
    return -(-weight // _UNIT)
