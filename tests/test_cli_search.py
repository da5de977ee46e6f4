"""The searches as a user runs them over the bundled films."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run


def titles(found: dict[str, list[dict[str, str]]]) -> list[str]:
    return [result["title"] for result in found["results"]]


def test_horse_finds_25_films_and_the_horse_whisperer_among_the_first(cli: Run) -> None:
    found = cli("keyword_search_cli", "bm25search", "horse", "--json").json
    assert found["layers"][0]["matched"] == 25
    assert "The Horse Whisperer" in titles(found)
    fused = cli("hybrid_search_cli", "rrf-search", "horse", "--json").json
    assert titles(fused)[0] == "The Horse Whisperer"


@pytest.mark.parametrize("command", ["bm25search", "search"])
@pytest.mark.parametrize(
    ("query", "title"),
    [("notting hill", "Notting Hill"), ("amelie", "Amélie"), ("AMÉLIE", "Amélie"), ("dod sno", "Død snø")],
)
def test_names_that_crash_or_miss_elsewhere_come_first(cli: Run, command: str, query: str, title: str) -> None:
    """cases.md 2, 16, 18."""
    assert titles(cli("keyword_search_cli", command, query, "--json").json)[0] == title


@pytest.mark.parametrize("program", [("keyword_search_cli", "bm25search"), ("hybrid_search_cli", "rrf-search")])
def test_the_others_is_among_the_first_three(cli: Run, program: tuple[str, str]) -> None:
    """cases.md 2: the stem of `others` is a stop word."""
    assert "The Others" in titles(cli(*program, "the others", "--json").json)[:3]


def test_wes_anderson_finds_his_films_first(cli: Run) -> None:
    found = cli("keyword_search_cli", "bm25search", "wes anderson", "--json").json
    for title in titles(found)[:3]:
        shown = cli("data_cli", "show", title, "--json")
        assert shown.json["fields"]["director"] == "Wes Anderson", title


@pytest.mark.parametrize(
    ("query", "dropped", "offered"),
    [("don't", "don't", None), ("up", "up", "Up"), ("her", "her", "Her"), ("M", "M", "M"), ("don’t", "don’t", None)],
)
def test_a_query_of_stop_words_names_them_and_offers_the_film(
    cli: Run, query: str, dropped: str, offered: str | None
) -> None:
    done = cli("keyword_search_cli", "bm25search", query)
    assert done.status == 0
    assert f'Not looked for by keyword (stop list): "{dropped}"' in done.out
    assert ("A film with exactly that title" in done.out) == (offered is not None)
    if offered:
        assert f") {offered} (" in done.out


@pytest.mark.parametrize("query", ["", "???", "   ", "—", "_"])
@pytest.mark.parametrize(
    "command",
    [
        ("keyword_search_cli", "bm25search"),
        ("keyword_search_cli", "search"),
        ("hybrid_search_cli", "rrf-search"),
        ("hybrid_search_cli", "trace"),
        ("semantic_search_cli", "search_chunked"),
    ],
)
def test_a_query_without_a_word_is_refused_in_one_line(cli: Run, command: tuple[str, str], query: str) -> None:
    done = cli(*command, query)
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1 and "holds no word" in done.err


def test_words_of_no_document_are_named_with_the_nearest_that_is(cli: Run) -> None:
    done = cli("keyword_search_cli", "bm25search", "marmelade bear")
    assert '"marmelade" is in no document; the nearest word that is: "marmalade".' in done.out


def test_result_lines_have_the_two_fixed_forms(cli: Run) -> None:
    bm25 = cli("keyword_search_cli", "bm25search", "notting hill", "--limit", "1").out.splitlines()
    assert bm25[1].startswith("1. (381) Notting Hill - Score: ")
    tfidf = cli("keyword_search_cli", "search", "notting hill", "--limit", "1").out.splitlines()
    assert tfidf[1].startswith("1. (381) Notting Hill  ")


def test_a_hybrid_result_shows_ranks_scores_bar_and_passage(cli: Run) -> None:
    out = cli("hybrid_search_cli", "rrf-search", "cute british bear marmalade", "--limit", "2").out
    lines = out.splitlines()
    assert lines[0].startswith("keyword (46 matched) + chunks, rrf k=60 (rank constant), lessons, ")
    assert "(47) The Bear" in lines[1] and "▓" in lines[1] and "░" in lines[1]
    assert lines[2].strip().startswith("keyword 3rd ") and "semantic 1st " in lines[2]
    assert "[marmalade]-loving [bear]" in out
    assert '"cute" is in no document' in out
    assert all(len(line) <= 80 for line in lines)


def test_which_list_found_a_result_is_told_truthfully(cli: Run) -> None:
    """cases.md 24: automobile stands in one film only; the others come from the chunks alone."""
    found = cli("hybrid_search_cli", "rrf-search", "automobile", "--json").json
    keyword = {hit["id"] for hit in found["layers"][0]["hits"]}
    assert len(keyword) == 1
    for result in found["results"]:
        assert (result["keyword"] is not None) == (result["id"] in keyword)
        assert result["semantic"] is None or result["semantic"]["rank"] >= 1
    out = cli("hybrid_search_cli", "rrf-search", "automobile").out
    assert "keyword absent" in out


def test_a_trace_follows_a_query_through_the_layers(cli: Run) -> None:
    done = cli(
        "hybrid_search_cli", "trace", "a poor community pays a small group of warriors to protect it from robbers"
    )
    assert "list length" in done.out and "ms: keyword" in done.out
    assert "fell the furthest:" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())
    found = cli("hybrid_search_cli", "trace", "wizard school", "--json").json
    assert set(found["moves"]) == {"paths", "left_top", "largest_fall", "beside"}
    assert found["moves"]["paths"][0]["ranks"].keys() == {"keyword", "chunks", "rrf"}


def test_the_list_beside_is_asked_what_the_run_s_own_lists_were(cli: Run) -> None:
    """It was asked the query before the enhancement, and held what the enhancement had ruled out."""
    query = "pengiuns walking acros antartica documentry"
    found = cli("hybrid_search_cli", "trace", query, "--enhance", "spell", "--json").json
    alone = cli("semantic_search_cli", "search", found["query"]["used"], "--limit", "593", "--json").json["results"]
    ranks = {one["id"]: one["rank"] for one in alone if one["rank"] <= 100}
    (beside,) = found["moves"]["beside"]
    assert [one["rank"] for one in beside["ranks"]] == [ranks.get(one["id"]) for one in beside["ranks"]]
    assert found["query"]["used"] != query and 1 in [one["rank"] for one in beside["ranks"]]

    query = "something like Jaws"
    found = cli("hybrid_search_cli", "trace", query, "--enhance", "structure", "--limit", "100", "--json").json
    assert len(found["query"]["exclude"]) == 1
    alone = cli("semantic_search_cli", "search", found["query"]["meaning"], "--limit", "593", "--json").json["results"]
    left = [one["id"] for one in alone if one["id"] not in found["query"]["exclude"]]
    (beside,) = found["moves"]["beside"]
    shown = [(one["id"], one["rank"]) for one in beside["ranks"] if one["rank"]]
    assert len(shown) > 20 and all(left[rank - 1] == id for id, rank in shown)


@pytest.mark.parametrize("spelling", ["rrf-search", "rrf_search", "rrfsearch"])
def test_every_spelling_of_a_subcommand_is_accepted(cli: Run, spelling: str) -> None:
    assert cli("hybrid_search_cli", spelling, "horse", "--limit", "1", "--no-log").status == 0


def test_normalize_takes_negative_numbers_unquoted(cli: Run) -> None:
    done = cli("hybrid_search_cli", "normalize", "0.5", "-0.2", "1")
    assert done.out.split() == ["*", "0.5833", "*", "0.0000", "*", "1.0000"]
    assert cli("hybrid_search_cli", "normalize", "-1e-3", "-2").status == 0
    assert cli("hybrid_search_cli", "normalize", "2", "2", "--json").json["normalized"] == [1.0, 1.0]
    assert cli("hybrid_search_cli", "normalize", "nan").status == 2
    assert cli("hybrid_search_cli", "normalize", "--nope", "1").status == 2


def test_the_same_output_every_time(cli: Run) -> None:
    """cases.md 35: everything but the run id and the times."""
    seen = set()
    for _ in range(5):
        found = cli("hybrid_search_cli", "rrf-search", "space war", "--json", "--no-log").json
        seen.add(json.dumps(found["results"]))
    assert len(seen) == 1


def test_json_is_one_document_of_plain_numbers_on_stdout(cli: Run) -> None:
    """cases.md 47 and 78."""
    done = cli("hybrid_search_cli", "rrf-search", "quokkas axolotls", "--json")
    found = json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert {"run_id", "dataset", "query", "plan", "layers", "results", "notices"} <= found.keys()
    assert done.out.count("\n") == 1
    assert any("quokkas" in notice for notice in found["notices"])


def test_min_score_may_leave_nothing_and_says_so(cli: Run) -> None:
    done = cli("semantic_search_cli", "search_chunked", "automobile", "--min-score", "0.99")
    assert done.status == 0 and "Nothing close enough" in done.out


def test_where_and_exclude_narrow_a_search(cli: Run) -> None:
    found = cli("hybrid_search_cli", "rrf-search", "bear", "--where", "year>=2010", "--exclude", "393", "--json").json
    assert titles(found) and "Paddington" not in titles(found)
    for result in found["results"]:
        assert cli("data_cli", "show", str(result["id"]), "--json").json["fields"]["year"] >= 2010


def test_every_search_writes_one_whole_run_log(cli: Run, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    found = cli("hybrid_search_cli", "rrf-search", "horse", "--json").json
    (log,) = logs.glob("*.json")
    entry = json.loads(log.read_text(encoding="utf-8"))
    assert log.stem == entry["run_id"] == found["run_id"]
    assert entry["command"] == "hybrid_search_cli rrf-search"
    assert len(entry["layers"][1]["hits"]) == 100, "every candidate, not only what was shown"
    assert entry["plan"] == found["plan"] and entry["versions"]["strata"]
    assert {name.split()[0] for name in entry["artefacts"]} == {"keyword_index", "chunk_vectors", "encoder"}
    cli("hybrid_search_cli", "rrf-search", "horse", "--no-log")
    assert len(list(logs.glob("*"))) == 1


def test_a_log_that_cannot_be_written_does_not_lose_the_search(cli: Run, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder", encoding="utf-8")
    done = cli("keyword_search_cli", "bm25search", "horse", logs=blocked)
    assert done.status == 0 and "Whisperer" in done.out
    assert "not logged" in done.err


def test_quiet_silences_notices(cli: Run, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("", encoding="utf-8")
    assert cli("keyword_search_cli", "bm25search", "horse", "-q", logs=blocked).err == ""


def test_verbose_tells_plan_times_and_log_on_stderr(cli: Run) -> None:
    done = cli("hybrid_search_cli", "rrf-search", "horse", "-v")
    for said in ("dataset movies", '"layer": "bm25"', "retrieve chunks:", "encode_ms", "logged in"):
        assert said in done.err
    assert cli("hybrid_search_cli", "rrf-search", "horse").err == ""
