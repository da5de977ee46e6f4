"""A list to compare with: what the same encoder finds by whole documents, for a plan that fuses chunks."""

from __future__ import annotations

from dataclasses import replace

from strata.core.types import Plan
from strata.pipeline.workspace import Workspace
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents
from strata.semantic.units import Whole

SMALL = 2000
"""Up to so many documents their vectors are made for the comparison; beyond, they must be there already."""


def not_fused(plan: Plan, ws: Workspace) -> Plan | None:
    """The document list of the plan's first chunk layer, where the plan has no document list of its own. None, with a
    notice, where it would take long to make the vectors for it."""
    chunks = next((layer for layer in plan.retrieve if isinstance(layer, Chunks)), None)
    if chunks is None or any(isinstance(layer, Documents) for layer in plan.retrieve):
        return None
    if len(ws.corpus) > SMALL and not ws.has_vectors(chunks.encoder, Whole()):
        ws.note("without the document column: its vectors are made by semantic_search_cli verify_embeddings")
        return None
    documents = Documents(chunks.encoder, chunks.min_score)
    return replace(plan, enhance=None, retrieve=(documents,), fuse=None, rerank=None, answer=None)
