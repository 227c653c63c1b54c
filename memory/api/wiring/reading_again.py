"""Reads that are asked again: an entity tag for each body, and 304 for one that the caller has."""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from typing import Any

from django.http import HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.ingest.access import Access

READS = ("GET", "HEAD")
MARK_ENDS = "."
DIGEST_BYTES = 16
KEPT_HEADERS = ("Cache-Control", "ETag", "Vary")
"""Of a reply without a body; what other layers add comes later."""


class Tagged(APIView):
    """A view whose bodies may be kept by the caller alone, and asked for again by their tag."""

    tag_mark = ""
    """What a method wants to read in the tag itself, such as the number of a version."""

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Any:
        """The reply with a tag, where it is one of memory; everything else is kept by nobody."""
        finalized = super().finalize_response(request, response, *args, **kwargs)
        is_read = request.method in READS and finalized.status_code == 200
        if is_read and _is_body(finalized) and isinstance(request.auth, Access):
            finalized.headers.setdefault("Cache-Control", "private, no-cache")
            patch_vary_headers(finalized, ["Authorization"])
            finalized.add_post_render_callback(partial(_answered, self.tag_mark, request))
        else:
            finalized.headers.setdefault("Cache-Control", "no-store")
        return finalized


def _is_body(reply: Any) -> bool:
    """A view may give back a stream or a file as well."""
    return isinstance(reply, Response)


def _answered(mark: str, request: Request, response: Response) -> HttpResponseNotModified | None:
    """Tag the body; a reply without one where the caller has it."""
    digest = blake2b(response.content, digest_size=DIGEST_BYTES).hexdigest()
    tag = f'"{mark}{MARK_ENDS if mark else ""}{digest}"'
    response.headers["ETag"] = tag
    given = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    # A proxy that compresses makes the tag a weak one; for reads both are the same.
    if "*" not in given and tag not in (one.removeprefix("W/") for one in given):
        return None
    unchanged = HttpResponseNotModified()
    for name, value in response.items():
        if name in KEPT_HEADERS or name.startswith("RateLimit-"):
            unchanged.headers[name] = value
    return unchanged


class PreconditionFailed(exceptions.APIException):
    """What the caller has is not what stands."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "stale"


def refuse_unmatched(request: Request, mark: str, detail: str) -> None:
    """PreconditionFailed where an `If-Match` names no strong tag that bears the mark."""
    given = request.META.get("HTTP_IF_MATCH", "")
    tags = parse_etags(given)
    marks = {tag.strip('"').partition(MARK_ENDS)[0] for tag in tags if not tag.startswith("W/")}
    if given and "*" not in tags and mark not in marks:
        raise PreconditionFailed(detail)
