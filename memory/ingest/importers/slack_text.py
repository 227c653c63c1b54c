"""Slack's own marks in a text, written as a person would read them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

_MARK = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")


def plain_text(text: str, names: Mapping[str, str]) -> str:
    """The text with people and channels by name, links in full, and no escapes.

    `names` gives the names of users and channels by their id; an id that is not in it stays.
    """
    return html.unescape(_MARK.sub(lambda found: _shown(found, names), text))


def _shown(found: re.Match[str], names: Mapping[str, str]) -> str:
    sign, target, label = found[1], found[2], found[3]
    if sign in ("@", "#"):
        return f"{sign}{names.get(target) or label or target}"
    if sign == "!":
        return label or f"@{target.partition('^')[0]}"
    if not label or label == target or target == f"mailto:{label}":
        return label or target
    return f"{label} ({target})"
