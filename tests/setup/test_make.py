"""The Makefile: what README and documentation name exists, and a dry run of each target is possible."""

import re
import subprocess

import pytest

from tests.setup.commands import ROOT

TARGETS = ("demo", "test", "run", "worker", "lint", "types", "check", "lock", "migrations", "format", "help")


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))


def test_every_command_has_its_target() -> None:
    assert set(TARGETS) <= targets()


def test_every_target_named_in_the_documents_exists() -> None:
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {
        target
        for document in documents
        if document.exists()
        for target in re.findall(
            r"(?:^|`)(?:\$ )?make ([a-z][a-z-]*)", document.read_text(), flags=re.MULTILINE
        )
    }
    assert named <= targets()


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_can_be_planned(target: str) -> None:
    planned = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True)
    assert planned.returncode == 0, planned.stderr


def test_the_locks_name_no_host_and_agree() -> None:
    whole = (ROOT / "requirements.lock").read_text()
    part = (ROOT / "requirements-run.lock").read_text()
    assert "://" not in whole + part
    pins = set(re.findall(r"^\S+==\S+", part, flags=re.MULTILINE))
    assert pins <= set(re.findall(r"^\S+==\S+", whole, flags=re.MULTILINE))
