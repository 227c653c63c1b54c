"""Tables, one module per layer. Invariants of one row or pair live here, as constraints of the database."""

from memory.models.atoms import Atom, Authority, Chain
from memory.models.designs import InstalledDesign, Rebuild
from memory.models.evidence import Correction, Evidence
from memory.models.messages import Message, Session
from memory.models.outbox import Outbox
from memory.models.persona import Trait, TraitVersion
from memory.models.runs import ModelEndpoint, Process, Run, Step, Work
from memory.models.scenes import Line, Scene, SceneVersion, Section, VersionLine
from memory.models.search import (
    EmbeddingSpace,
    LanguageSample,
    Layer,
    LayerCount,
    SearchUnit,
    TermCount,
    Unindexed,
    UnitVector,
)
from memory.models.tenancy import Entity, Key, Member, Workspace

__all__ = [
    "Atom",
    "Authority",
    "Chain",
    "Correction",
    "EmbeddingSpace",
    "Entity",
    "Evidence",
    "InstalledDesign",
    "Key",
    "LanguageSample",
    "Layer",
    "LayerCount",
    "Line",
    "Member",
    "Message",
    "ModelEndpoint",
    "Outbox",
    "Process",
    "Rebuild",
    "Run",
    "Scene",
    "SceneVersion",
    "SearchUnit",
    "Section",
    "Session",
    "Step",
    "TermCount",
    "Trait",
    "TraitVersion",
    "Unindexed",
    "UnitVector",
    "VersionLine",
    "Work",
    "Workspace",
]
