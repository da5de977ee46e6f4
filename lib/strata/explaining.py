"""`explain`: run a plan and show where one document stands in it, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata.asked import Asked
from strata.common import Common
from strata.errors import UsageError
from strata.flags import query
from strata.pipeline.run import run
from strata.prompts import Prompts
from strata.searching import Found, by_keyword, end_as, log, show_plan

if TYPE_CHECKING:
    from strata.core.picture import Picture


def explain(common: Common, asked: Asked, text: str, ref: str, *, picture: Picture | None = None) -> None:
    """UsageError for a reference that names no document, or one that the search itself leaves out."""
    from strata.pipeline.explanation import explanation, left_out, to_json
    from strata.show.explain import view
    from strata.show.words import about_words

    plan = asked.plan()
    if asked.show_plan:
        show_plan(common, plan)
        return
    prompts = Prompts()
    choice = asked.choice(prompts)
    ws = common.workspace(choice, enriched=plan.premises)
    q = query(text, ws, asked.exclude, asked.where, picture=picture)
    doc = ws.corpus.find(ref)
    trace = run(plan, q, ws)
    if choice and choice.show_prompt:
        prompts.emit(common)
        return
    why = left_out(q, doc, ws)
    if why:
        raise UsageError(f"{ws.corpus.label(doc)} is left out by {why}, so it is in no list", "explain it without that")
    words = about_words(trace.used.text, ws, keyword=by_keyword(trace)) if trace.used.text else ()
    found = Found(trace, ws, list(words), asked.origin)
    notices = [*trace.notices, *found.words]
    if not asked.no_log:  # before more is opened than the run itself did
        failed = log(common, found, list(found.words))
        notices += [failed] if failed else []
    explained = explanation(trace, doc, ws)
    data = to_json(explained, trace)
    common.emit({**data, "preset": found.origin, "notices": notices}, lambda: view(found, explained))
    end_as(common, choice, trace)
