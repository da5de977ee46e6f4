"""Catalogues: every loader over anything at all, and over valid files with something wrong in them.

What is read can be written, indexed, searched and shown; what is not is refused in one line.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import registry
from strata import settings as settings_module
from strata.core import load
from strata.core.audit import audit
from strata.core.types import Document
from strata.pipeline.workspace import Workspace
from tests.fuzz.common import fuzz, held
from tests.fuzz.drawing import any_json, damaged, dumped, mutated, texts

ENTRIES: list[Any] = [
    {"id": 1, "title": "The Bear", "description": "A bear. Two hunters…", "year": 1988, "genres": ["Drama", "Family"]},
    {"id": "x2", "title": "Amélie", "text": "A waitress in Paris.", "cast": [{"name": "Audrey Tautou"}], "rating": 8.3},
    {"_id": 3, "name": "Up", "plot": "", "made": {"by": None}},
]
CSV = 'id,title,text,year\r\n1,The Bear,"A bear, ""two"" hunters\nand a cub",1988\r\nx2,Amélie,A waitress,\r\n'
LINES = b"\n".join(dumped(entry) for entry in ENTRIES)
VALID: dict[str, bytes] = {
    "films.json": json.dumps({"movies": ENTRIES}, indent=1).encode(),
    "bare.json": dumped(ENTRIES),
    "films.jsonl": LINES,
    "films.csv": CSV.encode(),
    "films.tsv": CSV.replace(",", "\t").encode(),
    "corpus.jsonl": LINES,
}
"""A file's name says which loader reads it; corpus.jsonl stands in a folder, which is read as BEIR's."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("loaders")


def written(folder: Path, name: str, content: bytes, packed: bool) -> Path:
    """The path that names the catalogue."""
    home = folder / ("beir" if name == "corpus.jsonl" else "files")
    home.mkdir(exist_ok=True)
    for former in home.iterdir():
        former.unlink()
    path = home / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    return home if name == "corpus.jsonl" else path


def read(path: Path, loader: str = "") -> list[Document]:
    notes: list[str] = []
    return list(load.load(path, loader or load.detect(path), notes.append))


def check(documents: list[Document] | None) -> None:
    for document in documents or ():
        json.dumps([document.id, document.title, document.text, document.fields], allow_nan=False).encode()
        f"{document.id}{document.title}{document.text}".encode()
    ids = [str(document.id) for document in documents or ()]
    assert len(set(ids)) == len(ids)


@fuzz(150)
@given(st.data())
def test_valid_files_that_were_damaged(folder: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(VALID)))
    content = data.draw(damaged(VALID[name]))
    check(held(read, written(folder, name, content, data.draw(st.booleans()))))


@fuzz(150)
@given(st.data())
def test_json_with_anything_anywhere(folder: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(("films.json", "films.jsonl", "corpus.jsonl", "other.name")))
    value = data.draw(mutated({"movies": ENTRIES}) | mutated(ENTRIES) | any_json)
    entries = value if isinstance(value, list) else [value]
    content = b"\n".join(map(dumped, entries)) if name.endswith("jsonl") else dumped(value)
    check(held(read, written(folder, name, content, False)))


@fuzz(100)
@given(st.data())
def test_any_file_by_any_loader(folder: Path, data: st.DataObject) -> None:
    """Also by one that does not fit it, and gzip that is broken."""
    loader = data.draw(st.sampled_from(list(registry.LOADERS)))
    content = data.draw(st.binary(max_size=60) | texts().map(lambda text: text.encode("utf-8", "surrogatepass")))
    content = data.draw(damaged(gzip.compress(content, mtime=0)) | st.just(content))
    path = written(folder, "corpus.jsonl" if loader == "beir" else "any", content, False)
    check(held(read, path, loader))


@fuzz(100)
@given(st.lists(st.tuples(texts(3), texts(3)), max_size=6), st.sampled_from(",;\t|"), st.booleans())
def test_tables_with_any_names_and_cells(
    folder: Path, cells: list[tuple[str, str]], delimiter: str, quoted: bool
) -> None:
    columns = [("id", "1"), *cells]
    rows = [delimiter.join(f'"{one}"' if quoted else one for one in row) for row in zip(*columns, strict=True)]
    content = "\n".join(rows).encode("utf-8", "replace")
    check(held(read, written(folder, "films.csv", content, False), "csv"))


def used(path: Path, home: Path, query: str) -> None:
    """A catalogue as commands use it: opened, looked through, indexed, searched, found in."""
    workspace = Workspace(settings_module.load(str(path), str(home / "cache"), str(home / "logs")), lambda _: None)
    corpus = workspace.corpus
    json.dumps(audit(corpus), allow_nan=False).encode()
    for position, document in enumerate(corpus.documents()):
        assert corpus.read(position) == document
        assert corpus.position(document.id) == position
        assert position in corpus.titled(document.title) or not document.title.strip() or not corpus.titled("x x")
        corpus.label(position).encode()
        held(corpus.find, document.title)
    index = workspace.index
    for term in index.query_terms(query):
        assert index.df(term)


@fuzz(25)
@given(st.data())
def test_what_is_read_can_be_searched(folder: Path, data: st.DataObject) -> None:
    entry = mutated(ENTRIES[0]) | mutated(ENTRIES[1])
    value = [*data.draw(st.lists(entry, min_size=1, max_size=4)), {"id": "last", "title": data.draw(texts())}]
    path = written(folder, "films.json", dumped({"movies": value}), False)
    held(used, path, folder, data.draw(texts()))
