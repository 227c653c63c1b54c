"""Every error of the API as one body: `{"error": code, "detail": text}`.

A refused call also lists its `problems`, each with the message's index, the field and what is wrong; an id
that may mean several records lists its `candidates`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404
from psycopg.errors import QueryCanceled
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from memory.cascade.designs import UnknownDesignError
from memory.ingest.access import UnknownEntityError
from memory.ingest.problems import IngestConflict, IngestError
from memory.ingest.session_rows import NoSessionError
from memory.recall.replay import UnknownSessionError
from memory.recall.short_ids import NoIdError
from memory.recall.trace import AmbiguousIdError, NoRecordError
from memory.skills.uses import ExpiredUseError, NoUseError
from memory.stewardship.actors import NotThereError, RefusedChangeError, StaleChangeError
from memory.stewardship.sharing import NoShareError

logger = logging.getLogger(__name__)

RETRY_SECONDS = 5
NOT_FOUND: Mapping[type[Exception], str] = {
    UnknownEntityError: "There is no such entity for this key.",
    UnknownSessionError: "The entity has no such session.",
    NoSessionError: "There is no such session for this key.",
    NoRecordError: "The entity has no record with such an id.",
    NoUseError: "The entity has no such use.",
    NoShareError: "The entity shares its memory with no such reader.",
}


class RequestRefused(exceptions.APIException):
    """A parameter or field of the request that cannot be taken."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_code = "invalid"


class BodyTooLarge(exceptions.APIException):
    """More bytes than a request may have."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


def error_response(error: Exception, context: Mapping[str, Any]) -> Response:
    """The reply to an exception out of a view; an unforeseen one is logged and hidden from the caller."""
    if isinstance(error, IngestError):
        return _refusal(error)
    if isinstance(error, tuple(NOT_FOUND)):
        return _reply(status.HTTP_404_NOT_FOUND, "not_found", NOT_FOUND[type(error)])
    if isinstance(error, NoIdError):
        return _reply(status.HTTP_400_BAD_REQUEST, "invalid", f"id: {error}")
    if isinstance(error, AmbiguousIdError):
        return _ambiguity(error)
    if isinstance(error, ExpiredUseError):
        return _reply(status.HTTP_410_GONE, "expired", str(error))
    if isinstance(error, NotThereError):
        return _reply(status.HTTP_404_NOT_FOUND, "not_found", str(error))
    if isinstance(error, RefusedChangeError):
        code = "stale" if isinstance(error, StaleChangeError) else "refused"
        return _reply(status.HTTP_409_CONFLICT, code, str(error))
    if isinstance(error, UnknownDesignError):
        logger.error("the design of a workspace is gone: %s", error)
        return _reply(503, "unknown_design", f"The design of this workspace is not here. {error}")
    if isinstance(error.__cause__, QueryCanceled):
        return _later(503, "too_slow", "This takes longer than one request may. Ask for less.")
    if isinstance(error, (OperationalError, InterfaceError)):
        logger.warning("the database did not answer", exc_info=error)
        return _later(503, "unavailable", "The database does not answer. Try again.")
    return _known(error, context) or _unforeseen(error)


def _ambiguity(error: AmbiguousIdError) -> Response:
    reply = _reply(status.HTTP_409_CONFLICT, "ambiguous", f"{error} Give more digits.")
    reply.data["candidates"] = [asdict(candidate) for candidate in error.candidates]
    return reply


def _refusal(error: IngestError) -> Response:
    is_conflict = isinstance(error, IngestConflict)
    reply = _reply(
        status.HTTP_409_CONFLICT if is_conflict else status.HTTP_400_BAD_REQUEST,
        "conflict" if is_conflict else "invalid",
        error.summary(),
    )
    reply.data["problems"] = [asdict(problem) for problem in error.problems]
    return reply


def _known(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """What DRF and Django know how to answer, with the headers that DRF sets."""
    if isinstance(error, (Http404, PermissionDenied)):
        error = exceptions.NotFound() if isinstance(error, Http404) else exceptions.PermissionDenied()
    reply = exception_handler(error, dict(context))
    if reply is not None and isinstance(error, exceptions.APIException):
        reply.data = {"error": str(error.get_codes()), "detail": str(error.detail)}
    return reply


def _unforeseen(error: Exception) -> Response:
    logger.error("the request failed", exc_info=error)
    return _reply(500, "internal", "Something went wrong here. The error is in the server's log.")


def _later(code: int, error: str, detail: str) -> Response:
    reply = _reply(code, error, detail)
    reply["Retry-After"] = str(RETRY_SECONDS)
    return reply


def _reply(code: int, error: str, detail: str) -> Response:
    return Response({"error": error, "detail": detail}, status=code)
