"""The files for operators: units that hold, services that start in order, settings that are read."""

from __future__ import annotations

import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from memseek_site.settings import ENVIRONMENT
from tests.setup.commands import ROOT, environment

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
COMPOSE = DEPLOY / "compose" / "compose.yaml"
NOT_OURS = {
    "POSTGRES_PASSWORD",
    "APP_PASSWORD",
    "OWNER_PASSWORD",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PATH",
}
KEYS = {"OPENAI_API_KEY"}
EXPOSURE_LIMIT = 20
"""Tenths, as systemd-analyze counts them: «OK» ends at 50, «MEDIUM» at 70; without hardening it is 92."""

each_unit = pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)


def known() -> set[str]:
    return {setting.name for setting in ENVIRONMENT.read} | KEYS | NOT_OURS


def names_in(path: Path) -> set[str]:
    """The variables that a file of settings gives, those in comments too."""
    return set(re.findall(r"^#?([A-Z][A-Z_]+)=", path.read_text(), re.MULTILINE))


def services() -> dict[str, Any]:
    return dict(yaml.safe_load(COMPOSE.read_text())["services"])


def parsed(unit: Path) -> ConfigParser:
    reader = ConfigParser(strict=False, interpolation=None)
    reader.optionxform = str  # type: ignore[assignment,method-assign]
    reader.read(unit)
    return reader


@each_unit
def test_a_unit_runs_what_this_project_has(unit: Path) -> None:
    section = parsed(unit)["Service"]
    program, *arguments = section["ExecStart"].split()
    module = arguments[1] if arguments[0] == "-m" else arguments[0]
    assert program == "/opt/memseek/.venv/bin/python"
    assert module in {"uvicorn", "celery", "manage.py"}
    assert (section["User"], section["NoNewPrivileges"], section["ProtectSystem"]) == (
        "memseek",
        "yes",
        "strict",
    )
    given = re.findall(r"^Environment=([A-Z_]+)=", unit.read_text(), re.MULTILINE)
    assert set(given) - known() == set()


def test_the_owners_password_is_for_migrations_alone() -> None:
    holders = [unit.name for unit in UNITS if "owner.env" in unit.read_text()]
    assert holders == ["memseek-migrate.service"]
    assert "DATABASE_OWNER_URL" not in names_in(DEPLOY / "systemd" / "memseek.env")


@each_unit
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on this machine")
def test_a_unit_is_understood_and_hardened(unit: Path, tmp_path: Path) -> None:
    # The programs of a real installation are not here: something that is stands in for them.
    copy = tmp_path / unit.name.replace("@.", "@1.")
    copy.write_text(re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", unit.read_text()))
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)], capture_output=True, text=True
    )
    assert [line for line in verified.stderr.splitlines() if unit.name.partition(".")[0] in line] == []
    exposed = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE_LIMIT}", str(copy)],
        capture_output=True,
        text=True,
    )
    assert exposed.returncode == 0, exposed.stdout[-300:]


@pytest.mark.parametrize("path", sorted((DEPLOY / "systemd").glob("*.env")), ids=lambda path: path.name)
def test_every_setting_of_the_units_is_read(path: Path) -> None:
    assert names_in(path) - known() == set()


def test_every_setting_of_the_services_is_read_and_what_they_need_is_given() -> None:
    needed = {"SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL", "MEMSEEK_ENV"}
    for name, service in services().items():
        given = set(service.get("environment", {}))
        assert given - known() == set(), name
        if name in {"web", "worker", "migrate"}:
            assert needed - given == set(), name
    assert "DATABASE_OWNER_URL" not in services()["web"]["environment"]


def test_every_variable_of_the_services_is_in_the_example() -> None:
    asked = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE.read_text()))
    assert asked == names_in(DEPLOY / "compose" / "settings.example")


def test_services_start_in_order() -> None:
    found = services()
    waits = {
        name: {on: how["condition"] for on, how in service.get("depends_on", {}).items()}
        for name, service in found.items()
    }
    after = {"migrate": "service_completed_successfully", "broker": "service_healthy"}
    assert waits == {
        "database": {},
        "broker": {},
        "migrate": {"database": "service_healthy"},
        "web": after,
        "worker": after,
    }
    for name, service in found.items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith(".") or (COMPOSE.parent / source).exists(), name
    assert found["web"]["ports"] == ["127.0.0.1:8000:8000"]


@pytest.mark.skipif(shutil.which("docker") is None, reason="docker is not on this machine")
def test_compose_itself_understands_the_file(tmp_path: Path) -> None:
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        pytest.skip("docker compose is not on this machine")
    given = dict.fromkeys(names_in(DEPLOY / "compose" / "settings.example"), "a" * 50)
    command = ["docker", "compose", "--file", str(COMPOSE), "config", "--quiet"]
    checked = subprocess.run(command, env=environment(tmp_path, **given), capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_the_image_copies_what_is_there() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    sources = [
        name for line in re.findall(r"^COPY (?!--)(.+)$", text, re.MULTILINE) for name in line.split()[:-1]
    ]
    assert [name for name in sources if not (ROOT / name).exists()] == []
    packages = {"memseek_site", "memory", "showcase", "templates", "static"}
    assert packages <= set(sources)
    given = set(re.findall(r"\b([A-Z][A-Z_]{3,})=", text))
    assert given - known() == set()


def test_the_roles_are_those_of_the_guide() -> None:
    shown = (ROOT / "docs" / "deployment.md").read_text()
    made = re.findall(
        r"CREATE (?:ROLE|DATABASE|EXTENSION) (\w+)", (DEPLOY / "compose" / "roles.sh").read_text()
    )
    assert made == ["memseek_owner", "memseek_app", "memseek", "vector"]
    assert [name for name in made if name not in shown] == []
