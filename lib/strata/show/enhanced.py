"""What an enhancement made of the query and which reranker looked again, each with who did it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strata.pipeline.trace import Step, Trace
from strata.show.text import Line, between, clean, cut, line, width, wrapped


def enhanced(trace: Trace) -> Iterator[Line]:
    """A line or two for each such step; none for one that failed, which a notice has said."""
    for step in trace.steps:
        if step.failed:
            continue
        if step.slot == "enhance":
            yield from _query(trace, step)
        elif step.slot == "rerank":
            read, shown = len(step.output.docs), len(trace.final.docs[: trace.plan.limit])
            said = f"rerank {step.label} ({clean(_who(step.facts))}): the best {read}"
            rest = f" of {len(trace.final.docs):,}, the rest as before" if shown > read else ""
            yield line((cut(said, width() - len(rest)) + rest, "dim"))


def _who(facts: dict[str, Any]) -> str:
    if "cross_encoder" in facts:
        return str(facts["cross_encoder"]) + (", by rule" if facts.get("by_rule") else "")
    return "by rule" if facts.get("by_rule", True) else f"{facts.get('provider')}, {facts.get('model')}"


def _query(trace: Trace, step: Step) -> Iterator[Line]:
    used, before = trace.used, trace.query
    added = step.facts.get("added")  # an expansion repeats the query to weigh it; what came in is what there is to see
    said = [f"with {clean(', '.join(added))}"] if added else []
    said += [f'"{clean(text)}"' for text in used.texts if text != before.text and not added]
    if used.meaning:
        said.append(f'for vectors "{clean(used.meaning)}"')
    said += [f"without {clean(trace.corpus.title(doc))}" for doc in sorted(used.exclude - before.exclude)]
    said += [f"where {clean(one)}" for one in used.where if one not in before.where]
    pieces = between(said or ["nothing to change"], "; ")
    for text in wrapped(pieces, width(), f"enhance {step.label} ({clean(_who(step.facts))}): ", "  "):
        yield line((text, "dim"))
