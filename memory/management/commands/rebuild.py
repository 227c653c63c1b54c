"""`manage.py rebuild ENTITY --workspace W --from L1`: another design or model over the same words."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from memory.cascade.designs import Design, UnknownDesignError, load_design
from memory.cascade.rebuilding.lifecycle import (
    Proposal,
    RebuildRefusedError,
    apply_rebuild,
    discard_open,
    find_open,
    propose,
)
from memory.cascade.rebuilding.shadows import RebuildStoppedError
from memory.cascade.rebuilding.telling import as_json, told
from memory.ingest.entities import find_entity
from memory.llm.protocol import Model
from memory.llm.registry import UnknownModelError, configured_model, named_model
from memory.models import Entity, Rebuild, Workspace
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed

ANY = "*"
"""`--apply` without a token."""


class Command(MemseekCommand):
    """The difference goes to standard output, progress to standard error."""

    help = (
        "Make a memory anew from a layer up, with another design or model, and show what would change. "
        "Nothing changes until --apply; stopped or killed, it goes on where it was."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """ENTITY, what to make anew with what, and what to do with the result."""
        parser.add_argument("entity", help="name of the entity")
        parser.add_argument("--workspace", required=True, metavar="NAME")
        parser.add_argument(
            "--from",
            dest="layer",
            choices=Rebuild.Layer.values,
            default="L1",
            help="lowest layer to make anew (L1: everything)",
        )
        parser.add_argument("--design", metavar="NAME@VERSION", help="the workspace's own if not given")
        parser.add_argument(
            "--model",
            metavar="NAME",
            help="offline, strong, cheap, or a model at the configured endpoint (the configured one)",
        )
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--dry-run", action="store_true", help="show the difference and its cost (default)")
        what.add_argument(
            "--apply",
            nargs="?",
            const=ANY,
            metavar="TOKEN",
            help="swap the result in; with the token of a dry run exactly that result, or nothing",
        )
        what.add_argument("--discard", action="store_true", help="throw an open rebuild away")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        """Make, show, and apply when asked to."""
        migrate_if_needed()
        entity = _entity(options["workspace"], options["entity"])
        try:
            if options["discard"]:
                self.discard(entity)
            elif options["apply"] in (None, ANY):
                self.propose(entity, options)
            else:
                self.apply(entity, find_open(entity), options["apply"])
        except (RebuildRefusedError, RebuildStoppedError) as error:
            raise CommandError(str(error)) from error

    def propose(self, entity: Entity, options: dict[str, Any]) -> None:
        """Make the result and show it; apply it at once when no token was asked for."""
        design, model = _design(entity, options["design"]), _model(options["model"])
        proposal = propose(
            entity=entity, layer=options["layer"], design=design, model=model, notice=self.notice
        )
        self.show(proposal, is_json=options["json"])
        if options["apply"]:
            self.apply(entity, proposal.rebuild, proposal.token)
        else:
            self.notice(f"Nothing has changed. To apply exactly this: --apply {proposal.token}")

    def show(self, proposal: Proposal, *, is_json: bool) -> None:
        """The difference, the cost and the token."""
        if is_json:
            self.stdout.write(json.dumps(as_json(proposal), ensure_ascii=False, indent=2))
        else:
            self.stdout.write(told(proposal), ending="")
            self.stdout.write(f"Token: {proposal.token}")

    def apply(self, entity: Entity, rebuild: Rebuild, token: str) -> None:
        """Swap it in, and say what the workspace's design means for what comes."""
        apply_rebuild(rebuild, token=token)
        self.notice("Applied. What stood before is history.")
        if rebuild.design != entity.workspace.design:
            self.notice(
                f"New messages are still read under {entity.workspace.design}: manage.py designs "
                f"--workspace {entity.workspace.name} --use {rebuild.design} changes that."
            )

    def discard(self, entity: Entity) -> None:
        """End an open rebuild."""
        with transaction.atomic(durable=True):
            was_open = discard_open(entity)
        self.stdout.write("Discarded." if was_open else "No rebuild is open.")

    def notice(self, text: str) -> None:
        """A word to whoever watches."""
        print(text, file=sys.stderr)


def _entity(workspace: str, name: str) -> Entity:
    found = Workspace.objects.filter(name=workspace).first()
    entity = find_entity(workspace=found, name=name) if found else None
    if entity is None:
        raise CommandError(f"There is no entity {name} in a workspace {workspace}.")
    return entity


def _design(entity: Entity, name: str | None) -> Design:
    try:
        return load_design(name or entity.workspace.design, workspace_id=entity.workspace_id)
    except UnknownDesignError as error:
        raise CommandError(str(error)) from error


def _model(name: str | None) -> Model:
    try:
        model = named_model(name) if name else configured_model()
    except UnknownModelError as error:
        raise CommandError(str(error)) from error
    if model is None:
        raise CommandError("LLM_FAKE=1 keeps words alone: name a model with --model.")
    return model
