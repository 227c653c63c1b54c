"""Designs: named, versioned sets of prompts, limits, weights, floors and budgets, loaded as strict data.

A prompt that names a variable which is not given, or is given one that it does not name, fails when it is
rendered: a half-filled prompt never reaches a model. See docs/designs.md.
"""

from memory.cascade.designs.finding import (
    FOLDER,
    SHIPPED,
    Available,
    UnknownDesignError,
    available_designs,
    design_of,
    design_of_run,
    load_design,
)
from memory.cascade.designs.package import BadDesignError, Problem, read_folder
from memory.cascade.designs.schema import (
    VARIABLES,
    Budgets,
    Design,
    Floors,
    Limits,
    Priority,
    Prompt,
    PromptError,
    StandingRule,
    Weights,
)

__all__ = [
    "FOLDER",
    "SHIPPED",
    "VARIABLES",
    "Available",
    "BadDesignError",
    "Budgets",
    "Design",
    "Floors",
    "Limits",
    "Priority",
    "Problem",
    "Prompt",
    "PromptError",
    "StandingRule",
    "UnknownDesignError",
    "Weights",
    "available_designs",
    "design_of",
    "design_of_run",
    "load_design",
    "read_folder",
]
