"""Words of strangers as text: nothing in them is markup, and nothing turns the words around it."""

from __future__ import annotations

import re
import unicodedata
from html import escape

from django.utils.safestring import SafeString

# Embeddings, overrides and isolates; control characters but tab and line feed; what is never seen.
# Marks that Arabic, Hebrew and emoji are written with (U+200C to U+200F, U+061C) stay.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_BREAKS = re.compile(r"\r\n?")


def as_said(text: object) -> SafeString:
    """Markup that shows a text as it was written: escaped, set apart, with hidden characters made visible."""
    shown = _HIDDEN.sub(_mark, escape(_BREAKS.sub("\n", str(text))))
    # Escaped above. `mark_safe` says the same, but first asks whether the text is translated late.
    return SafeString(f'<bdi class="said">{shown}</bdi>')


def as_plain(text: object) -> str:
    """The text without hidden characters, for titles of windows and values of attributes."""
    return " ".join(_HIDDEN.sub("", str(text)).split())


def as_marked(text: object) -> str:
    """The text on one line with hidden characters made visible, for drawings, which know no markup within."""
    shown = _HIDDEN.sub(lambda found: f" [{_code(found)}] ", _BREAKS.sub("\n", str(text)))
    return " ".join(shown.split())


def _code(found: re.Match[str]) -> str:
    return f"U+{ord(found[0]):04X}"


def _mark(found: re.Match[str]) -> str:
    code = _code(found)
    name = unicodedata.name(found[0], "control character").lower()
    return f'<span class="unseen" title="{name}">{code}</span>'
