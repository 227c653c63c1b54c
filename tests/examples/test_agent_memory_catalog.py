"""The example of a changed design shows what it says it shows."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from memory.models import Entity, Message, Run
from memory.stewardship.verify import verify

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "agent_memory_catalog"


@pytest.fixture(scope="module")
def walkthrough() -> ModuleType:
    spec = importlib.util.spec_from_file_location("catalog_walkthrough", FOLDER / "walkthrough.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(walkthrough: ModuleType) -> list[str]:
    lines: list[str] = []
    walkthrough.main(lines.append)
    return lines


@pytest.mark.django_db
def test_the_walkthrough_shows_what_differs_and_a_second_run_the_same(walkthrough: ModuleType) -> None:
    lines = told(walkthrough)
    pairs = {line[13:]: line[2:11].split(" → ") for line in lines if line[5:8] == " → "}
    assert {text: (int(was), int(now)) for text, (was, now) in pairs.items() if was != now} == {
        text: (int(was), int(now))
        for text, (was, now) in pairs.items()
        if "Refunds" in text or "Invoice" in text or "tea" in text
    }
    assert all(int(now) >= 80 for text, (_, now) in pairs.items() if "Refunds" in text or "Invoice" in text)
    assert "  + rules: - [85, design] Name the invoice number whenever you speak about a charge." in lines
    assert [line.split("/")[1].split()[0] for line in lines if line.startswith("  rules ")] == ["1500"]
    assert any(line.startswith("  changed  support_desk@1.0.0, rules from 60") for line in lines)
    messages = Message.objects.count()
    assert told(walkthrough) == lines
    assert Message.objects.count() == messages


@pytest.mark.django_db
def test_each_memory_is_made_under_its_own_design(walkthrough: ModuleType) -> None:
    told(walkthrough)
    designs = {
        (run.workspace.name, run.design, bool(run.design_hash))
        for run in Run.objects.select_related("workspace").exclude(calls=0)
    }
    assert designs == {
        ("catalog-shipped", "agent_memory@0.3.0", True),
        ("catalog-support-desk", "support_desk@1.0.0", True),
    }
    changed = Entity.objects.get(workspace__name="catalog-support-desk")
    repaired = [
        entry["reason"]
        for run in Run.objects.for_entity(changed).filter(step="l1_extract")
        for entry in run.decisions
        if entry["outcome"] == "repaired"
    ]
    assert any(reason.endswith("by the design: money comes first") for reason in repaired)
    assert verify(is_settled=True) == []
