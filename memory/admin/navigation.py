"""The menu: every table that the signed-in person may see, in groups by what one comes for."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst

# Title of the group, then its tables in order: name of the model, icon of the theme's own font.
_GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Memory",
        (
            ("memory.entity", "person"),
            ("memory.session", "forum"),
            ("memory.message", "chat"),
            ("memory.atom", "grain"),
            ("memory.scene", "article"),
            ("memory.trait", "face"),
        ),
    ),
    (
        "Work",
        (
            ("memory.work", "pending_actions"),
            ("memory.run", "history"),
            ("memory.rebuild", "refresh"),
            ("memory.process", "memory"),
        ),
    ),
    (
        "Skills",
        (
            ("memory.tasktrace", "route"),
            ("memory.procedure", "rule"),
            ("memory.procedureversion", "difference"),
            ("memory.use", "output"),
            ("memory.feedback", "thumbs_up_down"),
        ),
    ),
    (
        "People in charge",
        (
            ("memory.correction", "edit_note"),
            ("memory.erasure", "ink_eraser"),
            ("memory.retentionrule", "auto_delete"),
        ),
    ),
    (
        "Claims",
        (
            ("memory.policy", "policy"),
            ("memory.livesource", "sensors"),
            ("memory.livevalue", "stream"),
            ("memory.graphnode", "hub"),
            ("memory.graphedge", "share"),
        ),
    ),
    (
        "Access",
        (
            ("memory.workspace", "workspaces"),
            ("memory.member", "group"),
            ("memory.key", "key"),
            ("memory.share", "share_reviews"),
            ("auth.user", "account_circle"),
            ("auth.group", "groups"),
            ("memory.installeddesign", "design_services"),
        ),
    ),
)
_WORK = next(place for place, (title, _) in enumerate(_GROUPS) if title == "Work")
_REST = "All other tables"
_REST_ICON = "table"


def groups(request: HttpRequest) -> list[dict[str, Any]]:
    """What the theme's sidebar shows; asks the database nothing beyond the person's memberships."""
    home = {"title": "Dashboard", "icon": "dashboard", "link": reverse("admin:index")}
    listed = [_group(title, tables, request) for title, tables in _GROUPS]
    parked = {"title": "Parked batches", "icon": "report", "link": reverse("admin:memory_work_parked")}
    if listed[_WORK]["items"]:
        listed[_WORK]["items"].insert(0, parked)
    rest = _group(_REST, ((name, _REST_ICON) for name in _unlisted()), request)
    return [{"items": [home]}, *(group for group in [*listed, rest] if group["items"])]


def _group(title: str, tables: Iterable[tuple[str, str]], request: HttpRequest) -> dict[str, Any]:
    items = [_item(name, icon) for name, icon in tables if _is_open(name, request)]
    return {"title": title, "collapsible": True, "separator": True, "items": items}


def _item(name: str, icon: str) -> dict[str, Any]:
    options = apps.get_model(name)._meta
    link = reverse(f"admin:{options.app_label}_{options.model_name}_changelist")
    # The address of the parked batches lies below that of the work.
    active = {"active": _is_list} if name == "memory.work" else {}
    title = capfirst(str(options.verbose_name_plural))
    return {"title": title, "icon": icon, "link": link, **active}


def _is_list(request: HttpRequest) -> bool:
    lists, parked = reverse("admin:memory_work_changelist"), reverse("admin:memory_work_parked")
    return request.path.startswith(lists) and not request.path.startswith(parked)


def _is_open(name: str, request: HttpRequest) -> bool:
    try:
        table = admin.site._registry.get(apps.get_model(name))
    except LookupError:
        return False
    return table is not None and bool(table.has_module_permission(request))


def _unlisted() -> Iterable[str]:
    listed = {name for _, tables in _GROUPS for name, _ in tables}
    names = sorted(model._meta.label_lower for model in admin.site._registry)
    return (name for name in names if name not in listed)
