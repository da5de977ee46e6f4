"""Enhancements, rerankers and answers from the command line, by rule and with a model that was scripted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from strata.llm import opening
from strata.llm.scripted import Scripted
from tests.conftest import Done, Run
from tests.llm_server import Server, completion, reply

PENGUINS = "pengiuns walking acros antartica documentry"
ROMANCE = "romantic comedy recommendations"
ERRS = (
    "In You've Got Mail rivals fall in love by e-mail [2]. "
    "Bridget Jones's Diary won two Oscars [1]. Love Actually plays at Christmas [4]."
)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """scripted("a reply", …): every command asks a model that gives these replies."""

    def script(*replies: Any) -> Scripted:
        model = Scripted(*replies)
        monkeypatch.setattr(opening, "_provider", lambda *_: model)
        return model

    return script


def answer(cli: Run, *args: str) -> Done:
    return cli("augmented_generation_cli", *args, "--no-log")


def test_lesson_4_spelling_brings_the_penguins_from_nowhere_to_the_first_place(cli: Run) -> None:
    before = cli("hybrid_search_cli", "trace", PENGUINS, "--json").json
    after = cli("hybrid_search_cli", "trace", PENGUINS, "--enhance", "spell", "--json").json
    film = "March of the Penguins"
    assert film not in [hit["title"] for hit in before["layers"][0]["hits"]]
    assert [after["layers"][i]["hits"][0]["title"] for i in (0, 1, 2)] == [film] * 3
    assert after["query"]["original"] == PENGUINS and after["query"]["used"].startswith("penguins walking across")
    assert after["enhance"]["by_rule"] is True and after["enhance"]["provider"] is None
    assert ["pengiuns", "penguins"] in after["enhance"]["changed"]


def test_the_enhanced_query_is_shown_with_who_did_it(cli: Run) -> None:
    out = cli("hybrid_search_cli", "rrf-search", PENGUINS, "--enhance", "spell").out
    assert 'enhance spell (by rule): "penguins walking across antarctic documentary"' in out


def test_a_title_that_is_only_compared_with_is_left_out_and_years_are_conditions(cli: Run) -> None:
    found = cli(
        "hybrid_search_cli", "rrf-search", "something like Alien from the 80s", "--enhance", "structure", "--json"
    ).json
    assert "Alien" not in [result["title"] for result in found["results"]]
    assert set(found["query"]["where"]) == {"year>=1980", "year<=1989"} and found["query"]["meaning"]


def test_lesson_5_the_cross_encoder_puts_the_third_man_first(cli: Run) -> None:
    found = cli("hybrid_search_cli", "rrf-search", "Vienna giant wheel", "--rerank", "cross_encoder", "--json").json
    first = found["results"][0]
    assert first["title"] == "The Third Man" and first["keyword"]["rank"] == 1 and first["fused"]["rank"] == 6
    assert first["rerank"]["score"] == first["score"]
    layer = found["layers"][-1]
    assert (layer["slot"], layer["label"], len(found["layers"][-1]["hits"])) == ("rerank", "logit", 5)
    assert found["plan"]["rerank"]["candidates"] == 25


def test_a_rerank_method_is_the_same_flag_and_reads_five_times_the_limit(cli: Run) -> None:
    found = cli(
        "hybrid_search_cli", "rrf-search", "horse", "--rerank-method", "late_interaction", "--limit", "2", "--json"
    ).json
    assert found["plan"]["rerank"]["layer"] == "late_interaction" and found["plan"]["rerank"]["candidates"] == 10


@pytest.mark.parametrize("option", [("--enhance", "magic"), ("--rerank", "magic"), ("--llm", "magic")])
def test_unknown_names_are_one_line_that_lists_the_known(cli: Run, option: tuple[str, str]) -> None:
    done = cli(
        "hybrid_search_cli", "rrf-search", "horse", *option, *(["--enhance", "spell"] if "llm" in option[0] else [])
    )
    assert done.status == 2 and done.err.count("\n") == 1 and "one of" in done.err


def test_reasons_of_a_model_are_shown_logged_and_in_the_json(cli: Run, scripted: Any, tmp_path: Path) -> None:
    reply = json.dumps({"ranking": [{"id": 2, "why": "it is about a horse"}, {"id": 1, "why": "it has one"}]})
    scripted(reply)
    args = ("hybrid_search_cli", "rrf-search", "horse", "--rerank", "batch", "--limit", "2")
    found = cli(*args, "--json").json
    assert found["results"][0]["why"] == "it is about a horse"
    assert found["layers"][-1]["by_rule"] is False and found["layers"][-1]["provider"] == "scripted"
    assert "because: it is about a horse" in cli(*args).out
    logged = json.loads(next((tmp_path / "logs").glob("*.json")).read_text(encoding="utf-8"))
    assert logged["calls"][0]["reply"] == reply


def test_a_model_that_chats_leaves_the_step_s_input_standing_and_says_so(cli: Run, scripted: Any) -> None:
    scripted("None of them is relevant.")
    plain = cli("hybrid_search_cli", "rrf-search", "horse", "--json").json
    done = cli("hybrid_search_cli", "rrf-search", "horse", "--rerank", "batch", "--json")
    found = done.json
    assert done.status == 0 and [r["id"] for r in found["results"]] == [r["id"] for r in plain["results"]]
    assert found["layers"][-1]["failed"]["kind"] == "bad_reply" and any("rerank failed" in n for n in found["notices"])
    named = cli("hybrid_search_cli", "rrf-search", "horse", "--rerank", "batch", "--llm", "groq", "--json")
    assert named.status == 3 and named.json["results"], (
        "a provider that was asked for by name: its failure is the command's"
    )


def test_a_provider_asked_for_by_name_without_a_key_is_exit_3(cli: Run) -> None:
    done = cli("hybrid_search_cli", "rrf-search", "horse", "--enhance", "spell", "--llm", "groq")
    assert done.status == 3 and "GROQ_API_KEY" in done.err


def test_a_judge_that_was_named_and_fails_leaves_the_results_and_ends_with_3(
    cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_LLM_BASE_URL", "http://127.0.0.1:1/v1")
    given = ("rrf-search", "horse", "--limit", "2", "--evaluate", "--max-calls", "1", "--json")
    done = cli("hybrid_search_cli", *given, "--llm", "openai", "--llm-model", "m")
    assert done.status == 3 and len(done.json["results"]) == 2 and "the judge failed" in done.err
    assert cli("hybrid_search_cli", *given, "--llm", "none").status == 0


def test_what_a_cut_off_reply_used_is_in_the_trace_and_in_the_log(
    cli: Run, llm_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The second call is not within the limit: the command ends with 3, and the first stays counted."""
    monkeypatch.setenv("STRATA_LLM_BASE_URL", llm_server.base("openai"))
    llm_server.gives(reply(completion("", "length")))
    given = ("rrf-search", "horse", "--rerank", "batch", "--llm", "openai", "--llm-model", "m", "--max-calls", "1")
    done = cli("hybrid_search_cli", *given, "--json", logs=tmp_path / "logs")
    assert (
        done.status == 3 and len(llm_server.asked) == 1 and done.json["layers"][-1]["failed"]["kind"] == "budget_spent"
    )
    used = {"prompt_tokens": 40, "completion_tokens": 9, "calls": 1}
    [log] = [json.loads(file.read_bytes()) for file in (tmp_path / "logs").glob("*.json")]
    assert used.items() <= log["layers"][-1]["usage"].items() and log["calls"][0]["usage"]["completion"] == 9
    assert log["calls"][0]["error"]["kind"] == "budget_spent"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--llm", "bogus", "--show-prompt"), 'there is no provider "bogus"'),
        (("--llm", "bogus"), 'there is no provider "bogus"'),
        (("--llm", "replay", "--llm-model", "x"), "--llm-model has nothing to say"),
        (("--replay", "kept", "--llm-model", "x"), "--llm-model has nothing to say"),
        (("--llm", "none", "--replay", "/nonexistent", "--record", "kept"), "has nothing to say"),
        (("--llm", "auto", "--replay", "kept"), "--replay is what --llm replay reads"),
    ],
)
@pytest.mark.parametrize("command", [("rrf-search", "horse"), ("rrf-search", "horse", "--rerank", "batch")])
def test_a_model_s_options_that_say_nothing_are_refused(
    cli: Run, tmp_path: Path, command: tuple[str, ...], args: tuple[str, ...], said: str
) -> None:
    done = cli("hybrid_search_cli", *command, *args)
    assert done.status == 2 and said in " ".join(done.err.split()) and done.out == ""


def test_the_judge_s_opinion_is_called_one(cli: Run, scripted: Any) -> None:
    scripted(
        json.dumps({"grades": [{"id": 1, "grade": 3, "why": "exactly"}, {"id": 2, "grade": 0, "why": "not at all"}]})
    )
    done = cli("hybrid_search_cli", "rrf-search", "horse", "--limit", "2", "--evaluate")
    assert "judged 3 of 3, an opinion: exactly" in done.out


def test_without_a_model_nothing_is_judged_and_that_is_said(cli: Run) -> None:
    done = cli("hybrid_search_cli", "rrf-search", "horse", "--evaluate", "--llm", "none")
    assert done.status == 0 and "nothing is judged" in done.err and "judged" not in done.out


def test_show_prompt_prints_the_messages_and_sends_nothing(cli: Run, tmp_path: Path) -> None:
    done = cli("hybrid_search_cli", "rrf-search", "horse", "--rerank", "batch", "--show-prompt", "--json")
    (prompt,) = done.json["prompts"]
    assert prompt["messages"][0]["role"] == "system" and "horse" in json.dumps(prompt)
    assert not list((tmp_path / "logs").glob("*.json"))
    text = cli("hybrid_search_cli", "rrf-search", "horse", "--show-prompt").out
    assert text == "This plan asks no language model anything.\n"


def test_debug_adds_the_way_through_the_layers(cli: Run) -> None:
    done = cli("hybrid_search_cli", "rrf-search", "wizard school", "--debug")
    assert "list length" in done.out and "ms: keyword" in done.out


@pytest.mark.parametrize("mode", ["rag", "summarize", "citations", "question"])
def test_every_mode_answers_by_rule_with_citations_that_hold(cli: Run, mode: str) -> None:
    done = answer(cli, mode, ROMANCE, "--limit", "3", "--json", "--strict")
    made = done.json["answer"]
    assert done.status == 0 and made["mode"] == mode and made["by_rule"] is True and made["model"] is None
    assert made["citations"] and {c["status"] for c in made["citations"]} == {"supported"} and not made["uncited"]
    shown = {source["number"]: source["id"] for source in made["sources"]}
    assert all(shown[citation["number"]] == citation["id"] for citation in made["citations"])


def test_sources_stand_before_the_answer_and_the_check_after_it(cli: Run) -> None:
    out = answer(cli, "citations", ROMANCE, "--limit", "3").out
    assert out.index("Sources") < out.index("Answer") < out.index("Check")
    assert all(len(line) <= 80 for line in out.splitlines())


def test_lesson_6_five_sources_and_still_no_answer(cli: Run) -> None:
    done = answer(cli, "citations", "a chess prodigy who rises to the world championship", "--json", "--strict")
    assert done.json["answer"]["abstained"] is True and done.status == 0


def test_an_abstention_says_whose_it_is(cli: Run, scripted: Any) -> None:
    scripted("The sources do not say. Bridget marries a baron.")
    out = answer(cli, "rag", ROMANCE, "--limit", "3").out
    assert "abstained: the model says that the sources hold no answer" in out and "too little" not in out
    assert "uncited  Bridget marries a baron." in out
    scripted("The hobbit is not given any gold by the dwarves.")
    out = answer(cli, "rag", ROMANCE, "--limit", "3").out
    assert "abstained" not in out and "uncited  The hobbit is not given any gold" in out
    out = answer(cli, "rag", "a chess prodigy who rises to the world championship").out
    assert "abstained: the sources hold too little (0.32)" in out


def test_citations_of_every_form_are_checked(cli: Run) -> None:
    false = "A hobbit is hired by Sauron to conquer Mordor [Source 1, Source 9]."
    done = answer(cli, "check", "hobbit dragon burglar", false, "--json", "--strict")
    assert [c["status"] for c in done.json["answer"]["citations"]] == ["unsupported", "absent"] and done.status == 1


def test_lesson_6_a_fluent_answer_in_which_two_of_three_citations_fail(cli: Run, scripted: Any) -> None:
    scripted(ERRS)
    done = answer(cli, "citations", ROMANCE, "--limit", "3", "--json", "--strict")
    statuses = [citation["status"] for citation in done.json["answer"]["citations"]]
    assert statuses == ["supported", "unsupported", "absent"] and done.status == 1
    assert "1 of 3 citations holds (--strict)" in done.err


def test_a_pasted_answer_is_judged_by_what_is_retrieved(cli: Run) -> None:
    done = answer(cli, "check", ROMANCE, ERRS, "--limit", "3", "--json")
    assert [c["status"] for c in done.json["answer"]["citations"]] == ["supported", "unsupported", "absent"]
    assert done.status == 0
    assert answer(cli, "check", ROMANCE, "   ").status == 2


def test_the_bundled_recording_of_a_model_that_errs_is_replayed_without_key_and_network(process: Run) -> None:
    args = ("citations", ROMANCE, "--limit", "3", "--llm", "replay", "--strict", "--json")
    done = process("augmented_generation_cli", *args, env={"HF_HUB_OFFLINE": "1"})
    made = done.json["answer"]
    assert done.status == 1 and made["model"] == "a model that errs" and made["text"] == ERRS
    assert [citation["status"] for citation in made["citations"]] == ["supported", "unsupported", "absent"]


def test_a_missing_recording_is_one_line_and_the_sources_stand(cli: Run) -> None:
    done = answer(cli, "rag", "a bear in London", "--llm", "replay", "--json")
    assert done.status == 3 and done.json["answer"] is None and len(done.json["results"]) == 5
    assert any("recording" in notice for notice in done.json["notices"])


@pytest.mark.parametrize(("limit", "rank"), [("4", 4), ("3", None)])
def test_lesson_5_a_reranker_finds_seven_samurai_only_where_it_is_given_it(
    cli: Run, limit: str, rank: int | None
) -> None:
    robbers = "a poor community pays a small group of warriors to protect it from robbers"
    found = cli(
        "hybrid_search_cli", "rrf-search", robbers, "--rerank", "cross_encoder", "--limit", limit, "--json"
    ).json
    titles = [result["title"] for result in found["results"]]
    assert (titles.index("Seven Samurai") + 1 if "Seven Samurai" in titles else None) == rank
