"""`Idempotency-Key`: a write that is sent again is answered again, and done once.

The whole request is one transaction then: what it writes and what it answered are committed together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from rest_framework import exceptions, status
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.encoding import BodyRenderer
from memory.api.errors import RequestRefused
from memory.api.parsing import RAW_BODY
from memory.api.wiring.replied_ids import ids_in
from memory.ingest.access import Access
from memory.ingest.replies import (
    KeptReply,
    NamedWrite,
    OtherRequestError,
    ReplyUnderWayError,
    keep_reply,
    kept_reply,
    named_write,
)
from memory.transactions import held_together

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
NAME = re.compile(r"[\x21-\x7e]{1,255}")
FIRST_FAILURE = 300

Handler = Callable[..., Response]


class UnderWay(exceptions.APIException):
    """The same write is being done."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "in_progress"
    default_detail = "The same write is being done at this moment. Ask again."
    wait = 1
    """Seconds until it may be over, for `Retry-After`."""


class OtherRequest(exceptions.APIException):
    """A name that stands for another write."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "idempotency_mismatch"
    default_detail = f"This {HEADER} was sent with another method, address or body before."


class AnsweredOnce(APIView):
    """A view whose writes are done once for each `Idempotency-Key`."""

    is_repeatable = False
    """For methods that write nothing of account, or whose second call does no harm: questions and previews.
    They are answered in full each time, and the header means nothing to them."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Put the named write in the handler's place, once it is known whose key it is."""
        super().initial(request, *args, **kwargs)
        name = request.headers.get(HEADER)
        if name is None or request.method in SAFE_METHODS:
            return
        if not NAME.fullmatch(name):
            raise RequestRefused(f"{HEADER}: has to be 1 to 255 printable ASCII characters without spaces.")
        method = str(request.method).lower()
        if not self.is_repeatable and isinstance(request.auth, Access) and hasattr(self, method):
            write = named_write(key=request.auth.key, name=name, request=_parts(request))
            # DRF looks the handler up after this.
            setattr(self, method, _once(getattr(self, method), write))


def _parts(request: Request) -> Iterator[bytes]:
    """Method, address and body. Only the length of what is read as a stream: it may be a gigabyte."""
    django_request = request._request
    yield str(django_request.method).encode()
    yield django_request.get_full_path().encode()
    # Reading it keeps its bytes, where it is JSON.
    if request.data is not None:
        length = str(django_request.META.get("CONTENT_LENGTH")).encode()
        yield getattr(request, RAW_BODY, length)


def _once(handler: Handler, write: NamedWrite) -> Handler:
    def answer(request: Request, *args: Any, **kwargs: Any) -> Response:
        try:
            with held_together():
                return _replayed(kept_reply(write)) or _kept(handler(request, *args, **kwargs), write)
        except ReplyUnderWayError as error:
            raise UnderWay from error
        except OtherRequestError as error:
            raise OtherRequest from error

    return answer


def _replayed(reply: KeptReply | None) -> Response | None:
    if reply is None:
        return None
    # What stands behind a 204 would be read as the beginning of the next reply.
    body = None if reply.status == status.HTTP_204_NO_CONTENT else reply.ids
    return Response(body, status=reply.status, headers={REPLAYED: "true"})


def _entity_in(body: Any) -> str | None:
    """Every body of one entity says whose it is."""
    name = body.get("entity") if isinstance(body, dict) else None
    return name if isinstance(name, str) else None


def _kept(response: Response, write: NamedWrite) -> Response:
    if response.status_code < FIRST_FAILURE:
        body = json.loads(BodyRenderer().render(response.data) or b"null")
        reply = KeptReply(response.status_code, ids_in(body))
        keep_reply(write, reply, entity=_entity_in(body))
    return response
