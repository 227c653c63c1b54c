"""What a request may hold together, and what says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import transaction

import memory
from memory.models import Workspace
from memory.transactions import durable_transaction, held_together

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(memory.__file__).parent
OF_WORKERS_AND_COMMANDS = {
    *("cascade", "indexing", "management"),
    *("claims/promotion.py", "ingest/outside_claims.py", "stewardship/exporting/exports.py"),
    *("stewardship/verify.py", "transactions.py", "llm/guard.py"),
}
"""Where a durable transaction is never part of a request that is sent under a name."""


def test_within_a_request_writes_are_kept_together_or_not_at_all() -> None:
    def write_and_fail() -> None:
        with held_together():
            with durable_transaction():
                Workspace.objects.create(name="acme")
            raise LookupError

    with pytest.raises(LookupError):
        write_and_fail()
    assert not Workspace.objects.exists()


def test_elsewhere_a_durable_transaction_is_the_outermost() -> None:
    with durable_transaction():
        Workspace.objects.create(name="acme")
    with pytest.raises(RuntimeError), transaction.atomic(), durable_transaction():
        pass
    with pytest.raises(RuntimeError), transaction.atomic(), held_together():
        pass
    assert Workspace.objects.count() == 1


def test_rooms_that_serve_requests_open_the_transaction_that_may_be_held() -> None:
    durable = re.compile(r"atomic\(durable=True\)")
    found = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if durable.search(path.read_text())}
    allowed = {
        path
        for path in found
        if path in OF_WORKERS_AND_COMMANDS or path.split("/")[0] in OF_WORKERS_AND_COMMANDS
    }
    assert found == allowed
