"""What a reranker made of a document's place: rank and score before and after, its own reasons, or that it did not read
so far."""

from __future__ import annotations

from collections.abc import Iterator

from strata.core.types import Part
from strata.pipeline.explanation import Explanation
from strata.pipeline.trace import Result, Step, Trace
from strata.show.text import between, clean, columns_of, cut, ordinal, wrapped


def reread(explained: Explanation, trace: Trace, label: str, columns: int) -> Iterator[str]:
    """The reranker's row, its name as wide as those of the lists; nothing where none ran."""
    step, stands = trace.step("rerank"), explained.stands
    if step is None:
        return
    if stands is None or stands.reranked is None:
        yield cut(f"{label}  not read: {clean(step.label)} reads the first {explained.read}", columns)
        return
    rank, score = _before(stands)
    after = f"{ordinal(stands.rank)} {stands.reranked:.5f} {_label(step)}"
    said = [f"{ordinal(rank)} {score:.5f} →", after, f"({clean(step.label)})"]
    yield from wrapped(between(said, " "), columns, f"{label}  ", "  ")
    if explained.reread:
        yield from _reasons(explained.reread, stands.reranked, columns)
    if stands.why:
        yield from wrapped(between(f"because: {clean(stands.why)}".split(" "), " "), columns, "  ", "  ")


def higher(other: Result, explained: Explanation, step: Step, columns: int, start: str, title: str) -> Iterator[str]:
    """The line of a document above that the reranker read, and what put it there."""
    rank, _ = _before(other)
    end = f" {other.reranked or 0.0:.5f} {_label(step)}, {'fused' if other.fused else 'before'} {ordinal(rank)}"
    yield cut(f"{start}{cut(title, max(24, columns - columns_of(start) - columns_of(end)))}{end}", columns)
    stands = explained.stands
    if stands and stands.reranked is None:
        yield "  it was read, and what is not read stands behind"
    elif stands and stands.reranked == other.reranked:
        yield "  their scores are equal, and it stood first before"


def _before(result: Result) -> tuple[int, float]:
    """Rank and score in the list that the reranker was given."""
    return result.fused or (result.placed[0].rank, result.placed[0].score)


def _label(step: Step) -> str:
    """What a reranker's score is: "logit"."""
    return clean(str(step.facts.get("label", "score")))


def _reasons(part: Part, score: float, columns: int) -> Iterator[str]:
    """A sum's parts on one line, as far as they go; a number by itself where it is not the score."""
    if part.parts:
        said = (f"{clean(one.label)} → {clean(one.facts.get('met', one.how))} {one.value:.2f}" for one in part.parts)
        yield cut(f"  = {', '.join(said)}", columns)
    elif part.value != score:
        yield cut(f"  {clean(part.how)}: {part.value:.2f}", columns)
