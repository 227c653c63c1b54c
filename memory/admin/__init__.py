"""The admin: every table to look at, and the few that an operator manages. It holds no rules of memory."""

from memory.admin import (  # noqa: F401  # importing registers
    atoms,
    claims,
    designs,
    digests,
    doors,
    erasures,
    graph,
    keys,
    operations,
    people,
    persona,
    procedures,
    receipts,
    scenes,
    search,
    tenancy,
    traces,
    uses,
    words,
)
