"""The four answers, by rule and by a model that is scripted; abstention; what the step says of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata.answer import modes
from strata.answer.asking import TOKENS
from strata.answer.cite import statements
from strata.answer.evidence import ENOUGH
from strata.answer.extract import LONGEST, Sentence, chosen, sentences
from strata.answer.material import Material
from strata.answer.refusal import declined, refuses
from strata.answer.report import to_json, verdict
from strata.answer.sources import GAP, facts_of, numbered
from strata.core.types import Answer, Document, Passage, Plan, Query
from strata.errors import BadReply, RateLimited, UsageError
from strata.hybrid.rrf import RRF
from strata.keyword.bm25 import BM25
from strata.llm.scripted import Scripted
from strata.llm.types import Reply, Usage
from strata.pipeline.run import run
from strata.pipeline.trace import Trace
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunks import Chunks
from tests.test_citations import ERRING

MODES = (modes.Rag(), modes.Summarize(), modes.Citations(), modes.Question())
each = pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
QUERIES = (
    "romantic comedy recommendations", "talking teddy bear comedy", "who stammers and becomes king?", "wes anderson",
    "a robbery that falls apart and the crooks start turning on each other", "jaws", "Count Dracula castle",
)  # fmt: skip


def asked(query: str, mode: Any, ws: Workspace, limit: int = 5) -> Trace:
    return run(Plan(retrieve=(BM25(), Chunks()), fuse=RRF(), answer=mode, limit=limit), Query(query), ws)


def answer_of(trace: Trace) -> Answer:
    assert trace.answer is not None
    return trace.answer


def by(films: Workspace, *replies: Any) -> Scripted:
    films.__dict__["model"] = Scripted(*replies)
    return films.__dict__["model"]


def bridget(films: Workspace) -> list[Passage]:
    return [Passage(films.corpus.position(id) or 0, "", 0, 0, 0.0) for id in (70, 587, 71)]


ROMANCE = Query("romantic comedy recommendations")


@each
@pytest.mark.parametrize("query", QUERIES)
def test_by_rule_every_sentence_stands_in_the_source_that_it_names(query: str, mode: Any, films: Workspace) -> None:
    trace = asked(query, mode, films)
    answer, step = answer_of(trace), trace.steps[-1]
    assert not answer.abstained and answer.mode == mode.name and answer.claims
    assert answer.sources == tuple(trace.final.docs[:5].tolist())
    assert [c.status for c in answer.citations] == ["supported"] * len(answer.claims) and not answer.uncited
    lines = answer.text.split("\n")
    assert len(lines) == len(answer.claims)
    for line, claim in zip(lines, answer.claims, strict=True):
        (number,) = claim.cites
        doc = answer.sources[number - 1]
        assert claim.text in films.corpus.document(doc).text
        assert line == f"{films.corpus.title(doc)}: {claim.text} [{number}]"
    assert step.facts["by_rule"] is True and step.facts["provider"] is None and step.facts["model"] is None
    assert step.facts["evidence"] == answer.evidence and (answer.evidence or 0) >= ENOUGH == step.facts["min_evidence"]
    assert len(set(answer.claims)) == len(answer.claims)


def test_each_mode_takes_what_it_is_for(films: Workspace) -> None:
    found = {mode.name: answer_of(asked(QUERIES[0], mode, films)) for mode in MODES}
    cited = {name: [claim.cites[0] for claim in answer.claims] for name, answer in found.items()}
    assert cited["summarize"] == [1, 2, 3, 4, 5]
    assert len(cited["citations"]) == len(set(cited["citations"])) > 1
    assert 1 < len(cited["rag"]) <= 4 and max(cited["rag"].count(n) for n in cited["rag"]) <= 2
    assert 1 <= len(cited["question"]) <= 3


def test_the_same_answer_every_time(films: Workspace) -> None:
    assert len({answer_of(asked(QUERIES[1], modes.Rag(), films)) for _ in range(3)}) == 1


@each
@pytest.mark.parametrize(
    "query", ["a chess prodigy who rises to the world championship", "how to bake sourdough bread"]
)
def test_it_abstains_where_the_sources_hold_too_little(query: str, mode: Any, films: Workspace) -> None:
    """lesson 6: five sources and still no answer."""
    trace = asked(query, mode, films)
    answer = answer_of(trace)
    assert answer.abstained and not answer.claims and len(answer.sources) == 5
    assert query in answer.text and "5 sources" in answer.text and "do not hold" in answer.text
    assert (answer.evidence or 0) < ENOUGH and trace.steps[-1].failed is None
    shown = to_json(answer, films.corpus, trace.steps[-1].facts, trace.steps[-1].usage)
    assert shown["abstained"] is True and shown["citations"] == [] and shown["by_rule"] is True
    json.dumps(shown, allow_nan=False)


def test_words_that_no_source_has_are_named(films: Workspace) -> None:
    assert "None has: quokkas" in answer_of(asked("quokkas and sourdough bread", modes.Rag(), films)).text


def test_min_evidence_decides(films: Workspace) -> None:
    query = "a chess prodigy who rises to the world championship"
    assert not answer_of(asked(query, modes.Rag(min_evidence=0.0), films)).abstained
    assert answer_of(asked("jaws", modes.Rag(min_evidence=1.0), films)).abstained
    assert "1.00 is asked for" in answer_of(asked("jaws", modes.Rag(min_evidence=1.0), films)).text


def test_nothing_found_is_an_abstention(films: Workspace) -> None:
    for mode in MODES:
        answer = mode(Query("anything"), [], films)
        assert answer.abstained and "nothing was found" in answer.text and answer.evidence == 0.0


@pytest.mark.parametrize(
    "settings",
    [{"min_evidence": -0.1}, {"min_evidence": 1.1}, {"min_evidence": float("nan")}, {"tokens": 0}, {"tokens": 10**9}],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        modes.Rag(**settings)


@each
def test_modes_are_plain_values(mode: Any) -> None:
    assert mode == type(mode)() and hash(mode) == hash(type(mode)())
    with pytest.raises(AttributeError):
        mode.tokens = 1


def test_a_source_without_text_is_a_source(
    catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]
) -> None:
    thin = {
        "id": 1,
        "title": "Ran",
        "description": "",
        "year": 1985,
        "director": "Akira Kurosawa",
        "cast": ["T. Nakadai"],
    }
    ws = workspace(catalogue(thin, {"id": 2, "title": "", "description": "A seal rings the bell of a lighthouse."}))
    sources = numbered(Query("kurosawa"), [0, 1], ws, 1500, DEFAULT_ENCODER)
    assert sources[0].facts == "Ran (1985); directed by Akira Kurosawa; starring T. Nakadai." and sources[0].text == ""
    assert sources[1].title == "document 2" and "seal" in sources[1].text
    passages = [Passage(0, "", 0, 0, 0.0), Passage(1, "", 0, 0, 0.0)]
    answer = modes.Summarize()(Query("kurosawa ran"), passages, ws)
    assert [claim.cites for claim in answer.claims] == [(2,)]
    assert any("source 1" in text for text in ws.drain()[0])
    alone = modes.Rag()(Query("kurosawa ran"), passages[:1], ws)
    assert alone.abstained and "no sentence" in alone.text


def test_fields_in_words() -> None:
    document = Document(
        7, "T", "text", {"genres": ["Drama", "War"], "url": "https://x.org", "note": "y" * 500, "n": None, "year": 2001}
    )
    assert facts_of(document) == "T (2001); Drama, War."


def test_long_documents_give_their_best_passages_within_the_budget(
    catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]
) -> None:
    filler = " ".join(f"The ferry number {i} crosses the strait of salt." for i in range(120))
    ws = workspace(
        catalogue(f"{filler} A red fox guards the vineyard at night and barks at thieves. {filler}", "Short text.")
    )
    query = Query("a fox that guards a vineyard")
    first, second = numbered(query, [0, 1], ws, 300, DEFAULT_ENCODER)
    assert "red fox" in first.text and len(first.text) <= 600 and second.text == "Short text."
    assert GAP in numbered(query, [0], ws, 300, DEFAULT_ENCODER)[0].text or len(first.passages) == 1
    answer = modes.Question()(query, [Passage(0, "", 0, 0, 0.0), Passage(1, "", 0, 0, 0.0)], ws)
    assert answer.claims[0].text.startswith("A red fox") and answer.claims[0].cites == (1,)


def test_a_sentence_without_an_end_is_cut_and_still_held(
    catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]
) -> None:
    ws = workspace(catalogue("The fox guards the vineyard " + "and the goose guards the gate " * 60))
    answer = modes.Rag()(Query("a fox guards a vineyard"), [Passage(0, "", 0, 0, 0.0)], ws)
    assert answer.claims[0].text.endswith(" …") and len(answer.claims[0].text) <= LONGEST + 2 and not answer.failed


def test_sentences_are_chosen_with_diversity(films: Workspace) -> None:
    query = Query("talking teddy bear comedy")
    docs = asked(query.text, modes.Rag(), films).final.docs[:5].tolist()
    found = sentences(query, numbered(query, docs, films, 1500, DEFAULT_ENCODER), films, DEFAULT_ENCODER)
    assert 5 <= len(found) <= 12 and {one.number for one in found} == {1, 2, 3, 4, 5}
    picked = chosen(found, 4, 4, 0.0)
    assert picked[0].relevance == max(one.relevance for one in found) and len({id(p) for p in picked}) == 4
    assert chosen(found, 4, 4, 1.0) == [picked[0]]
    assert chosen(found, 100, 1, 0.0) and len(chosen(found, 100, 1, 0.0)) == 5
    assert chosen([], 3, 3, 0.0) == []


def test_what_was_said_is_not_said_again() -> None:
    """By hand: .7 × relevance − .3 × cosine: the twin of the first has .7 × .8 − .3 = .26, the other .7 × .5 = .35."""
    east, north = np.array([1.0, 0.0], dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32)
    best, twin = Sentence(1, "a", 0.8, 0.8, east), Sentence(2, "b", 0.8, 0.8, east)
    other = Sentence(3, "c", 0.5, 0.5, north)
    assert chosen([best, twin, other], 2, 1, 0.0) == [best, other]
    assert chosen([best, twin, other], 2, 1, 0.7) == [best, twin]
    assert chosen([best, replace(twin, number=1), other], 3, 1, 0.0) == [best, other]


# --- by a model


@each
def test_a_model_is_asked_once_with_numbered_sources(mode: Any, films: Workspace) -> None:
    model = by(films, Reply("Mark Darcy is a barrister [1].", usage=Usage(612, 94, 0, 1), provider="p", model="m"))
    answer = mode(ROMANCE, bridget(films), films)
    _, usage, facts = films.drain()
    assert len(model.asked) == 1 and model.asked[0].max_tokens == TOKENS and model.asked[0].schema is None
    lines = [json.loads(line) for line in model.asked[0].messages[1].text.split("\n") if line.startswith('{"number"')]
    assert [line["number"] for line in lines] == [1, 2, 3] and lines[0]["title"] == "Bridget Jones's Diary"
    assert "Hugh Grant" in lines[0]["text"] and "Mark Darcy" in lines[0]["text"]
    assert facts["by_rule"] is False and facts["provider"] == "p" and facts["model"] == "m"
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["calls"]) == (612, 94, 1)
    assert [(c.number, c.status) for c in answer.citations] == [(1, "supported")] and not answer.abstained
    shown = to_json(answer, films.corpus, facts, usage)
    assert shown["provider"] == "p" and shown["usage"]["prompt_tokens"] == 612 and shown["by_rule"] is False


@pytest.mark.parametrize(
    ("reply", "statuses", "uncited", "line"),
    [
        (ERRING, ["supported", "unsupported", "absent"], 0, "1 of 3 citations holds"),
        ("Watch Bridget Jones. It is fun.", [], 2, "nothing is cited, 2 sentences cite nothing"),
        ("Watch it [7]. Or that one [8].", ["absent", "absent"], 0, "0 of 2 citations hold"),
        ("\x1b[31mMark Darcy\x1b[0m is a barrister\u200b [1].", ["supported"], 0, "1 of 1 citation holds"),
        ("**Mark Darcy** is a barrister【1】.", ["supported"], 0, "1 of 1 citation holds"),
        ("I'm sorry, but I can't help with that.", [], 1, "nothing is cited, 1 sentence cites nothing"),
    ],
)
def test_what_a_model_may_write(reply: str, statuses: list[str], uncited: int, line: str, films: Workspace) -> None:
    by(films, reply)
    answer = modes.Citations()(ROMANCE, bridget(films), films)
    assert [c.status for c in answer.citations] == statuses and len(answer.uncited) == uncited
    assert verdict(answer) == line and "\x1b" not in answer.text and "\u200b" not in answer.text


@pytest.mark.parametrize(
    ("reply", "says_no"),
    [
        ("The sources do not hold what is asked for.", True),
        ("None of the given sources mentions a chess prodigy. I cannot answer from them.", True),
        ("I don't have enough information to answer.", True),
        ("The sources hold no answer [1].", False),
        ("No film here is better. It is not found often. The sources agree.", False),
        ("Watch Bridget Jones.", False),
        ("", False),
    ],
)
def test_a_model_that_says_that_the_sources_hold_nothing_abstains(reply: str, says_no: bool, films: Workspace) -> None:
    assert declined(statements(reply, 3)) is says_no
    if reply:
        by(films, reply)
        assert modes.Rag()(ROMANCE, bridget(films), films).abstained is says_no


@pytest.mark.parametrize(
    "sentence",
    [
        "The sources do not hold what is asked for.",
        "None of the given sources mentions a chess prodigy.",
        "I don't have enough information to answer.",
        "The provided sources don't contain information about that.",
        "Unfortunately, the sources do not say who wins.",
        "I'm sorry, but the sources do not mention gold.",
        "Sorry, I cannot answer this from the sources.",
        "There is no information about chess in the sources.",
        "There is no mention of gold in the provided text.",
        "No source mentions a chess prodigy.",
        "Nothing in the sources answers the question.",
        "The answer is not in the sources.",
        "Chess is not mentioned in any of the sources.",
        "It cannot be determined from the given sources.",
        "Not enough information is given.",
        "None of the films matches the request.",
        "No film in the catalogue is about chess.",
        "Based on the sources, I cannot tell.",
        "The given information is insufficient.",
        "Neither source says so.",
        "I could not find an answer.",
        "Source 1 does not say who wins.",
        "The documents lack this information.",
        "The question cannot be answered from the sources.",
        "The sources hold no answer.",
        "The catalogue has no film about chess.",
    ],
)
def test_a_refusal_is_about_the_sources(sentence: str) -> None:
    assert refuses(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The hobbit is not given any gold by the dwarves.",
        "Gandalf has no information about the dragon.",
        "Bilbo has no answer to the riddle.",
        "The film contains no dialogue.",
        "Nobody found the ring.",
        "Nothing is found in the tunnel.",
        "None of the dwarves holds a throne.",
        "He cannot provide for his family.",
        "I'm sorry, but I can't help with that.",
        "Watch Bridget Jones.",
        "Neither brother is given a name.",
        "The plot does not mention a wizard.",
        "The catalogue heroine never sings.",
        "The source of the river is not far.",
        "No films are better than Jaws.",
        "The hobbit does not answer the given riddle.",
        "She gives information that is not true.",
        "There is no dragon in the film.",
    ],
)
def test_a_denial_is_no_refusal(sentence: str) -> None:
    assert not refuses(sentence)


def test_what_a_refusal_adds_is_still_listed(films: Workspace) -> None:
    by(films, "The sources do not say. Bridget marries a baron in Lisbon.")
    answer = modes.Rag()(ROMANCE, bridget(films), films)
    assert answer.abstained and [claim.text for claim in answer.uncited] == ["Bridget marries a baron in Lisbon."]
    by(films, "The hobbit is not given any gold by the dwarves.")
    answer = modes.Rag()(ROMANCE, bridget(films), films)
    assert not answer.abstained and len(answer.uncited) == 1


def test_a_model_is_not_asked_where_the_sources_hold_too_little(films: Workspace) -> None:
    model = by(films, "Magnus [1].")
    trace = asked("a chess prodigy who rises to the world championship", modes.Rag(), films)
    assert answer_of(trace).abstained and model.asked == [] and trace.steps[-1].facts["by_rule"] is True


@pytest.mark.parametrize("error", [RateLimited("too many requests", "wait"), BadReply("an empty reply", "try again")])
def test_what_a_provider_fails_to_do_goes_up(error: Exception, films: Workspace) -> None:
    by(films, error)
    with pytest.raises(type(error)):
        modes.Rag()(ROMANCE, bridget(films), films)
    trace = asked(QUERIES[0], modes.Rag(), films)
    assert trace.answer is None and trace.steps[-1].failed is error and trace.results()


@pytest.mark.parametrize("reply", ["\u200b\u200b", "\x1b[0m", " \n "])
def test_a_reply_without_a_visible_character_is_a_bad_reply(reply: str, films: Workspace) -> None:
    by(films, reply)
    with pytest.raises(BadReply, match="visible"):
        modes.Rag()(ROMANCE, bridget(films), films)


def test_a_huge_or_cut_off_reply_is_announced(films: Workspace) -> None:
    by(films, Reply("Mark Darcy is a barrister [1]. " * 2000, finish_reason="length", provider="p", model="m"))
    answer = modes.Rag()(ROMANCE, bridget(films), films)
    notices, _, _ = films.drain()
    assert len(answer.text) <= 20_000 and not answer.failed
    assert any("cut off" in text for text in notices) and any("left out" in text for text in notices)


def test_a_reply_streams_where_the_workspace_has_a_stream(films: Workspace) -> None:
    heard: list[str] = []
    films.stream = heard.append
    by(films, "Mark Darcy \x07is a barrister [1].")
    modes.Rag()(ROMANCE, bridget(films), films)
    assert heard == ["Mark Darcy is a barrister [1]."]


def test_the_judge_sees_the_fields_too(films: Workspace) -> None:
    material = Material(films.corpus.document(films.corpus.position(70) or 0), films.index.stem)
    assert "directed by Sharon Maguire" in material.sentences[0]
