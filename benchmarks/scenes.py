"""`python -m benchmarks.scenes FILE`: scenes and persona that the offline model makes of a conversation.

Imports it into an empty memory, works it through in this process and prints every scene as Markdown. With
`--titles` only names and numbers of lines are told, with `--into FILE` the page takes its place there.
With `--lines N` that many lines are drawn at random, the same ones for the same `--seed`, each with its
section: to judge by hand whether they stand where they belong.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.installation import installation

if TYPE_CHECKING:
    from memory.models import Entity
    from memory.recall.records import SceneRecord

LONGEST_WAIT_SECONDS = 900.0
BEGIN, END = "<!-- scenes: begin -->", "<!-- scenes: end -->"


def main() -> None:
    """Import, settle, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scenes", description=__doc__)
    parser.add_argument("file", type=Path, help="a conversation in any form that is imported")
    parser.add_argument("--conversation", default="", help="which one, where a file names several")
    parser.add_argument("--titles", action="store_true", help="titles and numbers of lines alone")
    parser.add_argument("--into", type=Path, help="a document with the marks that the page goes between")
    parser.add_argument("--lines", type=int, default=0, help="draw so many lines instead")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    options = parser.parse_args()
    with installation():
        entity = remember(options.file, options.conversation)
        if options.into:
            options.into.write_text(
                placed(page(entity), options.into.read_text(encoding="utf-8")), encoding="utf-8"
            )
        elif options.lines:
            print(drawn(entity, options.lines, options.seed))
        else:
            print(titles(entity) if options.titles else page(entity))


def remember(file: Path, conversation: str = "") -> Entity:
    """Import the conversation into a workspace of its own and work through all steps."""
    from memory.cascade.engine import settle_entity
    from memory.ingest.entities import find_entity
    from memory.ingest.importing import import_file
    from memory.ingest.workspaces import create_workspace

    workspace = create_workspace(name="scenes").workspace
    report = import_file(workspace=workspace, path=file.resolve(), only=conversation)
    entity = find_entity(workspace=workspace, name=next(iter(report.entities), ""))
    if entity is None:
        raise SystemExit(f"{conversation or 'A conversation'} is not in {file}.")
    settle_entity(entity, timeout_seconds=LONGEST_WAIT_SECONDS)
    return entity


def page(entity: Entity) -> str:
    """Every scene with summary, sections and lines, then the persona, as Markdown."""
    from memory.recall import ladder

    blocks = [block for scene in ladder.scenes(entity) for block in _scene_blocks(scene)]
    traits = [f"- **{trait.slot.replace('_', ' ')}**: {trait.text}" for trait in ladder.persona(entity)]
    return "\n\n".join([*blocks, "## Persona", "\n".join(traits) or "No trait yet."])


def placed(page: str, document: str) -> str:
    """The document with the page between its marks."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{page}\n\n{END}{after}"


def titles(entity: Entity) -> str:
    """A table of the scenes: title and number of lines, in slot order."""
    from memory.recall import ladder

    rows = [f"| {scene.title} | {len(_lines(scene))} |" for scene in ladder.scenes(entity)]
    return "\n".join(["| Scene | Lines |", "| --- | --: |", *rows])


def drawn(entity: Entity, count: int, seed: int) -> str:
    """Lines drawn at random of all scenes, each with its scene and section."""
    from memory.recall import ladder

    everything = sorted(
        (scene.title, heading, text) for scene in ladder.scenes(entity) for heading, text in _lines(scene)
    )
    chosen = random.Random(seed).sample(everything, min(count, len(everything)))  # noqa: S311
    return "\n".join(
        f"{number:2}. {title} / {heading}: {text}" for number, (title, heading, text) in enumerate(chosen, 1)
    )


def _scene_blocks(scene: SceneRecord) -> Iterator[str]:
    yield f"## {scene.title}"
    yield f"*{scene.summary}*"
    for section in scene.sections:
        yield f"### {section.heading}"
        yield "\n".join(f"- {line.text}" for line in section.lines)


def _lines(scene: SceneRecord) -> Sequence[tuple[str, str]]:
    return [(section.heading, line.text) for section in scene.sections for line in section.lines]


if __name__ == "__main__":
    main()
