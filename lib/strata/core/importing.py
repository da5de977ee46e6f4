"""Taking a catalogue in: checked as a whole, written in one form under a name, in place of the former or not at all.

What is kept (keeping.py) is a folder: corpus.jsonl, origin.json, and for a folder in BEIR layout its queries and qrels,
as they are.
Not here: changing a catalogue that is there (updating.py).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from strata import paths
from strata.core import load
from strata.core.keeping import CORPUS, LONGEST_NAME, keep, write_corpus, write_origin
from strata.core.qrels import read_qrels, read_queries
from strata.paths import as_path


@dataclass(frozen=True)
class Imported:
    name: str
    documents: int
    folder: Path
    files: tuple[str, ...]


def bring_in(given: str, name: str | None, note: Callable[[str], None], *, replace: bool) -> Imported:
    """Import a file or BEIR folder. UsageError for a name that is taken, DataError for what cannot be read."""
    path = as_path(given)
    loader = load.detect(path)
    name = name or name_for(path)
    with keep(name, note, replace=replace) as folder:
        count = write_corpus(folder, load.load(path, loader, note))
        extra = _judgements(path, folder) if loader == "beir" else ()
        kept_as = "beir" if loader == "beir" else "jsonl"
        write_origin(folder, {"loader": kept_as, "from": path.name, "read_by": loader, "documents": count})
    return Imported(name, count, paths.imported_dir() / name, (CORPUS, *extra))


def name_for(path: Path) -> str:
    """What a catalogue is called when no name is given: its file's or folder's name, in plain letters."""
    stem = path.name if path.is_dir() else path.name.split(".")[0]
    return re.sub(r"[^\w-]+", "-", stem.lower())[:LONGEST_NAME].strip("-")


def _judgements(folder: Path, into: Path) -> tuple[str, ...]:
    """Check and copy queries and qrels, where the folder has them: a folder with a corpus alone is a catalogue too."""
    queries = [*folder.glob("queries.jsonl"), *folder.glob("queries.jsonl.gz")][:1]
    judged = sorted([*(folder / "qrels").glob("*.tsv"), *(folder / "qrels").glob("*.tsv.gz")])
    for path in queries:
        read_queries(path)
    for path in judged:
        read_qrels(path)
    names = [path.relative_to(folder) for path in (*queries, *judged)]
    for name in names:
        (into / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(folder / name, into / name)
    return tuple(name.as_posix() for name in names)
