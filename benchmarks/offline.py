"""`python -m benchmarks.offline FILE`: what the offline model keeps of conversations.

Imports a LoCoMo file with reference observations, runs the first step in this process, and tells for each
conversation the share of the turns cited by an observation that an atom cites too, beside the longest turns,
as many; how much of the atoms is copied; what the step refused; and every name, number or date of an atom
without evidence, of which there should be none. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.installation import installation, note
from benchmarks.offline_grounding import Said, unfounded

if TYPE_CHECKING:
    from memory.models import Atom, Entity, Message

LONGEST_WAIT_SECONDS = 600.0
ALMOST_WHOLE = 0.95
WORD = re.compile(r"[^\W_]+")
# Words that change when somebody else tells the same.
PERSONS = frozenset(
    "i me my mine myself we us our ours ourselves they them their themselves "  # noqa: SIM905 - a list of words
    "am is are was were has have s m ve re".split()
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the file: its own id, who said it, and its words."""

    id: str
    speaker: str
    text: str


def main() -> None:
    """Import, extract, compare, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.offline", description=__doc__)
    parser.add_argument("file", type=Path, help="a LoCoMo file with observations")
    parser.add_argument("--json", action="store_true", help="the last line alone")
    options = parser.parse_args()
    if not options.file.is_file():
        parser.error(f"{options.file} is no file")
    references = dict(read_references(options.file))
    if not references:
        parser.error(f"{options.file} holds no observations")
    with installation():
        told = measure(options.file, references)
    if not options.json:
        _print(told)
    print(json.dumps(told))
    if told["unfounded"]:
        raise SystemExit(1)


def read_references(file: Path) -> Iterator[tuple[str, frozenset[str]]]:
    """Each conversation's name, and the ids of the turns that its observations cite."""
    for conversation in json.loads(file.read_text(encoding="utf-8")):
        cited = re.findall(r"D\d+:\d+", json.dumps(conversation.get("observation", {})))
        if cited:
            yield str(conversation["sample_id"]), frozenset(cited)


def measure(file: Path, references: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Figures of every conversation, and over all of them."""
    from memory.ingest.entities import find_entity
    from memory.ingest.importing import import_file
    from memory.ingest.workspaces import create_workspace

    workspace = create_workspace(name="offline").workspace
    import_file(workspace=workspace, path=file.resolve())
    found = {}
    for name, cited in references.items():
        entity = find_entity(workspace=workspace, name=name)
        if entity is None:
            raise SystemExit(f"{name} was not imported from {file}.")
        seconds = _extract(entity)
        note(f"{name}: {seconds:.1f} s")
        found[name] = figures(entity, cited) | {"seconds": round(seconds, 1)}
    return {"benchmark": "offline", **_over_all(list(found.values())), "conversations": found}


def _extract(entity: Entity) -> float:
    from memory.cascade import work
    from memory.cascade.engine import drain
    from memory.models import Step

    began = time.perf_counter()
    work.flush(entity)
    drain(entity_id=entity.pk, step=Step.L1_EXTRACT, seconds=LONGEST_WAIT_SECONDS)
    return time.perf_counter() - began


def figures(entity: Entity, observed: frozenset[str]) -> dict[str, Any]:
    """What one conversation's atoms cite, copy and make up."""
    from memory.models import Atom, Message

    messages = {message.pk: message for message in Message.objects.for_entity(entity)}
    turns = {
        pk: Turn(message.metadata["dia_id"], message.speaker, message.text)
        for pk, message in messages.items()
    }
    observed = observed & {turn.id for turn in turns.values()}
    atoms = list(Atom.objects.for_entity(entity).prefetch_related("evidence"))
    cited = {turns[row.message_id].id for atom in atoms for row in atom.evidence.all() if row.message_id}
    told = [(atom, [messages[row.message_id] for row in _sources(atom)]) for atom in atoms]
    return {
        "turns": len(turns),
        "observed_turns": len(observed),
        "atoms": len(atoms),
        "cited_turns": len(cited),
        "observed_and_cited": len(observed & cited),
        "longest_as_many_as_atoms": len(observed & _longest(turns.values(), len(atoms))),
        "longest_as_many_as_cited": len(observed & _longest(turns.values(), len(cited))),
        "word_for_word": sum(_is_copy(atom.text, said) for atom, said in told),
        "almost_whole": sum(_is_almost_whole(atom.text, said) for atom, said in told),
        "refused": _refused(entity),
        "unfounded": [line for atom, said in told for line in _unfounded(atom, said, entity)],
    }


def _refused(entity: Entity) -> list[str]:
    """Claims of the model that the step itself did not let in, with its reasons."""
    from memory.models import Run

    runs = Run.objects.filter(entity=entity).values_list("decisions", flat=True)
    refused = [word for words in runs for word in words if word.get("outcome") in {"sent back", "dropped"}]
    return [str(word.get("reason", "")) for word in refused]


def _sources(atom: Atom) -> list[Any]:
    return [row for row in atom.evidence.all() if row.message_id and row.role == row.Role.SOURCE]


def _longest(turns: Any, count: int) -> set[str]:
    """The baseline: so many turns with the most characters."""
    return {turn.id for turn in sorted(turns, key=lambda turn: (-len(turn.text), turn.id))[:count]}


def _is_copy(text: str, said: Sequence[Message]) -> bool:
    return any(WORD.findall(text.casefold()) == WORD.findall(message.text.casefold()) for message in said)


def _is_almost_whole(text: str, said: Sequence[Message]) -> bool:
    """Whether a turn stands in the atom but for persons and their verbs, greetings and questions included."""
    own = _content(text)
    return any(
        len(_content(message.text) & own) >= ALMOST_WHOLE * len(_content(message.text))
        for message in said[-1:]
        if _content(message.text)
    )


def _content(text: str) -> set[str]:
    return {word.rstrip("s") for word in WORD.findall(text.casefold()) if word not in PERSONS}


def _unfounded(atom: Atom, said: Sequence[Message], entity: Entity) -> Iterator[str]:
    if not said or said[-1].occurred_at is None:
        return
    words = " ".join(f"{message.text} {message.attachment_text}" for message in said)
    day = said[-1].occurred_at.astimezone(entity.zone).date()
    found = unfounded(atom.text, Said(words, tuple(message.speaker for message in said), day))
    if found:
        yield f"{atom.text} [{', '.join(found)}]"


def _over_all(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counted = {
        name: sum(figures[name] for figures in found)
        for name in found[0]
        if name not in {"refused", "unfounded", "seconds"}
    }
    observed, atoms = counted["observed_turns"], max(counted["atoms"], 1)
    coverage = 100 * counted["observed_and_cited"] / observed
    baseline = 100 * counted["longest_as_many_as_atoms"] / observed
    return counted | {
        "coverage": round(coverage, 1),
        "coverage_of_longest_as_many_as_atoms": round(baseline, 1),
        "coverage_of_longest_as_many_as_cited": round(
            100 * counted["longest_as_many_as_cited"] / observed, 1
        ),
        "points_above_longest": round(coverage - baseline, 1),
        "atoms_per_turn": round(atoms / counted["turns"], 3),
        "share_word_for_word": round(100 * counted["word_for_word"] / atoms, 1),
        "share_almost_whole": round(100 * counted["almost_whole"] / atoms, 1),
        "refused": [line for figures in found for line in figures["refused"]],
        "unfounded": [line for figures in found for line in figures["unfounded"]],
    }


def _print(told: Mapping[str, Any]) -> None:
    for name, found in told["conversations"].items():
        share = 100 * found["observed_and_cited"] / found["observed_turns"]
        longest = 100 * found["longest_as_many_as_atoms"] / found["observed_turns"]
        print(
            f"{name}: {share:.1f} % of {found['observed_turns']} observed turns cited, "
            f"longest turns {longest:.1f} %, {found['atoms'] / found['turns']:.2f} atoms a turn, "
            f"{found['seconds']} s"
        )
    for name, value in told.items():
        if name not in {"conversations", "refused", "unfounded"}:
            print(f"{name}: {value}")
    for kind in ("refused", "unfounded"):
        for line in told[kind]:
            print(f"{kind}: {line}")


if __name__ == "__main__":
    main()
