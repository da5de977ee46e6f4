"""The semantic program as a user runs it: texts and their vectors, chunks, artefacts, searches."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata.registry import DEFAULT_ENCODER
from strata.semantic.chunking import Chunking, chunk_spans
from strata.show.facts import broken
from tests.conftest import Done, Run
from tests.counting import Encoders

PROGRAM = "semantic_search_cli"
SENTENCES = "One is short. Two! Three? Four… Five. Six ends it."


def columns(line: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def plain_json(done: Done) -> Any:
    """The one document on stdout; no NaN, and not a word more."""
    assert done.status == 0 and done.out.count("\n") == 1, done.err
    return json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


@pytest.fixture
def small(cli: Run, encoders: Encoders, catalogue: Callable[..., Path], tmp_path: Path) -> Run:
    """small("search", …): a command over a small catalogue, with counting encoders and a cache of its own."""
    path = catalogue(
        {"id": 1, "title": "Rig", "description": SENTENCES, "year": 1999},
        {"id": "two", "title": "Reef", "description": "Sharks circle a boat.", "year": 2005},
        {"id": 3, "title": "Nothing more", "description": ""},
        {"id": 4, "title": "", "description": ""},
    )

    def run(command: str, *args: str) -> Done:
        return cli(PROGRAM, command, *args, "--dataset", str(path), cache=tmp_path / "cache")

    return run


# A text and its vector


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("embed_text", "document"),
        ("embed-text", "document"),
        ("embedtext", "document"),
        ("embed_query", "query"),
        ("embed-query", "query"),
        ("embedquery", "query"),
    ],
)
def test_a_vector_is_that_of_the_encoder_for_this_kind_of_text(
    cli: Run, encoders: Encoders, command: str, kind: str
) -> None:
    found = plain_json(cli(PROGRAM, command, "a bear", "--json"))
    assert encoders[DEFAULT_ENCODER].drain() == [(kind, "a bear")]
    assert found.keys() == {"text", "kind", "encoder", "dimensions", "vector"}
    assert (found["text"], found["kind"], found["encoder"]) == ("a bear", kind, DEFAULT_ENCODER)
    assert found["dimensions"] == len(found["vector"]) == 16
    assert all(type(value) is float for value in found["vector"])
    assert found["vector"] == encoders[DEFAULT_ENCODER].vector("a bear").tolist()
    other = plain_json(cli(PROGRAM, command, "a bear", "--json", "--encoder", "other"))
    assert other["vector"] == encoders["other"].vector("a bear").tolist()


def test_the_text_view_shows_the_beginning_of_a_vector_and_says_so(cli: Run) -> None:
    lines = cli(PROGRAM, "embed_text", "a film about a bear").out.splitlines()
    assert lines[0] == "document: a film about a bear"
    assert lines[1].startswith("vector: [") and lines[1].count(",") == 5 and lines[1].endswith(", …]")
    assert lines[2] == "dimensions: 384, length 1 (--json prints all)"


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u00a0\u3000"])
@pytest.mark.parametrize("args", [("embed_text",), ("embed_query",), ("compare", "a bear"), ("search",)])
def test_nothing_has_no_vector(cli: Run, encoders: Encoders, args: tuple[str, ...], text: str) -> None:
    done = cli(PROGRAM, *args, text)
    assert (done.status, done.out) == (2, "") and len(done.err.splitlines()) == 1
    assert encoders[DEFAULT_ENCODER].drain() == []
    assert json.loads(cli(PROGRAM, *args, text, "--json").err)["error"]["next_step"]
    if args[0] == "compare":
        assert done.err.startswith("error: text 2 is empty")


@pytest.mark.parametrize(
    "text",
    [
        "🐻",
        "👩‍👩‍👧",
        "?!",
        "\u200b",
        "中文",
        "shark " * 30_000,
        "x" * 100_000,
        "\udce9t\udce9",
        "\x1b[31mred\x1b[0m",
        "a\nb\tc",
    ],
    ids=["emoji", "family", "stops", "invisible", "chinese", "long", "one word", "not utf-8", "escape", "lines"],
)
def test_any_text_with_something_in_it_has_a_vector(cli: Run, text: str) -> None:
    """With the real encoder: of length 1, in JSON without NaN, drawn in 80 columns without control characters."""
    found = plain_json(cli(PROGRAM, "embed_text", text, "--json"))
    assert np.linalg.norm(found["vector"]) == pytest.approx(1.0, abs=1e-6)
    both = plain_json(cli(PROGRAM, "compare", text, "a bear", "--json"))
    assert both["cosines"][0][0] == pytest.approx(1.0, abs=1e-6)
    for args in (("embed_text", text), ("compare", text, "a bear")):
        out = cli(PROGRAM, *args).out
        assert all(columns(line) <= 80 for line in out.splitlines())
        assert "\x1b" not in out


def test_arguments_that_are_no_utf_8_come_out_as_json(process: Run) -> None:
    """Lone surrogates stand for bytes that are no UTF-8; no text has any."""
    for args in (("embed_text", "caf\udce9"), ("compare", "caf\udce9", "cafe"), ("chunk", "caf\udce9 noir")):
        done = process(PROGRAM, *args, "--json", encoding="utf-8", errors="strict")
        assert done.status == 0 and "caf\ufffd" in done.out, done.err
        json.loads(done.out)
        assert process(PROGRAM, *args).status == 0


# Comparing texts


def test_a_comparison_is_symmetric_and_agrees_with_the_vectors(cli: Run) -> None:
    texts = ["a film without sharks", "a film about sharks", "Sharks!", "a tax form", "🐻", "a film about sharks"]
    found = plain_json(cli(PROGRAM, "compare", *texts, "--json"))
    assert found.keys() == {"encoder", "texts", "cosines"} and found["texts"] == texts
    cosines = np.array(found["cosines"])
    assert (cosines == cosines.T).all() and cosines.shape == (6, 6)
    assert np.diag(cosines) == pytest.approx(1.0, abs=1e-6)
    vectors = np.array([plain_json(cli(PROGRAM, "embed_text", text, "--json"))["vector"] for text in texts])
    assert np.abs(vectors @ vectors.T - cosines).max() < 1e-6
    assert cosines[1, 5] == pytest.approx(1.0, abs=1e-6) and (cosines[1] == pytest.approx(cosines[5], abs=1e-6))
    assert all(type(value) is float for row in found["cosines"] for value in row)


def test_one_text_alone_is_refused_and_none_too(cli: Run, encoders: Encoders) -> None:
    done = cli(PROGRAM, "compare", "a bear")
    assert (done.status, done.out) == (2, "") and "one text has nothing to be compared with" in done.err
    none = cli(PROGRAM, "compare")
    assert none.status == 2 and len(none.err.splitlines()) == 1
    assert encoders[DEFAULT_ENCODER].drain() == []


def test_a_comparison_uses_the_encoder_it_is_told(cli: Run, encoders: Encoders) -> None:
    cli(PROGRAM, "compare", "a", "b", "--encoder", "other")
    assert encoders["other"].drain() == [("document", "a"), ("document", "b")]
    assert encoders[DEFAULT_ENCODER].drain() == []


@pytest.mark.parametrize("count", [2, 9, 10, 12, 31, 120])
def test_a_matrix_of_many_texts_stays_within_80_columns_and_leaves_none_out(
    cli: Run, encoders: Encoders, count: int
) -> None:
    texts = [f"text {i}" for i in range(count)]
    done = cli(PROGRAM, "compare", *texts)
    lines = done.out.splitlines()
    assert all(columns(line) <= 80 for line in lines)
    assert [line.partition(". ")[2] for line in lines[:count]] == texts
    cells: dict[tuple[int, int], str] = {}
    heads: list[int] = []
    for line in lines[count:]:
        if line.startswith(" ") and "." not in line:
            heads = [int(number) for number in line.split()]
        else:
            row, *values = line.split()
            cells |= {(int(row), head): value for head, value in zip(heads, values, strict=True)}
    cosines = plain_json(cli(PROGRAM, "compare", *texts, "--json"))["cosines"]
    assert cells == {(i + 1, j + 1): f"{cosines[i][j]:.3f}" for i in range(count) for j in range(count)}


# Chunks of sentences


@pytest.mark.parametrize(("size", "overlap"), [(4, 0), (1, 0), (2, 1), (3, 2), (6, 0), (50, 49)])
def test_semantic_chunk_cuts_as_the_semantic_list_does(cli: Run, size: int, overlap: int) -> None:
    options = ("--max-chunk-size", str(size), "--overlap", str(overlap))
    found = plain_json(cli(PROGRAM, "semantic_chunk", SENTENCES, *options, "--json"))
    assert found == {"chunks": [SENTENCES[a:b] for a, b in chunk_spans(SENTENCES, Chunking(size, overlap))]}


def test_semantic_chunk_by_itself_takes_four_sentences_and_no_overlap(cli: Run) -> None:
    assert plain_json(cli(PROGRAM, "semantic-chunk", SENTENCES, "--json"))["chunks"] == [
        "One is short. Two! Three? Four…",
        "Five. Six ends it.",
    ]
    out = cli(PROGRAM, "semantic_chunk", SENTENCES).out
    assert out.splitlines()[0] == "2 chunks of 6 sentences" and out.splitlines()[2] == "2. Five. Six ends it."
    assert cli(PROGRAM, "semantic_chunk", "Only one.").out == "1 chunk of 1 sentence\n1. Only one.\n"
    for empty in ("", " \n "):
        assert plain_json(cli(PROGRAM, "semantic_chunk", empty, "--json")) == {"chunks": []}


@pytest.mark.parametrize("command", ["semantic_chunk", "embed_chunks", "search_chunked"])
@pytest.mark.parametrize(("size", "overlap"), [("2", "2"), ("1", "5"), ("0", "0"), ("-4", "0"), ("3", "-1")])
def test_sizes_with_which_chunks_never_advance_are_refused(
    small: Run, encoders: Encoders, command: str, size: str, overlap: str
) -> None:
    """cases.md 36."""
    text = [] if command == "embed_chunks" else ["a text"]
    done = small(command, *text, "--max-chunk-size", size, "--overlap", overlap)
    assert (done.status, done.out) == (2, "") and len(done.err.splitlines()) == 1
    assert encoders[DEFAULT_ENCODER].drain() == []


@pytest.mark.parametrize("text", ["中文字" * 80, "word " * 200, "x" * 500, "é" * 200, "a\x1b[2Jb", "\x01"])
@pytest.mark.parametrize("command", ["chunk", "semantic_chunk"])
def test_chunks_are_drawn_whole_in_80_columns(cli: Run, command: str, text: str) -> None:
    lines = cli(PROGRAM, command, text).out.splitlines()
    assert all(columns(line) <= 80 for line in lines) and lines[1].startswith("1.")
    drawn = "".join("".join(lines[1:]).removeprefix("1.").split())
    assert drawn == "".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Cc")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", [""]),
        ("ab cd ef", ["ab", "cd", "ef"]),
        ("a b c", ["a b", "c"]),
        ("abcdefg hi", ["abcd", "efg", "hi"]),
        ("中文字", ["中文", "字"]),
        ("a 中文 b", ["a", "中文", "b"]),
        ("a 中 b", ["a 中", "b"]),
    ],
)
def test_lines_hold_whole_words_where_they_can(text: str, wanted: list[str]) -> None:
    assert broken(text, 4) == wanted


# Artefacts


def test_verify_embeddings_makes_what_is_missing_and_says_what_it_found(small: Run, encoders: Encoders) -> None:
    first = plain_json(small("verify_embeddings", "--json"))
    assert first.keys() == {"dataset", "encoder", "documents", "vectors", "dimensions", "encoded", "seconds", "path"}
    assert (first["documents"], first["vectors"], first["dimensions"], first["encoded"]) == (3, 3, 16, 3)
    assert Path(first["path"]).parent.name == "document_vectors" and (Path(first["path"]) / "vectors.npy").is_file()
    assert len(encoders[DEFAULT_ENCODER].drain()) == 3
    second = plain_json(small("verify-embeddings", "--json"))
    assert {**second, "encoded": 3, "seconds": 0} == {**first, "seconds": 0} and second["encoded"] == 0
    assert encoders[DEFAULT_ENCODER].drain() == []


def test_the_chunks_that_were_embedded_are_those_that_are_searched(small: Run, encoders: Encoders) -> None:
    embedded = {
        args: plain_json(small("embed_chunks", *args, "--json"))
        for args in ((), ("--overlap", "0"), ("--max-chunk-size", "2", "--overlap", "0"))
    }
    assert [found["chunks"] for found in embedded.values()] == [4, 4, 5]
    assert len({found["path"] for found in embedded.values()}) == 3
    encoders[DEFAULT_ENCODER].drain()
    for args in embedded:
        found = plain_json(small("search_chunked", "a boat", *args, "--json"))
        assert encoders[DEFAULT_ENCODER].drain() == [("query", "a boat")]
        assert len(found["results"]) == 3
    passages = {result["passage"] for result in found["results"]}
    assert passages <= {"One is short. Two!", "Three? Four…", "Five. Six ends it.", "Sharks circle a boat.", ""}
    assert found["plan"]["retrieve"] == [{"layer": "chunks", "encoder": DEFAULT_ENCODER, "sentences": 2, "overlap": 0}]


@pytest.mark.parametrize(("command", "folder"), [("verify_embeddings", "document"), ("embed_chunks", "chunk")])
def test_each_encoder_has_artefacts_of_its_own(small: Run, encoders: Encoders, command: str, folder: str) -> None:
    ours = plain_json(small(command, "--json"))
    theirs = plain_json(small(command, "--encoder", "other", "--json"))
    assert ours["path"] != theirs["path"] and theirs["encoded"] == ours["encoded"] > 0
    assert Path(theirs["path"]).parent.name == f"{folder}_vectors"
    assert len(encoders["other"].drain()) == len(encoders[DEFAULT_ENCODER].drain())


def test_what_was_encoded_is_said_on_stderr_and_not_with_q(small: Run, catalogue: Callable[..., Path]) -> None:
    """The note of an edit (case 41) must not stand in the JSON's way (case 78)."""
    plain_json(small("verify_embeddings", "--json"))
    small("embed_chunks")
    catalogue(
        {"id": 1, "title": "Rig", "description": "Edited.", "year": 1999},
        {"id": "two", "title": "Reef", "description": "Sharks circle a boat.", "year": 2005},
        {"id": 3, "title": "Nothing more", "description": ""},
    )
    done = small("verify_embeddings", "--json")
    assert plain_json(done)["encoded"] == 1 and "note: 1 of 3 documents encoded, 2 were known" in done.err
    quiet = small("embed_chunks", "--json", "-q")
    assert plain_json(quiet)["encoded"] == 1 and quiet.err == ""


# Searches


@pytest.mark.parametrize(("command", "layer"), [("search", "document"), ("search_chunked", "chunks")])
def test_a_search_gives_json_of_its_fixed_shape(small: Run, command: str, layer: str) -> None:
    found = plain_json(small(command, "a boat", "--limit", "99", "--json"))
    assert found.keys() >= {"run_id", "dataset", "query", "plan", "layers", "results", "notices"}
    assert found["query"] == {"original": "a boat", "used": "a boat"}
    (only,) = found["layers"]
    assert only["layer"] == layer and only["matched"] == 3 and only["usage"]["encode_ms"] >= 0
    assert {result["id"] for result in found["results"]} == {1, "two", 3}, "all that have a vector, and no more"
    for result, hit in zip(found["results"], only["hits"], strict=True):
        assert {**hit} == {name: result[name] for name in ("rank", "id", "title", "score")}
        assert type(result["score"]) is float and result["semantic"]["score"] == result["score"]
        assert result["keyword"] is None
    if layer == "document":
        assert {result["passage"] for result in found["results"]} == {SENTENCES, "Sharks circle a boat.", ""}


@pytest.mark.parametrize("command", ["search", "search_chunked"])
def test_options_narrow_a_search(small: Run, command: str) -> None:
    def ids(*options: str) -> list[int | str]:
        return [result["id"] for result in plain_json(small(command, "a boat", *options, "--json"))["results"]]

    everything = ids()
    assert ids("--limit", "1") == everything[:1]
    assert ids("--where", "year>=2000") == ["two"]
    assert ids("--exclude", "reef") == [id for id in everything if id != "two"]
    assert ids("--min-score", "-1") == everything
    assert ids("--min-score", "1") == []
    done = small(command, "a boat", "--min-score", "1")
    assert "Nothing close enough: no document reaches --min-score." in done.out
    for wrong in ("1.5", "nan", "close"):
        assert small(command, "a boat", "--min-score", wrong).status == 2
    assert small(command, "a boat", "--limit", "0").status == 2


@pytest.mark.parametrize("command", ["search", "search_chunked"])
def test_automobile_finds_the_films_about_cars(cli: Run, command: str) -> None:
    """One film says the word, and it is neither of these."""
    done = cli(PROGRAM, command, "automobile")
    assert [line.partition("  ")[0] for line in done.out.splitlines() if line[0] in "12"] == [
        "1. (80) Cars",
        "2. (81) Cars 2",
    ]
    assert all(columns(line) <= 80 for line in done.out.splitlines())
    keyword = cli("keyword_search_cli", "bm25search", "automobile", "--json").json
    assert [result["title"] for result in keyword["results"]] == ["The Love Bug"]


def test_the_scores_over_the_films_are_dot_products_with_the_stored_vectors(cli: Run) -> None:
    query = np.array(plain_json(cli(PROGRAM, "embed_query", "automobile", "--json"))["vector"])
    for command, about in (("search", "verify_embeddings"), ("search_chunked", "embed_chunks")):
        folder = Path(plain_json(cli(PROGRAM, about, "--json"))["path"])
        scores = np.load(folder / "vectors.npy").astype(np.float64) @ query
        best = np.full(593, -2.0)
        np.maximum.at(best, np.load(folder / "docs.npy"), scores)
        order = np.argsort(-best, kind="stable")
        found = plain_json(cli(PROGRAM, command, "automobile", "--limit", "593", "--json"))["results"]
        assert [result["score"] for result in found] == pytest.approx(best[order].tolist(), abs=1e-6)
        assert [result["id"] for result in found] == (order + 1).tolist(), "the films' ids are 1, 2, …"
