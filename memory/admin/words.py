"""L0: sessions and messages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest

from memory.admin.base import NarrowChangeList, StepInputAdmin, WorkspaceFilter
from memory.admin.changes import ChangingAdmin
from memory.admin.digests import DigestInline
from memory.admin.erasing_changes import ERASE_MESSAGES, ERASE_SESSIONS
from memory.admin.links import EXCERPT_CHARACTERS, excerpt
from memory.admin.receipts import MessageUsedBy
from memory.models import Message, Session


@admin.register(Session)
class SessionAdmin(StepInputAdmin, ChangingAdmin):
    """Conversations, newest first, each with its summary and brief."""

    list_display = ("external_id", "entity", "title", "next_ordinal", "created_at", "ended_at", "state")
    list_filter = (WorkspaceFilter, "takes_turns")
    list_select_related = ("entity",)
    ordering = ("-pk",)
    fields = (
        ("entity", "external_id", "title"),
        ("created_at", "last_message_at", "ended_at"),
        ("next_ordinal", "takes_turns", "folded_until", "fold_asked_at"),
        ("state", "read_by", "parked_run"),
    )
    inlines = (DigestInline,)
    changes = (ERASE_SESSIONS,)

    def state(self, session: Session) -> str:
        """Where its compaction stands; most sessions are never compacted."""
        if session.takes_turns and (session.ended_at or session.fold_asked_at or session.parked_at):
            return super().state(session)
        return "open" if session.ended_at is None else "ended"


class MessageList(NarrowChangeList):
    """A list that loads the beginning of each message, not all of it."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        """Messages with the beginning of their text."""
        rows = super().get_queryset(request, exclude_parameters)
        begun: QuerySet[Any] = rows.annotate(beginning=Left("text", EXCERPT_CHARACTERS + 1))
        return begun


@admin.register(Message)
class MessageAdmin(StepInputAdmin, ChangingAdmin):
    """What was said, newest first, each with the atoms taken from it."""

    list_display = ("words", "role", "speaker", "session", "entity", "said_at", "state")
    list_filter = (WorkspaceFilter, "role")
    list_select_related = ("entity", "session")
    list_deferred = ("text", "attachment_text", "tool_calls", "metadata", "content_hash")
    ordering = ("-seq",)
    fields = (
        ("entity", "session", "ordinal", "seq"),
        ("role", "speaker"),
        "text",
        "attachment_text",
        ("occurred_at", "recorded_at"),
        ("tool_name", "tool_call_id"),
        "tool_calls",
        "metadata",
        "dedupe_key",
        ("state", "read_by", "parked_run"),
    )
    inlines = (MessageUsedBy,)
    changes = (ERASE_MESSAGES,)

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[MessageList]:
        """The list of beginnings."""
        return MessageList

    @admin.display(description="words")
    def words(self, message: Any) -> str:
        """The beginning of what was said; a message may hold an attachment alone."""
        return excerpt(message.beginning) or "(no text)"

    @admin.display(description="said", ordering="occurred_at")
    def said_at(self, message: Message) -> Any:
        """When it was said, empty when nobody knows."""
        return message.occurred_at

    def state(self, message: Any) -> str:
        """As every input of a step; what is never extracted from says so."""
        return super().state(message) if message.is_extractable else "kept, not extracted from"
