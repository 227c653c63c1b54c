"""Light, dark, or as the visitor's machine has it: kept in a cookie, so that the server renders it."""

from __future__ import annotations

from enum import StrEnum

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

COOKIE = "memseek_theme"
COOKIE_SECONDS = 365 * 24 * 3600


class Theme(StrEnum):
    """What a visitor chose."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


def theme_of(request: HttpRequest) -> Theme:
    """What the cookie says; what it cannot mean is `auto`."""
    return _read(request.COOKIES.get(COOKIE, ""))


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Keep a choice and go back. Pages with JavaScript set the cookie themselves."""
    wanted = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponseRedirect(wanted if is_ours else reverse("showcase:home"))
    response.set_cookie(
        COOKIE,
        _read(request.POST.get("theme", "")),
        max_age=COOKIE_SECONDS,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


def _read(name: str) -> Theme:
    return Theme(name) if name in set(Theme) else Theme.AUTO
