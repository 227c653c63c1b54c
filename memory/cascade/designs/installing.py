"""Installing a design into a workspace, and choosing the one it uses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from memory.cascade.designs.finding import load_design, shipped_design, shipped_designs
from memory.cascade.designs.package import read_folder
from memory.cascade.designs.schema import Design
from memory.models import InstalledDesign, Workspace


class DesignTakenError(ValueError):
    """The name and version stand for other content already; a version that is there never changes."""


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed design, and whether this call brought it."""

    design: Design
    is_new: bool


def install_design(workspace: Workspace, folder: Path) -> Installed:
    """Copy a folder's design into the database, for this workspace alone; what it uses stays as it is.

    Workers on other machines read it from there. BadDesignError for a folder that is no design,
    DesignTakenError where another design has its name and version: nothing is stored then.
    """
    design = read_folder(folder, shipped_design)
    shipped = shipped_designs().get(design.full_name)
    if shipped is not None:
        _refuse_other(design, shipped.digest)
        return Installed(design, is_new=False)
    with transaction.atomic():
        row, is_new = InstalledDesign.objects.get_or_create(
            workspace=workspace,
            name=design.name,
            version=design.version,
            defaults={
                "digest": design.digest,
                "description": design.description,
                "content": design.content,
            },
        )
    # Compared as this release reads both: what it added to older designs is no other content.
    _refuse_other(design, load_design(row.full_name, workspace_id=workspace.pk).digest)
    return Installed(design, is_new)


def _refuse_other(design: Design, digest: str) -> None:
    if design.digest != digest:
        raise DesignTakenError(
            f"{design.full_name} is there already with other content ({digest[:12]}, this one is "
            f"{design.digest[:12]}): give the changed design a new version."
        )


def use_design(workspace: Workspace, full_name: str) -> Design:
    """Have the workspace read new messages under a design that is available to it; UnknownDesignError else.

    What memory holds already stays as it is: see `rebuild`.
    """
    design = load_design(full_name, workspace_id=workspace.pk)
    workspace.design = full_name
    workspace.save(update_fields=["design"])
    return design
