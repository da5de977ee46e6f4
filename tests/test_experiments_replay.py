"""experiment_cli replay: the same result, or from which step on not, and the part that a language model had in it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata.errors import BadReply, ProviderError, RateLimited
from strata.experiments.calls import LoggedReplies, call
from strata.experiments.fields import Fields
from strata.experiments.parsing import parse
from strata.llm import opening
from strata.llm.scripted import Scripted
from strata.llm.types import Message
from tests.conftest import Run, write_catalogue
from tests.harbour import ESCAPE, FILMS, Search, read, rewrite


@pytest.mark.parametrize(
    "args",
    [
        ("bm25search", "harbour ship"),
        ("rrf-search", "harbur bred", "--enhance", "spell", "--where", "year>=1970", "--exclude", "x4", "-k", "7"),
        (
            "rrf-search",
            "something like Ship of Bread but without Winter Harbour",
            "--enhance",
            "structure",
            "--exclude",
            "1",
        ),
        ("weighted-search", "harbour", "--alpha", "0.3", "--limit", "2"),
        ("similar", "Harbour Lights", "--exclude", "2"),
        ("explain", "harbour bread", "3"),
        ("explain", "harbour bread", "3", "--rerank", "late_interaction"),
        ("trace", "harbour bread"),
        ("trace", "harbur bred", "--enhance", "spell", "--rerank", "late_interaction", "--limit", "1"),
        ("citations", "ship with bread", "--limit", "2"),
    ],
    ids=lambda args: args[0],
)
def test_a_replay_of_an_untouched_run_is_the_same(
    search: Search, experiment: Run, log_dir: Path, args: tuple[str]
) -> None:
    log = search(*args)
    done = experiment("replay", "last", "--strict")
    assert done.status == 0 and "The same result" in done.out and "✗" not in done.out and done.err == ""
    data = experiment("replay", "last", "--json").json
    assert data["same"] is True and data["first_difference"] is None and data["diff"]["identical"], data["diff"][
        "changes"
    ]
    assert data["today"]["run_id"] != log["run_id"] and data["logged_as"] is None and data["replies"] is None
    assert len(list(log_dir.glob("*.json"))) == 1


def test_conditions_that_an_enhancement_added_are_not_taken_for_asked_ones(search: Search) -> None:
    log = search("rrf-search", "something like Ship of Bread from the 90s", "--enhance", "structure", "--exclude", "1")
    assert log["query"]["exclude"] == [1, 5] and log["query"]["asked"] == {"where": [], "exclude": [1]}
    assert parse(log).asked.exclude == (1,) and set(parse(log).used.where) == {"year>=1990", "year<=1999"}


def swap(hits: list[dict[str, Any]]) -> None:
    hits[0], hits[1] = hits[1], hits[0]


EDITS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "searched": (lambda log: log["query"].update(used="harbour loaf"), "enhance"),
    "first list": (lambda log: swap(log["layers"][0]["hits"]), "keyword"),
    "a score": (lambda log: log["layers"][1]["hits"][1].update(score=0.1), "chunks"),
    "a document gone": (lambda log: log["layers"][2]["hits"].pop(0), "rrf"),
    "a result's passage": (lambda log: log["results"][0].update(passage="Another."), "results"),
    "a list that is no more": (lambda log: log["layers"][1].update(layer="chunks of old"), "chunks of old"),
    "a list that failed": (lambda log: log["layers"][2].update(failed={"kind": "timed_out", "message": "late"}), "rrf"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_replay_says_from_which_step_on_it_differs(search: Search, experiment: Run, log_dir: Path, edit: str) -> None:
    log = search("rrf-search", "harbur bread", "--enhance", "spell")
    change, step = EDITS[edit]
    change(log)
    rewrite(log_dir, log)
    done = experiment("replay", "last")
    assert done.status == 0 and f"Not the same result: it differs from the step {step} on" in done.out
    data = experiment("replay", "last", "--json").json
    assert (data["same"], data["first_difference"]) == (False, step)
    differing = [one["step"] for one in data["steps"] if not one["same"]]
    assert differing == ([step, "chunks"] if step == "chunks of old" else [step])
    strict = experiment("replay", "last", "--strict")
    assert strict.status == 1 and f"differs from the step {step} on (--strict)" in strict.err


def test_equal_scores_in_another_order_are_called_that(search: Search, experiment: Run, log_dir: Path) -> None:
    log = search("bm25search", "harbour ship train")
    hits = log["layers"][0]["hits"]
    for rows in (hits, log["results"]):
        rows[1]["score"] = rows[0]["score"]
    today = copy.deepcopy(log)
    swap(today["layers"][0]["hits"])
    rewrite(log_dir, {**today, "run_id": "20301130T000001-aaaaaa"})
    rewrite(log_dir, log)
    done = experiment("diff", "last-1", "last")
    assert "only among equal scores" in done.out


def test_a_changed_catalogue_is_named_beside_what_it_changes(search: Search, experiment: Run, films_file: Path) -> None:
    search("rrf-search", "harbour bread", "--exclude", "6")
    more = {"id": 7, "title": "Harbour Bread", "description": "Bread, harbour, bread, harbour."}
    write_catalogue(films_file, *FILMS[:5], more)
    done = experiment("replay", "last")
    assert "differs from the step keyword on" in done.out and "entered  (7) Harbour Bread  1st" in done.out
    assert "dataset fingerprint" in done.out and "artefact keyword_index" in done.out
    assert "document 6" in done.out
    assert experiment("replay", "last", "--json").json["missing_documents"] == [6]


def test_the_catalogue_is_found_again_where_it_was_or_where_one_says(
    search: Search, experiment: Run, films_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = search("bm25search", "harbour")
    assert log["dataset"]["path"] == str(films_file)
    monkeypatch.chdir("/")
    assert experiment("replay", "last").status == 0
    moved = films_file.rename(tmp_path / "elsewhere.json")
    gone = experiment("replay", "last")
    assert gone.status == 2 and "is no known catalogue and no file" in gone.err
    found = experiment("replay", "last", "--dataset", str(moved))
    assert "The same result" in found.out and "dataset name  harbour.json → elsewhere.json" in found.out


def test_a_named_catalogue_has_no_path_in_the_log(cli: Run, log_dir: Path) -> None:
    cli("keyword_search_cli", "bm25search", "horse")
    (path,) = log_dir.glob("*.json")
    assert read(path)["dataset"].keys() == {"name", "documents", "fingerprint"}
    assert "The same result" in cli("experiment_cli", "replay", "last").out


def test_what_a_neighbour_was_asked_of_must_be_there(search: Search, experiment: Run, films_file: Path) -> None:
    search("similar", "Harbour Lights")
    write_catalogue(films_file, *FILMS[1:])
    done = experiment("replay", "last")
    assert done.status == 2 and 'asks for documents like "1"' in done.err and len(done.err.splitlines()) == 1


def test_a_replay_is_logged_only_when_asked(search: Search, experiment: Run, log_dir: Path) -> None:
    log = search("rrf-search", "harbour bread")
    data = experiment("replay", "last", "--log", "--json").json
    assert data["logged_as"] == data["today"]["run_id"] and len(list(log_dir.glob("*.json"))) == 2
    again = experiment("diff", log["run_id"], data["logged_as"], "--json").json
    assert [change["name"] for change in again["changes"]] == ["command"] and again["same_result"]


def test_a_plan_of_other_times_is_an_error_that_names_it(search: Search, experiment: Run, log_dir: Path) -> None:
    log = search("bm25search", "harbour")
    log["plan"]["retrieve"][0]["layer"] = "bm26"
    done = experiment("replay", rewrite(log_dir, log))
    assert done.status == 2 and "'bm26' is no layer of this slot" in done.err and log["run_id"] in done.err


# replay of what a language model said


GRADES = [json.dumps({"score": grade, "reason": f"because {grade}"}) for grade in (3, 9, 5)]


@pytest.fixture
def graded(search: Search, scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The log of a reranking by a model that then is gone."""
    model = scripted(*GRADES)
    real = opening._provider
    log = search("rrf-search", "harbour bread", "--rerank", "individual", "--limit", "1")
    assert len(model.asked) == len(log["calls"]) == 5 and log["layers"][-1]["by_rule"] is False
    monkeypatch.setattr(opening, "_provider", real)
    model._replies = [ProviderError("nobody may be asked")]  # type: ignore[list-item]
    return log


def test_a_model_s_replies_are_given_again_from_the_log(graded: dict[str, Any], experiment: Run) -> None:
    done = experiment("replay", "last", "--strict")
    assert done.status == 0 and "replies of the language model: 5 given again from the log" in done.out
    data = experiment("replay", "last", "--json").json
    assert data["same"] and data["replies"] == {"given_again": 5, "not_in_the_log": 0, "not_asked_for": 0}
    assert data["diff"]["identical"], data["diff"]["changes"]


def test_a_request_that_is_not_in_the_log_fails_its_step(
    graded: dict[str, Any], experiment: Run, log_dir: Path
) -> None:
    for one in graded["calls"]:
        one["messages"][-1]["text"] += " and a word that today's prompt has not"
    rewrite(log_dir, graded)
    done = experiment("replay", "last")
    assert done.status == 0 and "differs from the step individual on" in done.out and "rerank failed" in done.err
    assert "5 asked for that the log has not, 5 in the log not asked for" in " ".join(done.out.split())


def test_with_llm_none_a_model_s_run_goes_by_rule(
    search: Search, experiment: Run, scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = opening._provider
    scripted('{"query": "harbour bread"}')
    search("rrf-search", "harbur bread", "--enhance", "spell")
    monkeypatch.setattr(opening, "_provider", real)
    done = experiment("replay", "last", "--llm", "none", "--json").json
    assert done["replies"] is None and done["first_difference"] == "enhance"
    assert {"kind": "enhance", "name": "done", "before": "groq, a-model", "after": "by rule"} in done["diff"]["changes"]


def test_a_run_by_rule_stays_by_rule_though_a_model_is_there(
    search: Search, experiment: Run, scripted: Callable[..., Scripted]
) -> None:
    search("rrf-search", "harbur bread", "--enhance", "spell")
    model = scripted('{"query": "another request altogether"}')
    assert "The same result" in experiment("replay", "last").out and model.asked == []
    asked = experiment("replay", "last", "--llm", "groq")
    assert "differs from the step enhance on" in asked.out and len(model.asked) == 1
    scripted(RateLimited("too many"))
    assert experiment("replay", "last", "--llm", "groq").status == 3
    assert experiment("replay", "last", "--llm-model", "x").status == 2


def test_a_model_s_failure_is_given_again_too(
    search: Search, experiment: Run, scripted: Callable[..., Scripted]
) -> None:
    scripted(RateLimited("too many requests", "wait a minute"))
    log = search("rrf-search", "harbur bread", "--enhance", "spell")
    assert log["calls"][0]["error"] == {
        "kind": "rate_limited",
        "message": "too many requests",
        "next_step": "wait a minute",
    }
    scripted("this would be asked")
    done = experiment("replay", "last")
    assert "The same result" in done.out and "too many requests): its input stands; wait a minute" in done.err


def record(text: str, reply: str | None, **more: Any) -> dict[str, Any]:
    asked = {"messages": [{"role": "user", "text": text}], "schema": None, "max_tokens": 9}
    said = {"reply": reply, "error": None, "usage": {}, "ms": 1.0, "finish_reason": "stop"}
    return {"provider": "groq", "model": "m", **asked, **said, **more}


def test_replies_are_found_whatever_the_random_boundary_and_in_their_order() -> None:
    first, second = ("boundary-" + digit * 32 for digit in "ab")
    replies = LoggedReplies([call(Fields(record(f"<{first}>", one))) for one in ("one", "two")], "a run")
    said = [replies.complete([Message("user", f"<{second}>")], max_tokens=9).text for _ in range(3)]
    assert said == ["one", "two", "two"] and (replies.given, replies.missing, replies.unused) == (3, 0, 0)
    with pytest.raises(ProviderError, match="holds no reply"):
        replies.complete([Message("user", f"<{second}>")], max_tokens=10)
    assert replies.missing == 1


def test_a_logged_error_is_raised_as_what_it_was() -> None:
    bad = record("q", '{"score": "nine"', error={"kind": "bad_reply", "message": f"no JSON {ESCAPE}"})
    with pytest.raises(BadReply) as caught:
        LoggedReplies([call(Fields(bad))], "r").complete([Message("user", "q")], max_tokens=9)
    assert caught.value.text == '{"score": "nine"' and caught.value.message.isprintable()
    other = record("q", None, error={"kind": "of another time", "message": "m"})
    with pytest.raises(ProviderError):
        LoggedReplies([call(Fields(other))], "r").complete([Message("user", "q")], max_tokens=9)
