"""Causes of misses in words: one computed fact for each miss, and one sentence for all of them."""

from __future__ import annotations

from collections.abc import Callable

from strata.enrich.thin import Thin
from strata.evaluation.causes import GROUP_OF, LABELS, Facts, Stand
from strata.evaluation.misses import Failures, Sought

WORDS = 6
"""So many words of a query are listed at most."""


def reason(miss: Sought) -> str:
    """The fact that decided a miss's cause, and what else holds. Text of the catalogue and the query is as given."""
    if miss.facts is None:
        return ""
    also = f"; also: {', '.join(LABELS[name] for name in miss.also)}" if miss.also else ""
    return _SAID[miss.cause](miss, miss.facts) + also


def _absent(miss: Sought, facts: Facts) -> str:
    return f"no document has the id {miss.id}" if miss.id else f'no document has the title "{miss.label}"'


def _full(miss: Sought, facts: Facts) -> str:
    return f"the first {facts.limit} are all relevant, none of a lower grade than {miss.grade}; {_last(facts)}"


def _ruled_out(miss: Sought, facts: Facts) -> str:
    return f"the search was limited: {', '.join(facts.ruled_out)}"


def _reranker(miss: Sought, facts: Facts) -> str:
    return f"{_at(facts.before)}{_after(facts)}"


def _fusion(miss: Sought, facts: Facts) -> str:
    share = ""
    if facts.helped:
        name, part = facts.helped[0]
        whose = "its" if facts.passed == 1 else "their"
        share = f", {100 * part:.0f} % of {whose} score from {name}"
    others = "".join(f", {_at(one)}" for one in facts.lists for name, _ in facts.helped[:1] if one.name == name)
    ranks = f"{_at(facts.best)}{others}, so {_at(facts.fused)}{_after(facts)}"
    return f"{ranks}; {facts.passed} of the first {facts.limit} passed it{share}"


def _language(miss: Sought, facts: Facts) -> str:
    return f"not in English ({_listed(facts.foreign)}), as the catalogue is; {_last(facts)}"


def _misspelt(miss: Sought, facts: Facts) -> str:
    words = ", ".join(f'"{old}" is in no document, "{new}" in this one' for old, new in facts.corrected)
    return f"{words}; {_last(facts)}"


def _thin(miss: Sought, facts: Facts) -> str:
    thin = facts.thin or Thin(0, 0)
    own = f"{thin.words} words of its own where {thin.usual} are usual"
    sequel = f'; it speaks of "{thin.sequel}"' if thin.sequel else ""
    story = f"; the story stands in {miss.story}" if miss.story else ""
    return f"{own}{sequel}{story}; {_last(facts)}"


def _no_term(miss: Sought, facts: Facts) -> str:
    none = f"it holds none of: {_listed(facts.words)}" if facts.words else "no document holds a word of the query"
    return f"{none}; {_unlisted(facts)}"


def _cut(miss: Sought, facts: Facts) -> str:
    rest = f", {_at(facts.fused)}" if facts.fused else ""
    return f"at best {_at(facts.best)}{rest}{_after(facts)}"


def _depth(miss: Sought, facts: Facts) -> str:
    shared = f"it shares {_listed(facts.shared)}; " if facts.shared else ""
    return shared + _unlisted(facts)


_SAID: dict[str, Callable[[Sought, Facts], str]] = {
    "absent": _absent,
    "full": _full,
    "ruled_out": _ruled_out,
    "reranker": _reranker,
    "fusion": _fusion,
    "language": _language,
    "misspelt": _misspelt,
    "thin": _thin,
    "no_term": _no_term,
    "cut": _cut,
    "depth": _depth,
}


def _at(stand: Stand | None) -> str:
    if stand is None:
        return "in no list"
    return f"rank {stand.rank:,} in {stand.name}" if stand.rank else f"not in {stand.name}"


def _last(facts: Facts) -> str:
    """Where it stands in the end; where no list has it, how far these went."""
    return _at(facts.stands[-1]) if facts.best else _unlisted(facts)


def _after(facts: Facts) -> str:
    """What became of it in the reranker, which may not have read so far."""
    after = facts.reranked
    if after is None:
        return ""
    read = after.rank is not None and after.rank <= after.length
    return f", {_at(after)}" if read else f", and {after.name} reads the first {after.length} only"


def _unlisted(facts: Facts) -> str:
    ends = ", ".join(f"{stand.name} ({stand.length:,})" for stand in facts.lists)
    return f"in none of the lists: {ends}"


def _listed(words: tuple[str, ...]) -> str:
    more = f" and {len(words) - WORDS} more" if len(words) > WORDS else ""
    return ", ".join(words[:WORDS]) + more


_IN_A_ROW = {"absent": "not in the catalogue", "thin": "thin entries", "language": "language", "misspelt": "spelling"}
_FAULT = {
    "data": "{n} {are} in the data ({causes})",
    "condition": "{n} {were} ruled out by a condition of the query",
    "layers": "{n} {were} found by a layer and lost by {layers}",
    "query": "{n} {are} in the query ({causes})",
    "unseen": "{n} {were} in no list",
    "below": "{n} {were} found only below the limit",
    "room": "{n} had no room, since all before {them} are as relevant",
}


def verdict(found: Failures) -> str:
    """One sentence: how often the plan finds anything, and where the faults lie, the most frequent first."""
    hit = f"{found.hit:.2f}".removeprefix("0") if found.hit < 1 else "1.00"
    start = f"hit@{found.limit} is {hit}"
    if not found.missed:
        return f"{start}; nothing is missed."
    groups: dict[str, dict[str, int]] = {}
    for name, count in found.counts.items():
        groups.setdefault(GROUP_OF[name], {})[name] = count
    parts: list[str] = []
    for group, causes in sorted(groups.items(), key=lambda pair: -sum(pair[1].values())):
        n = sum(causes.values())
        parts.append(
            _FAULT[group].format(
                n=f"{n} of {len(found.missed):,} misses" if not parts else n,
                are="is" if n == 1 else "are",
                were="was" if n == 1 else "were",
                them="it" if n == 1 else "them",
                causes=", ".join(_IN_A_ROW.get(name, "") for name in causes),
                layers=" or ".join(LABELS[name].removeprefix("lost by ") for name in causes),
            )
        )
    return f"{start}; {', '.join(parts)}."
