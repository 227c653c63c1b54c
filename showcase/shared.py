"""What somebody was given a link to: one timeline or one scene, without a key, an account or a cookie.

Nothing of a request is kept, and nothing on the page leads to more of the memory than the link shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from memory.limiting.rates import address_of, admit_failure, admit_visitor
from memory.recall import ladder
from memory.recall.records import SceneRecord
from memory.recall.timeline import TimelinePage, TimelineRequest, read_timeline
from memory.recall.timeline_records import TimelineRecord
from memory.stewardship.links import GoneLinkError, NoLinkError, OpenedLink, open_link, target_of
from showcase.parts import Card, Pager

HTML, JSON = "text/html", "application/json"
PAGE_SIZE = 50
LARGEST_SEQUENCE_NUMBER = 2**63 - 1
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Vary": "Accept",
}
KINDS = {"messages": "message", "memories": "atom", "scenes": "scene version", "persona": "trait"}
NO_SUCH = "There is no such link. It may have been cut off where it was copied."


@dataclass(frozen=True, slots=True)
class RefusedError(Exception):
    """Why nothing is shown: a status, a code for programs, and words for people."""

    status: int
    error: str
    detail: str
    wait_seconds: int | None = None


@require_safe
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a link, or the same as JSON for whoever asks for that."""
    try:
        _keep_to_rates(request)
        link = _opened(request, token)
        if link.scene is None:
            return _timeline(request, link)
        return _scene(request, link)
    except RefusedError as refusal:
        return _refused(request, refusal)


def _keep_to_rates(request: HttpRequest) -> None:
    verdict = admit_visitor(address=address_of(request))
    if verdict is not None and not verdict.is_allowed:
        wait = verdict.window.wait_seconds
        raise RefusedError(429, "rate_limited", f"Too many requests. Ask again in {wait} seconds.", wait)


def _opened(request: HttpRequest, token: str) -> OpenedLink:
    try:
        return open_link(token)
    except GoneLinkError as error:
        raise RefusedError(410, "expired", str(error)) from error
    except NoLinkError as error:
        verdict = admit_failure(address=address_of(request))
        if verdict is not None and not verdict.is_allowed:
            wait = verdict.window.wait_seconds
            detail = f"Too many wrong links. Ask again in {wait} seconds."
            raise RefusedError(429, "rate_limited", detail, wait) from error
        raise RefusedError(404, "not_found", NO_SUCH) from error


def _timeline(request: HttpRequest, link: OpenedLink) -> HttpResponse:
    before = _before(request)
    page = read_timeline(link.entity, TimelineRequest(limit=PAGE_SIZE, before=before))
    if _wants_json(request):
        records = [_record_value(record) for record in page.records]
        return _json(link, {"records": records, "next_before": page.next_before})
    cards = [_card(link, record) for record in page.records]
    return _page("timeline", link, {"cards": cards, "pager": _pager(page, before)})


def _before(request: HttpRequest) -> int | None:
    given = request.GET.get("before")
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and 0 < int(given[:20]) <= LARGEST_SEQUENCE_NUMBER):
        raise RefusedError(400, "invalid", "before: has to be the number that a page ended with.")
    return int(given)


def _pager(page: TimelinePage, before: int | None) -> Pager | None:
    if before is None and page.next_before is None:
        return None
    older = "" if page.next_before is None else f"?before={page.next_before}"
    return Pager(f"{len(page.records)} records", "" if before is None else ".", older)


def _card(link: OpenedLink, record: TimelineRecord) -> Card:
    at = record.occurred_at or record.created_at
    return Card(
        kind=KINDS[record.collection],
        id=record.id,
        text=_text(record),
        title=_title(record),
        at=at.astimezone(link.entity.zone),
    )


def _title(record: TimelineRecord) -> str:
    if record.collection == "messages":
        return str(record.content["speaker"] or record.type)
    if record.collection == "scenes":
        return str(record.content["title"])
    return record.key.replace("_", " ").capitalize() if record.collection == "persona" else ""


def _text(record: TimelineRecord) -> str:
    """A scene's document without the marks of its form: people read it here, and its title stands above."""
    if record.collection != "scenes":
        return record.text
    _, *lines = record.text.splitlines()
    plain = (re.sub(r"^(#+ |- )", lambda mark: "• " if mark[0] == "- " else "", line) for line in lines)
    return "\n".join(plain).strip()


def _record_value(record: TimelineRecord) -> dict[str, Any]:
    """What the page shows; what an application stored beside the words is not for visitors."""
    return {
        "id": record.id,
        "seq": record.seq,
        "collection": record.collection,
        "type": record.type,
        "title": _title(record),
        "text": record.text,
        "occurred_at": record.occurred_at,
        "created_at": record.created_at,
    }


def _scene(request: HttpRequest, link: OpenedLink) -> HttpResponse:
    found = next((scene for scene in ladder.scenes(link.entity) if scene.id == link.scene), None)
    if found is None:
        raise RefusedError(410, "expired", "The scene that this link showed has ended.")
    if _wants_json(request):
        return _json(link, {"scene": _scene_value(found)})
    return _page("scene", link, {"scene": found})


def _scene_value(scene: SceneRecord) -> dict[str, Any]:
    sections = [
        {
            "section": section.section,
            "heading": section.heading,
            "lines": [line.text for line in section.lines],
        }
        for section in scene.sections
    ]
    return {
        "id": scene.id,
        "title": scene.title,
        "summary": scene.summary,
        "number": scene.number,
        "sections": sections,
        "updated_at": scene.updated_at,
    }


def _wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type([HTML, JSON]) == JSON


def _page(name: str, link: OpenedLink, more: Mapping[str, Any]) -> HttpResponse:
    # Without the request: a page that knows its visitor would set cookies.
    ends_at = link.expires_at.astimezone(link.entity.zone)
    context = {"entity": link.entity.name, "expires_at": ends_at, "zone": link.entity.time_zone, **more}
    return HttpResponse(render_to_string(f"shared/{name}.html", context), headers=HEADERS)


def _json(link: OpenedLink, more: Mapping[str, Any]) -> HttpResponse:
    told = {"entity": link.entity.name, "target": target_of(link.scene), "expires_at": link.expires_at}
    return JsonResponse({**told, **more}, headers=HEADERS)


def _refused(request: HttpRequest, refusal: RefusedError) -> HttpResponse:
    waits = {} if refusal.wait_seconds is None else {"Retry-After": str(refusal.wait_seconds)}
    headers = {**HEADERS, **waits}
    if _wants_json(request):
        body = {"error": refusal.error, "detail": refusal.detail}
        return JsonResponse(body, status=refusal.status, headers=headers)
    page = render_to_string("shared/refused.html", {"refusal": refusal})
    return HttpResponse(page, status=refusal.status, headers=headers)
