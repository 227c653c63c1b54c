"""A design is installed for one workspace, never changes, and all that this workspace does goes by it."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from memory.cascade.designs import SHIPPED, UnknownDesignError, available_designs, design_of, load_design
from memory.cascade.designs.finding import folder_designs
from memory.cascade.designs.installing import DesignTakenError, install_design, use_design
from memory.models import Atom, InstalledDesign, Run, Workspace
from memory.recall.context import ContextRequest, render_context
from memory.recall.rules import standing_rules
from tests.cascade.story import an_entity, answer, say, settle, store
from tests.factories import make_workspace

pytestmark = pytest.mark.django_db

TOML = """
extends = "agent_memory@0.3.0"
name = "tried"
version = "1.0.0"
description = "Tried."
instruction = "Amounts keep their currency."
[limits]
batch_messages = 1
[floors]
rules = 30
[budgets]
memory = 77
[[priorities]]
name = "money"
words = ["invoice"]
at_least = 88
[[rules]]
text = "Name the invoice."
priority = 85
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "tried"
    place.mkdir()
    (place / "design.toml").write_text(TOML)
    return place


def names(workspace: Workspace | None) -> list[tuple[str, str]]:
    return [(found.design.full_name, found.origin) for found in available_designs(workspace)]


def test_an_installed_design_is_there_for_its_workspace_alone_and_changes_no_choice(folder: Path) -> None:
    ours, theirs = make_workspace("ours"), make_workspace("theirs")
    installed = install_design(ours, folder)
    assert installed.is_new
    assert not install_design(ours, folder).is_new
    assert names(ours) == [(SHIPPED, "shipped"), ("tried@1.0.0", "installed")]
    assert names(theirs) == names(None) == [(SHIPPED, "shipped")]
    assert load_design("tried@1.0.0", workspace_id=ours.pk) == installed.design
    with pytest.raises(UnknownDesignError, match=f"there are: {SHIPPED}"):
        load_design("tried@1.0.0", workspace_id=theirs.pk)
    assert set(Workspace.objects.values_list("design", flat=True)) == {SHIPPED}


def test_a_version_with_other_content_is_refused_and_nothing_changes(folder: Path) -> None:
    workspace = make_workspace()
    before = install_design(workspace, folder).design
    (folder / "design.toml").write_text(TOML.replace("88", "89"))
    with pytest.raises(DesignTakenError, match="there already with other content"):
        install_design(workspace, folder)
    assert load_design("tried@1.0.0", workspace_id=workspace.pk) == before
    (folder / "design.toml").write_text(TOML.replace("88", "89").replace("1.0.0", "1.0.1"))
    install_design(workspace, folder)
    assert [name for name, _ in names(workspace)] == [SHIPPED, "tried@1.0.0", "tried@1.0.1"]


def test_nothing_shipped_can_be_replaced(folder: Path) -> None:
    (folder / "design.toml").write_text(TOML.replace('"tried"', '"agent_memory"').replace("1.0.0", "0.3.0"))
    with pytest.raises(DesignTakenError):
        install_design(make_workspace(), folder)
    assert InstalledDesign.objects.count() == 0


def test_every_step_runs_under_the_design_of_its_workspace(folder: Path) -> None:
    entity, other = an_entity(workspace="ours"), an_entity(workspace="theirs")
    design = use_design(entity.workspace, install_design(entity.workspace, folder).design.full_name)
    for one in (entity, other):
        say(one, "The invoice is open.", "The door is blue.")
        model = settle(
            one,
            l1_extract=lambda request: answer(
                *(store(message.text, message.handle) for message in request.payload.messages)  # type: ignore[attr-defined]
            ),
        )
        asked = [request for request in model.requests if request.task == "l1_extract"]
        assert len(asked) == (2 if one is entity else 1)
        assert ("Amounts keep their currency." in asked[0].user) is (one is entity)
    assert dict(Atom.objects.for_entity(entity).values_list("text", "priority")) == {
        "The invoice is open.": 88,
        "The door is blue.": 50,
    }
    assert set(Atom.objects.for_entity(other).values_list("priority", flat=True)) == {50}
    asked_of = Run.objects.for_entity(entity).filter(calls__gt=0)
    assert set(asked_of.values_list("design", "design_hash")) == {("tried@1.0.0", design.digest)}


def test_what_the_design_changed_about_a_priority_stands_in_the_run(folder: Path) -> None:
    entity = an_entity()
    use_design(entity.workspace, install_design(entity.workspace, folder).design.full_name)
    say(entity, "The invoice is open.")
    settle(entity, l1_extract=answer(store("The invoice is open.", priority=20)))
    run = Run.objects.filter(step="l1_extract").first()
    assert run is not None
    assert [entry["reason"] for entry in run.decisions if entry["outcome"] == "repaired"] == [
        "priority 20 became 88 by the design: money"
    ]


def test_contexts_take_floor_budgets_and_rules_from_the_design(folder: Path) -> None:
    entity = an_entity()
    say(entity, "Never send invoices on Sundays.", "Never whistle.")
    settle(
        entity,
        l1_extract=answer(
            store("Never send invoices on Sundays.", kind="instruction", priority=40),
            store("Never whistle.", "m2", kind="instruction", priority=35),
        ),
    )
    assert standing_rules(entity).total == 0
    use_design(entity.workspace, install_design(entity.workspace, folder).design.full_name)
    assert design_of(entity).floors.rules == 30
    assert standing_rules(entity).total == 2
    found = render_context(entity, ContextRequest("Send the invoice."))
    [rules] = [block for block in found.blocks if block.name == "rules"]
    assert [line.partition("] ")[2] for line in rules.text.splitlines()[1:]] == [
        "Name the invoice.",
        "Never send invoices on Sundays.",
        "Never whistle.",
    ]
    assert (rules.ids[0].kind, rules.ids[0].part) == ("rule", "tried@1.0.0#1")
    assert [block.budget for block in found.blocks if block.name == "memory"] == [77]
    assert found.manifest["design"] == "tried@1.0.0"
    high = render_context(entity, ContextRequest("Send the invoice.", rules_floor=90))
    assert [block.text for block in high.blocks if block.name == "rules"] == [""]


def test_folders_of_the_setting_hold_designs_for_every_workspace(
    folder: Path, settings: LazySettings
) -> None:
    bad = folder.parent / "bad"
    bad.mkdir()
    (bad / "design.toml").write_text("name = 3")
    settings.MEMSEEK = replace(settings.MEMSEEK, design_folders=(folder.parent,))
    assert names(make_workspace()) == [(SHIPPED, "shipped"), ("tried@1.0.0", "folder")]
    assert load_design("tried@1.0.0").full_name == "tried@1.0.0"
    assert [found.folder for found in folder_designs()[1]] == [bad]
    settings.MEMSEEK = replace(settings.MEMSEEK, design_folders=(folder,))
    assert names(None) == [(SHIPPED, "shipped"), ("tried@1.0.0", "folder")]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_the_commands_install_list_and_choose(folder: Path) -> None:
    make_workspace("acme")
    assert "tried@1.0.0" in run("install_design", str(folder), "--workspace", "acme")
    listed = run("designs", "--workspace", "acme").splitlines()
    assert [(line[0], line.split()[line.startswith("*")]) for line in listed] == [
        ("*", SHIPPED),
        (" ", "tried@1.0.0"),
    ]
    assert "was there already" in run("install_design", str(folder), "--workspace", "acme", "--use")
    assert Workspace.objects.get().design == "tried@1.0.0"
    run("designs", "--workspace", "acme", "--use", SHIPPED)
    assert Workspace.objects.get().design == SHIPPED


def test_a_bad_folder_is_refused_whole(folder: Path) -> None:
    make_workspace("acme")
    (folder / "design.toml").write_text(TOML.replace("batch_messages = 1", "batch_messages = 0\ncolour = 1"))
    with pytest.raises(CommandError) as refused:
        run("install_design", str(folder), "--workspace", "acme", "--use")
    assert str(refused.value).splitlines()[1:] == [
        "  design.toml, limits.batch_messages: has to be greater than or equal to 1",
        "  design.toml, limits.colour: is not known here",
    ]
    assert (InstalledDesign.objects.count(), Workspace.objects.get().design) == (0, SHIPPED)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("designs", "--use", "tried@1.0.0"), "needs --workspace"),
        (("designs", "--workspace", "nobody"), "no workspace nobody"),
        (("designs", "--workspace", "demo", "--use", "tried@1.0.0"), "no design tried@1.0.0"),
        (("install_design", "nowhere", "--workspace", "demo"), "design.toml: cannot be read"),
        (("install_design", "nowhere", "--workspace", "nobody"), "no workspace nobody"),
    ],
)
def test_what_is_not_there_is_told(arguments: tuple[str, ...], reason: str) -> None:
    make_workspace("demo")
    with pytest.raises(CommandError, match=reason):
        run(*arguments)


def test_a_design_that_this_release_cannot_read_is_told_and_offered_to_nobody(folder: Path) -> None:
    workspace = make_workspace()
    InstalledDesign.objects.create(
        workspace=workspace, name="older", version="1.0.0", digest="0" * 64, description="Older.", content={}
    )
    assert names(workspace) == [(SHIPPED, "shipped")]
    with pytest.raises(UnknownDesignError, match="cannot be read by this release"):
        load_design("older@1.0.0", workspace_id=workspace.pk)


def test_what_a_later_release_added_comes_from_the_shipped_design(folder: Path) -> None:
    workspace = make_workspace()
    content = install_design(workspace, folder).design.content
    InstalledDesign.objects.all().delete()
    older = {**content, "weights": {"words": 2.0}, "prompts": {}}
    InstalledDesign.objects.create(
        workspace=workspace,
        name="tried",
        version="1.0.0",
        digest="1" * 64,
        description="Tried.",
        content=older,
    )
    design = load_design("tried@1.0.0", workspace_id=workspace.pk)
    assert design.weights == load_design().weights.model_copy(update={"words": 2.0})
    assert design.prompts == load_design().prompts
    with pytest.raises(DesignTakenError):
        install_design(workspace, folder)
