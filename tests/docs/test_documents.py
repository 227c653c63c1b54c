"""What the documents name is there: commands, targets, variables, files, dependencies."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands

from memory.client.site import VARIABLES
from memory.walkthrough.commands import COMMANDS
from memseek_site.settings import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"^```.*?^```|^ {4}\S.*?$|`[^`\n]+`", re.MULTILINE | re.DOTALL)

each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def code_of(document: Path) -> str:
    """All that is set as code: blocks and spans."""
    return "\n".join(CODE.findall(document.read_text(encoding="utf-8")))


def targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]


def hook_variables() -> set[str]:
    """What the capture script reads, which knows nothing of the product."""
    script = (ROOT / "examples" / "capture" / "memseek_hook.py").read_text(encoding="utf-8")
    return set(re.findall(r'^    "(MEMSEEK_[A-Z_]+)",$', script, re.MULTILINE))


def table_names(heading: str) -> list[str]:
    """The first column of the table under a heading of docs/decisions.md."""
    text = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    section = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE)


@each_document
def test_every_command_of_manage_py_exists(document: Path) -> None:
    named = set(re.findall(r"manage\.py (\w+)", code_of(document)))
    assert named - set(get_commands()) == set()


@each_document
def test_every_target_of_make_exists(document: Path) -> None:
    named = set(re.findall(r"(?:^|[\s`])make ([a-z][a-z-]*)", code_of(document), re.MULTILINE))
    assert named - targets() == set()


@each_document
def test_every_setting_is_read(document: Path) -> None:
    named = set(re.findall(r"\bMEMSEEK_[A-Z_]+\b", document.read_text(encoding="utf-8")))
    assert named - {setting.name for setting in ENVIRONMENT.read} - set(VARIABLES) - hook_variables() == set()


@each_document
def test_every_link_leads_to_a_file(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)|src=\"([^\"]+)\"", text)
    missing = [link for pair in links for link in pair if link and not (document.parent / link).exists()]
    assert missing == []


def test_every_path_of_the_map_exists() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:memory|memseek_site|showcase|templates|static|tests)/[\w/]*)`", text)
    assert len(paths) >= 10
    assert [path for path in paths if not (ROOT / path).is_dir()] == []


def test_the_readme_lists_the_commands_of_the_prompt() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("## Talk to it")[1].split("\n## ")[0]
    listed = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    assert listed == [command.usage for command in COMMANDS.values()]


def test_every_dependency_has_its_reason() -> None:
    wanted = project()
    extras = wanted["project"]["optional-dependencies"].values()
    runs = [*wanted["project"]["dependencies"], *(name for extra in extras for name in extra)]
    assert table_names("What runs") == [name_of(requirement) for requirement in runs]
    tests = wanted["dependency-groups"]["dev"]
    assert table_names("What tests") == [name_of(requirement) for requirement in tests]
