"""What tests/fuzz found, one plain test each: it ended in a traceback, took minutes, or gigabytes.

Times are of the processor and generous: what is bounded takes a hundredth of them. What filled the memory is in
tests/fuzz/test_memory.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata import paths
from strata.answer.citable import MOST
from strata.answer.cite import statements
from strata.answer.quotes import quotes
from strata.core import catalogue as catalogues
from strata.core.filters import parse
from strata.core.golden import load_golden
from strata.core.language import foreign_words, is_english
from strata.core.load import load
from strata.core.types import Query
from strata.enhance.filler import tidy, without_filler
from strata.enhance.spell import Spell
from strata.errors import LONGEST, BadReply, DataError, UsageError
from strata.evaluation import trec
from strata.evaluation.outcome import Outcome
from strata.llm.parsing import json_value
from strata.llm.recording import Recorded, read
from strata.llm.replay import Replay
from strata.llm.scripted import Scripted
from strata.llm.types import Message
from strata.pipeline.workspace import Workspace
from strata.printable import plain
from strata.rerank.kept import KeptScores, _digest
from strata.show.words import SHOWN, about_words
from tests.conftest import Run
from tests.fuzz.common import bounded

LONG = 100_000
SOON = 3.0
"""Seconds."""


def refused(call: Callable[..., Any], *args: Any) -> str:
    with bounded(SOON), pytest.raises((DataError, UsageError, BadReply)) as caught:
        call(*args)
    return str(caught.value)


# Catalogues


def documents(path: Path, loader: str) -> list[Any]:
    return list(load(path, loader, lambda _: None))


def test_gzip_that_is_broken_and_no_utf_8_either(tmp_path: Path) -> None:
    """The search for the bad byte met the broken end."""
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"\x1f\x8b\x08\x003\x95\rk\x02\xffc\xff`\0\0\xff\x12\xd9A\x02\0\0\0")
    assert "broken gzip" in refused(documents, path, "jsonl")


def test_a_table_of_a_hundred_thousand_columns(tmp_path: Path) -> None:
    """Each name was counted among all: 30,000 took 8 s."""
    path = tmp_path / "wide.csv"
    names = [f"c{i}" for i in range(LONG)]
    path.write_text(",".join(["id", *names]) + "\n1" + ",x" * LONG + "\n", encoding="utf-8")
    with bounded(SOON):
        assert len(documents(path, "csv")[0].fields) == LONG
    path.write_text(",".join(["id", *names, "c7"]) + "\n", encoding="utf-8")
    assert 'called "c7"' in refused(documents, path, "csv")


def test_a_refusal_of_a_wide_table_is_short(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("x," * LONG + "\n", encoding="utf-8")
    assert len(refused(documents, path, "csv")) <= LONGEST


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_no_catalogue_and_no_golden_set(tmp_path: Path) -> None:
    """It was waited for, or read without end."""
    pipe = tmp_path / "a.jsonl"
    os.mkfifo(pipe)
    for call in (lambda: catalogues.locate(str(pipe)), lambda: load_golden(pipe), lambda: documents(pipe, "csv")):
        assert "neither a file nor a folder" in refused(call)
    assert "neither a file nor a folder" in refused(load_golden, Path("/dev/zero"))


def test_the_origin_of_a_catalogue_counts_its_documents(tmp_path: Path) -> None:
    """1e999 is no whole number."""
    (tmp_path / "origin.json").write_text('{"loader": "jsonl", "documents": 1e999, "from": "a"}', encoding="utf-8")
    assert "import the catalogue again" not in refused(catalogues.origin, tmp_path)


# Requests


def test_a_word_of_a_hundred_thousand_letters_beside_an_accent() -> None:
    """From each letter on the next accent was looked for; `about_words` asks this of every search."""
    with bounded(SOON):
        assert is_english("é " + "a" * LONG)
        assert foreign_words("é " + "中" * LONG)
    assert foreign_words("un été à la montagne") == ("un", "ete", "a", "la")


def test_a_condition_with_a_gap_of_a_hundred_thousand_blanks() -> None:
    with bounded(SOON):
        assert parse(f" year  =  a{' ' * LONG}b  ").value == f"a{' ' * LONG}b"
        assert "is no condition" in refused(parse, "a" * LONG + " " * LONG)


def test_a_request_of_hyphens() -> None:
    """The end of a request was looked for from each of them."""
    with bounded(SOON):
        assert without_filler(f"a{'-' * LONG}x")[0]
    assert tidy("a bear -- and, ") == "a bear"
    assert tidy("this and that or") == "this and that"


def test_a_word_that_is_too_long_to_be_misspelt(films: Workspace) -> None:
    """It was taken apart in every place, and both parts were remembered: 20,000 letters took 400 MB, 100,000 10 GB."""
    before = len(films.index._memory)
    with bounded(SOON):
        assert Spell()(Query("qwzx" * (LONG // 4)), films).text == "qwzx" * (LONG // 4)
    assert len(films.index._memory) < before + 10


def test_the_words_of_a_long_request_are_named_by_the_dozen(films: Workspace) -> None:
    """Each unknown word was compared with a thousand, and had its own line; a long one was read from each letter on."""
    letters = "ghijklmnop"
    text = " ".join("s" + "".join(letters[int(digit)] for digit in f"{i:05}") for i in range(LONG // 7))
    unknown = films.index.analyse(text).unknown
    with bounded(SOON):
        lines = list(about_words(text, films))
        assert len(list(about_words("A" * LONG, films))) == 1
    assert len(lines) == SHOWN + 1
    assert lines[-1] == f"{len(unknown) - SHOWN:,} more words are in no document."


# Replies


@pytest.mark.parametrize(
    "reply", ["[a " * 333_333, "[0," * 900 + "1," * 500_000 + "x, and so on"], ids=["openings", "nested"]
)
def test_a_megabyte_of_brackets_is_no_json(reply: str) -> None:
    """Each failure counted the lines before it, or read the same megabyte again: 50 s."""
    assert "malformed" in refused(json_value, reply)


def test_brackets_of_prose_are_still_passed_over() -> None:
    prose = "As [a] and [b] say: " * 200
    assert json_value(prose + '{"ranking": [3, 1]} [sic]') == {"ranking": [3, 1]}


def test_an_answer_that_cites_everything() -> None:
    """Marks side by side were joined one by one, each time all of them."""
    with bounded(SOON):
        (statement,) = statements("Yes " + "".join(f"[{i}-{i + 49}]" for i in range(3000, 70_000, 50)), 5)
    assert statement.numbers == tuple(range(3000, 3200))


def test_opening_signs_alone_are_no_quotations() -> None:
    with bounded(SOON):
        assert not quotes("„" * MOST) and not quotes("»" * MOST) and plain("\x90" * 10 * LONG) == ""
    assert [quote.text for quote in quotes("«a»b» and „c“")] == ["a", "c"]
    assert plain("\x1b]0;title\x07a\x9dlink\x9cb") == "ab"


# Files of ours


DAMAGE = {
    '"max_tokens": 1024': ('"max_tokens": 1e999', '"nested": ' + "[" * 50_000),
    '"schema": null': ('"schema": true',),
    '"prompt": 0': ('"prompt": "many"', '"prompt": -1', '"prompt": 1' + "0" * 400),
    '"ms": 0.0': ('"ms": NaN', '"ms": 1e999'),
}


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00\x0a\x00'descr', }}"], ids=["empty", "header"])
def test_a_former_index_whose_keys_are_no_array(
    workspace: Callable[[Path], Workspace], catalogue: Callable[..., Path], tmp_path: Path, content: bytes
) -> None:
    """An index is built from what former ones know, and looked at their keys before it knew them to be sound."""
    file = catalogue("a bear", "a fox")
    assert workspace(file).index.documents == 2
    (keys,) = (tmp_path / "cache" / "keyword_index").glob("*/keys.npy")
    keys.write_bytes(content)
    assert workspace(file).index.documents == 2  # it is built again, and finds its damaged former self
    keys.write_bytes(content)
    assert workspace(catalogue("a bear", "a fox", "a hen")).index.documents == 3


@pytest.mark.parametrize(
    ("found", "put"), [(found, put) for found, wrong in DAMAGE.items() for put in wrong], ids=lambda text: text[:24]
)
def test_a_recording_that_cannot_be_one(tmp_path: Path, found: str, put: str) -> None:
    Recorded(Scripted("x"), tmp_path).complete([Message("user", "hi")])
    (file,) = tmp_path.glob("*.json")
    text = file.read_text(encoding="utf-8")
    assert found in text
    file.write_text(text.replace(found, put), encoding="utf-8")
    assert "cannot be read" in refused(read, file)


def test_a_reply_with_half_a_letter_is_recorded(tmp_path: Path) -> None:
    Recorded(Scripted("half \ud800"), tmp_path).complete([Message("user", "hi")])
    assert Replay(tmp_path).complete([Message("user", "hi")]).text == "half \ud800"


def test_a_kept_score_of_hundreds_of_digits(tmp_path: Path) -> None:
    notes: list[str] = []
    kept = KeptScores(tmp_path, "m", notes.append)
    body = {**kept._head("q"), "scores": {"a": [10**400, 1]}}
    kept._path("q").parent.mkdir()
    kept._path("q").write_text(json.dumps({**body, "sha256": _digest(body)}), encoding="utf-8")
    assert kept.read("q") == {} and "computed again" in notes[0]


def test_judgements_and_runs_with_half_a_letter_are_exported_or_refused(tmp_path: Path) -> None:
    case = {"id": "q\ud800", "query": "x\udfff", "relevant": [{"id": "a", "grade": 1}]}
    (tmp_path / "golden.json").write_text(json.dumps({"test_cases": [case]}), encoding="utf-8")
    golden = load_golden(tmp_path / "golden.json")
    assert "half a letter" in refused(trec.write_qrels, golden, tmp_path / "qrels.txt")
    run = Outcome("caf\udce9", {"q": ("a",)})
    for name in ("run.txt", "run.json"):
        assert trec.write_run(run, tmp_path / name) == 1
        (tmp_path / name).read_text(encoding="utf-8")
    assert trec.write_qrels(golden, tmp_path / "qrels.json") == 1
    assert json.loads((tmp_path / "qrels.json").read_bytes()) == {"q\ud800": {"a": 1}}


# What is said


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\x9b2Jb", "a\u202eb", "caf\udce9"])
def test_an_error_repeats_no_terminal_sequence(cli: Run, text: str) -> None:
    done = cli("keyword_search_cli", "tf", text, "bear")
    assert done.status == 2 and done.err.count("\n") == 1
    assert done.err.rstrip("\n").isprintable()


def test_an_error_is_no_longer_than_a_screen(cli: Run) -> None:
    done = cli("data_cli", "show", "no such film " * LONG)
    assert done.status == 2 and len(done.err) < 3 * LONGEST


def test_a_notice_repeats_no_terminal_sequence(cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "imported_dir", lambda: tmp_path / "imported")
    file = tmp_path / "a\x1b[31mb.json"
    file.write_text('[{"id": 1, "title": "It\\\\u2019s"}]', encoding="utf-8")
    done = cli("keyword_search_cli", "search", "it", "--dataset", str(file), cache=tmp_path / "cache")
    assert "undone in 1 documents" in done.err and "\x1b" not in done.err + done.out


@pytest.mark.parametrize("option", ["--cache-dir", "--log-dir"])
def test_a_folder_whose_name_is_too_long(cli: Run, option: str) -> None:
    done = cli("strata", "doctor", option, "long " * 200)
    assert done.status == 2 and "shorter" in done.err


def test_a_result_repeats_no_terminal_sequence(
    cli: Run, catalogue: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that was typed came back as it was."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.tsv").write_text("q\t1\t1\n", encoding="utf-8")
    (tmp_path / "queries.tsv").write_text("q\tbear\n", encoding="utf-8")
    golden = ("--golden", "qrels.tsv", "--dataset", str(catalogue("a bear", "a fox")))
    done = cli("evaluation_cli", "trec", "a\x1b[31mb\x07", *golden, cache=tmp_path / "cache")
    assert done.status == 0 and "a[31mb" in done.out and not {"\x1b", "\x07"} & set(done.out + done.err)
