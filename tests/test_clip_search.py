"""Films by a picture: a tiny CLIP with random weights, real in all but its size, through the layer and the program."""

from __future__ import annotations

import json
import os
import random
import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata import settings
from strata.core.picture import Picture
from strata.core.types import Plan, Query
from strata.encoders.memo import Remembering
from strata.errors import UsageError
from strata.hybrid.rrf import RRF
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.pictures.clip import Clip
from strata.pictures.pieces import LONGEST, Sentences, divided
from strata.pipeline.explanation import explanation
from strata.pipeline.planfile import read, to_toml
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.semantic import vectors
from strata.semantic.document import Documents
from tests.conftest import Run, write_catalogue
from tests.tiny_clip import Clips, noise, reference

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other people's packages while they are imported
LONG = "The cat walks on and on past rock after rock, " * 12 + "and sleeps."
FILMS: list[dict[str, Any]] = [
    {"id": 1, "title": "Rock", "description": "A cat sits on a rock. The rock is cold. It rains."},
    {"id": 2, "title": "Lift-off", "description": "A rocket rises. The crowd cheers. Nobody sleeps that night."},
    {"id": 3, "title": "Title Alone", "description": ""},
    {"id": 4, "title": "On and On", "description": LONG},
    {"id": 5, "title": "Again", "description": "A cat sits on a rock. Then it is gone."},
]


@pytest.fixture
def film_file(tmp_path: Path) -> Path:
    return write_catalogue(tmp_path / "films.json", *FILMS)


@pytest.fixture
def ws(film_file: Path, tmp_path: Path) -> Workspace:
    return Workspace(settings.load(str(film_file), str(tmp_path / "cache"), str(tmp_path / "logs")))


@pytest.fixture
def layer(clips: Clips) -> Clip:
    return Clip(str(clips.plain))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A picture in a file."""
    from PIL import Image

    given = noise(40, 30, seed=5)
    path = tmp_path / "noise.png"
    Image.frombytes("RGB", (given.width, given.height), given.pixels).save(path)
    return path


def sentences(ws: Workspace) -> list[tuple[int, str]]:
    """(position, sentence) of everything that gets a vector."""
    return [
        (position, text)
        for position, document in enumerate(ws.corpus.documents())
        for _, _, text in Sentences().pieces(ws.corpus, document)
    ]


def test_a_picture_finds_what_a_loop_over_all_sentences_finds(ws: Workspace, layer: Clip) -> None:
    shown = noise(50, 41)
    texts = sentences(ws)
    vector = reference(Path(layer.model), [shown])[0]
    cosines = reference(Path(layer.model), [text for _, text in texts]) @ vector
    best: dict[int, float] = {}
    for (position, _), cosine in zip(texts, cosines.tolist(), strict=True):
        best[position] = max(best.get(position, -1.0), cosine)
    found = layer(Query("", picture=shown), ws, 100)
    assert found.matched == len(FILMS)
    assert found.docs.tolist() == sorted(best, key=lambda doc: (-round(best[doc], 5), doc))
    assert found.scores == pytest.approx([best[doc] for doc in found.docs.tolist()], abs=1e-5)
    for passage in found.passages:
        text = FILMS[passage.doc]["description"]
        assert passage.text == text[passage.start : passage.end]


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_picture_and_words_each_count_in_their_own_deviations(ws: Workspace, layer: Clip, share: float) -> None:
    shown, words = noise(50, 41), "a cat on a rock"
    texts = sentences(ws)
    made = reference(Path(layer.model), [text for _, text in texts])
    asked = [(1 - share, reference(Path(layer.model), [shown])[0]), (share, reference(Path(layer.model), [words])[0])]
    total = np.zeros(len(texts))
    for weight, vector in asked:
        cosines = made.astype(np.float64) @ vector.astype(np.float64)
        total += weight * (cosines - cosines.mean()) / cosines.std()
    best: dict[int, float] = {}
    for (position, _), value in zip(texts, total.tolist(), strict=True):
        best[position] = max(best.get(position, -99.0), value)
    found = replace(layer, text_weight=share)(Query(words, picture=shown), ws, 100)
    assert found.scores == pytest.approx([best[doc] for doc in found.docs.tolist()], abs=2e-3)
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)


def test_words_alone_are_searched_as_words(ws: Workspace, layer: Clip) -> None:
    found = layer(Query("A cat sits on a rock."), ws, 100)
    assert found.docs.tolist()[:2] == [0, 4] and found.scores[0] == pytest.approx(1, abs=1e-5)
    assert found.scores[0] == found.scores[1], "equal sentences have equal scores, and the earlier film comes first"


@pytest.mark.parametrize("words", ["", "a cat"])
def test_an_explanation_gives_the_score_of_the_list(ws: Workspace, layer: Clip, words: str) -> None:
    q = Query(words, picture=noise(20, 20))
    found = layer(q, ws, 100)
    for doc, score in zip(found.docs.tolist(), found.scores.tolist(), strict=True):
        part = layer.explain(q, doc, ws)
        assert part.value == score
        if words:
            assert sum(one.value for one in part.parts) == pytest.approx(score, abs=1e-12)
            assert [one.label for one in part.parts] == ["picture", "words"]
        else:
            assert max(one.value for one in part.parts) == score
        place = found.place(doc)
        assert place and part.parts[0].facts["passage"] == found.passages[place - 1].text
    assert explanation(run(Plan((layer,)), q, ws), 0, ws).lists[0].part.value == layer.explain(q, 0, ws).value


def test_a_picture_after_the_artefact_is_built_costs_one_picture(
    ws: Workspace, layer: Clip, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer(Query("", picture=noise(9, 9)), ws, 5)  # builds
    asked: list[Any] = []
    fresh = Workspace(ws.settings)
    inner = fresh.encoder(layer.model)._encoder

    class Counting:
        name, fingerprint, dimensions, max_tokens = inner.name, inner.fingerprint, inner.dimensions, inner.max_tokens

        def encode(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
            asked.extend(texts)
            made: np.ndarray = inner.encode(texts, kind)
            return made

        def encode_pictures(self, pictures: Sequence[Picture]) -> np.ndarray:
            asked.extend(pictures)
            made: np.ndarray = inner.encode_pictures(pictures)  # type: ignore[attr-defined]
            return made

    opened = Remembering(Counting())  # type: ignore[arg-type]
    monkeypatch.setattr(fresh, "encoder", lambda _: opened)
    monkeypatch.setattr(vectors, "open_bulk_encoder", lambda *_: pytest.fail("a text was to be encoded"))
    shown = noise(30, 60, seed=2)
    trace = run(Plan((layer,)), Query("", picture=shown), fresh)
    assert asked == [shown] and trace.results()[0].placed[0].family == "picture"
    run(Plan((layer,)), Query("", picture=shown), fresh)
    assert asked == [shown], "the same picture again is remembered"


def test_one_edited_film_costs_its_own_sentences(ws: Workspace, layer: Clip, tmp_path: Path) -> None:
    q = Query("", picture=noise(9, 9))
    layer(q, ws, 5)
    changed = [*FILMS[:1], FILMS[1] | {"description": "A rocket rises. The crowd weeps."}, *FILMS[2:]]
    notes: list[str] = []
    again = Workspace(settings.load(str(write_catalogue(tmp_path / "films.json", *changed)),
                                    str(tmp_path / "cache"), str(tmp_path / "logs")), notes.append)  # fmt: skip
    again.vectors(layer.model, Sentences())
    assert any(note.startswith("1 of ") and "sentences encoded" in note for note in notes), notes


def test_sentences_that_are_longer_than_clip_reads_are_divided_and_the_rest_is_told(
    ws: Workspace, layer: Clip, tmp_path: Path
) -> None:
    pieces = [text for position, text in sentences(ws) if position == 3]
    assert len(pieces) > 2 and all(0 < len(text) <= LONGEST for text in pieces)
    assert " ".join(pieces) == LONG
    notes: list[str] = []
    wild = write_catalogue(tmp_path / "wild.json", {"id": 1, "title": "Wild", "description": "漢字" * 100 + "."})
    Workspace(settings.load(str(wild), str(tmp_path / "cache"), str(tmp_path / "logs")), notes.append).vectors(
        layer.model, Sentences()
    )
    assert any("longer than the 77 tokens" in note and "what is beyond is left out" in note for note in notes), notes


@pytest.mark.parametrize("seed", range(40))
def test_a_divided_text_loses_nothing_but_the_blanks_between(seed: int) -> None:
    draw = random.Random(seed)
    text = "".join(draw.choice("ab ") for _ in range(draw.choice([0, 1, LONGEST, LONGEST + 1, 2 * LONGEST, 1234])))
    spans = list(divided(text, 0, len(text)))
    assert all(0 < end - start <= LONGEST for start, end in spans)
    assert "".join(text[start:end] for start, end in spans).replace(" ", "") == text.replace(" ", "")
    assert all(text[a:b].strip() == "" for (_, a), (b, _) in pairwise(spans))


def test_clip_is_fused_with_words_and_vectors_as_any_list_is(
    ws: Workspace, layer: Clip, clips: Clips, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = (BM25(), layer)
    q = Query("rocket rises", picture=noise(50, 41))
    trace = run(Plan(lists, fuse=RRF()), q, ws)
    ranks = {doc: [step.output.place(doc) for step in trace.lists] for doc in range(len(FILMS))}
    for result in trace.results():
        wanted = sum(1 / (60 + rank) for rank in ranks[result.doc] if rank)
        assert result.score == pytest.approx(wanted)
    assert run(Plan(lists, fuse=Weighted(1.0)), q, ws).results()[0].doc == 1
    by_picture = run(Plan(lists, fuse=Weighted(0.0)), q, ws)
    assert by_picture.results()[0].doc == by_picture.lists[1].output.docs[0], "the other side of a weighted fusion"


def test_without_words_only_the_picture_is_searched_for(ws: Workspace, layer: Clip) -> None:
    trace = run(Plan((BM25(), Documents(), layer), fuse=RRF()), Query("", picture=noise(9, 9)), ws)
    assert [len(step.output.docs) for step in trace.lists] == [0, 0, len(FILMS)]
    why = [step.facts.get("not_searched") for step in trace.lists]
    assert why == ["the query has no words"] * 2 + [None], "and no text encoder is opened for nothing"
    assert not run(Plan((layer,)), Query(""), ws).results()


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_weight_that_makes_no_sense_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match="text-weight must be between 0 and 1"):
        Clip(text_weight=share)


def test_the_plan_travels_as_a_file(tmp_path: Path, layer: Clip) -> None:
    plan = Plan((BM25(), replace(layer, text_weight=0.2)), fuse=RRF())
    (tmp_path / "plan.toml").write_text(to_toml(plan))
    assert read(tmp_path / "plan.toml", "clip") == plan


# The program


def arguments(film_file: Path, clips: Clips) -> tuple[str, ...]:
    return ("--dataset", str(film_file), "--model", str(clips.plain))


def test_image_search_from_the_command_line(
    cli: Run, film_file: Path, clips: Clips, saved: Path, tmp_path: Path
) -> None:
    given = arguments(film_file, clips)
    done = cli("multimodal_search_cli", "image_search", str(saved), *given, "--limit", "2", cache=tmp_path / "c")
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "picture noise.png  PNG 40 × 30" and lines[1].startswith("clip, lessons, ")
    assert lines[2].startswith("1. (") and "Traceback" not in done.err
    found = cli(
        "multimodal_search_cli", "image_search", str(saved), "--query", "a cat", *given, "--json", cache=tmp_path / "c"
    ).json
    assert found["query"]["original"] == "a cat" and found["query"]["picture"]["format"] == "PNG"
    assert found["layers"][0]["layer"] == "clip" and found["layers"][0]["hits"]
    assert found["results"][0]["semantic"] is None and found["results"][0]["lists"][0]["rank"] == 1
    assert found["plan"]["retrieve"][0]["text_weight"] == 0.5
    log = json.loads(next((tmp_path / "logs").glob(f"{found['run_id']}.json")).read_text())
    assert log["query"]["picture"]["path"] == str(saved) and "pixels" not in json.dumps(log)


def test_explain_from_the_command_line(cli: Run, film_file: Path, clips: Clips, saved: Path, tmp_path: Path) -> None:
    given = (*arguments(film_file, clips), "--query", "a cat")
    done = cli("multimodal_search_cli", "explain", str(saved), "Lift-off", *given, cache=tmp_path / "c")
    assert done.status == 0, done.err
    assert "Lift-off #2 stands" in done.out
    assert "picture  cosine" in done.out and "0.5 ×" in done.out and "words    cosine" in done.out


@pytest.mark.parametrize("words", [(), ("--query", "a cat")])
def test_the_command_that_explains_an_order_is_one_that_runs(
    cli: Run, film_file: Path, clips: Clips, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)  # a path that is wider than a line is cut
    Path("look.toml").write_text(to_toml(Plan((BM25(), Clip(text_weight=0.0)), fuse=RRF())))
    model = os.path.relpath(clips.plain)
    given = (*words, "--dataset", film_file.name, "--model", model, "--config", "look.toml")
    found = cli("multimodal_search_cli", "image_search", saved.name, *given, cache=tmp_path / "c").out
    program, *rest = shlex.split(found.partition("Why this order:")[2])
    assert program == "multimodal_search_cli" and rest[:2] == ["explain", saved.name]
    done = cli(program, *rest, cache=tmp_path / "c")
    assert done.status == 0, done.err
    assert f"#{rest[2]} stands 1st of" in done.out


def test_verify_image_embedding(cli: Run, clips: Clips, saved: Path) -> None:
    given = ("verify_image_embedding", str(saved), "--model", str(clips.plain))
    found = cli("multimodal_search_cli", *given, "--json").json
    assert found["dimensions"] == len(found["vector"]) and np.linalg.norm(found["vector"]) == pytest.approx(1, abs=1e-5)
    told = cli("multimodal_search_cli", *given).out
    assert "noise.png, PNG 40 × 30" in told and "length 1" in told


@pytest.mark.parametrize("command", ["image_search", "verify_image_embedding"])
def test_without_weights_it_says_what_is_missing_and_how_to_get_it(
    cli: Run, saved: Path, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    done = cli("multimodal_search_cli", command, str(saved))
    assert done.status == 2 and done.out == ""
    assert "clip-ViT-B-32" in done.err and "--model FOLDER" in done.err and len(done.err.splitlines()) == 1


@pytest.mark.parametrize("command", ["image_search", "verify_image_embedding"])
def test_a_model_that_reads_text_only_is_refused_before_a_sentence_is_encoded(
    cli: Run, saved: Path, command: str, tmp_path: Path
) -> None:
    done = cli("multimodal_search_cli", command, str(saved), "--model", "all-MiniLM-L6-v2", cache=tmp_path / "c")
    assert done.status == 2 and "all-MiniLM-L6-v2 reads text only" in done.err
    assert not (tmp_path / "c" / "picture_vectors").exists()


@pytest.mark.parametrize("command", ["image_search", "verify_image_embedding", "explain"])
@pytest.mark.parametrize("what", ["missing.png", "https://example.org/rocket.jpg", "."])
def test_what_is_no_picture_is_refused_before_anything_is_loaded(cli: Run, command: str, what: str) -> None:
    more = ("paddington",) if command == "explain" else ()
    done = cli("multimodal_search_cli", command, what, *more)
    assert done.status == 2 and done.out == "" and "clip-ViT" not in done.err and len(done.err.splitlines()) == 1


def test_the_plan_is_shown_without_a_picture_being_opened(cli: Run) -> None:
    done = cli("multimodal_search_cli", "image_search", "missing.png", "--show-plan", "--text-weight", "0.25")
    assert done.status == 0 and "text_weight = 0.25" in done.out and 'layer = "clip"' in done.out
