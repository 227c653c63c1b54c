"""The counts that whoever looks after the tests reads: what was struck how often, and what was lost."""

from __future__ import annotations

from collections.abc import Callable

from tests.faults.load import Load

LEAST_REQUESTS = 4
"""Of each client; they go on while the strikes do."""

Record = Callable[[str, object], None]


def tell(told: str, record: Record) -> None:
    """For whoever reads the output (`-s`) or the report (`--junit-xml`)."""
    print(told)
    record("faults", told)


def tell_of(name: str, hits: str, load: Load, record: Record) -> None:
    """A line for a fault: what befell the site, and what became of its load."""
    told, balance = load.told, load.balance()
    answers = ", ".join(f"{count} × {kind}" for kind, count in sorted(told.answers.items()))
    tell(
        f"{name}: {hits}; {len(told.accepted)} messages accepted in {told.requests} requests, "
        f"{told.repeated} sent again, {told.replayed} of those were stored before; answers {answers}; "
        f"{load.parked()} parked, {balance.lost} lost, {balance.surplus} too many",
        record,
    )
