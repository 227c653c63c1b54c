"""Which tables an export holds, in which order, and which of their columns it leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import AutoField, CharField, F, Field, Model, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Left, NullIf

from memory.models import (
    ANSWER,
    CHAT,
    Atom,
    Chain,
    Correction,
    Digest,
    Entity,
    Evidence,
    Feedback,
    Line,
    Message,
    Procedure,
    ProcedureLine,
    ProcedureVersion,
    Review,
    Run,
    Scene,
    SceneVersion,
    Session,
    SkillInput,
    Step,
    TaskTrace,
    TraceStep,
    Trait,
    TraitVersion,
    Use,
    VersionLine,
)
from memory.stewardship.actors import NAME_LIMIT

OWNERS = frozenset({"workspace_id", "entity_id"})
ACCOUNTS = frozenset({"user_id", "key_id"})
"""Of this installation: elsewhere nobody has these ids."""
ACCOUNTING = frozenset(
    {
        *("token", "erase_epoch", "attempt", "calls", "tokens_in", "tokens_out", "cost", "milliseconds"),
        *("error_text", "raw_answer", "worker"),
    }
)
"""What an attempt cost here, who made it, and what an endpoint answered."""
SEQUENCE = "seq"
WITHOUT_TRACE = (ANSWER, CHAT, Step.PROMOTION)
"""Nothing of the memory came from these: a reply rests on it, and the graph is made anew."""
EVERY_ROW = Q()


@dataclass(frozen=True)
class Kind:
    """A table of an export."""

    name: str
    model: type[Model]
    left_out: frozenset[str] = frozenset()
    only: Q = EVERY_ROW
    """Which rows belong to the memory."""
    has_author: bool = False
    """Its `by` is filled with the name of the account or key, which are not exported themselves."""

    @cached_property
    def fields(self) -> tuple[Field[Any, Any], ...]:
        """The columns that are written, in the order of the model."""
        absent = OWNERS | self.left_out
        return tuple(
            field
            for field in self.model._meta.concrete_fields
            # A number that the database counts up says nothing elsewhere: the order of the lines keeps it.
            if field.attname not in absent and not isinstance(field, AutoField)
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names, as the file and the tables have them."""
        return tuple(field.attname for field in self.fields)

    def defaults(self) -> dict[str, Any]:
        """What a row that comes from elsewhere has in the columns that are left out."""
        return {
            field.attname: field.get_default()
            for field in self.model._meta.concrete_fields
            if field.attname in self.left_out and not field.null
        }

    @property
    def is_sequenced(self) -> bool:
        """Whether its rows have a place in the record sequence."""
        return SEQUENCE in self.names

    @property
    def rows_of(self) -> str:
        """The column that says whose row it is."""
        return "id" if self.model is Entity else "entity_id"

    def rows(self, entity: Entity) -> QuerySet[Any]:
        """The entity's rows in the order of the file."""
        owned: QuerySet[Any] = self.model._default_manager.filter(
            self.only, **{self.rows_of: entity.pk, "workspace_id": entity.workspace_id}
        )
        return owned.order_by(SEQUENCE if self.is_sequenced else "pk")

    def columns(self) -> list[str | Combinable]:
        """What to select for each name."""
        return [_author() if self.has_author and name == "by" else name for name in self.names]


def _author() -> Combinable:
    """Who it was, by name: the terminal's person, else the account, else the label of the key."""
    named = Coalesce(NullIf("by", Value("")), F("user__username"), F("key__label"), Value(""))
    return Left(named, NAME_LIMIT, output_field=CharField())


KINDS = (
    Kind("entity", Entity, left_out=frozenset({"erase_epoch", "shadow_of_id"})),
    Kind("run", Run, left_out=ACCOUNTING, only=~Q(status=Run.Status.RUNNING) & ~Q(step__in=WITHOUT_TRACE)),
    Kind("session", Session),
    Kind("message", Message),
    Kind("chain", Chain),
    Kind("atom", Atom),
    Kind("correction", Correction, left_out=ACCOUNTS, has_author=True),
    Kind("scene", Scene),
    Kind("line", Line),
    Kind("scene_version", SceneVersion),
    Kind("version_line", VersionLine),
    Kind("trait", Trait),
    Kind("trait_version", TraitVersion),
    Kind("digest", Digest),
    Kind("trace", TaskTrace),
    Kind("trace_step", TraceStep),
    Kind("procedure", Procedure),
    Kind("procedure_version", ProcedureVersion),
    Kind("procedure_line", ProcedureLine),
    Kind("review", Review, left_out=ACCOUNTS, has_author=True),
    Kind("use", Use, left_out=frozenset({"key_id"})),
    Kind("feedback", Feedback, left_out=ACCOUNTS),
    Kind("skill_input", SkillInput),
    Kind("evidence", Evidence),
)
SEQUENCED = tuple(kind for kind in KINDS if kind.is_sequenced)
