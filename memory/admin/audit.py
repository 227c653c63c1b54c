"""Django's admin log, without the words of memory: what was done to which row, by kind and id alone.

An erase has to find every place that holds words. A log that never had any is the easiest to cover.
"""

import json
from collections.abc import Iterable
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.http import HttpRequest

from memory.recall.short_ids import short_id


def name_of(row: Model) -> str:
    """What the log calls a row: its kind and the short form of its id."""
    key = row.pk if isinstance(row.pk, int) else short_id(row.pk)
    return f"{row._meta.verbose_name} {key}"


def note(request: HttpRequest, rows: Iterable[Model], flag: int, message: Any = "") -> None:
    """Log what the signed-in person did to rows of one table; `message` holds no words of memory."""
    found = list(rows)
    if not found:
        return
    table = ContentType.objects.get_for_model(found[0], for_concrete_model=False)
    LogEntry.objects.bulk_create(
        LogEntry(
            user_id=request.user.pk or 0,
            content_type=table,
            object_id=str(row.pk),
            object_repr=name_of(row),
            action_flag=flag,
            change_message=message if isinstance(message, str) else json.dumps(message),
        )
        for row in found
    )
