"""From every derived row to what it rests on, and back."""

from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.models import Evidence, Run
from tests.admin.conftest import Memory
from tests.factories import NewLine, make_atom, make_next_version, make_run


def address(row: Model) -> str:
    return reverse(f"admin:memory_{row._meta.model_name}_change", args=[row.pk])


def page(client: Client, row: Model) -> str:
    return client.get(address(row)).content.decode()


def test_links_lead_down_from_the_persona_to_the_words(alice: Memory, viewer: Client) -> None:
    assert address(alice.line) in page(viewer, alice.trait_version)
    assert address(alice.atom) in page(viewer, alice.line)
    assert address(alice.message) in page(viewer, alice.atom)
    assert address(alice.correction) in page(viewer, alice.atom)


def test_links_lead_up_from_the_words_to_the_persona(alice: Memory, viewer: Client) -> None:
    assert address(alice.atom) in page(viewer, alice.message)
    assert address(alice.line) in page(viewer, alice.atom)
    assert address(alice.trait_version) in page(viewer, alice.line)
    assert address(alice.atom) in page(viewer, alice.correction)


def test_a_version_shows_its_lines_with_their_receipts(alice: Memory, viewer: Client) -> None:
    shown = page(viewer, alice.version)
    assert address(alice.line) in shown
    assert address(alice.atom) in shown
    assert "Prohibitions and Failure Modes" in shown


def test_a_reference_to_something_outside_is_shown_as_text(alice: Memory, viewer: Client) -> None:
    Evidence.objects.create(
        workspace_id=alice.entity.workspace_id,
        entity=alice.entity,
        of_atom=alice.atom,
        outside_kind="ticket",
        outside_reference="<OPS-7>",
        outside_authority=3,
    )
    assert "ticket: &lt;OPS-7&gt;" in page(viewer, alice.atom)
    assert "ticket: &lt;OPS-7&gt;" in viewer.get(reverse("admin:memory_evidence_changelist")).content.decode()


def test_a_run_shows_its_decisions_item_by_item_with_links(alice: Memory, viewer: Client) -> None:
    run = make_run(
        alice.entity,
        inputs={"messages": [str(alice.message.pk)]},
        outputs={"atoms": [str(alice.atom.pk)]},
        decisions=[
            {"item": 0, "outcome": "store", "reason": "", "atom": str(alice.atom.pk)},
            {"item": 1, "outcome": "dropped", "reason": "unknown handle <m9>", "answer": {"text": "x"}},
            "a plain note",
        ],
    )
    shown = page(viewer, run)
    assert shown.count(address(alice.atom)) == 2
    assert address(alice.message) in shown
    assert "unknown handle &lt;m9&gt;" in shown
    assert "a plain note" in shown


def test_a_run_that_retention_removed_leaves_its_rows_readable(alice: Memory, viewer: Client) -> None:
    Run.objects.filter(pk=alice.run.pk).delete()
    assert viewer.get(address(alice.atom)).status_code == 200
    assert viewer.get(address(alice.message)).status_code == 200


def test_a_page_takes_the_same_statements_however_much_hangs_on_its_row(
    alice: Memory, viewer: Client
) -> None:
    def statements() -> dict[str, int]:
        found = {}
        for row in (alice.message, alice.atom, alice.version.scene, alice.trait_version.trait):
            with CaptureQueriesContext(connection) as captured:
                page(viewer, row)
            found[row._meta.model_name] = len(captured)
        return found

    statements()  # what is read once a process is read
    before = statements()
    version = alice.version
    for number in range(10):
        atom = make_atom(alice.entity, f"Deploy number {number} waits.", [alice.message])
        version = make_next_version(
            version, added=[NewLine("core_sop", f"Wait {number}.", [atom, alice.atom])]
        )
    assert statements() == before
    shown = page(viewer, version.scene)
    assert ("Version 12, the current one" in shown, "Older versions" in shown) == (True, True)
    older = viewer.get(f"{address(version.scene)}?below=7").content.decode()
    assert ("Version 6" in older, "Version 7<" in older) == (True, False)
