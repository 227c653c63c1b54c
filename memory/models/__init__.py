"""Tables, one module per layer. Invariants of one row or pair live here, as constraints of the database."""

from memory.models.atoms import Atom, Authority, Chain
from memory.models.claims import LiveSource, LiveValue, Policy
from memory.models.designs import InstalledDesign, Rebuild
from memory.models.digests import Digest
from memory.models.erasure import Erasure, Tombstone
from memory.models.evidence import Correction, Evidence
from memory.models.graph import GraphEdge, GraphNode, Unpromoted
from memory.models.messages import Message, Session
from memory.models.outbox import Outbox
from memory.models.persona import Trait, TraitVersion
from memory.models.replies import IdempotentReply
from memory.models.runs import ANSWER, CHAT, ModelEndpoint, Process, Run, Step, Work
from memory.models.scenes import Line, Scene, SceneVersion, Section, VersionLine
from memory.models.search import (
    EmbeddingSpace,
    LanguageSample,
    Layer,
    LayerCount,
    RecordCount,
    SearchUnit,
    TermCount,
    Unindexed,
    UnitVector,
)
from memory.models.sharing import Share
from memory.models.skills import (
    Procedure,
    ProcedureLine,
    ProcedureSection,
    ProcedureVersion,
    Review,
    TaskTrace,
    TraceStep,
)
from memory.models.tenancy import Entity, Key, Member, Workspace
from memory.models.uses import Feedback, SkillInput, Use

__all__ = [
    "ANSWER",
    "CHAT",
    "Atom",
    "Authority",
    "Chain",
    "Correction",
    "Digest",
    "EmbeddingSpace",
    "Entity",
    "Erasure",
    "Evidence",
    "Feedback",
    "GraphEdge",
    "GraphNode",
    "IdempotentReply",
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
    "Procedure",
    "ProcedureLine",
    "ProcedureSection",
    "ProcedureVersion",
    "Process",
    "Rebuild",
    "RecordCount",
    "Review",
    "Run",
    "Scene",
    "SceneVersion",
    "SearchUnit",
    "Section",
    "Session",
    "Share",
    "SkillInput",
    "Step",
    "TaskTrace",
    "TermCount",
    "Tombstone",
    "TraceStep",
    "Trait",
    "TraitVersion",
    "Unindexed",
    "UnitVector",
    "Unpromoted",
    "Use",
    "VersionLine",
    "Work",
    "Workspace",
]
