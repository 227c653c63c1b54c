"""Links between admin pages: both ends of a receipt, and runs with what they read and wrote."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from memory.models import Evidence
from memory.recall.short_ids import short_id

EXCERPT_CHARACTERS = 120
NOTHING = "—"

_DERIVED_ENDS = (
    ("of_atom", "atom"),
    ("of_line", "line"),
    ("of_trait_version", "traitversion"),
    ("of_digest", "digest"),
    ("of_procedure_line", "procedureline"),
)
_TARGET_ENDS = (
    ("message", "message"),
    ("atom", "atom"),
    ("line", "line"),
    ("correction", "correction"),
    ("trace_step", "tracestep"),
    ("feedback", "feedback"),
)
_NAMES = {
    "traitversion": "trait version",
    "sceneversion": "scene version",
    "graphnode": "node",
    "graphedge": "edge",
    "tasktrace": "trace",
    "tracestep": "step",
    "procedureversion": "procedure version",
    "procedureline": "procedure line",
}


def excerpt(text: str) -> str:
    """The beginning of a text, for a table's cell."""
    return Truncator(text).chars(EXCERPT_CHARACTERS)


def page_of(model_name: str, pk: object) -> str:
    """Address of a row's page in the admin."""
    return reverse(f"admin:memory_{model_name}_change", args=[pk])


def list_link(model_name: str, query: str, text: str) -> SafeString:
    """A link to the rows of a table that a query string narrows down."""
    address = reverse(f"admin:memory_{model_name}_changelist")
    return format_html('<a href="{}?{}">{}</a>', address, query, text)


def link(model_name: str, pk: object, text: str) -> SafeString:
    """A link to a row's page."""
    return format_html('<a href="{}">{}</a>', page_of(model_name, pk), text)


def row_link(row: Model | None) -> str:
    """A link to a row's page with the beginning of what it says."""
    if row is None:
        return NOTHING
    return link(str(row._meta.model_name), row.pk, excerpt(str(row)))


def id_link(model_name: str, pk: UUID | None) -> str:
    """A link to a row by its kind and short id; asks the database nothing."""
    if pk is None:
        return NOTHING
    return link(model_name, pk, f"{_NAMES.get(model_name, model_name)} {short_id(pk)}")


def links_in_lines(links: Iterable[str]) -> SafeString:
    """Links one below the other."""
    return format_html_join(SafeString("<br>"), "{}", ((one,) for one in links))


def derived_end(evidence: Evidence, *, is_short: bool = False) -> str:
    """A link to the row that rests on something; short: by id alone, without loading it."""
    return _end(evidence, _DERIVED_ENDS, is_short=is_short)


def target_end(evidence: Evidence, *, is_short: bool = False) -> str:
    """A link to what is rested on; short: by id alone, without loading it."""
    if evidence.outside_kind is not None:
        return f"{evidence.outside_kind}: {evidence.outside_reference}"
    return _end(evidence, _TARGET_ENDS, is_short=is_short)


def _end(evidence: Evidence, ends: Iterable[tuple[str, str]], *, is_short: bool) -> str:
    for field, model_name in ends:
        pk = getattr(evidence, f"{field}_id")
        if pk is not None:
            return id_link(model_name, pk) if is_short else row_link(getattr(evidence, field))
    return NOTHING


def who_of(row: Any) -> str:
    """Who did something: a name of the terminal, a person, or the key that was sent."""
    return str(row.by or row.user or row.key or "a former user")
