"""Steps of several traces that are the same step: what is common to them, in order, without the details."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from memory.cascade.rules.generalising import MARKED, common_text, without_details
from memory.cascade.rules.particulars import Particulars
from memory.llm.offline.commands import (
    actions_in,
    arguments_of,
    call_text,
    command,
    is_command,
    is_command_line,
    sentence,
)
from memory.llm.offline.confidential import holds_secret
from memory.llm.offline.lexicon import language_of
from memory.llm.offline.procedure_trust import speaks_to_model
from memory.llm.offline.words import content_words, likeness
from memory.skills.contract import OfferedStep, OfferedTrace, StepKind

SAME_STEP = 0.5
SAME_WITH_TOOL = 0.3
SAME_WITH_VERB = 0.3
FEWEST_WORDS = 2
MOST_CITED = 12
MOST_GAPS = 2
FEWEST_BESIDE_GAPS = 3
"""So many words of content more than gaps hold a line that is no command."""
STOPS = ".。"
MOST_COMPARED = 6
"""So many texts of one step tell what it is."""


@dataclass(slots=True)
class Cluster:
    """One step as several traces hold it."""

    steps: list[OfferedStep] = field(default_factory=list)
    places: list[float] = field(default_factory=list)
    """Where it stands in each trace, from 0 to 1."""
    traces: set[str] = field(default_factory=set)

    @property
    def place(self) -> float:
        """Where it usually stands."""
        return sum(self.places) / len(self.places)

    @property
    def sources(self) -> list[str]:
        """Handles of the steps."""
        return [step.handle for step in self.steps[:MOST_CITED]]


def clusters_of(traces: Sequence[OfferedTrace], kind: StepKind) -> list[Cluster]:
    """The steps of a kind, each with those of other traces that are the same, in their usual order."""
    found: list[Cluster] = []
    for trace in traces:
        own = [step for step in trace.steps if step.kind == kind]
        tools = Counter(step.tool_name for step in own)
        for step in own:
            cluster = _nearest(step, [one for one in found if trace.handle not in one.traces], tools)
            if cluster is None:
                cluster = Cluster()
                found.append(cluster)
            cluster.steps.append(step)
            cluster.traces.add(trace.handle)
            cluster.places.append(trace.steps.index(step) / len(trace.steps))
    return sorted(found, key=lambda one: one.place)


def common_clusters(traces: Sequence[OfferedTrace], kind: StepKind) -> list[Cluster]:
    """Those that more than half of the traces hold; where there are none, those that most hold."""
    found = clusters_of(traces, kind)
    most = max((len(one.traces) for one in found), default=0)
    needed = min(most, len(traces) // 2 + 1)
    return [one for one in found if len(one.traces) >= needed]


def _nearest(step: OfferedStep, clusters: Sequence[Cluster], tools: Counter[str]) -> Cluster | None:
    scored = [(_likeness(step, one.steps[0], tools), -place) for place, one in enumerate(clusters)]
    score, place = max(scored, default=(0.0, 0))
    return clusters[-place] if score > 0 else None


def _likeness(step: OfferedStep, other: OfferedStep, tools: Counter[str]) -> float:
    """0 for steps that are not the same."""
    words = likeness(_words_of(step), _words_of(other))
    if step.tool_name and other.tool_name:
        if step.tool_name != other.tool_name:
            return 0.0
        return 1 + words if tools[step.tool_name] == 1 or words >= SAME_WITH_TOOL else 0.0
    is_same_verb = command(step.text).split()[:1] == command(other.text).split()[:1]
    return words if words >= (SAME_WITH_VERB if is_same_verb else SAME_STEP) else 0.0


def _words_of(step: OfferedStep) -> frozenset[str]:
    """What a step is compared by: what was done, without what was seen."""
    is_told = step.kind == "action" and not step.tool_name
    return content_words((actions_in(step.text) if is_told else "") or step.text)


def step_text(cluster: Cluster, particulars: Particulars) -> str:
    """The step as a command without details of single tasks; empty where nothing readable is left."""
    tool = next((step.tool_name for step in cluster.steps if step.tool_name), "")
    calls = [arguments_of(step.text) for step in cluster.steps]
    known = [call for call in calls if call is not None]
    if tool and len(known) == len(calls):
        text = call_text(tool, known)
        is_plain = not (particulars.find(text) or holds_secret(text) or speaks_to_model(text))
        return text if is_plain else call_text(tool, known, has_values=False)
    if tool and all(step.text.strip() == tool for step in cluster.steps):
        return f"Call `{tool}`."
    texts = [step.text for step in cluster.steps]
    if tool and all(map(is_command_line, texts)):
        return _command_line_text(tool, texts, particulars)
    text = plain_text(texts, particulars)
    if not text:
        return f"Call `{tool}`." if tool else ""
    return text if not tool or tool in text else f"{text.rstrip(STOPS)} (`{tool}`)."


def _command_line_text(tool: str, texts: Sequence[str], particulars: Particulars) -> str:
    bare = common_text([without_details(text, details_in(text, particulars)) for text in texts])
    return f"Run `{bare}` (`{tool}`)." if bare and not details_in(bare, particulars) else f"Call `{tool}`."


def plain_text(texts: Sequence[str], particulars: Particulars, *, is_action: bool = True) -> str:
    """What some texts have in common without details; empty where only gaps would be left."""
    different = list(dict.fromkeys(texts))[:MOST_COMPARED]
    told = [actions_in(text) if is_action else sentence(text) for text in different]
    bare = [without_details(text, details_in(text, particulars)) for text in told]
    common = common_text([text for text in bare if text] or [""])
    common = without_details(common, details_in(common, particulars))
    return "" if _is_mostly_gaps(common) else sentence(common)


def _is_mostly_gaps(text: str) -> bool:
    """Whether what is left of a text says too little."""
    left, gaps = text.replace(MARKED, ""), text.count(MARKED)
    words = content_words(left)
    if not words or gaps > MOST_GAPS:
        return True
    if not gaps:
        return False
    # A command is told by its verb in English alone.
    is_told = is_command(text) or language_of(left) != "en" or len(words) >= FEWEST_BESIDE_GAPS + gaps
    return len(left.split()) < FEWEST_WORDS or len(words) < gaps or not is_told


def details_in(text: str, particulars: Particulars) -> list[str]:
    """What of a text belongs to one task alone."""
    return [found.text for found in particulars.find(text)]


def is_said(text: str, standing: Collection[str], *, share: float) -> bool:
    """Whether one of some lines says it already."""
    words = content_words(text)
    return any(likeness(words, content_words(line)) >= share for line in standing)
