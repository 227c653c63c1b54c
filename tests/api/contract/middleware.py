"""Around everything, in tests: looks at each reply of the API, whichever client asked for it."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import Resolver404, resolve

broken: list[str] = []
"""What was not kept in this test; `tests/conftest.py` looks after each."""
UNDESCRIBED = ("OPTIONS", "TRACE")


class ContractMiddleware:
    """Notes what a reply does that the document does not say."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The reply as it is."""
        response = self.get_response(request)
        from tests.api.contract.keeping import is_of_the_api

        if is_of_the_api(request.path_info) and request.method not in UNDESCRIBED:
            told = f"{request.method} {request.path_info}"
            broken.extend(f"{told}: {problem}" for problem in _problems(request, response))
        return response


def _problems(request: HttpRequest, response: HttpResponse) -> list[str]:
    from tests.api.contract.keeping import problems_of

    is_bodiless = isinstance(response, StreamingHttpResponse) or request.method == "HEAD"
    return list(
        problems_of(
            route=_route_of(request),
            method="GET" if request.method == "HEAD" else str(request.method),
            status=response.status_code,
            headers=response.headers,
            body=None if is_bodiless else response.content,
        )
    )


def _route_of(request: HttpRequest) -> str | None:
    """None for an address that is none, also when something answered before it was looked up."""
    try:
        return resolve(request.path_info).route
    except Resolver404:
        return None
