"""The docs hold: every command is in them and has help, every figure of a lesson is what the programs find today."""

from __future__ import annotations

import re

import pytest
import typer.main

from tests.conftest import ROOT, Run

PROGRAMS = (
    "strata",
    "keyword_search_cli",
    "semantic_search_cli",
    "hybrid_search_cli",
    "augmented_generation_cli",
    "multimodal_search_cli",
    "describe_image_cli",
    "evaluation_cli",
    "data_cli",
    "experiment_cli",
)
LESSONS = sorted((ROOT / "docs").glob("lesson-*.md"))


def commands(program: str) -> dict[str, object]:
    """By name; a program that is one command has it under ""."""
    import importlib

    module = importlib.import_module("strata.__main__" if program == "strata" else program)
    made = typer.main.get_command(module.app)
    return dict(getattr(made, "commands", {"": made}))


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_command_and_option_has_help_and_stands_in_the_reference(program: str) -> None:
    reference = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name, command in commands(program).items():
        assert command.help, f"{program} {name}"  # type: ignore[attr-defined]
        assert (f"### {program} {name}\n" if name else f"## {program}\n") in reference
        for parameter in command.params:  # type: ignore[attr-defined]
            assert parameter.help, f"{program} {name} {parameter.name}"


@pytest.mark.parametrize("program", PROGRAMS[1:])
def test_the_readme_names_every_subcommand(program: str) -> None:
    row = next(
        line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if f"| `{program}` |" in line
    )
    named = set(commands(program)) - {""}
    assert set(re.findall(r"[a-z][\w-]*", row.split("|")[3])) == named if named else row.split("|")[3].strip()


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_puts_this_layer_first_and_everywhere_last(cli: Run, program: str) -> None:
    for name in commands(program):
        out = cli(program, *filter(None, [name]), "--help").out
        panels = re.findall(r"╭─ ([A-Z][\w ]+?) ─", out)
        assert panels[-1] == "Everywhere", (program, name, panels)
        assert "Options" not in panels


@pytest.mark.parametrize("page", LESSONS, ids=lambda p: p.name)
def test_every_lesson_has_formula_commands_exercises_and_answers(page: object) -> None:
    text = page.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert text.count("```console") >= 4
    assert "## Exercises" in text and "<summary>Answers</summary>" in text
    questions, answers = text.partition("## Exercises")[2].split("<details>")
    assert len(re.findall(r"(?m)^\d\. ", questions)) == len(re.findall(r"(?m)^\d\. ", answers)) >= 4


def rank(found: dict[str, object], layer: str, title: str) -> int | None:
    for entry in found["layers"]:  # type: ignore[attr-defined]
        if entry["layer"] == layer:
            return next((hit["rank"] for hit in entry["hits"] if hit["title"] == title), None)
    raise AssertionError(layer)


def test_lesson_1_marmalade_earns_two_thirds_of_the_score(cli: Run) -> None:
    found = cli("keyword_search_cli", "explain", "cute british bear marmalade", "paddington", "--json").json
    shares = {term["term"]: (round(100 * term["share"]), term["df"]) for term in found["terms"]}
    assert shares["marmalad"] == (66, 2) and shares["bear"] == (34, 34) and shares["british"] == (0, 13)
    assert found["rank"] == 1


def test_lesson_1_british_hits_british_columbia(cli: Run) -> None:
    found = cli("keyword_search_cli", "explain", "cute british bear marmalade", "The Bear", "--json").json
    assert found["rank"] == 3
    assert next(term for term in found["terms"] if term["term"] == "british")["tf"] == 1
    assert (
        "[British] Columbia"
        in cli("hybrid_search_cli", "rrf-search", "cute british bear marmalade", "--limit", "1").out
    )


def test_lesson_1_the_answers_to_its_exercises(cli: Run) -> None:
    def scores(*args: str) -> list[float]:
        return [result["score"] for result in cli("keyword_search_cli", "bm25search", *args, "--json").json["results"]]

    assert scores("bear bear marmalade")[0] > scores("bear marmalade")[0]
    assert len(set(scores("bear", "--k1", "0"))) == 1


def test_lesson_3_one_film_says_automobile_and_the_vectors_find_cars(cli: Run) -> None:
    assert cli("keyword_search_cli", "bm25search", "automobile", "--json").json["layers"][0]["matched"] == 1
    found = cli("semantic_search_cli", "search_chunked", "automobile", "--json").json["results"]
    assert [result["title"] for result in found[:2]] == ["Cars", "Cars 2"]


def test_lesson_3_school_of_rock_is_first_by_chunks_and_11th_fused(cli: Run) -> None:
    found = cli("hybrid_search_cli", "trace", "wizard school", "--limit", "100", "--json").json
    assert rank(found, "chunks", "School of Rock") == 1
    assert rank(found, "keyword", "School of Rock") == 50
    assert rank(found, "rrf", "School of Rock") == 11
    assert found["results"][0]["title"].startswith("Harry Potter and the ")


ROBBERS = "a poor community pays a small group of warriors to protect it from robbers"


@pytest.mark.parametrize(("options", "fused"), [([], 17), (["-k", "1"], 1), (["--depth", "5"], 1)])
def test_lesson_3_fusion_buries_seven_samurai(cli: Run, options: list[str], fused: int) -> None:
    limit = [] if "--depth" in options else ["--limit", "100"]
    found = cli("hybrid_search_cli", "trace", ROBBERS, *limit, *options, "--json").json
    assert rank(found, "chunks", "Seven Samurai") == 1
    assert rank(found, "keyword", "Seven Samurai") is None
    assert rank(found, "rrf", "Seven Samurai") == fused


def test_lesson_3_the_arithmetic_of_exercise_1() -> None:
    from strata.hybrid.rrf import RRF

    assert 2 * RRF().part(60) > RRF().part(1)
    assert round(RRF().part(1) * 2, 5) == 0.03279


def test_lesson_3_the_chunks_put_the_horse_whisperer_first(cli: Run) -> None:
    found = cli("hybrid_search_cli", "trace", "horse", "--json").json
    assert rank(found, "keyword", "The Horse Whisperer") == 4
    assert rank(found, "chunks", "The Horse Whisperer") == 1


def test_lesson_3_weighted_fusion_leaves_the_robbers_to_the_chunks(cli: Run) -> None:
    found = cli("hybrid_search_cli", "trace", ROBBERS, "--fuse", "weighted", "--alpha", "0.2", "--json").json
    assert [result["title"] for result in found["results"][:3]] == ["Seven Samurai", "Bicycle Thieves", "Shoplifters"]


def test_lesson_3_alpha_1_and_0_are_the_order_of_one_side(cli: Run) -> None:
    for alpha, layer in (("1", "keyword"), ("0", "chunks")):
        found = cli("hybrid_search_cli", "weighted-search", "wizard school", "--alpha", alpha, "--json").json
        hits = next(entry["hits"] for entry in found["layers"] if entry["layer"] == layer)
        assert [result["id"] for result in found["results"]] == [hit["id"] for hit in hits]


def test_lesson_3_explain_finds_school_of_rock_below_the_cut(cli: Run) -> None:
    whole = cli("hybrid_search_cli", "explain", "wizard school", "School of Rock", "--json").json
    cut = cli("hybrid_search_cli", "explain", "wizard school", "School of Rock", "--depth", "20", "--json").json
    assert (whole["rank"], len(whole["parts"])) == (11, 2)
    assert (cut["rank"], len(cut["parts"]), cut["layers"][0]["rank_below_the_cut"]) == (10, 1, 50)


def test_lesson_7_fusion_loses_to_one_of_its_lists(cli: Run) -> None:
    rows = {row["layer"]: row for row in cli("evaluation_cli", "--layers", "--limit", "5", "--json").json["layers"]}
    assert round(rows["rrf"]["ndcg"], 2) == 0.32 and round(rows["document"]["ndcg"], 2) == 0.40


def test_lesson_7_the_reason_for_the_miss_of_exercise_3(cli: Run) -> None:
    found = cli("evaluation_cli", "failures", "--query", "q04", "--limit", "5", "--json").json
    miss = next(one for one in found["misses"] if "Jurassic Park (1993)" in one["label"])
    assert miss["cause"] == "fusion" and miss["ranks"]["chunks"] == 1 and miss["ranks"]["keyword"] == 36


def test_lesson_7_the_ceilings_of_exercise_4(cli: Run) -> None:
    found = cli("evaluation_cli", "failures", "--limit", "5", "--json").json
    gains = {one["cause"]: one["gain"]["ndcg"] for one in found["causes"]}
    assert round(gains["thin"], 3) == 0.051 and round(gains["fusion"], 3) == 0.188
