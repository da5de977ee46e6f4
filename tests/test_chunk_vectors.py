"""Chunk vectors: what is encoded and what is reused, kills, damage, two builders; and the layer that reads them.

The encoder is a fake one that counts: a text's vector is drawn from a hash of the text.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from strata import registry
from strata.core.types import Document, Query
from strata.errors import ArtefactError, DataError, UsageError
from strata.files import fingerprint
from strata.semantic import vectors as module
from strata.semantic.chunking import Chunking, chunk_text, document_chunks
from strata.semantic.chunks import Chunks
from strata.semantic.store import keys_of
from strata.semantic.units import Cut
from strata.semantic.vectors import Vectors, open_vectors
from strata.settings import Settings

DIMENSIONS = 16
PAIRS = Chunking(2, 0)


def vector_of(text: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    vector = np.random.default_rng(seed).normal(size=DIMENSIONS)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


class FakeEncoder:
    """Counts what it is asked; may be told to stop after so many texts."""

    dimensions, max_tokens = DIMENSIONS, 99

    def __init__(self, name: str = "fake") -> None:
        self.name, self.fingerprint = name, fingerprint(name)
        self.row = SimpleNamespace(dimensions=DIMENSIONS)
        self.asked: list[str] = []
        self.stop_after: int | None = None

    def saved(self, _query: str) -> float:
        """Nothing is remembered."""
        return 0.0

    def encode(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            raise KeyboardInterrupt
        self.asked += texts
        return np.array([vector_of(text) for text in texts]).reshape(-1, DIMENSIONS)


class FakeCorpus:
    name = "small"

    def __init__(self, *documents: Document) -> None:
        self._documents = documents
        self.fingerprint = fingerprint([[d.id, d.title, d.text] for d in documents])

    def __len__(self) -> int:
        return len(self._documents)

    def document(self, position: int) -> Document:
        return self._documents[position]

    def documents(self) -> Iterator[Document]:
        return iter(self._documents)


class World:
    """A cache, its notes, and encoders by name."""

    def __init__(self, cache: Path) -> None:
        self.settings = Settings("small", cache, cache / "log")
        self.notes: list[str] = []
        self.encoders = {name: FakeEncoder(name) for name in ("fake", "other")}

    def open(self, corpus: FakeCorpus, encoder: str = "fake", chunking: Chunking = PAIRS, **more: Any) -> Vectors:
        return open_vectors(corpus, encoder, Cut(chunking), self.settings, self.notes.append, more.get("progress"))  # type: ignore[arg-type]

    def asked(self, encoder: str = "fake") -> list[str]:
        """What was encoded since this was last asked."""
        asked, self.encoders[encoder].asked = self.encoders[encoder].asked, []
        return asked

    @property
    def parts(self) -> list[Path]:
        return sorted(self.settings.cache_dir.glob("chunk_vectors_parts/*/*.npys"))


def plugged(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(module, "find", lambda name, settings, note: world.encoders[name])
    monkeypatch.setattr(module, "open_bulk_encoder", lambda name, settings, note, texts: world.encoders[name])
    return world


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return plugged(World(tmp_path / "cache"), monkeypatch)


def film(number: int, text: str | None = None) -> Document:
    return Document(number, f"Film {number}", f"One of {number}. Two. Three." if text is None else text)


def many(count: int) -> FakeCorpus:
    return FakeCorpus(*(film(i, f"Only {i}.") for i in range(count)))


def check(found: Vectors, corpus: FakeCorpus, chunking: Chunking = PAIRS) -> None:
    """Every vector is that of its own chunk's text."""
    expected = [(at, a, b) for at, d in enumerate(corpus.documents()) for a, b in document_chunks(d, chunking)]
    assert list(zip(found.docs.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True)) == expected
    for vector, (at, start, end) in zip(found.vectors, expected, strict=True):
        assert (vector == vector_of(chunk_text(corpus.document(at), start, end))).all()
    assert found.owners.tolist() == sorted({at for at, _, _ in expected})
    assert [found.docs[first] for first in found.firsts] == found.owners.tolist()


# What is encoded, what is reused


def test_each_chunk_has_the_vector_of_its_own_text(world: World) -> None:
    corpus = FakeCorpus(film(1), film(2, ""), Document(3, "", " "), film(4))
    found = world.open(corpus)
    check(found, corpus)
    assert found.owners.tolist() == [0, 1, 3]
    assert found.vectors.dtype == np.float32 and found.docs.dtype == np.int32
    assert world.notes == [] and world.parts == []


def test_a_second_opening_encodes_nothing(world: World) -> None:
    world.open(many(5))
    world.asked(), world.notes.clear()
    check(world.open(many(5)), many(5))
    assert world.asked() == [] and world.notes == []


def test_one_edited_document_costs_its_own_chunks_and_the_log_says_so(world: World) -> None:
    """Case 41: one edit embedded everything again."""
    before = [film(i) for i in range(50)]
    world.open(FakeCorpus(*before))
    world.asked(), world.notes.clear()
    after = FakeCorpus(*before[:7], film(7, "Quite new. Two. Three."), *before[8:])
    check(world.open(after), after)
    assert world.asked() == ["Film 7. Quite new. Two."]
    assert world.notes == ["1 of 100 chunks encoded, 99 were known"]


def test_content_counts_and_neither_id_nor_place(world: World) -> None:
    """Case 40: hash by content but compared by id; an edit that keeps the count went unseen."""
    world.open(FakeCorpus(film(1), film(2)))
    world.asked()
    moved = FakeCorpus(Document("x", "Film 2", film(2).text), Document("y", "Film 1", film(1).text))
    check(world.open(moved), moved)
    assert world.asked() == []
    edited = FakeCorpus(film(1), film(2, "One of 3. Two. Three."))
    check(world.open(edited), edited)
    assert world.asked() == ["Film 2. One of 3. Two."]


def test_another_model_of_the_same_dimensions_shares_nothing(world: World) -> None:
    """Cases 39 and 40: vectors of another model were taken where dimensions agree."""
    one, other = world.open(many(3), "fake"), world.open(many(3), "other")
    assert one.path != other.path and len(world.asked("other")) == 3
    assert not (
        keys_of(world.encoders["fake"].fingerprint, ["a"]) == keys_of(world.encoders["other"].fingerprint, ["a"])
    ).all()
    made_from = json.loads((other.path / "manifest.json").read_text())["made_from"]
    assert made_from["encoder"] == world.encoders["other"].fingerprint
    assert made_from["chunking"] == {"sentences": 2, "overlap": 0}


def test_another_chunking_reuses_the_chunks_that_are_the_same(world: World) -> None:
    corpus = FakeCorpus(film(1, "One. Two."), film(2, "One. Two. Three. Four."))
    world.open(corpus, chunking=Chunking(2, 0))
    world.asked()
    check(world.open(corpus, chunking=Chunking(2, 1)), corpus, Chunking(2, 1))
    assert world.asked() == ["Film 2. Two. Three."]


def test_equal_texts_are_encoded_once(world: World) -> None:
    twins = FakeCorpus(*(Document(i, "Same", "One. Two.") for i in range(9)))
    check(world.open(twins), twins)
    assert world.asked() == ["Same. One. Two."]


def test_a_catalogue_with_nothing_to_read_is_refused_by_name(world: World) -> None:
    with pytest.raises(DataError, match="small"):
        world.open(FakeCorpus(Document(1, " ", "")))


def test_progress_counts_up_to_what_is_to_be_encoded(world: World) -> None:
    seen: list[int] = []

    @contextmanager
    def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
        seen.append(total)
        yield seen.append

    world.open(many(150), progress=progress)
    assert seen[0] == seen[-1] == 150 and seen[1:] == sorted(seen[1:])


# Interrupted, killed, damaged


def test_ctrl_c_loses_nothing_that_was_encoded(world: World) -> None:
    world.encoders["fake"].stop_after = 100
    with pytest.raises(KeyboardInterrupt):
        world.open(many(300))
    done = world.asked()
    assert len(done) >= 100 and len(world.parts) == 1
    world.encoders["fake"].stop_after = None
    check(world.open(many(300)), many(300))
    assert sorted(done + world.asked()) == sorted(f"Film {i}. Only {i}." for i in range(300))
    assert world.parts == [] and f"{300 - len(done)} of 300 chunks encoded, {len(done)} were known" in world.notes


def test_the_parts_of_another_catalogue_stay(world: World) -> None:
    world.encoders["fake"].stop_after = 100
    with pytest.raises(KeyboardInterrupt):
        world.open(many(300))
    done, parts = world.asked(), world.parts
    world.encoders["fake"].stop_after = None
    world.open(FakeCorpus(film(1)))
    assert world.parts == parts
    world.asked()
    world.open(many(300))
    assert len(world.asked()) == 300 - len(done) and world.parts == []


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "foreign", "nested"])
def test_a_damaged_part_is_announced_and_encoded_again(
    world: World, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FLUSH_SECONDS", 0.0)
    world.encoders["fake"].stop_after = 128
    with pytest.raises(KeyboardInterrupt):
        world.open(many(300))
    world.asked()
    assert len(world.parts) == 2
    part = world.parts[0]
    data = bytearray(part.read_bytes())
    if damage == "flipped":
        data[-1] ^= 1
    kept = {"truncated": data[:-10], "flipped": data, "empty": b"", "foreign": b"no part at all" * 9}.get(damage, data)
    part.write_bytes(kept)
    if damage == "nested":
        part.write_bytes(data)
        part.with_suffix(".json").write_text("[" * 100_000, encoding="utf-8")
    world.encoders["fake"].stop_after = None
    check(world.open(many(300)), many(300))
    assert len(world.asked()) == 300 - 64
    assert any("unusable" in note for note in world.notes) and world.parts == []


def test_a_damaged_artefact_is_announced_and_none_of_it_reused(world: World) -> None:
    found = world.open(many(5))
    world.asked()
    data = bytearray((found.path / "vectors.npy").read_bytes())
    data[-3] ^= 1
    (found.path / "vectors.npy").write_bytes(data)
    check(world.open(many(5)), many(5))
    assert len(world.asked()) == 5 and any("altered content in vectors.npy" in note for note in world.notes)


def test_a_cache_that_cannot_be_written_is_one_line(world: World, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ArtefactError, match="cannot be written"):
        world.open(many(2))


CHILD = """
import sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from tests import test_chunk_vectors as t
import pytest
patch = pytest.MonkeyPatch()
world = t.plugged(t.World(Path({cache!r})), patch)
patch.setattr(t.module, "FLUSH_SECONDS", 0.0)
fake = world.encoders["fake"]
encode = fake.encode
fake.encode = lambda texts, kind="document": (time.sleep({pause}), encode(texts, kind))[1]
t.check(world.open(t.many({count})), t.many({count}))
print(len(fake.asked))
"""


def child(cache: Path, count: int, pause: float) -> subprocess.Popen[str]:
    root = str(Path(__file__).resolve().parent.parent)
    code = CHILD.format(root=root, cache=str(cache), count=count, pause=pause)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_killed_build_goes_on_where_it_was(world: World) -> None:
    process = child(world.settings.cache_dir, 640, 0.1)
    try:
        while len(list(world.settings.cache_dir.glob("chunk_vectors_parts/*/*.json"))) < 2:
            assert process.poll() is None, "the build ended before it could be killed"
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    kept = 64 * len(list(world.settings.cache_dir.glob("chunk_vectors_parts/*/*.json")))
    assert not list(world.settings.cache_dir.glob("chunk_vectors/*/manifest.json"))
    check(world.open(many(640)), many(640))
    assert len(world.asked()) == 640 - kept
    assert world.parts == [] and not list(world.settings.cache_dir.glob("chunk_vectors/*.tmp"))


def test_two_builders_at_once_both_finish_and_encode_once(world: World) -> None:
    """Case 43: two processes wrote one cache and a reader saw half a file."""
    builders = [child(world.settings.cache_dir, 320, 0.05) for _ in range(2)]
    encoded = sorted(int(process.communicate()[0]) for process in builders)
    assert [process.returncode for process in builders] == [0, 0]
    assert encoded == [0, 320]
    check(world.open(many(320)), many(320))
    assert world.asked() == [] and world.notes == []


# The layer


class FakeWorkspace:
    def __init__(self, world: World, corpus: FakeCorpus) -> None:
        self.world, self.corpus, self.usage = world, corpus, dict[str, float]()

    def encoder(self, name: str) -> FakeEncoder:
        return self.world.encoders[name]

    def vectors(self, name: str, unit: Cut) -> Vectors:
        return self.world.open(self.corpus, name, unit.chunking)

    def spent(self, usage: dict[str, float]) -> None:
        self.usage |= usage


@pytest.fixture
def ws(world: World) -> Any:
    documents = [film(i, f"One {i}. Two {i}. Three {i}.") for i in range(20)]
    return FakeWorkspace(world, FakeCorpus(*documents, Document(20, "", "")))


def test_a_document_counts_as_its_best_chunk_and_shows_it(ws: Any) -> None:
    layer = Chunks("fake", 2, 1)
    found = layer(Query("a query"), ws, 7)
    every = layer(Query("a query"), ws, 100)
    assert every.matched == found.matched == len(every.docs) == 20
    assert found.docs.tolist() == every.docs.tolist()[:7]
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    query = vector_of("a query").astype(np.float64)
    for passage, doc, score in zip(found.passages, found.docs.tolist(), found.scores.tolist(), strict=True):
        document = ws.corpus.document(doc)
        cosines = {
            span: float(vector_of(chunk_text(document, *span)) @ query)
            for span in document_chunks(document, Chunking(2, 1))
        }
        assert (passage.start, passage.end) == max(cosines, key=cosines.__getitem__)
        assert passage.text == document.text[passage.start : passage.end] and passage.doc == doc
        assert score == passage.score == pytest.approx(max(cosines.values()), abs=1e-12)
    assert ws.usage["encode_ms"] > 0


def test_the_explanation_gives_the_scores_of_the_list(ws: Any) -> None:
    layer = Chunks("fake", 2, 1)
    found = layer(Query("a query"), ws, 100)
    for doc, score, passage in zip(found.docs.tolist(), found.scores.tolist(), found.passages, strict=True):
        part = layer.explain(Query("a query"), doc, ws)
        assert part.value == score == part.parts[0].value
        assert [p.value for p in part.parts] == sorted((p.value for p in part.parts), reverse=True)
        assert part.parts[0].facts["passage"] == passage.text
        assert sorted(p.facts["chunk"] for p in part.parts) == [1, 2] and part.parts[0].facts["of"] == 2
    assert layer.explain(Query("a query"), 20, ws).parts == ()


def test_a_lowest_score_may_leave_nothing(ws: Any) -> None:
    every = Chunks("fake", 2, 1)(Query("a query"), ws, 100)
    third = float(every.scores[2])
    found = Chunks("fake", 2, 1, min_score=third)(Query("a query"), ws, 100)
    assert found.docs.tolist() == every.docs.tolist()[:3] and found.matched == 3
    none = Chunks("fake", 2, 1, min_score=1.0)(Query("a query"), ws, 100)
    assert none.docs.size == none.scores.size == none.matched == 0 and not none.passages


def test_what_the_layer_gives_is_json_without_conversion(ws: Any) -> None:
    """Case 47: float32 is not JSON serialisable; NaN must not pass."""
    found = Chunks("fake")(Query("a query"), ws, 5)
    rows = [vars(passage) for passage in found.passages]
    back = json.loads(json.dumps([found.docs.tolist(), found.scores.tolist(), rows], allow_nan=False))
    assert back == [found.docs.tolist(), found.scores.tolist(), rows]
    assert found.docs.dtype == np.int32 and found.scores.dtype == np.float64
    json.dumps([vars(part) for part in Chunks("fake").explain(Query("a query"), 3, ws).parts], allow_nan=False)


@pytest.mark.parametrize("settings", [{"min_score": float("nan")}, {"min_score": 1.5}, {"sentences": 2, "overlap": 2}])
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any]) -> None:
    """Case 36 once more, through the layer."""
    with pytest.raises(UsageError):
        Chunks(**settings)


def test_the_layer_is_hashable_and_of_the_default_encoder() -> None:
    assert hash(Chunks()) == hash(Chunks(registry.DEFAULT_ENCODER, 4, 1)) and Chunks().name == "chunks"


# The bar


def test_quick_work_draws_nothing_and_long_work_a_line_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from strata.show import progress

    with progress.bar("chunks encoded", 3) as advance:
        advance(3)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.bar("chunks encoded", 3) as advance:
        advance(1)
        advance(3)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("1 of 3 chunks encoded (") and "3 of 3 chunks encoded in" in err
