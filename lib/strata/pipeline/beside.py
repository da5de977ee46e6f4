"""A list to compare with: what the same encoder finds by whole documents, for a plan that fuses chunks."""

from __future__ import annotations

from dataclasses import replace

from strata.core.types import Plan
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents


def not_fused(plan: Plan) -> Plan | None:
    """The document list of the plan's first chunk layer, where the plan has no document list of its own."""
    chunks = next((layer for layer in plan.retrieve if isinstance(layer, Chunks)), None)
    if chunks is None or any(isinstance(layer, Documents) for layer in plan.retrieve):
        return None
    documents = Documents(chunks.encoder, chunks.min_score)
    return replace(plan, enhance=None, retrieve=(documents,), fuse=None, rerank=None, answer=None)
