"""The premises of a catalogue: what a language model wrote where that still holds, else by rule."""

from __future__ import annotations

from strata.core.premise import Premise
from strata.enrich.by_rule import by_rule, head
from strata.enrich.kept import Kept
from strata.enrich.thin import Entries


def premises(entries: Entries, kept: Kept) -> dict[int, Premise]:
    """Position → premise, for every thin entry whose franchise has the story; {} where none are wanted. Both ways begin
    with what the entry follows."""
    corpus = entries.corpus
    found: dict[int, Premise] = {}
    for doc, at in [] if kept.removed else entries.told_elsewhere():
        document, story = corpus.document(doc), corpus.document(at)
        written = kept.of(document, story)
        if written:
            found[doc] = Premise(f"{head(document, story)}: {written.text}", story.id, written.model)
        else:
            found[doc] = by_rule(document, story)
    return found
