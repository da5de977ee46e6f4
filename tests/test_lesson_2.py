"""Lesson 2's figures are what the programs find today; each stands in the page as it is checked here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata import paths
from strata.encoders.weights import find
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER, ENCODERS
from strata.semantic.chunking import Chunking
from strata.semantic.units import Cut, Unit, Whole
from tests.conftest import ROOT, Run

PAGE = " ".join((ROOT / "docs" / "lesson-2-semantic.md").read_text(encoding="utf-8").split())
SAME_DAY = "movies where somebody is stuck reliving the same day again and again"
SEMANTIC = "semantic_search_cli"


def said(*phrases: str) -> None:
    for phrase in phrases:
        assert phrase in PAGE, phrase


def titles(found: dict[str, Any]) -> list[str]:
    return [result["title"] for result in found["results"]]


@pytest.fixture
def search(cli: Run) -> Any:
    """search("search", "western", …): JSON of all 593 films in order."""

    def run(command: str, *args: str) -> dict[str, Any]:
        found: dict[str, Any] = cli(SEMANTIC, command, *args, "--limit", "593", "--json", "--no-log").json
        return found

    return run


def place(found: dict[str, Any], title: str) -> tuple[int, float]:
    return next((r["rank"], r["score"]) for r in found["results"] if r["title"] == title)


def cosine(cli: Run, one: str, other: str) -> float:
    value: float = cli(SEMANTIC, "compare", one, other, "--json").json["cosines"][0][1]
    return value


def tokenizer(films: Workspace) -> Any:
    """The model's own tokenizer; it cuts nothing and pads nothing."""
    from tokenizers import Tokenizer

    folder = find(DEFAULT_ENCODER, films.settings, lambda _: None).folder
    found = Tokenizer.from_file(str(folder / "tokenizer.json"))
    found.no_padding()
    found.no_truncation()
    return found


def test_a_vector_has_384_numbers_and_the_cosine_is_their_dot_product(cli: Run) -> None:
    one, other = (cli(SEMANTIC, "embed_text", text, "--json").json["vector"] for text in ("automobile", "car"))
    assert len(one) == 384 and np.linalg.norm(one) == pytest.approx(1, abs=1e-6)
    assert sum(a * b for a, b in zip(one, other, strict=True)) == pytest.approx(cosine(cli, "automobile", "car"))
    said("384 numbers, whatever the text")


def test_a_vector_is_the_mean_of_its_tokens_scaled_to_length_1(films: Workspace) -> None:
    """From the network's hidden states, which are pooled here by hand."""
    from strata.encoders.bert_numpy import Bert

    text = "a film about a bear"
    ids = np.array([tokenizer(films).encode(text).ids])
    folder = find(DEFAULT_ENCODER, films.settings, lambda _: None).folder
    mean = Bert(folder).hidden(ids, np.ones_like(ids, dtype=bool))[0].mean(axis=0)
    found = films.encoder(DEFAULT_ENCODER).encode([text])[0]
    assert found == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert ENCODERS[DEFAULT_ENCODER].pooling == "mean"


def test_an_automobile_is_found_without_its_word(cli: Run, search: Any) -> None:
    keyword = cli("keyword_search_cli", "bm25search", "automobile", "--json", "--no-log").json
    assert keyword["layers"][0]["matched"] == 1
    assert titles(search("search", "automobile"))[:2] == ["Cars", "Cars 2"]
    for title in ("80", "81"):
        shown = cli("data_cli", "show", title, "--json").json
        assert shown["title"].startswith("Cars") and "automobile" not in json.dumps(shown).lower()


def test_without_hardly_counts(cli: Run, search: Any) -> None:
    assert round(cosine(cli, "a film without sharks", "a film about sharks"), 2) == 0.92
    first = search("search", "a film without sharks")["results"][0]
    assert (first["title"], round(first["score"], 3)) == ("Jaws", 0.625)
    said("a cosine of .92", "Jaws has .625 for a film without sharks")


def test_a_name_is_five_pieces_that_say_nothing(cli: Run, search: Any, films: Workspace) -> None:
    names = [token.removeprefix("##") for token in tokenizer(films).encode("obadiah stane").tokens[1:-1]]
    said(f"in five pieces ({', '.join(names)})", "Iron Man is 387th")
    assert len(names) == 5
    keyword = cli("keyword_search_cli", "bm25search", "obadiah stane", "--json", "--no-log").json
    assert titles(keyword) == ["Iron Man"]
    assert place(search("search", "obadiah stane"), "Iron Man")[0] == 387


def test_a_year_is_no_meaning_but_a_condition(cli: Run, search: Any) -> None:
    found = search("search", "a film from 1972")
    for id in [result["id"] for result in found["results"]][:3]:
        assert cli("data_cli", "show", str(id), "--json").json["fields"]["year"] != 1972
    kept = search("search", "a film from 1972", "--where", "year=1972")
    assert titles(kept) == ["Solaris", "The Godfather", "The Poseidon Adventure"]


def test_every_film_fits_into_what_the_encoder_reads(films: Workspace) -> None:
    whole = tokenizer(films)
    longest = max(len(whole.encode(films.corpus.vector_text(d)).ids) for d in films.corpus.documents())
    assert (longest, ENCODERS[DEFAULT_ENCODER].max_tokens) == (243, 256)
    said("this one 256", "the longest has 243")
    text = "shark " * 300
    encoder = films.encoder(DEFAULT_ENCODER)
    cut, more = encoder.encode([text, text + "and a choir of nuns"])
    assert (cut == more).all(), "what stands after the 256th token has no part in the vector"


def test_a_chunk_finds_what_the_whole_document_drowns(search: Any) -> None:
    whole, chunks = search("search", SAME_DAY), search("search_chunked", SAME_DAY)
    assert place(whole, "Edge of Tomorrow") == (54, pytest.approx(0.313, abs=5e-4))
    assert place(chunks, "Edge of Tomorrow") == (2, pytest.approx(0.441, abs=5e-4))
    assert (place(whole, "Groundhog Day")[0], place(chunks, "Groundhog Day")[0]) == (29, 39)
    passage = next(r["passage"] for r in chunks["results"] if r["title"] == "Edge of Tomorrow")
    assert passage.startswith("Repetition ")
    said("it is 54th (.313), by its best chunk 2nd (.441)", "is 29th and 39th")


def test_the_whole_document_knows_the_genre_and_a_chunk_does_not(search: Any, films: Workspace) -> None:
    whole, chunks = search("search", "western"), search("search_chunked", "western")
    assert titles(whole)[0] == "Stagecoach" and titles(chunks)[:2] == ["West Side Story"] * 2
    assert place(chunks, "Stagecoach")[0] == 22
    document = films.corpus.document(films.corpus.find("Stagecoach"))
    assert "Western" in films.corpus.vector_text(document) and "western" not in document.text.lower()
    said("By chunks Stagecoach is 22nd")


@pytest.mark.parametrize(
    ("name", "unit", "best", "vectors"),
    [
        ("the whole document", Whole(), 0.313, 593),
        ("4 sentences, overlap 0", Cut(Chunking(4, 0)), 0.381, 1183),
        ("4 sentences, overlap 1", Cut(Chunking(4, 1)), 0.441, 1422),
        ("1 sentence, overlap 0", Cut(Chunking(1, 0)), 0.469, 4180),
    ],
)
def test_the_table_of_sizes(films: Workspace, name: str, unit: Unit, best: float, vectors: int) -> None:
    corpus, encoder = films.corpus, films.encoder(DEFAULT_ENCODER)
    texts = [text for _, _, text in unit.pieces(corpus, corpus.document(corpus.find("Edge of Tomorrow")))]
    cosines = encoder.encode(texts) @ encoder.encode([SAME_DAY], "query")[0]
    assert round(float(cosines.max()), 3) == best
    assert sum(1 for document in corpus.documents() for _ in unit.pieces(corpus, document)) == vectors
    said(f"| {name} | {f'{best:.3f}'[1:]} | {vectors:,} |")


def test_neighbours_of_seven_samurai_are_its_remake_and_two_of_its_director(cli: Run) -> None:
    found = cli(SEMANTIC, "similar", "Seven Samurai", "--limit", "3", "--json", "--no-log").json
    shown = [cli("data_cli", "show", str(r["id"]), "--json").json for r in found["results"]]
    assert [(s["title"], s["fields"]["year"]) for s in shown[:1]] == [("The Magnificent Seven", 1960)]
    assert [s["title"] for s in shown[1:]] == ["Yojimbo", "Rashomon"]
    assert {s["fields"]["director"] for s in shown[1:]} == {"Akira Kurosawa"}


def test_what_is_kept_and_what_one_edit_costs(cli: Run, films: Workspace, shared_cache: Path, tmp_path: Path) -> None:
    for unit, size in ((Whole(), "0.9 MB"), (Cut(Chunking()), "2.2 MB")):
        vectors = films.vectors(DEFAULT_ENCODER, unit).vectors
        assert vectors.dtype == np.float32
        said(f"{len(vectors):,} × 384", f"({vectors.nbytes / 1e6:.1f} MB)", f"({size})")
    cache = tmp_path / "cache"
    shutil.copytree(shared_cache / "document_vectors", cache / "document_vectors")
    entries = json.loads((paths.data_dir() / "movies.json").read_text(encoding="utf-8"))
    entries["movies"][100]["description"] += " An edit."
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(entries), encoding="utf-8")
    done = cli(SEMANTIC, "verify_embeddings", "--dataset", str(edited), cache=cache)
    note = "1 of 593 documents encoded, 592 were known"
    assert f"note: {note}" in done.err
    said(note)


# The exercises


def test_exercises_1_and_2_word_order_and_two_senses(cli: Run) -> None:
    assert round(cosine(cli, "the dog bit the man", "the man bit the dog"), 3) == 0.979
    assert round(cosine(cli, "bank", "a river bank"), 3) == 0.718
    assert round(cosine(cli, "bank", "a bank robbery"), 3) == 0.638
    said("1. .979.", ".718 against .638")


def test_exercise_3_not_hardly_counts_and_a_condition_does(cli: Run, search: Any) -> None:
    assert titles(search("search", "not an animated film"))[:3] == ["Toy Story 2", "Cars 2", "Shrek 2"]
    kept = search("search", "not an animated film", "--where", "genres!=Animation")
    for result in kept["results"][:3]:
        genres = cli("data_cli", "show", str(result["id"]), "--json").json["fields"]["genres"]
        assert "Animation" not in genres


def test_exercise_4_no_limit_is_good_for_every_query(cli: Run) -> None:
    for query, left in (("automobile", ["Cars"]), ("a film without sharks", ["Jaws", "Jaws 2"])):
        found = cli(SEMANTIC, "search", query, "--min-score", "0.4", "--json", "--no-log").json
        assert titles(found)[:2] == left


def test_exercise_5_groundhog_day_has_other_neighbours(cli: Run) -> None:
    found = titles(cli(SEMANTIC, "similar", "Groundhog Day", "--json", "--no-log").json)
    assert found[:2] == ["Home Alone", "It Happened One Night"] and "Edge of Tomorrow" not in found
