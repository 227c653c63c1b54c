"""A folder is a whole design or none: what is wrong is told with its file and key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from memory.cascade.designs import FOLDER, BadDesignError, Design, load_design, read_folder
from memory.cascade.designs.finding import shipped_design
from memory.cascade.designs.package import read_files

HEAD = 'extends = "agent_memory@0.3.0"\nname = "tried"\nversion = "1.0.0"\ndescription = "Tried."\n'


def read(toml: str = "", **prompts: str) -> Design:
    files = {"design.toml": HEAD + toml}
    files |= {f"prompts/{name.replace('__', '.')}.md": text for name, text in prompts.items()}
    return read_files(files, shipped_design)


def problems(files: Mapping[str, str]) -> list[str]:
    with pytest.raises(BadDesignError) as refused:
        read_files(files, shipped_design)
    return [str(problem) for problem in refused.value.problems]


def test_the_shipped_design_is_read_from_its_folder() -> None:
    shipped = read_folder(FOLDER / "agent_memory_0_3_0", shipped_design)
    assert shipped == load_design()
    assert shipped.digest == load_design().digest


def test_a_design_that_extends_another_says_only_what_differs() -> None:
    shipped, design = load_design(), read("[budgets]\nrules = 900\n", persona__system="Keep traits.")
    assert design.full_name == "tried@1.0.0"
    assert design.budgets == shipped.budgets.model_copy(update={"rules": 900})
    assert design.prompts["persona"].system == "Keep traits."
    assert design.prompts["persona"].user == shipped.prompts["persona"].user
    assert (design.limits, design.weights, design.floors) == (shipped.limits, shipped.weights, shipped.floors)


def test_the_content_of_a_design_is_the_whole_of_it() -> None:
    design = read('[[rules]]\ntext = "Ask first."\n[[priorities]]\nname = "x"\nwords = ["y"]\nat_least = 3\n')
    again = Design.model_validate(design.content)
    assert (again, again.digest) == (design, design.digest)
    assert design.digest != read().digest != load_design().digest


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ("[limits]\nscene_cap = 16", "design.toml, limits.scene_cap: has to be less than or equal to 15"),
        ("[limits]\nscene_cap = '9'", "design.toml, limits.scene_cap: has to be a valid integer"),
        ("[limits]\nscene_cap = true", "design.toml, limits.scene_cap: has to be a valid integer"),
        ("[limits]\ncolour = 1", "design.toml, limits.colour: is not known here"),
        ("[weights]\nwords = inf", "design.toml, weights.words: has to be a finite number"),
        ("[budgets]\nrules = 20", "design.toml, budgets: rules has to be 0, or 80 and more"),
        ("budgets = 3", "design.toml, budgets: has to be an object"),
        ("colour = 'red'", "design.toml, colour: is not known here"),
        (
            "[prompts.persona]\nsystem = 'x'",
            "design.toml, prompts: stand in files of their own under prompts/",
        ),
        ("correction = 'Once more.'", "design.toml, correction: has to name $refusals and nothing else"),
        ("[[rules]]\ntext = ''", "design.toml, rules.0.text: string should have at least 1 character"),
        (
            "[[priorities]]\nname = 'x'\nat_least = 3",
            "design.toml, priorities.0: kinds, topics or words have to say which claims it is about",
        ),
        (
            "[[priorities]]\nname = 'x'\nwords = ['y']",
            "design.toml, priorities.0: at_least or at_most has to be given",
        ),
        (
            "[[priorities]]\nname = 'x'\nwords = ['y']\nat_least = 9\nat_most = 3",
            "design.toml, priorities.0: at_least has to be smaller than at_most",
        ),
        (
            "[limits]\npiece_overlap = 8000",
            "design.toml, limits: piece_overlap has to be smaller than piece_characters",
        ),
    ],
)
def test_a_wrong_value_is_told_with_its_key(toml: str, problem: str) -> None:
    found = problems({"design.toml": HEAD + toml})
    assert len(found) == 1
    assert found[0].startswith(problem)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            {"prompts/persona.user.md": "For $entity."},
            "prompts/persona.user.md, $instruction: is named by neither",
        ),
        (
            {"prompts/persona.system.md": "Of $colour."},
            "prompts/persona.system.md, $colour: is not given to this prompt; there are entity,",
        ),
        ({"prompts/persona.system.md": "It costs $5."}, "prompts/persona.system.md: holds a $ that names no"),
        ({"prompts/dream.system.md": "Dream."}, "prompts/dream.system.md: belongs to no step"),
        ({"prompts/persona.system.md": "  "}, "prompts/persona.system.md: string should have at least 1"),
    ],
)
def test_a_wrong_prompt_is_told_with_its_file(files: dict[str, str], problem: str) -> None:
    assert problems({"design.toml": HEAD, **files})[0].startswith(problem)


def test_a_design_alone_needs_everything() -> None:
    alone = 'name = "tried"\nversion = "1.0.0"\ndescription = "Tried."\n'
    found = problems({"design.toml": alone})
    assert {"design.toml, limits: is missing", "design.toml, weights: is missing"} <= set(found)
    shipped = (FOLDER / "agent_memory_0_3_0" / "design.toml").read_text()
    assert problems({"design.toml": shipped}) == [
        f"prompts/{task}.{part}.md: is missing"
        for task in ("l1_extract", "scene_synthesis", "persona", "compaction", "skill_extract", "answer")
        for part in ("system", "user")
    ]


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ("name = ", "design.toml: is no TOML"),
        (
            'extends = "other@1.0.0"',
            "design.toml, extends: other@1.0.0 is not shipped; a design extends one of",
        ),
        (HEAD.replace("tried", "Tried Ones"), "design.toml, name: "),
        (HEAD.replace("1.0.0", "1.0"), "design.toml, version: "),
        (f"{HEAD}\nmore = {'[' * 2000}{']' * 2000}", "design.toml: is no TOML: "),
        (f'{HEAD}\ninstruction = "a\\u0000b"', "design.toml, instruction: holds a NUL sign"),
    ],
)
def test_a_file_that_cannot_be_a_design_is_told(toml: str, problem: str) -> None:
    assert problems({"design.toml": toml})[0].startswith(problem)


def test_a_folder_without_a_design_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadDesignError, match=r"design.toml: cannot be read: No such file"):
        read_folder(tmp_path, shipped_design)
    (tmp_path / "design.toml").write_bytes(b"\xff")
    with pytest.raises(BadDesignError, match=r"design.toml: is not UTF-8"):
        read_folder(tmp_path, shipped_design)


def test_a_file_too_large_or_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    folder, outside = tmp_path / "design", tmp_path / "outside.toml"
    folder.mkdir()
    outside.write_text(HEAD)
    (folder / "design.toml").symlink_to(outside)
    with pytest.raises(BadDesignError, match=r"design.toml: leads out of the folder"):
        read_folder(folder, shipped_design)
    (folder / "design.toml").unlink()
    with (folder / "design.toml").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(BadDesignError, match=r"more than 400000 characters"):
        read_folder(folder, shipped_design)


def priority(
    design: Design, text: str, given: int = 50, kind: str = "episodic", topic: str = ""
) -> tuple[int, ...]:
    from memory.recall.terms import terms_of

    bounded, names = design.priority_of(
        given, kind=kind, topic=terms_of(topic), words=terms_of(text), cut=terms_of
    )
    return (bounded, *map(int, names))


BOUNDS = """
[[priorities]]
name = "1"
words = ["invoice", "late fee"]
at_least = 80
[[priorities]]
name = "2"
kinds = ["persona"]
topics = ["food"]
at_most = 20
[[priorities]]
name = "3"
kinds = ["instruction"]
at_least = 60
at_most = 90
"""


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("Two invoices are open.", {}, (80, 1)),
        ("Two invoices are open.", {"given": 95}, (95,)),
        ("A fee is due late.", {}, (80, 1)),
        ("A fee is due.", {}, (50,)),
        ("Likes soup.", {"kind": "persona", "topic": "Food and drink"}, (20, 2)),
        ("Likes soup.", {"kind": "persona", "topic": "music"}, (50,)),
        ("Likes soup.", {"kind": "episodic", "topic": "food"}, (50,)),
        ("Never lie.", {"kind": "instruction", "given": 99}, (90, 3)),
        ("Never send an invoice.", {"kind": "instruction", "given": 10}, (80, 1)),
    ],
)
def test_priorities_are_bounded_by_kind_topic_and_words(
    text: str, values: dict[str, object], expected: tuple[int, ...]
) -> None:
    assert priority(read(BOUNDS), text, **values) == expected  # type: ignore[arg-type]
    # Bounds, not additions: what is within them stays.
    assert priority(read(BOUNDS), text, **{**values, "given": expected[0]}) == expected[:1]  # type: ignore[arg-type]
