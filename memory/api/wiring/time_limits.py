"""How long the statements of a request may take."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http.response import HttpResponseBase
from rest_framework.permissions import SAFE_METHODS

from memory.api.wiring.rating import Rated
from memory.limiting.rates import Kind
from memseek_site.statement_limits import statements_within


class TimeLimited(Rated):
    """A view whose reads end after a time: a writer that is cut off would have to do everything again."""

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """The reply; 503 where a statement took too long."""
        is_reading = request.method in SAFE_METHODS or self.limit_kind is Kind.READ
        with statements_within(settings.MEMSEEK.limits.read_seconds if is_reading else 0):
            return super().dispatch(request, *args, **kwargs)
