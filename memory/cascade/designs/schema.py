"""What a design is: strict data, and the rules that one design alone can break."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from string import Template
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

RULE_TEXT_LIMIT = 500
LEAST_RULES_BUDGET = 80
"""Fewer tokens leave no place to say how many rules do not fit; 0 leaves the block out."""

VARIABLES: Mapping[str, frozenset[str]] = {
    "l1_extract": frozenset({"entity", "time_zone", "topics", "atoms", "context", "messages", "instruction"}),
    "scene_synthesis": frozenset(
        {"entity", "time_zone", "scene_cap", "target", "atoms", "scenes", "instruction"}
    ),
    "persona": frozenset({"entity", "time_zone", "traits", "scenes", "instruction"}),
    "compaction": frozenset(
        {"entity", "time_zone", "session", "action", "limit", "summary", "turns", "instruction"}
    ),
    "skill_extract": frozenset(
        {"entity", "time_zone", "procedure", "rejections", "traces", "feedback", "instruction"}
    ),
    "answer": frozenset({"entity", "time_zone", "evidence", "question", "instruction"}),
}
"""What each prompt is given, and has to name: system and user part together."""


Cut = Callable[[str], Collection[str]]
"""Cuts a text into its terms."""


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
    scene_shown_characters: int = Field(default=2_400, ge=500)
    """So much of a scene's lines is shown to a step, those first that concern what is new."""
    scene_cap: int = Field(ge=1, le=15)
    persona_scenes: int = Field(ge=1, le=15)
    fold_turns: int = Field(ge=1, le=500)
    """Turns of a session that one summary or brief is made from, beside the summary before."""
    fold_characters: int = Field(ge=1_000)
    turn_characters: int = Field(ge=200)
    """So much of a turn is shown to it."""
    summary_characters: int = Field(ge=200, le=4_000)
    brief_characters: int = Field(ge=100, le=600)
    skill_inputs: int = Field(default=8, ge=1, le=50)
    """Traces and feedback that one run of skill_extract takes in."""
    skill_traces: int = Field(default=12, ge=1, le=50)
    """Traces that one draft is made from; what waits is always among them."""
    trace_steps: int = Field(default=60, ge=4, le=200)
    """Steps of a trace that are shown; a longer one is shown without its middle."""
    skill_characters: int = Field(default=24_000, ge=1_000)

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.piece_overlap >= self.piece_characters:
            raise ValueError("piece_overlap has to be smaller than piece_characters")
        if self.scene_target_characters > self.scene_hard_characters:
            raise ValueError("scene_target_characters has to be at most scene_hard_characters")
        return self


class Floors(_Strict):
    """Priorities from which something holds."""

    rules: int = Field(ge=0, le=100)


class Budgets(_Strict):
    """Tokens that each block of a context may take; 0 leaves the block out."""

    persona: int = Field(ge=0)
    rules: int = Field(ge=0)
    scenes: int = Field(ge=0)
    memory: int = Field(ge=0)
    shared: int = Field(default=800, ge=0)
    """What other entities let this one read; taken only where that was asked for."""
    procedure: int = Field(ge=0)
    request: int = Field(ge=0)

    @model_validator(mode="after")
    def _have_place_for_a_notice(self) -> Self:
        if 0 < self.rules < LEAST_RULES_BUDGET:
            raise ValueError(f"rules has to be 0, or {LEAST_RULES_BUDGET} and more")
        return self


Weight = Annotated[float, Field(ge=-100, le=100, allow_inf_nan=False)]


class Weights(_Strict):
    """What each term of a score counts for in recall; see `memory.recall.fusion`."""

    words: Weight
    """BM25 of the unit's words, standardised over its layer."""
    meaning: Weight
    """Cosine of the vectors, standardised by the space's own mean and spread."""
    turn_after: Weight
    second_turn_after: Weight
    turn_before: Weight
    """Words of the neighbours in a session."""
    meaning_before: Weight
    meaning_after: Weight
    """... and their meaning."""
    session: Weight
    """How much the session as a whole speaks of it: mean of its best five turns."""
    topic: Weight
    """How much what was found of a claim's topic speaks of it."""
    related: Weight = 0.5
    """The second look: for each of topic, person, time that a unit found by no arm shares with the best."""
    named_speaker: Weight
    """The query names one person, and this person speaks, or is spoken of."""
    question: Weight
    """A question asks; the turn that answers says more."""
    substance: Weight
    """Longer statements say more: logarithm of the own length."""


class Priority(_Strict):
    """Bounds for the priority of claims of some kinds, topics or words, whichever model gave it.

    A bound rather than an addition: applied to its own result it changes nothing, so a model that repeats
    the priority of a claim it was shown cannot drive it up.
    """

    name: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    """Says in the run why a priority was changed."""
    kinds: tuple[Literal["persona", "episodic", "instruction"], ...] = ()
    topics: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Words or phrases of the claim, in any of their forms; one is enough."""
    at_least: int | None = Field(default=None, ge=0, le=100)
    at_most: int | None = Field(default=None, ge=0, le=100)

    @model_validator(mode="after")
    def _say_something(self) -> Self:
        if not (self.kinds or self.topics or self.words):
            raise ValueError("kinds, topics or words have to say which claims it is about")
        if self.at_least is None and self.at_most is None:
            raise ValueError("at_least or at_most has to be given")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("at_least has to be smaller than at_most")
        return self

    def bounded(self, priority: int) -> int:
        """The priority within the bounds."""
        raised = priority if self.at_least is None else max(priority, self.at_least)
        return raised if self.at_most is None else min(raised, self.at_most)


class StandingRule(_Strict):
    """A rule that every agent under the design is told, beside what its user said."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=RULE_TEXT_LIMIT, strip_whitespace=True)]
    priority: int = Field(default=90, ge=0, le=100)


class Prompt(_Strict):
    """One step's words for a language model."""

    system: Annotated[str, StringConstraints(min_length=1)]
    user: Annotated[str, StringConstraints(min_length=1)]

    def render(self, values: Mapping[str, str]) -> tuple[str, str]:
        """System and user text; PromptError when a variable is missing or not used."""
        if self.variables != set(values):
            raise PromptError(f"Prompt names {sorted(self.variables)}, given {sorted(values)}.")
        return Template(self.system).substitute(values), Template(self.user).substitute(values)

    @property
    def variables(self) -> set[str]:
        """Every variable that one of its parts names."""
        return {name for text in (self.system, self.user) for name in Template(text).get_identifiers()}


class Design(_Strict):
    """Everything about the cascade and about contexts that is data."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    version: Annotated[str, StringConstraints(pattern=r"^\d{1,5}\.\d{1,5}\.\d{1,5}$")]
    description: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    instruction: str = ""
    """Added to every prompt: language models read it, the offline model reads no prompt."""
    correction: str
    """Asks once more for the items that were refused; names `$refusals`."""
    stricter: str
    """Added after an answer that could not be read."""
    example_markers: tuple[Annotated[str, StringConstraints(min_length=3)], ...]
    """Made-up names of the prompts' examples: an answer that holds one echoes the prompt."""
    limits: Limits
    floors: Floors
    budgets: Budgets
    weights: Weights
    priorities: tuple[Priority, ...] = ()
    """Applied in this order to every claim that a model gives."""
    rules: tuple[StandingRule, ...] = ()
    """Shown among the standing rules of every context, marked as the design's."""
    prompts: dict[str, Prompt]

    @property
    def full_name(self) -> str:
        """`name@version`, as workspaces and runs name it."""
        return f"{self.name}@{self.version}"

    @property
    def content(self) -> dict[str, object]:
        """All of it as JSON data, from which the same design can be read again."""
        # Without what has its default: a field that a later release adds does not change older digests.
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def digest(self) -> str:
        """SHA-256 of the content, whatever files it came from."""
        words = json.dumps(self.content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(words.encode()).hexdigest()

    def prompt_hash(self, task: str) -> str:
        """Digest of a step's prompt and what is added to it."""
        prompt = self.prompts[task]
        words = "\x1f".join((prompt.system, prompt.user, self.instruction, self.correction, self.stricter))
        return hashlib.sha256(words.encode()).hexdigest()

    def priority_of(
        self, priority: int, *, kind: str, topic: Collection[str], words: Collection[str], cut: Cut
    ) -> tuple[int, tuple[str, ...]]:
        """The priority within the bounds that hold for a claim, and the names of those that changed it.

        `topic` and `words` are the claim's terms; `cut` turns a word of the design into terms the same way.
        """
        changed: list[str] = []
        for rule in self.priorities:
            if not _concerns(rule, kind, topic, words, cut):
                continue
            bounded = rule.bounded(priority)
            if bounded != priority:
                priority = bounded
                changed.append(rule.name)
        return priority, tuple(changed)


def _concerns(rule: Priority, kind: str, topic: Collection[str], words: Collection[str], cut: Cut) -> bool:
    """Whether all that a rule looks at fits: one kind, one topic and one of its words."""
    return (
        (not rule.kinds or kind in rule.kinds)
        and (not rule.topics or any(_holds(topic, cut(named)) for named in rule.topics))
        and (not rule.words or any(_holds(words, cut(named)) for named in rule.words))
    )


def _holds(terms: Collection[str], wanted: Collection[str]) -> bool:
    return bool(wanted) and set(wanted) <= set(terms)
