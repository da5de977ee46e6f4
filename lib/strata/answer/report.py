"""An answer as `--json` gives it, and what its check comes to in figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from strata.core.types import Answer, Citation

if TYPE_CHECKING:
    from strata.core.corpus import Corpus


def to_json(
    answer: Answer, corpus: Corpus, facts: Mapping[str, Any] | None = None, usage: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """cli.md's "answer". facts, usage: of the answer's step; without them it was made by rule."""
    facts = facts or {}
    return {
        "mode": answer.mode,
        "by_rule": bool(facts.get("by_rule", True)),
        "provider": facts.get("provider"),
        "model": facts.get("model"),
        "text": answer.text,
        "abstained": answer.abstained,
        "evidence": answer.evidence,
        "min_evidence": facts.get("min_evidence"),
        "sources": [
            {"number": number, "id": corpus.id(doc), "title": corpus.title(doc)}
            for number, doc in enumerate(answer.sources, start=1)
        ],
        "suspicious": list(facts.get("suspicious", ())),
        "citations": [_citation(citation, corpus) for citation in answer.citations],
        "uncited": [claim.text for claim in answer.uncited],
        "usage": dict(usage or {}),
    }


def _citation(citation: Citation, corpus: Corpus) -> dict[str, Any]:
    return {
        "number": citation.number,
        "id": None if citation.doc is None else corpus.id(citation.doc),
        "status": citation.status,
        "claim": citation.claim,
        "score": citation.score,
        "evidence": citation.evidence,
    }


def verdict(answer: Answer) -> str:
    """The check in one line: "1 of 3 citations holds, 1 sentence cites nothing"."""
    total, wrong = len(answer.citations), len(answer.failed)
    good = total - wrong
    said = (
        "nothing is cited"
        if not total
        else f"{good} of {total} citation{'s' if total > 1 else ''} hold{'s' if 1 in (good, total) else ''}"
    )
    bare = len(answer.uncited)
    if bare:
        said += f", {bare} sentence{'s' if bare > 1 else ''} cite{'' if bare > 1 else 's'} nothing"
    return said
