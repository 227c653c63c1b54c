"""Redaction at the door: what a setting names is taken out of a text before anything is stored.

`redact` is used by every door that takes words. It is off by default, keeps everything around what it takes,
and does nothing to a text that it has been through before.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, filterfalse
from typing import Any

from django.conf import settings

from memory.ingest.redaction_kinds import PLACEHOLDER, Find, Kind, Span

SECRETS = "secrets"
PERSONAL = "personal"
GIVEN = frozenset({"arguments", "args", "input", "parameters"})


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text as it may be stored, and how many of which kind were taken out of it."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


def load_redaction() -> None:
    """Load what the settings need, so that the first message does not wait for it."""
    for find in _finds(settings.MEMSEEK.redact):
        list(find(""))


def is_redacting() -> bool:
    """Whether the settings name anything to take out."""
    return bool(settings.MEMSEEK.redact)


def redact(text: str) -> Redacted:
    """Take out what MEMSEEK_REDACT names; the text itself where that is nothing.

    Each place becomes `[redacted: kind]`. The same text always becomes the same, and redacting it again
    changes nothing.
    """
    chosen = settings.MEMSEEK.redact
    if not chosen or not text:
        return Redacted(text)
    return redacted_by(text, _finds(chosen))


def redact_json(value: Any, *, kept: frozenset[str] = frozenset()) -> tuple[Any, Counter[str]]:
    """The same for every text within a JSON value, names too, but for the values of the names in `kept`.

    What stands under a name such as `password` goes as a whole, whatever it looks like. Within what stands
    under one of `GIVEN`, nothing is kept: a call's `name` is its tool, a `name` among its arguments a person.
    """
    counts: Counter[str] = Counter()
    if not is_redacting():
        return value, counts
    with _as_one_text():
        return _walked(value, kept, counts), counts


def _as_one_text() -> AbstractContextManager[None]:
    """Thousands of short texts may not cost more than the long one that they could be."""
    if PERSONAL not in settings.MEMSEEK.redact:
        return nullcontext()
    from memory.ingest.redaction_phones import asked_together

    return asked_together()


def redacted_by(text: str, finds: Iterable[Find]) -> Redacted:
    """Take out what these find; where two overlap, the one that begins first, then the longer one."""
    given = [match.span() for match in PLACEHOLDER.finditer(text)]
    spans = sorted(
        (span for find in finds for span in find(text) if not _touches(span, given)),
        key=lambda span: (span.start, -span.end),
    )
    parts: list[str] = []
    counts: Counter[str] = Counter()
    end = 0
    for span in spans:
        if span.start < end:
            continue
        parts += [text[end : span.start], span.kind.placeholder]
        counts[span.kind.value] += 1
        end = span.end
    return Redacted("".join([*parts, text[end:]]), counts)


def _touches(span: Span, given: Sequence[tuple[int, int]]) -> bool:
    """Whether a span overlaps one of these, which follow one another."""
    before = bisect_left(given, (span.end, 0)) - 1
    return before >= 0 and given[before][1] > span.start


def _finds(chosen: Iterable[str]) -> Iterator[Find]:
    """Loaded when the first text comes: without the setting nobody pays for the libraries."""
    if SECRETS in chosen:
        from memory.ingest.redaction_secrets import SECRET_FINDS

        yield from SECRET_FINDS
    if PERSONAL in chosen:
        from memory.ingest.redaction_personal import PERSONAL_FINDS

        yield from PERSONAL_FINDS


def _walked(value: Any, kept: frozenset[str], counts: Counter[str]) -> Any:
    if isinstance(value, str):
        done = redact(value)
        counts.update(done.counts)
        return _within(done.text, counts)
    if isinstance(value, list):
        return [_walked(item, kept, counts) for item in value]
    if isinstance(value, dict):
        take: Callable[[str, Any], Any] = partial(_named, kept=kept, counts=counts)
        names = _names(value, counts)
        return {names[name]: take(name, item) for name, item in value.items()}
    return value


def _names(names: Iterable[str], counts: Counter[str]) -> dict[str, str]:
    """Names as they may be stored; of those that become alike, the later ones are numbered."""
    told = {name: redact(name) for name in names}
    taken = {name for name, done in told.items() if not done.counts}
    spare: dict[str, Iterator[str]] = {}
    stored: dict[str, str] = {}
    for name, done in told.items():
        counts.update(done.counts)
        if done.counts:
            numbered = map(partial("{} {}".format, done.text), count(2))
            free = spare.setdefault(done.text, chain([done.text], numbered))
            stored[name] = next(filterfalse(taken.__contains__, free))
            taken.add(stored[name])
        else:
            stored[name] = name
    return stored


def _within(text: str, counts: Counter[str]) -> str:
    """A text that is a JSON object itself, as some give the arguments of a call: by its names too."""
    if not text.lstrip().startswith("{"):
        return text
    found: Counter[str] = Counter()
    try:
        value = _walked(json.loads(text), frozenset(), found)
    except (ValueError, RecursionError):
        return text
    counts.update(found)
    return json.dumps(value, ensure_ascii=False) if found else text


def _named(name: str, item: Any, *, kept: frozenset[str], counts: Counter[str]) -> Any:
    if name in kept:
        return item
    if type(item) in (str, int, float) and SECRETS in settings.MEMSEEK.redact:
        from memory.ingest.redaction_labels import is_secret_under

        if is_secret_under(name, str(item)) and not PLACEHOLDER.search(str(item)):
            counts[Kind.PASSWORD.value] += 1
            return Kind.PASSWORD.placeholder
    return _walked(item, frozenset() if name in GIVEN else kept, counts)
