"""A person who corrects, and what is left of a memory afterwards."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from memory.cascade.rules.sections import ParsedLine, Section, render_scene
from memory.claims.promotion import PromotionWorker
from memory.models import Atom, Correction, Entity, Evidence, Line, SceneVersion, TraitVersion
from memory.stewardship.actors import Actor
from memory.stewardship.verify import Problem, verify


def a_person(name: str = "dana") -> Actor:
    return Actor(user=User.objects.get_or_create(username=name)[0])


def by(name: str = "dana", reason: str = "it is wrong") -> dict[str, Any]:
    """Who and why, as every correction takes it."""
    return {"actor": a_person(name), "reason": reason}


def states(entity: Entity) -> dict[str, str]:
    return dict(Atom.objects.for_entity(entity).order_by("seq").values_list("text", "status"))


def holding(entity: Entity) -> list[str]:
    return list(Atom.objects.for_entity(entity).live().order_by("seq").values_list("text", flat=True))


def kinds(entity: Entity) -> list[str]:
    return list(Correction.objects.for_entity(entity).order_by("created_at").values_list("kind", flat=True))


def grounds(line: Line) -> set[str]:
    """What a line rests on: texts of claims, kinds of corrections."""
    rows = Evidence.objects.filter(of_line=line).values_list("atom__text", "correction__kind")
    return {text or kind for text, kind in rows}


def head(entity: Entity, title: str = "Release") -> SceneVersion:
    return SceneVersion.objects.for_entity(entity).live().get(title=title)


def texts(version: SceneVersion) -> list[str]:
    return list(version.lines.order_by("places__position").values_list("text", flat=True))


def markdown(version: SceneVersion, **instead: str | None) -> str:
    """A version as a person edits it; `instead` gives lines by their text other words, or none."""
    lines = version.lines.order_by("places__position").values_list("section", "text")
    kept = [(section, instead.get(text, text)) for section, text in lines]
    return render_scene(
        version.title,
        [ParsedLine(Section(section), text) for section, text in kept if text],  # type: ignore[call-arg]
    )


def persona(entity: Entity) -> dict[str, str]:
    rows = TraitVersion.objects.for_entity(entity).live()
    return dict(rows.values_list("trait__slot", "text"))


def problems_at_rest(entity: Entity) -> list[Problem]:
    PromotionWorker().run_once()
    return verify(entity, is_settled=True)
