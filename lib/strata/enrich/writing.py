"""Having a language model write the premises that are missing, a few at a time; what came is kept as it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from strata.core.types import Document
from strata.enrich import kept as keeping
from strata.enrich.by_model import premise_of, request
from strata.enrich.kept import Kept, Written, content
from strata.enrich.thin import Entries
from strata.errors import BadReply, ProviderError
from strata.llm.many import ask_all
from strata.llm.showing import Showing
from strata.llm.types import LanguageModel, Reply, Usage
from strata.telling import Progress, telling

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

AT_ONCE = 4
BATCH = 8
"""So many are asked for before what came is written to the disk."""


@dataclass
class Asked:
    """What came of asking. made, kept: positions of premises written now, and before. failed: position → why there is
    none."""

    made: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    failed: dict[int, ProviderError] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    @property
    def gave_up(self) -> ProviderError | None:
        """The failure of the provider itself: a fatal one, or the first where no reply came at all."""
        errors = [error for error in self.failed.values() if not isinstance(error, BadReply)]
        replied = self.made or len(errors) < len(self.failed)
        return next((error for error in errors if error.fatal or not replied), None)


def write_missing(
    corpus: Corpus, model: LanguageModel, file: Path, note: Callable[[str], None], progress: Progress | None
) -> Asked:
    """Ask for a premise for every thin entry whose story is known and that has none, and keep those in the file; what
    counts no more is dropped from it then. DataError for a file that is damaged."""
    kept, asked = keeping.read(file), Asked()
    pairs = {doc: (corpus.document(doc), corpus.document(at)) for doc, at in Entries(corpus).told_elsewhere()}
    asked.kept = [doc for doc, pair in pairs.items() if kept.of(*pair)]
    todo = [doc for doc in pairs if doc not in set(asked.kept)]
    current = {content(document) for document, _ in pairs.values()}
    with telling(progress, "premises asked for", len(todo)) as done:
        for start in range(0, len(todo), BATCH):
            written = _written(todo[start : start + BATCH], pairs, model, asked)
            if written:
                keeping.change(file, corpus.name, partial(_with, new=written, current=current))
            fatal = next((error for error in asked.failed.values() if error.fatal), None)
            if fatal:
                asked.failed |= dict.fromkeys(todo[start + BATCH :], fatal)
                break
            done(min(start + BATCH, len(todo)))
    for doc, error in asked.failed.items():
        if isinstance(error, BadReply):
            note(f"{corpus.label(doc)} stays by rule: {error.message}")
    return asked


def _written(
    docs: Sequence[int], pairs: Mapping[int, tuple[Document, Document]], model: LanguageModel, asked: Asked
) -> dict[str, Written]:
    """What the model writes for these entries, by their hashes; `asked` is told what came of each."""
    at_once = 1 if isinstance(model, Showing) else AT_ONCE  # what is only shown is shown in the catalogue's order
    outcomes = ask_all(model, [request(*pairs[doc]) for doc in docs], at_once)
    written = {}
    for doc, outcome in zip(docs, outcomes, strict=True):
        document, story = pairs[doc]
        reply = outcome if isinstance(outcome, Reply) else outcome.reply
        asked.usage += reply.usage if reply else Usage()
        try:
            if isinstance(outcome, ProviderError):
                raise outcome
            text = premise_of(outcome, document, story)
        except ProviderError as error:
            asked.failed[doc] = error
        else:
            asked.made.append(doc)
            written[content(document)] = Written(document.id, story.id, content(story), text, outcome.model)
    return written


def _with(kept: Kept, new: dict[str, Written], current: set[str]) -> Kept:
    return replace(kept, written={key: one for key, one in kept.written.items() if key in current} | new)
