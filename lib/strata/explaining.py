"""`explain`: run a plan and show where one document stands in it, and why."""

from __future__ import annotations

from strata.asked import Asked
from strata.common import Common
from strata.errors import UsageError
from strata.flags import query
from strata.pipeline.run import run
from strata.searching import Found, show_plan


def explain(common: Common, asked: Asked, text: str, ref: str) -> None:
    """UsageError for a reference that names no document, or one that the search itself leaves out."""
    from strata.pipeline.explanation import explanation, left_out, to_json
    from strata.show.explain import view
    from strata.show.text import plain
    from strata.show.words import about_words

    plan = asked.plan()
    if asked.show_plan:
        show_plan(common, plan)
        return
    ws = common.workspace()
    q = query(text, ws, asked.exclude, asked.where)
    doc = ws.corpus.find(ref)
    trace = run(plan, q, ws)
    why = left_out(trace.used, doc, ws)
    if why:
        raise UsageError(f"{ws.corpus.label(doc)} is left out by {why}, so it is in no list", "explain it without that")
    explained = explanation(trace, doc, ws)
    found = Found(trace, ws, list(about_words(trace.used.text, ws)), asked.origin)
    data = to_json(explained, trace)
    notices = [*trace.notices, *(text for block in found.words for text in plain(block))]
    common.emit({**data, "preset": found.origin, "notices": notices}, lambda: view(found, explained))
