"""Scenes in a line or two: claims said word for word, and what a head says now."""

from __future__ import annotations

from typing import Any

from memory.models import Entity, Evidence, Line, SceneVersion, Section
from tests.cascade.story import answer, create, runs, say, settle, store


def learn(entity: Entity, *texts: str, synthesis: Any, **values: Any) -> list[Any]:
    """Say texts that become claims word for word, and answer the synthesis; returns its requests."""
    say(entity, *texts)
    values = {"topic": "release", **values}

    def extract(request: Any) -> Any:
        return answer(
            *(store(message.text, message.handle, **values) for message in request.payload.messages)
        )

    model = settle(entity, l1_extract=extract, scene_synthesis=synthesis)
    return [request for request in model.requests if request.task == "scene_synthesis"]


def heads(entity: Entity) -> list[SceneVersion]:
    return list(SceneVersion.objects.for_entity(entity).live())


def lines(version: SceneVersion) -> list[tuple[str, str]]:
    return list(version.lines.order_by("places__position").values_list("section", "text"))


def ids(version: SceneVersion) -> dict[str, Any]:
    return {line.text: line.pk for line in version.lines.all()}


def evidence(line: Line) -> set[str]:
    return set(Evidence.objects.filter(of_line=line).values_list("atom__text", flat=True))


def dropped(entity: Entity) -> list[str]:
    return [
        entry["reason"]
        for run in runs(entity, "scene_synthesis")
        for entry in run.decisions
        if entry["outcome"] == "dropped"
    ]


def a_scene(entity: Entity, *texts: str, title: str = "Release") -> SceneVersion:
    """A scene with one line in each of the first sections."""
    parts = [(list(Section.values)[place], text, [f"a{place + 1}"]) for place, text in enumerate(texts)]
    learn(entity, *texts, synthesis=answer(create(title, *parts)))
    return SceneVersion.objects.for_entity(entity).live().get(title=title)
