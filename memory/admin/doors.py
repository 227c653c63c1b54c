"""What the API keeps for itself: who may read whose memory, and what writes were answered."""

from typing import Any

from django.contrib import admin

from memory.admin.base import ReadOnlyAdmin, WorkspaceFilter
from memory.admin.links import who_of
from memory.models import IdempotentReply, Share


@admin.register(Share)
class ShareAdmin(ReadOnlyAdmin):
    """Memories that are open to another entity, the newest first."""

    list_display = ("entity", "reader", "who", "created_at")
    list_filter = (WorkspaceFilter,)
    list_select_related = ("entity", "reader", "user", "key")
    ordering = ("-pk",)
    fields = (("entity", "reader"), "reason", ("who", "created_at"))

    @admin.display(description="by")
    def who(self, share: Any) -> str:
        """The person, the key or the terminal that it came from."""
        return who_of(share)


@admin.register(IdempotentReply)
class IdempotentReplyAdmin(ReadOnlyAdmin):
    """Writes that bore an Idempotency-Key, newest first; the key itself is kept as a hash."""

    list_display = ("id", "key", "entity", "status", "created_at")
    list_filter = (WorkspaceFilter, "status")
    list_select_related = ("key", "entity")
    list_deferred = ("ids", "digest", "request")
    ordering = ("-pk",)
    fields = ("key", "entity", ("status", "ids"), "created_at")
