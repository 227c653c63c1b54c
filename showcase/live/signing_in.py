"""Pages for people who are signed in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse_lazy

View = Callable[..., HttpResponseBase]


def signed_in(view: View) -> View:
    """For people who are signed in; everybody else is asked to, whether or not there is such a page."""

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(request, *args, **kwargs) if request.user.is_authenticated else ask_to_sign_in(request)

    return asked


def ask_to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """To the sign-in page, and from there back to what was asked for."""
    return redirect_to_login(request.get_full_path(), str(reverse_lazy("showcase:sign_in")))
