"""Why a row is in a context, and why another is not, in words."""

from __future__ import annotations

from memory.recall.context.blocks import BlockName, Reason

ABOUT: dict[BlockName, tuple[str, str]] = {
    "persona": ("Persona", "Every trait that holds, one per slot."),
    "rules": ("Standing rules", "By exact filter, never by similarity: a rule cannot be crowded out."),
    "scenes": ("Scenes", "Whole sections of those that speak of the task; the others by name."),
    "memory": ("Memory", "Claims and raw words, the best found first."),
    "procedure": ("Procedure", "Ways of working that a person approved for tasks like this one."),
    "request": ("Request", "The words of now, outside of the marks around what is remembered."),
}
NOTHING: dict[BlockName, str] = {
    "persona": "There is no trait yet.",
    "rules": "No instruction is at or above the floor.",
    "scenes": "No scene is there, or none fits.",
    "memory": "Nothing that was found is worth telling besides the blocks above.",
    "procedure": "No approved procedure fits this request.",
    "request": "Nothing was asked.",
}
LEFT_OUT: dict[Reason, str] = {
    "budget": "did not fit into the budget",
    "other situation": "bound to another situation",
    "evolution record": "tells of what was; shown only when it is asked for",
    "in standing rules": "told among the standing rules already",
    "in a scene": "said by a line of a scene that is shown",
    "in an atom": "its claim is shown already",
    "in a turn": "shown as a turn of the conversation",
    "same words": "the same words stand there already",
    "superseded": "said a claim that no longer holds",
    "system text": "a system message, not somebody's words",
    "cut": "shown, but not whole",
    "no trigger": "none of its triggers fits",
    "others fit better": "others fit better",
}
ARM_STATES = {"answered": "answered", "late": "late, left out", "failed": "failed, left out", "off": "off"}
