"""The admin: every table to look at, and the few that an operator manages. It holds no rules of memory."""

from django.contrib import admin

from memory.admin import (  # noqa: F401  # importing registers
    atoms,
    claims,
    designs,
    digests,
    graph,
    keys,
    operations,
    persona,
    receipts,
    scenes,
    search,
    tenancy,
    words,
)

admin.site.site_header = "Memseek"
admin.site.site_title = "Memseek"
admin.site.index_title = "Tables"
