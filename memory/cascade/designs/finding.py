"""Which designs there are: shipped ones, those in folders that a setting names, those of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from django.conf import settings
from pydantic import ValidationError

from memory.cascade.designs.package import MAIN_FILE, MERGED_TABLES, BadDesignError, read_folder
from memory.cascade.designs.schema import Design

if TYPE_CHECKING:
    from memory.models import Entity, Run, Workspace

FOLDER = Path(__file__).parent
SHIPPED = "agent_memory@0.3.0"
MOST_PARSED = 64
Origin = Literal["shipped", "folder", "installed"]


class UnknownDesignError(LookupError):
    """No design of that name is there."""


@dataclass(frozen=True, slots=True)
class Available:
    """A design that a workspace may use, and where it comes from."""

    design: Design
    origin: Origin


@dataclass(frozen=True, slots=True)
class BadFolder:
    """A folder of the setting that holds no design."""

    folder: Path
    error: BadDesignError


def load_design(full_name: str = SHIPPED, *, workspace_id: UUID | None = None) -> Design:
    """A design by `name@version`: shipped, installed in the workspace, or in a folder of the setting.

    In this order, so that nothing shipped can be replaced. UnknownDesignError lists what there is.
    """
    if (found := shipped_designs().get(full_name)) is not None:
        return found
    if workspace_id is not None and (found := _installed(workspace_id, full_name)) is not None:
        return found
    if (found := folder_designs()[0].get(full_name)) is not None:
        return found
    known = ", ".join(sorted(_names(workspace_id)))
    raise UnknownDesignError(f"There is no design {full_name}; there are: {known}.")


def design_of(entity: Entity) -> Design:
    """The design that an entity's workspace uses."""
    return load_design(entity.workspace.design, workspace_id=entity.workspace_id)


def design_of_run(run: Run) -> Design:
    """The design that a run was claimed under."""
    return load_design(run.design, workspace_id=run.workspace_id)


def available_designs(workspace: Workspace | None) -> list[Available]:
    """Every design that a workspace may use (None: any workspace), each name once, as it would be loaded."""
    from memory.models import InstalledDesign

    found: dict[str, Available] = {}
    for name, design in folder_designs()[0].items():
        found[name] = Available(design, "folder")
    rows = InstalledDesign.objects.for_workspace(workspace.pk).defer("content") if workspace else ()
    for row in rows:
        # What this release cannot read is no choice; the admin's list still shows it.
        with suppress(UnknownDesignError):
            found[row.full_name] = Available(_parsed(row.digest, row.pk), "installed")
    for name, design in shipped_designs().items():
        found[name] = Available(design, "shipped")
    return sorted(found.values(), key=lambda one: (one.design.name, _number(one.design.version)))


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _names(workspace_id: UUID | None) -> set[str]:
    from memory.models import InstalledDesign

    rows = InstalledDesign.objects.for_workspace(workspace_id) if workspace_id else ()
    return {*shipped_designs(), *folder_designs()[0], *(row.full_name for row in rows)}


@cache
def shipped_designs() -> dict[str, Design]:
    """The designs of this release by full name."""
    designs: dict[str, Design] = {}

    def base(full_name: str) -> Design:
        return designs[full_name]

    # In the order of their names, so that a later version may extend an earlier one.
    for path in sorted(FOLDER.glob(f"*/{MAIN_FILE}")):
        design = read_folder(path.parent, base)
        designs[design.full_name] = design
    return designs


def shipped_design(full_name: str) -> Design:
    """A design that others may extend; UnknownDesignError for one that is not shipped."""
    if full_name not in shipped_designs():
        known = ", ".join(sorted(shipped_designs()))
        raise UnknownDesignError(f"{full_name} is not shipped; a design extends one of: {known}")
    return shipped_designs()[full_name]


def folder_designs() -> tuple[dict[str, Design], tuple[BadFolder, ...]]:
    """What the folders of `MEMSEEK_DESIGNS` hold; read once in a process, so a change needs a new one."""
    return _read_folders(settings.MEMSEEK.design_folders)


@cache
def _read_folders(folders: Sequence[Path]) -> tuple[dict[str, Design], tuple[BadFolder, ...]]:
    designs: dict[str, Design] = {}
    bad: list[BadFolder] = []
    for folder in folders:
        inside = [folder] if (folder / MAIN_FILE).is_file() else sorted(folder.glob("*/"))
        for candidate in inside:
            if not (candidate / MAIN_FILE).is_file():
                continue
            try:
                design = read_folder(candidate, shipped_design)
            except BadDesignError as error:
                bad.append(BadFolder(candidate, error))
            else:
                designs.setdefault(design.full_name, design)
    return designs, tuple(bad)


def completed(content: dict[str, Any]) -> dict[str, Any]:
    """An installed design's content with what a later release added to the tables and prompts it had."""
    shipped = shipped_designs()[SHIPPED].content
    return {
        **content,
        **{name: _over(shipped[name], content.get(name)) for name in (*MERGED_TABLES, "prompts")},
    }


def _over(shipped: Any, own: Any) -> Any:
    return {**shipped, **own} if isinstance(own, dict) else shipped


_read_installed: dict[str, Design] = {}
"""Installed designs by digest: what is installed never changes."""


def _installed(workspace_id: UUID, full_name: str) -> Design | None:
    from memory.models import InstalledDesign

    name, _, version = full_name.partition("@")
    rows = InstalledDesign.objects.for_workspace(workspace_id).filter(name=name, version=version)
    found = rows.values_list("digest", "pk").first()
    return _parsed(*found) if found else None


def _parsed(digest: str, row: UUID) -> Design:
    from memory.models import InstalledDesign

    known = _read_installed.get(digest)
    if known is not None:
        return known
    content = InstalledDesign.objects.values_list("content", flat=True).get(pk=row)
    try:
        design = Design.model_validate(completed(content))
    except ValidationError as error:
        raise UnknownDesignError(
            f"The installed design {digest[:12]} cannot be read by this release "
            f"({error.error_count()} problems): install it again under a new version."
        ) from error
    if len(_read_installed) >= MOST_PARSED:
        _read_installed.clear()
    _read_installed[digest] = design
    return design
