"""What is odd about a catalogue, as counts and examples: findings, not errors (those are met while loading)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from strata.core.analysis import tokens
from strata.core.documents import title_key

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

THIN = 40
"""An entry whose text has fewer words than this holds little to find."""


def audit(corpus: Corpus) -> dict[str, Any]:
    """Counts with up to five examples each: (id) Title (year)."""
    titles: defaultdict[str, list[int]] = defaultdict(list)
    texts: defaultdict[str, list[int]] = defaultdict(list)
    lengths = []
    for position, document in enumerate(corpus.documents()):
        titles[title_key(document.title)].append(position)
        texts[document.text.strip()].append(position)
        lengths.append(len(tokens(document.text)))
    repeated = [at for title, at in titles.items() if title and len(at) > 1]
    same_text = [at for text, at in texts.items() if text and len(at) > 1]
    return {
        "dataset": corpus.name,
        "documents": len(corpus),
        "fields": corpus.fields,
        "words": {"least": min(lengths), "mean": round(sum(lengths) / len(lengths), 1), "most": max(lengths)},
        "without_title": _some(titles.get("", []), corpus.label),
        "without_text": _some(texts.get("", []), corpus.label),
        "thin": _some([i for i, n in enumerate(lengths) if 0 < n < THIN], corpus.label),
        "repeated_titles": _some(repeated, lambda at: "; ".join(map(corpus.label, at))),
        "repeated_texts": _some(same_text, lambda at: "; ".join(map(corpus.label, at))),
    }


def _some(found: list[Any], label: Callable[[Any], str]) -> dict[str, Any]:
    return {"count": len(found), "examples": [label(entry) for entry in found[:5]]}
