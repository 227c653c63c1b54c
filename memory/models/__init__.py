"""Tables, one module per layer. Invariants of one row or pair live here, as constraints of the database."""

from memory.models.atoms import Atom, Authority, Chain
from memory.models.claims import LiveSource, LiveValue, Policy
from memory.models.designs import InstalledDesign, Rebuild
from memory.models.digests import Digest
from memory.models.evidence import Correction, Evidence
from memory.models.graph import GraphEdge, GraphNode, Unpromoted
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
    "Digest",
    "EmbeddingSpace",
    "Entity",
    "Evidence",
    "GraphEdge",
    "GraphNode",
    "InstalledDesign",
    "Key",
    "LanguageSample",
    "Layer",
    "LayerCount",
    "Line",
    "LiveSource",
    "LiveValue",
    "Member",
    "Message",
    "ModelEndpoint",
    "Outbox",
    "Policy",
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
    "Unpromoted",
    "VersionLine",
    "Work",
    "Workspace",
]
