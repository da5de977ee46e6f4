"""Single figures, analysis, postings and explanations of the keyword layer, and what it refuses."""

from __future__ import annotations

import math

import pytest

from strata.keyword import formulas
from strata.pipeline.workspace import Workspace
from tests.conftest import Run

PROGRAM = "keyword_search_cli"


def test_single_figures_follow_their_formulas(cli: Run, films: Workspace) -> None:
    index = films.index
    bear = index.term("bear")
    assert bear is not None
    df, n = index.df(bear), 593
    doc = films.corpus.find("393")
    tf = index.tf(bear, doc)
    dl = int(index.lengths[doc])
    expected = {
        ("tf", "393", "bear"): tf,
        ("idf", "bear"): math.log((n + 1) / (df + 1)),
        ("tfidf", "393", "bear"): tf * math.log((n + 1) / (df + 1)),
        ("bm25idf", "bear"): math.log(1 + (n - df + 0.5) / (df + 0.5)),
        ("bm25tf", "393", "bear"): tf * 2.5 / (tf + 1.5 * (0.25 + 0.75 * dl / index.avgdl)),
        ("bm25tf", "393", "bear", "2", "0"): tf * 3 / (tf + 2),
        ("bm25tf", "393", "bear", "0"): 1.0,
        ("tf", "paddington 2", "zzyzx"): 0,
        ("bm25idf", "zzyzx"): formulas.bm25_idf(0, n),
    }
    for args, value in expected.items():
        assert cli(PROGRAM, *args, "--json").json["value"] == pytest.approx(value), args
        text = cli(PROGRAM, *args).out.strip()
        assert text == (str(value) if args[0] == "tf" else f"{value:.2f}"), args


@pytest.mark.parametrize("ref", ["393", "Paddington", "paddington"])
def test_a_document_is_named_by_id_or_title(cli: Run, ref: str) -> None:
    assert cli(PROGRAM, "tf", ref, "marmalade", "--json").json["doc_id"] == 393


def test_several_titles_are_listed_with_years(cli: Run) -> None:
    done = cli(PROGRAM, "tf", "Cape Fear", "bear")
    assert done.status == 2
    assert "(1962)" in done.err and "(1991)" in done.err and len(done.err.splitlines()) == 1


def test_an_explanation_adds_up_to_the_search_score(cli: Run) -> None:
    query = "cute british bear marmalade"
    found = cli(PROGRAM, "bm25search", query, "--json").json["results"]
    for result in found:
        part = cli(PROGRAM, "explain", query, str(result["id"]), "--json").json
        assert part["score"] == pytest.approx(result["score"], rel=1e-9)
        assert sum(term["contribution"] for term in part["terms"]) == pytest.approx(part["score"], rel=1e-9)
        assert sum(term["share"] for term in part["terms"]) == pytest.approx(1)
        assert {"term", "tf", "df", "idf", "length_norm", "contribution", "share"} <= part["terms"][0].keys()


def test_an_explanation_of_a_film_that_shares_no_term_says_so(cli: Run) -> None:
    done = cli(PROGRAM, "explain", "marmalade", "Titanic")
    assert done.status == 0 and "shares no term" in done.out and "score 0.000" in done.out


def test_analyze_tells_what_becomes_of_each_word(cli: Run) -> None:
    rows = cli(PROGRAM, "analyze", "The Horses of Amélie zzyzx", "--json").json["words"]
    assert [(r["word"], r["dropped"], r.get("term")) for r in rows] == [
        ("The", True, None),
        ("Horses", False, "hors"),
        ("of", True, None),
        ("Amélie", False, "ameli"),
        ("zzyzx", False, "zzyzx"),
    ]
    assert rows[-1]["df"] == 0
    assert cli(PROGRAM, "analyze", "").out.strip() == "No word in it."


def test_postings_are_the_documents_with_their_frequencies(cli: Run, films: Workspace) -> None:
    found = cli(PROGRAM, "postings", "horses", "--limit", "3", "--json").json
    term = films.index.term("horse")
    assert term is not None
    assert found["df"] == films.index.df(term) and len(found["postings"]) == 3
    frequencies = [entry["tf"] for entry in found["postings"]]
    assert frequencies == sorted(frequencies, reverse=True)
    out = cli(PROGRAM, "postings", "horse", "--limit", "3").out
    assert "▓" in out and "… and 22 more" in out


def test_build_says_what_is_in_the_index(cli: Run) -> None:
    facts = cli(PROGRAM, "build", "--json").json
    assert facts["documents"] == 593 and facts["terms"] > 10_000 and facts["postings"] > facts["terms"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("bm25search", "bear", "--limit", "0"), "limit"),
        (("bm25search", "bear", "--limit", "x"), "limit"),
        (("bm25search", "bear", "--k1", "-1"), "k1"),
        (("bm25search", "bear", "--k1", "nan"), "k1"),
        (("bm25search", "bear", "--b", "2"), "b must be"),
        (("bm25search",), "QUERY"),
        (("bm25search", "bear", "--nope"), "nope"),
        (("tf", "99999", "bear"), "99999"),
        (("tf", "Padington", "bear"), "Paddington"),
        (("tf", "393", "two words"), "not one word"),
        (("tf", "393", "the"), "stop list"),
        (("tf", "", "bear"), "no document"),
        (("postings", "zzyzx"), "in no document"),
        (("bm25tf", "393", "bear", "-1"), "k1"),
        (("nope",), "nope"),
        (("bm25search", "bear", "--dataset", "no/such/file.json"), "no known catalogue"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(cli: Run, args: tuple[str, ...], said: str) -> None:
    done = cli(PROGRAM, *args)
    assert done.status == 2 and done.out == ""
    assert len(done.err.splitlines()) == 1 and done.err.startswith("error: ")
    assert said in done.err
    as_json = cli(PROGRAM, *args, "--json")
    import json

    assert json.loads(as_json.err)["error"].keys() == {"kind", "message", "next_step"}
