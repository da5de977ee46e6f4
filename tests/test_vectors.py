"""Chunk vectors: what is known is never encoded again, nothing foreign is taken, and a kill costs little."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from strata import registry, settings
from strata.core.corpus import Corpus, open_corpus
from strata.encoders.weights import find
from strata.errors import ArtefactError, DataError
from strata.files import fingerprint
from strata.semantic import vectors as module
from strata.semantic.chunking import Chunking, chunk_text, document_chunks
from strata.semantic.store import Parts, keys_of
from strata.semantic.units import Cut
from strata.semantic.vectors import Vectors, open_vectors

WIDTH = 8
KIND = Cut.kind
Open = Callable[..., Vectors]


def vector_of(text: str, model: str = "a") -> np.ndarray:
    """A unit vector that hangs on model and text alone."""
    seed = int(fingerprint([model, text])[:8], 16)
    vector = np.random.default_rng(seed).normal(size=WIDTH).astype(np.float32)
    unit: np.ndarray = vector / np.linalg.norm(vector)
    return unit


class Fake:
    """Stands for an encoder. texts: all that it was given; dies: raise KeyboardInterrupt at this call."""

    def __init__(self) -> None:
        self.model, self.name = "a", "fake"
        self.texts: list[str] = []
        self.dies: int | None = None
        self.calls = 0

    @property
    def row(self) -> registry.EncoderRow:
        return registry.ENCODERS["fake"]

    @property
    def fingerprint(self) -> str:
        return fingerprint(["fake", self.model])

    def encode(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        assert kind == "document"
        if self.calls == self.dies:
            raise KeyboardInterrupt
        self.calls += 1
        self.texts += texts
        return np.stack([vector_of(text, self.model) for text in texts])

    def taken(self) -> list[str]:
        """What was encoded since this was last asked."""
        texts, self.texts = self.texts, []
        return sorted(texts)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    encoder = Fake()
    row = replace(registry.ENCODERS[registry.DEFAULT_ENCODER], dimensions=WIDTH)
    monkeypatch.setitem(registry.ENCODERS, "fake", row)
    monkeypatch.setattr(module, "find", lambda *_: encoder)
    monkeypatch.setattr(module, "open_bulk_encoder", lambda *_: encoder)
    return encoder


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock is three seconds later, and slices hold two texts: each is kept."""
    ticks = iter(range(0, 10**6, 3))
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    monkeypatch.setattr(module, "SLICE", 2)


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def opened(cache: Path, notes: list[str]) -> Open:
    """opened(path): the vectors of a catalogue."""

    def make(path: Path, chunking: Chunking | None = None, progress: Any = None) -> Vectors:
        given = settings.load(str(path), str(cache))
        corpus = open_corpus(given, notes.append)
        return open_vectors(corpus, "fake", Cut(chunking or Chunking()), given, notes.append, progress)

    return make


def corpus_of(path: Path, cache: Path) -> Corpus:
    return open_corpus(settings.load(str(path), str(cache)), lambda _: None)


def check(store: Vectors, corpus: Corpus, chunking: Chunking | None = None, model: str = "a") -> None:
    """Every chunk of every document has its own vector: compared with encoding all afresh."""
    rows = [
        (position, start, end, chunk_text(document, start, end))
        for position, document in enumerate(corpus.documents())
        for start, end in document_chunks(document, chunking or Chunking())
    ]
    table = zip(store.docs.tolist(), store.starts.tolist(), store.ends.tolist(), strict=True)
    assert list(table) == [row[:3] for row in rows]
    assert np.array_equal(store.vectors, np.stack([vector_of(row[3], model) for row in rows]))
    assert store.vectors.dtype == np.float32
    owners = sorted({row[0] for row in rows})
    assert store.owners.tolist() == owners
    assert store.firsts.tolist() == [next(i for i, row in enumerate(rows) if row[0] == doc) for doc in owners]


def parts(cache: Path) -> list[Path]:
    return sorted((cache / f"{KIND}_parts").glob("*/*.npys"))


SEVEN = "One comes. Two goes. Three sits. Four runs. Five eats. Six sleeps. Seven sings."


# What is built


def test_each_chunk_has_the_vector_of_its_own_text(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path]
) -> None:
    """cases.md 10."""
    path = catalogue("A bear comes.", SEVEN, {"id": 9, "title": "Only a title"}, {"id": 10}, "A fox.")
    store = opened(path)
    check(store, corpus_of(path, cache))
    assert store.owners.tolist() == [0, 1, 2, 4], "a document with neither title nor text has no chunk"
    assert store.facts["vectors"] == store.facts["encoded"] == 5 and store.fresh
    fake.taken()
    again = opened(path)
    check(again, corpus_of(path, cache))
    assert fake.taken() == [] and not again.fresh


def test_a_text_that_several_documents_share_is_encoded_once(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path]
) -> None:
    path = catalogue(*({"id": i, "title": "Up", "description": "A house flies."} for i in range(5)), "A fox.")
    store = opened(path)
    assert fake.taken() == ["T6. A fox.", "Up. A house flies."]
    check(store, corpus_of(path, cache))


def test_a_catalogue_without_any_word_is_refused(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path]
) -> None:
    with pytest.raises(DataError, match="title or a text"):
        opened(catalogue({"id": 1}, {"id": 2, "title": " ", "description": "\n"}))
    assert not list((cache / KIND).glob("*/manifest.json")) and not list((cache / KIND).glob("*.tmp"))


def test_progress_is_told_to_the_last_text(
    fake: Fake, opened: Open, catalogue: Callable[..., Path], clock: None
) -> None:
    told: list[Any] = []

    @contextmanager
    def bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
        told.append((what, total))
        yield told.append
        told.append("closed")

    opened(catalogue("a", "b", "c", "d", "e"), progress=bar)
    assert told[0] == ("chunks encoded", 5) and told[-2:] == [5, "closed"]
    assert len(told) == 5 and told[1:-1] == sorted(told[1:-1]), "three slices, in whatever order of their sizes"


# What is not encoded again


def test_an_edited_document_costs_its_own_chunks_only(
    fake: Fake, opened: Open, cache: Path, notes: list[str], catalogue: Callable[..., Path]
) -> None:
    """cases.md 40, 41."""
    texts = ["A bear comes.", SEVEN, "A fox.", "A wolf."]
    opened(catalogue(*texts))
    fake.taken()
    notes.clear()
    texts[1] = SEVEN.replace("Seven sings", "Seven dances")
    path = catalogue(*texts)
    store = opened(path)
    assert fake.taken() == ["T2. Four runs. Five eats. Six sleeps. Seven dances."]
    check(store, corpus_of(path, cache))
    assert store.facts["encoded"] == 1 and notes == ["1 of 5 chunks encoded, 4 were known"]


def test_new_ids_another_order_and_fewer_documents_cost_nothing(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path]
) -> None:
    """cases.md 40: vectors go by the text, not by the id."""
    films = [{"id": i, "title": f"Film {i}", "description": f"{SEVEN} Number {i} ends."} for i in range(4)]
    opened(catalogue(*films))
    fake.taken()
    for entries in (films[::-1], [{**film, "id": f"new-{film['id']}"} for film in films], films[1:3]):
        path = catalogue(*entries)
        check(opened(path), corpus_of(path, cache))
        assert fake.taken() == []


def test_another_title_is_another_text(fake: Fake, opened: Open, catalogue: Callable[..., Path]) -> None:
    opened(catalogue({"id": 1, "title": "Up", "description": "A house."}))
    fake.taken()
    opened(catalogue({"id": 1, "title": "Down", "description": "A house."}))
    assert fake.taken() == ["Down. A house."]


def test_other_catalogues_share_what_is_the_same(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path]
) -> None:
    opened(catalogue("A bear.", "A fox.", name="one.json"))
    fake.taken()
    path = catalogue("A bear.", "A wolf.", name="two.json")
    check(opened(path), corpus_of(path, cache))
    assert fake.taken() == ["T2. A wolf."]


# What is never shared


def test_another_encoder_takes_nothing_from_the_first(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path]
) -> None:
    """cases.md 39: the dimensions agree, the vectors do not."""
    path = catalogue("A bear.", "A fox.")
    first = opened(path)
    texts = fake.taken()
    fake.model = "b"
    second = opened(path)
    assert fake.taken() == texts and second.path != first.path
    check(first, corpus_of(path, cache), model="a")
    check(second, corpus_of(path, cache), model="b")
    assert not (keys_of("a", texts) == keys_of("b", texts)).all(axis=1).any()


def test_another_chunking_is_another_artefact_that_takes_over_equal_texts(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path]
) -> None:
    """cases.md 39."""
    path = catalogue("A bear.", SEVEN)
    paths = set()
    for chunking in (Chunking(4, 1), Chunking(4, 0), Chunking(2, 1), Chunking(7, 1)):
        store = opened(path, chunking)
        check(store, corpus_of(path, cache), chunking)
        paths.add(store.path)
        assert ("T1. A bear." in fake.taken()) == (len(paths) == 1)
    assert len(paths) == 4


# Interrupted and damaged


def test_an_interrupted_build_keeps_what_was_done(
    fake: Fake, opened: Open, cache: Path, notes: list[str], catalogue: Callable[..., Path], clock: None
) -> None:
    path = catalogue("a", "b", "c", "d", "e", "f", "g")
    fake.dies = 2
    with pytest.raises(KeyboardInterrupt):
        opened(path)
    assert not list((cache / KIND).glob("*/manifest.json")), "nothing half-built is published"
    assert not list((cache / KIND).glob("*.tmp")) and len(parts(cache)) == 2
    done, fake.dies = fake.taken(), None
    store = opened(path)
    rest = fake.taken()
    assert len(done) == 4 and len(rest) == 3 and not set(done) & set(rest)
    check(store, corpus_of(path, cache))
    assert parts(cache) == [] and notes == ["3 of 7 chunks encoded, 4 were known"]


def test_what_was_done_also_serves_an_edited_catalogue(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path], clock: None
) -> None:
    fake.dies = 2
    with pytest.raises(KeyboardInterrupt):
        opened(catalogue("a", "b", "c", "d", "e", "f", "g"))
    fake.dies = None
    done = set(fake.taken())
    path = catalogue("a", "b", "c", "d", "e", "changed", "g")
    check(opened(path), corpus_of(path, cache))
    assert not done & set(fake.taken())


def alter(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-3] ^= 0xFF
    file.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "altered": alter,
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-40]),
    "empty": lambda file: file.write_bytes(b""),
    "gone": lambda file: file.unlink(),
    "no mark": lambda file: file.with_suffix(".json").write_bytes(b"\xff{"),
    "other mark": lambda file: file.with_suffix(".json").write_text("[]", encoding="utf-8"),
}


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_a_damaged_part_is_announced_and_encoded_again(
    fake: Fake, opened: Open, cache: Path, notes: list[str], catalogue: Callable[..., Path], clock: None, damage: str
) -> None:
    path = catalogue("a", "b", "c", "d", "e", "f", "g")
    fake.dies = 2
    with pytest.raises(KeyboardInterrupt):
        opened(path)
    fake.dies = None
    fake.taken()
    DAMAGES[damage](parts(cache)[0])
    check(opened(path), corpus_of(path, cache))
    assert len(fake.taken()) == 5 and len(notes) == 2 and "unusable" in notes[0]


@pytest.mark.parametrize("name", ["vectors.npy", "keys.npy", "docs.npy"])
def test_an_altered_artefact_is_announced_and_lends_nothing(
    fake: Fake, opened: Open, cache: Path, notes: list[str], catalogue: Callable[..., Path], name: str
) -> None:
    path = catalogue("A bear.", "A fox.")
    alter(opened(path).path / name)
    fake.taken()
    other = catalogue("A bear.", "A wolf.", name="other.json")
    check(opened(other), corpus_of(other, cache))
    assert fake.taken() == ["T1. A bear.", "T2. A wolf."], "no vector comes from an altered file"
    check(opened(path), corpus_of(path, cache))
    assert any("altered content" in note and "built again" in note for note in notes)


def test_the_manifest_says_what_the_vectors_were_made_from(
    fake: Fake, opened: Open, catalogue: Callable[..., Path]
) -> None:
    """cases.md 39."""
    store = opened(catalogue("A bear."), Chunking(3, 2))
    manifest = json.loads((store.path / "manifest.json").read_bytes())
    assert manifest["made_from"]["encoder"] == fake.fingerprint
    assert manifest["made_from"]["chunking"] == {"sentences": 3, "overlap": 2}
    assert manifest["facts"]["encoder"] == "fake" and manifest["facts"]["dimensions"] == WIDTH


# Two at once


def test_a_finished_build_leaves_the_parts_of_the_next_builder(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """cases.md 43: another catalogue's build begins while this one is being published."""
    other = Parts(cache, KIND, fake.fingerprint)
    ensured = module.ensure

    def ensure_while_another_builds(*args: Any) -> Any:
        artefact = ensured(*args)
        other.add(keys_of(fake.fingerprint, ["x"]), vector_of("x")[None])
        return artefact

    monkeypatch.setattr(module, "ensure", ensure_while_another_builds)
    opened(catalogue("A bear."))
    assert len(parts(cache)) == 1
    other.clear()
    assert parts(cache) == []


def test_a_build_clears_what_killed_ones_left(
    fake: Fake, opened: Open, cache: Path, catalogue: Callable[..., Path]
) -> None:
    folder = Parts(cache, KIND, fake.fingerprint).folder
    folder.mkdir(parents=True)
    for name in ("half.npys", ".half.npys.0a1b2c3d.tmp"):
        (folder / name).write_bytes(b"x")
    opened(catalogue("A bear."))
    assert list(folder.iterdir()) == []


SCRIPT = """
import sys
from strata import settings
from strata.core.corpus import open_corpus
from strata.semantic.chunking import Chunking
from strata.semantic.units import Cut
from strata.semantic.vectors import open_vectors
given = settings.load(sys.argv[1], sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
corpus = open_corpus(given, print)
store = open_vectors(corpus, "all-MiniLM-L6-v2", Cut(Chunking()), given, print, None)
assert store.vectors.shape == (len(corpus), 384), store.vectors.shape
assert abs((store.vectors**2).sum(axis=1) - 1).max() < 1e-5
print("built" if store.fresh else "found")
"""


@pytest.mark.parametrize("same", [True, False])
def test_two_processes_that_build_at_once_both_finish(catalogue: Callable[..., Path], cache: Path, same: bool) -> None:
    """cases.md 43: of the same catalogue one builds and one finds; two catalogues share the encoder's parts."""
    try:
        find(registry.DEFAULT_ENCODER, settings.load("movies", str(cache)), lambda _: None, fetch=False)
    except ArtefactError as error:
        pytest.skip(error.message)
    first = catalogue(*(f"Bear number {i} eats honey." for i in range(30)))
    second = first if same else catalogue(*(f"Bear number {i} eats fish." for i in range(30)), name="second.json")
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # two pools would fight for cores
    running = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", SCRIPT, str(path), str(cache)], text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=one_thread)
        for path in (first, second)
    ]  # fmt: skip
    for process in running:
        assert process.stdout and process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    done = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 0], done
    said = sorted(out.strip() for out, _ in done)
    assert said == (["built", "found"] if same else ["built", "built"])
    assert parts(cache) == [] and not list((cache / KIND).glob("*.tmp"))
    given = settings.load(str(first), str(cache))
    store = open_vectors(open_corpus(given, pytest.fail), registry.DEFAULT_ENCODER, Cut(Chunking()), given,
                               pytest.fail, None)  # fmt: skip
    assert not store.fresh and len(store.docs) == 30
