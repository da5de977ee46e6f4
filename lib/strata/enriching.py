"""`data_cli enrich`: which entries are thin and what premises they have; on request a language model writes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.common import Common
from strata.errors import ProviderError, UsageError
from strata.prompts import Prompts

if TYPE_CHECKING:
    from strata.core.corpus import Corpus
    from strata.enrich.survey import Survey
    from strata.enrich.writing import Asked
    from strata.llm.opening import Choice


def enrich(common: Common, choice: Choice, *, listed: bool, remove: bool, show_prompt: bool) -> None:
    """choice: provider "none" for the way by rule. listed: show every premise and change nothing. remove: none are
    wanted from now on. UsageError for what does not go together."""
    from strata.enrich import kept as keeping
    from strata.enrich.survey import survey
    from strata.enrich.writing import write_missing
    from strata.llm.opening import Choice
    from strata.show.premises import view

    asks = show_prompt or choice.provider != "none"
    if remove + listed + asks > 1:
        raise UsageError("--list, --remove and asking a model are different things to do", "give one of them")
    if not asks and choice != Choice("none"):
        raise UsageError("without --llm no language model is asked, so its options say nothing", "add --llm NAME")
    prompts = Prompts()
    ws = common.workspace(replace(choice, show_prompt=prompts) if show_prompt else choice)
    corpus, model = ws.corpus, ws.model if asks else None
    file = keeping.file_of(corpus.source)
    asked = None
    if remove:
        keeping.write(file, corpus.name, keeping.Kept(removed=True))
    elif not listed and not show_prompt and keeping.read(file).removed:
        keeping.change(file, corpus.name, lambda kept: replace(kept, removed=False))
    if model:
        asked = write_missing(corpus, model, file, ws.note, common.progress)
    elif asks:
        ws.note("there is no language model to ask: premises are by rule")
    if show_prompt:
        prompts.emit(common)
        return
    found = survey(corpus, keeping.read(file))
    gave_up = asked.gave_up if asked else None
    if gave_up:
        ws.note(f"{gave_up.message}: {len(asked.failed) if asked else 0} entries stay by rule; {gave_up.next_step}")
    notices, _, _ = ws.drain()
    data = {**to_json(found, corpus, file), "asked": asked and _asked(asked, corpus), "notices": list(notices)}
    common.emit(data, lambda: view(found, corpus, asked, listed=listed))
    if gave_up and choice.by_name:
        common.ended(ProviderError.exit_status)


def to_json(found: Survey, corpus: Corpus, file: Path) -> dict[str, Any]:
    """What there is, every premise included. file: null where a model wrote nothing and nothing was removed."""
    from strata.core.premise import to_json

    return {
        "dataset": corpus.name,
        "documents": len(corpus),
        "thin": len(found.thin),
        "by_rule": len(found.premises) - found.by_model,
        "by_model": found.by_model,
        "removed": found.removed,
        "premises": [{**_named(doc, corpus), **to_json(one, corpus)} for doc, one in found.premises.items()],
        "without": [_named(doc, corpus) for doc in found.without],
        "stale": [{"id": one.id, "model": one.model} for one in found.stale],
        "file": str(file) if file.exists() else None,
    }


def _named(doc: int, corpus: Corpus) -> dict[str, Any]:
    return {"id": corpus.id(doc), "title": corpus.title(doc)}


def _asked(asked: Asked, corpus: Corpus) -> dict[str, Any]:
    failed = [
        {**_named(doc, corpus), "kind": error.kind, "message": error.message} for doc, error in asked.failed.items()
    ]
    usage = {"prompt_tokens": asked.usage.prompt, "completion_tokens": asked.usage.completion}
    return {"made": len(asked.made), "kept": len(asked.kept), "failed": failed, "usage": usage}
