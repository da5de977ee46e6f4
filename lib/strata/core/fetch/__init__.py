"""Bringing in a public set: its files fetched, or taken from where they were put by hand, and kept as a catalogue.

The sets are rows of the registry. Nothing is shipped: the texts go from their source to the user's own machine, and
licence, credit, addresses and digests stay with them in origin.json. The files themselves are not kept.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from strata import paths, registry
from strata.core.catalogue import imported
from strata.core.fetch.download import Downloads, Fetched, Patience, is_page
from strata.core.keeping import keep, write_corpus, write_origin
from strata.core.load import checked
from strata.core.load.text import opened
from strata.errors import DataError, UsageError
from strata.files import file_digest
from strata.paths import as_path
from strata.registry import FETCH, FetchRow
from strata.telling import Note, Progress, telling

HEAD = 512


@dataclass(frozen=True)
class Brought:
    """A set that is a catalogue now."""

    name: str
    row: FetchRow
    documents: int
    folder: Path
    files: tuple[Fetched, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "documents": self.documents,
            "path": str(self.folder),
            **_facts(self.row, self.files),
        }


def sets() -> list[dict[str, Any]]:
    """The known sets: name, help, documents and megabytes (about), source, licence, here (whether it was fetched)."""
    there = imported()
    return [
        {
            "name": name, "help": row.help, "documents": row.documents, "megabytes": row.megabytes,
            "source": row.source, "licence": row.licence, "here": name in there,
        }
        for name, row in FETCH.items()
    ]  # fmt: skip


def fetch(
    name: str,
    note: Note,
    progress: Progress | None = None,
    *,
    base_url: str | None = None,
    given: str | None = None,
    replace: bool = False,
    patience: Patience | None = None,
) -> Brought:
    """Fetch a set from base_url (default: where the row says), or take its files from `given`, a folder or file.

    UsageError for an unknown or taken name, DataError for what cannot be had or read; then nothing has changed.
    """
    row = FETCH.get(name)
    if row is None:
        raise UsageError(f'no public set is called "{name}"', f"known: {registry.names(FETCH)}")
    if given is not None and base_url is not None:
        raise UsageError("--from and --base-url are two ways to one thing", "give one of them")
    local = None if given is None else _local(given, row)
    with keep(name, note, replace=replace) as folder:
        note(f"{name}: licence: {row.licence}; credit: {row.credit}")
        scratch = folder / "fetched"
        scratch.mkdir()
        base = row.base if base_url is None else base_url
        files = local or _download(name, row, base, scratch, note, progress, patience or Patience())
        count = _read(row, files, folder, note)
        shutil.rmtree(scratch)
        facts = {"loader": "jsonl", "from": row.source, "read_by": f"fetch {name}", "documents": count}
        write_origin(folder, {**facts, **_facts(row, files)})
    if count != row.documents:
        note(f"{count:,} documents, where Strata knows {row.documents:,}: the set has changed, and ids may have moved")
    return Brought(name, row, count, paths.imported_dir() / name, files)


def _facts(row: FetchRow, files: tuple[Fetched, ...]) -> dict[str, Any]:
    listed = [{key: value for key, value in asdict(file).items() if key != "path"} for file in files]
    return {"source": row.source, "licence": row.licence, "credit": row.credit, "files": listed}


def by_hand(name: str, row: FetchRow) -> str:
    """What to do where there is no way to the source from here."""
    first, last = row.files[0], row.files[-1]
    if len(row.files) == 1:
        return f"by hand: download {row.base}/{first}, then: data_cli fetch {name} --from FILE"
    what = f"{row.base}/{first} … {last} ({len(row.files)} files) into a folder"
    return f"by hand: download {what}, then: data_cli fetch {name} --from FOLDER"


def _download(
    name: str, row: FetchRow, base: str, folder: Path, note: Note, progress: Progress | None, patience: Patience
) -> tuple[Fetched, ...]:
    most = (row.most[0] * 1_000_000, row.most[1] * 1_000_000)
    expected = row.megabytes * 1000
    with telling(progress, "kB fetched (about)", expected) as advance:

        def told(done: int) -> None:
            advance(min(done // 1000, expected - 1))  # what comes may be more than was expected

        with Downloads(base, most, by_hand(name, row), note, told, patience) as downloads:
            return tuple(downloads.fetch(file, folder) for file in row.files)


def _local(given: str, row: FetchRow) -> tuple[Fetched, ...]:
    """The files of a set in a folder (plain or .gz), or its one file."""
    path = as_path(given)
    if path.is_dir():
        there = [next((p for p in (path / f, path / f"{f}.gz") if p.is_file()), path / f) for f in row.files]
        missing = [file.name for file in there if not file.is_file()]
        if missing:
            more = f" and {len(missing) - 1} more" if missing[1:] else ""
            raise DataError(f"{path} has no {missing[0]}{more}", f"download it from {row.base}")
    elif len(row.files) > 1:
        raise DataError(f"{path} is no folder", f"--from takes the folder that holds {row.files[0]} … {row.files[-1]}")
    else:
        there = [path]
    for file in there:
        with opened(file) as text:
            head = text.read(HEAD)
        if is_page(head.encode()):
            raise DataError(f"{file}: that is a web page, not JSON", "save the file itself, not the page that shows it")
    return tuple(Fetched(file.as_uri(), file, file.stat().st_size, file_digest(file)) for file in there)


def _read(row: FetchRow, files: tuple[Fetched, ...], folder: Path, note: Note) -> int:
    """Write the documents of these files as a corpus; returns how many."""
    sources = [file.path for file in files]
    at = sources[0] if len(sources) == 1 else sources[0].parent
    try:
        return write_corpus(folder, checked(registry.load(row)(sources), at, note))
    except DataError as error:
        message = error.message
        if folder in at.parents:  # where it was put for a moment says nothing; where it came from does
            for file in files:
                message = message.replace(str(file.path), file.url)
            message = message.replace(str(at), row.source)
        raise DataError(
            f"{message}; nothing was changed", f"this is not the file that Strata knows, from {row.base}"
        ) from error
