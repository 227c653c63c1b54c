"""Under which heading an operation stands: by the first part of its address."""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, str] = {
    "Service": "Whether the product answers, and what it is set up with.",
    "Records": "Words in, and everything that is stored of an entity, newest first.",
    "Entities": "Whose memory it is.",
    "Sessions": "Conversations: opened, added to, folded, ended and read again; contexts of their replies.",
    "Recall": "Words out: search, bounded contexts, cited answers, and what a record rests on.",
    "Atoms": "Single claims taken from words, and people's corrections of them.",
    "Claims": "What is asserted of a subject, with authority and evidence; policies; the graph.",
    "Scenes": "Maintained documents, one a topic, in versions.",
    "Persona": "Stable traits, one a slot.",
    "Skills": "Traces of tasks, procedures drawn from them, reviews, uses and feedback.",
    "Forgetting": "Taking memory away, in two steps, and carrying it out and in.",
    "Operation": "Keys and links, attempts of the cascade, and what waits or was set aside.",
}
GROUP_OF: Mapping[str, str] = {
    "health": "Service",
    "catalog": "Service",
    "openapi.json": "Service",
    "events": "Service",
    "records": "Records",
    "timeline": "Records",
    "entities": "Entities",
    "shares": "Entities",
    "sessions": "Sessions",
    "recall": "Recall",
    "context": "Recall",
    "answer": "Recall",
    "trace": "Recall",
    "atoms": "Atoms",
    "rules": "Atoms",
    "claims": "Claims",
    "policies": "Claims",
    "graph": "Claims",
    "scenes": "Scenes",
    "traits": "Persona",
    "persona": "Persona",
    "traces": "Skills",
    "procedures": "Skills",
    "versions": "Skills",
    "drafts": "Skills",
    "uses": "Skills",
    "feedback": "Skills",
    "forget": "Forgetting",
    "erase": "Forgetting",
    "erasures": "Forgetting",
    "runs": "Operation",
    "work": "Operation",
    "parked": "Operation",
    "keys": "Operation",
    "links": "Operation",
}


def group_of(path: str) -> str:
    """The heading of an address; KeyError for one whose first part stands nowhere above."""
    return GROUP_OF[path.strip("/").removeprefix("api/v1/").split("/", 1)[0]]
