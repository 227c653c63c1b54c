"""Rates of keys and addresses, looked at once it is known whose key it is."""

from __future__ import annotations

from typing import Any

from rest_framework import exceptions, status
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.ingest.access import Access
from memory.limiting.rates import Kind, Verdict, address_of, admit, admit_failure


class TooManyRequests(exceptions.APIException):
    """More than a rate allows."""

    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = "rate_limited"

    def __init__(self, verdict: Verdict) -> None:
        self.wait = verdict.window.wait_seconds
        """For `Retry-After`."""
        self.verdict = verdict
        super().__init__(f"Too many requests. Ask again in {self.wait} seconds.")


class Rated(APIView):
    """A view that keeps to the rates and tells them."""

    limit_kind: Kind | None = None
    """What a request costs; by its method where a view says nothing."""
    verdict: Verdict | None = None

    def perform_authentication(self, request: Request) -> None:
        """Open the key; an address that tries many which open nothing is refused."""
        try:
            super().perform_authentication(request)
        except exceptions.AuthenticationFailed as error:
            self.verdict = admit_failure(address=address_of(request._request))
            if self.verdict is not None and not self.verdict.is_allowed:
                raise TooManyRequests(self.verdict) from error
            raise

    def check_throttles(self, request: Request) -> None:
        """Count the request; TooManyRequests beyond a rate."""
        if isinstance(request.auth, Access):
            kind = self.limit_kind or (Kind.READ if request.method in SAFE_METHODS else Kind.WRITE)
            key_id, address = request.auth.key.pk, address_of(request._request)
            self.verdict = admit(key_id=key_id, address=address, kind=kind)
            if self.verdict is not None and not self.verdict.is_allowed:
                raise TooManyRequests(self.verdict)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Any:
        """The reply with what is left of the rate."""
        finalized = super().finalize_response(request, response, *args, **kwargs)
        if self.verdict is not None:
            for name, value in self.verdict.headers.items():
                finalized.headers[name] = value
        return finalized
