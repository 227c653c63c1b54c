"""Designs: named, versioned sets of prompts, limits and floors, loaded as strict data.

A prompt that names a variable which is not given, or is given one that it does not name, fails when it is
rendered: a half-filled prompt never reaches a model.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path
from string import Template

from pydantic import BaseModel, ConfigDict, Field

FOLDER = Path(__file__).parent
SHIPPED = "agent_memory@0.3.0"


class UnknownDesignError(LookupError):
    """No design of that name is shipped."""


class PromptError(ValueError):
    """A prompt and the values given to it do not fit."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(_Strict):
    """How much a step reads and writes at once."""

    batch_messages: int = Field(ge=1, le=100)
    batch_characters: int = Field(ge=1_000)
    piece_characters: int = Field(ge=500)
    piece_overlap: int = Field(ge=0)
    context_messages: int = Field(ge=0, le=20)
    candidates_per_message: int = Field(ge=0)
    candidates: int = Field(ge=0)
    scene_batch_atoms: int = Field(ge=1)
    full_scenes: int = Field(ge=1, le=5)
    scene_target_characters: int = Field(ge=200)
    scene_hard_characters: int = Field(ge=500)
    scene_cap: int = Field(ge=1, le=15)
    persona_scenes: int = Field(ge=1, le=15)


class Floors(_Strict):
    """Priorities from which something holds."""

    rules: int = Field(ge=0, le=100)


class Budgets(_Strict):
    """Tokens that each block of a context may take; 0 leaves the block out."""

    persona: int = Field(ge=0)
    rules: int = Field(ge=0)
    scenes: int = Field(ge=0)
    memory: int = Field(ge=0)
    procedure: int = Field(ge=0)
    request: int = Field(ge=0)


class Prompt(_Strict):
    """One step's words for a language model."""

    system: str
    user: str

    def render(self, values: dict[str, str]) -> tuple[str, str]:
        """System and user text; PromptError when a variable is missing or not used."""
        named = {name for text in (self.system, self.user) for name in Template(text).get_identifiers()}
        if named != set(values):
            raise PromptError(f"Prompt names {sorted(named)}, given {sorted(values)}.")
        return Template(self.system).substitute(values), Template(self.user).substitute(values)


class Design(_Strict):
    """Everything about the cascade and about contexts that is data."""

    name: str
    version: str
    description: str
    instruction: str = ""
    """Added to every prompt."""
    correction: str
    """Asks once more for the items that were refused; names `$refusals`."""
    stricter: str
    """Added after an answer that could not be read."""
    example_markers: tuple[str, ...]
    """Made-up names of the prompts' examples: an answer that holds one echoes the prompt."""
    limits: Limits
    floors: Floors
    budgets: Budgets
    prompts: dict[str, Prompt]

    @property
    def full_name(self) -> str:
        """`name@version`, as workspaces and runs name it."""
        return f"{self.name}@{self.version}"

    def prompt_hash(self, task: str) -> str:
        """Digest of a step's prompt and what is added to it."""
        prompt = self.prompts[task]
        words = "\x1f".join((prompt.system, prompt.user, self.instruction, self.correction, self.stricter))
        return hashlib.sha256(words.encode()).hexdigest()


@cache
def load_design(full_name: str = SHIPPED) -> Design:
    """Read a shipped design by `name@version`; UnknownDesignError lists what there is."""
    folder = FOLDER / full_name.replace("@", "_").replace(".", "_")
    if not (folder / "design.toml").is_file():
        known = ", ".join(sorted(path.parent.name for path in FOLDER.glob("*/design.toml")))
        raise UnknownDesignError(f"There is no design {full_name}; shipped: {known}.")
    data = tomllib.loads((folder / "design.toml").read_text(encoding="utf-8"))
    return Design.model_validate({**data, "prompts": _read_prompts(folder / "prompts")})


def _read_prompts(folder: Path) -> dict[str, dict[str, str]]:
    prompts: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*.md")):
        task, part = path.stem.split(".")
        prompts.setdefault(task, {})[part] = path.read_text(encoding="utf-8").strip()
    return prompts
