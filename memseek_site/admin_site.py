"""The admin's site: the theme's, under a Content-Security-Policy that its scripts can live with."""

from collections.abc import Callable
from typing import Any

from csp.constants import SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from unfold.sites import UnfoldAdminSite

# The theme's menus are expressions in attributes, evaluated by Alpine; its colours stand in a style element.
POLICY = {"script-src": [SELF, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}


class MemseekAdminSite(UnfoldAdminSite):  # type: ignore[misc]  # the theme is untyped
    """The only pages whose policy allows evaluated script; nothing of another host, as everywhere."""

    site_title = site_header = "Memseek"
    index_title = "Dashboard"

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        """Every page for people who are signed in, with the admin's policy."""
        wrapped: Callable[..., Any] = super().admin_view(view, cacheable)
        return csp_update(POLICY)(wrapped)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The page before all others, with the same policy; 429 for too many tries of an address.

        They are counted with those of the pages' own sign-in, before a password is looked at.
        """
        from memory.limiting.rates import admit_sign_in  # the rooms are not there yet when this is loaded

        verdict = admit_sign_in(request) if request.method == "POST" else None
        if verdict is not None and not verdict.is_allowed:
            wait = verdict.window.wait_seconds
            told = f"Too many tries. Again in {wait} seconds."
            return HttpResponse(
                told, status=429, content_type="text/plain", headers={"Retry-After": str(wait)}
            )
        answer = super().login
        shown: HttpResponse = csp_update(POLICY)(lambda asked: answer(asked, extra_context))(request)  # type: ignore[assignment]
        return shown
