"""Which plans `--layers` sets side by side: each list alone, the fusions, and on request the layers before and after.

tf-idf, bm25, document, chunks, weighted, rrf; with several encoders a row for each. `--with rerank` adds rrf with each
reranker behind it, `--with enhance` each enhancement before it; single layers can be named too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from strata import registry
from strata.core.types import Plan
from strata.errors import UsageError
from strata.evaluation.labels import distinct
from strata.evaluation.outcome import Contender
from strata.hybrid.rrf import RRF
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.labels import last_part
from strata.pipeline.plan import settings_of, with_candidates, with_settings
from strata.semantic.chunks import Chunks
from strata.semantic.document import Documents

ASK_A_MODEL = ("individual", "batch")
"""Rerankers that without a language model are the cross-encoder, whose row is there."""


def contenders(
    encoders: Sequence[str],
    vectors: str,
    added: Sequence[str],
    settings: Mapping[str, Any],
    limit: int,
    note: Callable[[str], None],
    *,
    model: bool,
) -> list[Contender]:
    """vectors: "chunks" or "document", what is fused. added: "rerank", "enhance", or names of such layers. settings:
    the options that were typed; each goes to the rows that have it, UsageError where none has. model: whether there is
    a language model to ask."""
    rows: dict[str, Plan] = {"tf-idf": Plan((TfIdf(),)), "bm25": Plan((BM25(),))}
    fused: dict[str, Plan] = {}
    for encoder, short in zip(encoders, distinct(map(last_part, encoders)), strict=True):
        ending = f" {short}" if len(encoders) > 1 else ""
        document, chunks = Documents(encoder), Chunks(encoder)
        rows |= {f"document{ending}": Plan((document,)), f"chunks{ending}": Plan((chunks,))}
        lists = (BM25(), document if vectors == "document" else chunks)
        fused |= {f"weighted{ending}": Plan(lists, fuse=Weighted()), f"rrf{ending}": Plan(lists, fuse=RRF())}
    rows |= fused
    rrf = {label: plan for label, plan in fused.items() if label.startswith("rrf")}
    for slot, name in _added(added):
        if name in ASK_A_MODEL and not model:
            note(f"{name} is left out: without a language model it is the cross-encoder")
            continue
        layer = registry.load(registry.SLOTS[slot][name])()
        for label, plan in rrf.items():
            full = f"{name} > {label}" if slot == "enhance" else f"{label} > {name}"
            rows[full] = replace(plan, **{slot: layer})
    return [Contender(label, plan) for label, plan in _set(rows, settings, limit).items()]


def _added(names: Sequence[str]) -> list[tuple[str, str]]:
    """(slot, layer) for each name."""
    slots = {"enhance": registry.for_words(registry.ENHANCE), "rerank": registry.RERANK}
    found: list[tuple[str, str]] = []
    for name in names:
        slot = next((slot for slot, table in slots.items() if name == slot or name in table), None)
        if slot is None:
            known = ", ".join([*slots, *(name for table in slots.values() for name in table)])
            raise UsageError(f'--with knows no "{name}"', f"one or more of: {known}")
        found += [(slot, one) for one in (slots[slot] if name == slot else [name])]
    return list(dict.fromkeys(found))


def _set(rows: dict[str, Plan], settings: Mapping[str, Any], limit: int) -> dict[str, Plan]:
    """The rows with the limit and the settings that each has."""
    known = {name for plan in rows.values() for name in settings_of(plan)}
    for name in settings:
        if name not in known:
            raise UsageError(f"no row of the table has the setting {name}", f"settings: {', '.join(sorted(known))}")
    out = {}
    for label, plan in rows.items():
        own = {name: value for name, value in settings.items() if name in settings_of(plan)}
        out[label] = with_candidates(replace(with_settings(plan, own), limit=limit))
    return out
