"""Reading a design from a folder: `design.toml` and `prompts/STEP.system.md`, `prompts/STEP.user.md`.

A folder that cannot be a design is refused whole, with the file, the key and the reason of each problem.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from memory.cascade.designs.schema import VARIABLES, Design, Prompt

MAIN_FILE = "design.toml"
MOST_CHARACTERS = 400_000
MERGED_TABLES = ("limits", "floors", "budgets", "weights")
PARTS = ("system", "user")
KNOWN_FILES = frozenset(f"{task}.{part}.md" for task in VARIABLES for part in PARTS)

Base = Callable[[str], Design]
"""Finds the design that another one extends."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong: in which file, under which key (empty: the whole file), and why."""

    file: str
    key: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}, {self.key}" if self.key else self.file
        return f"{place}: {self.reason}"


class BadDesignError(ValueError):
    """A folder is no design; nothing of it is used."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def read_folder(folder: Path, base: Base) -> Design:
    """The design in a folder; BadDesignError says all that is wrong with it."""
    files = {MAIN_FILE: _text(folder, MAIN_FILE)}
    for path in sorted((folder / "prompts").glob("*.md")):
        files[f"prompts/{path.name}"] = _text(folder, f"prompts/{path.name}")
    return read_files(files, base)


def read_files(files: Mapping[str, str], base: Base) -> Design:
    """The same from texts by their paths within the folder."""
    if sum(map(len, files.values())) > MOST_CHARACTERS:
        raise BadDesignError(Problem(MAIN_FILE, "", f"the files have more than {MOST_CHARACTERS} characters"))
    try:
        told = tomllib.loads(files[MAIN_FILE])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadDesignError(Problem(MAIN_FILE, "", f"is no TOML: {error}")) from error
    data = _merged(told, _prompts(files), base)
    try:
        # As JSON: strict about types, while lists may stand for tuples and whole numbers for others.
        design = Design.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        raise BadDesignError(*map(_problem, error.errors(include_url=False))) from error
    if problems := [*_unstorable(design), *_unfit_prompts(design), *_unfit_correction(design)]:
        raise BadDesignError(*problems)
    return design


def _text(folder: Path, name: str) -> str:
    if not (folder / name).resolve().is_relative_to(folder.resolve()):
        raise BadDesignError(Problem(name, "", "leads out of the folder"))
    try:
        with (folder / name).open(encoding="utf-8") as file:
            # One more than all files may hold together: a larger one is told, not read.
            return file.read(MOST_CHARACTERS + 1)
    except UnicodeDecodeError as error:
        raise BadDesignError(Problem(name, "", "is not UTF-8")) from error
    except OSError as error:
        raise BadDesignError(Problem(name, "", f"cannot be read: {error.strerror}")) from error


def _prompts(files: Mapping[str, str]) -> dict[str, dict[str, str]]:
    prompts: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        if folder != "prompts":
            continue
        if name not in KNOWN_FILES:
            known = ", ".join(sorted(KNOWN_FILES))
            raise BadDesignError(Problem(path, "", f"belongs to no step; there are {known}"))
        task, part, _ = name.split(".")
        prompts.setdefault(task, {})[part] = text.strip()
    return prompts


def _merged(told: dict[str, Any], prompts: dict[str, dict[str, str]], base: Base) -> dict[str, Any]:
    """What is told, over what the design extends: tables by key, prompts by file, all else whole."""
    told = dict(told)
    if "prompts" in told:
        raise BadDesignError(Problem(MAIN_FILE, "prompts", "stand in files of their own under prompts/"))
    extended = told.pop("extends", None)
    if extended is None:
        return {**told, "prompts": prompts}
    try:
        below = base(str(extended)).content
    except LookupError as error:
        raise BadDesignError(Problem(MAIN_FILE, "extends", str(error))) from error
    own_names = {key: value for key, value in below.items() if key not in ("name", "version", "description")}
    merged = {**own_names, **told}
    for table in MERGED_TABLES:
        merged[table] = _over(below[table], told.get(table, {}))
    below_prompts: Any = below["prompts"]
    merged["prompts"] = {
        task: {**below_prompts.get(task, {}), **prompts.get(task, {})} for task in {*below_prompts, *prompts}
    }
    return merged


def _over(below: Any, told: Any) -> Any:
    return {**below, **told} if isinstance(told, dict) else told


def _problem(error: ErrorDetails) -> Problem:
    place = [str(part) for part in error["loc"]]
    reason = error["msg"].removeprefix("Value error, ").replace("Input should ", "has to ")
    reason = "is not known here" if error["type"] == "extra_forbidden" else reason
    reason = "is missing" if error["type"] == "missing" else reason
    if place[:1] == ["prompts"] and len(place) > 1:
        return Problem(f"prompts/{'.'.join(place[1:])}.md", "", reason[:1].lower() + reason[1:])
    return Problem(MAIN_FILE, ".".join(place), reason[:1].lower() + reason[1:])


def _unstorable(design: Design) -> list[Problem]:
    """The database stores no NUL signs."""
    held = [key for key, value in design.content.items() if _has_nul(value)]
    return [Problem(MAIN_FILE, key, "holds a NUL sign") for key in held]


def _has_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_nul, value.values()))
    return any(map(_has_nul, value)) if isinstance(value, list) else isinstance(value, str) and "\0" in value


def _unfit_prompts(design: Design) -> list[Problem]:
    missing = [
        Problem(f"prompts/{task}.{part}.md", "", "is missing")
        for task in VARIABLES
        if task not in design.prompts
        for part in PARTS
    ]
    return [*missing, *(found for task, prompt in design.prompts.items() for found in _unfit(task, prompt))]


def _unfit(task: str, prompt: Prompt) -> list[Problem]:
    """Placeholders that nothing fills, and values that no placeholder shows."""
    problems = []
    for part in PARTS:
        file, template = f"prompts/{task}.{part}.md", Template(getattr(prompt, part))
        if not template.is_valid():
            problems.append(
                Problem(file, "", "holds a $ that names no variable; write $$ for the sign itself")
            )
            continue
        for name in sorted(set(template.get_identifiers()) - VARIABLES[task]):
            known = ", ".join(sorted(VARIABLES[task]))
            problems.append(Problem(file, f"${name}", f"is not given to this prompt; there are {known}"))
    for name in sorted(VARIABLES[task] - prompt.variables):
        problems.append(
            Problem(f"prompts/{task}.user.md", f"${name}", "is named by neither part of the prompt")
        )
    return problems


def _unfit_correction(design: Design) -> list[Problem]:
    template = Template(design.correction)
    if template.is_valid() and template.get_identifiers() == ["refusals"]:
        return []
    return [Problem(MAIN_FILE, "correction", "has to name $refusals and nothing else")]
