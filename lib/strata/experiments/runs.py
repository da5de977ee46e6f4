"""The folder of run logs: which there are, which one is meant, what is in it.

A log is named by its run's id, which begins with the time, so the newest are found without opening any. Whatever else
lies in the folder is left alone and counted.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from strata.errors import DataError, UsageError
from strata.experiments.fields import Fields, Odd, loaded
from strata.experiments.parsing import parse
from strata.experiments.record import Run
from strata.paths import as_path
from strata.runlog import SECOND

_ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]{6,32}")
_LAST = re.compile(r"last(?:-(\d{1,9}))?")
_WRITTEN = re.compile(r"[0-9A-Za-z-]+")
LARGEST = 64 * 2**20
"""Bytes of a log; ours have some ten thousand, with the calls of a model a hundred thousand."""
HEAD = 64 * 2**10
SHOWN = 8
LIST = "see: experiment_cli list"


@dataclass(frozen=True)
class Problem:
    """A file that cannot be read as a log, and why."""

    file: str
    why: str


@dataclass(frozen=True)
class Head:
    """What can be known of a run without reading its lists. path: of a catalogue that no name finds."""

    command: str
    query: str
    dataset: str
    path: str


@dataclass(frozen=True)
class Logs:
    """ids: the runs that have a log, newest first. others: names of files that are none, half-written ones too."""

    folder: Path
    ids: tuple[str, ...]
    others: tuple[str, ...]

    @cached_property
    def _tails(self) -> Counter[str]:
        return Counter(_tail(id) for id in self.ids)

    def short(self, id: str) -> str:
        """The last part of an id, where no other run has the same."""
        return _tail(id) if self._tails[_tail(id)] == 1 else id

    def pick(self, text: str) -> str:
        """The id that is meant by an id, by a part at its beginning or end that is unique, by "last" or by "last-N".

        UsageError for what fits no run, or several, which it lists.
        """
        text = text.removesuffix(".json")
        if not _WRITTEN.fullmatch(text) or len(text) > 80:
            raise UsageError(f"{text[:60]!r} is no run", f"write an id, a part of one, last, or last-1; {LIST}")
        if not self.ids:
            raise UsageError(f"there are no run logs in {self.folder}", "every search writes one; or name --log-dir")
        back = _LAST.fullmatch(text)
        if back:
            return self._back(int(back.group(1) or 0))
        fits = [id for id in self.ids if id.startswith((text, text.upper())) or id.endswith(text)]
        exact = [id for id in fits if id == text]
        if not fits:
            raise UsageError(f'no run is called "{text}"', LIST)
        if len(fits) > 1 and not exact:
            more = f"; and {len(fits) - SHOWN} more" if len(fits) > SHOWN else ""
            raise UsageError(f'"{text}" fits {len(fits)} runs: {"; ".join(fits[:SHOWN])}{more}', "give more of the id")
        return (exact or fits)[0]

    def _back(self, steps: int) -> str:
        if steps >= len(self.ids):
            raise UsageError(f"there are only {len(self.ids):,} run logs, so there is no last-{steps}", LIST)
        return self.ids[steps]

    def path(self, id: str) -> Path:
        return self.folder / f"{id}.json"

    def read(self, id: str) -> Run:
        """DataError for a log that is damaged, or of another format."""
        try:
            return _read(self.path(id), id)
        except Odd as error:
            raise DataError(f"the run log {self.path(id)} cannot be used: it {_said(error)}", LIST) from error

    def newest(self, limit: int, wanted: Callable[[Head], bool] | None = None) -> tuple[list[Run], list[Problem]]:
        """The newest runs, at most so many, and the files that could not be read on the way. wanted: looks at what
        stands before a log's lists, so that no list is parsed for nothing."""
        runs: list[Run] = []
        problems: list[Problem] = []
        for id in self.ids:
            if len(runs) == limit:
                break
            path = self.path(id)
            try:
                if wanted is None or wanted(_head(path)):
                    runs.append(_read(path, id))
            except Odd as error:
                problems.append(Problem(path.name, _said(error)))
        return runs, problems


def logs(folder: Path) -> Logs:
    """What a folder holds; nothing where it is not there. DataError where it cannot be looked into."""
    found: list[tuple[str, int, str]] = []
    others = []
    try:
        for entry in _entries(folder):
            id = entry.name.removesuffix(".json")
            if id != entry.name and _ID.fullmatch(id) and entry.is_file():
                # Several runs of one second: the file's time tells which was later.
                found.append((id[:SECOND], entry.stat().st_mtime_ns, id))
            elif entry.name.endswith((".json", ".tmp")):
                others.append(entry.name)
    except OSError as error:
        raise DataError(f"{folder} cannot be read ({error.strerror or error})", "name another --log-dir") from error
    return Logs(folder, tuple(id for *_, id in sorted(found, reverse=True)), tuple(sorted(others)))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except FileNotFoundError:
        return


def _tail(id: str) -> str:
    return id[SECOND + 1 :]


def _said(error: Odd) -> str:
    text = str(error)
    return text if text.startswith(("is ", "holds ", "cannot ")) else f"is damaged: {text}"


def _bytes(path: Path, most: int = LARGEST) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise Odd(f"cannot be read ({error.strerror or error})") from error
    if len(data) > LARGEST:
        raise Odd(f"is larger than {LARGEST // 2**20} MB")
    return data


def _read(path: Path, id: str) -> Run:
    run = parse(loaded(_bytes(path)))
    if run.id != id:
        raise Odd("is of another run than its name says")
    return run


def _head(path: Path) -> Head:
    """Read from what stands before the lists, where a log has the order of runlog.py; else from all of it."""
    begin, mark, _ = _bytes(path, HEAD).partition(b', "layers": [')  # no text holds it: its quotes would be escaped
    log = Fields(_head_table(begin) if mark else loaded(_bytes(path)))
    dataset = log.table("dataset")
    name, where = dataset.text("name"), dataset.text("path", "")
    return Head(log.text("command"), log.table("query").text("original"), name, where)


def _head_table(begin: bytes) -> dict[str, Any]:
    return loaded(begin + b"}")


def wanted(command: str | None, query: str | None, dataset: str | None) -> Callable[[Head], bool] | None:
    """Whether a run is of a command and a query that hold these texts (in any case), over a catalogue of this name or
    path. None where every run is."""
    if command is None and query is None and dataset is None:
        return None

    def is_wanted(head: Head) -> bool:
        held = all(
            text is None or text.casefold() in value.casefold()
            for text, value in ((command, head.command), (query, head.query))
        )
        return held and (dataset is None or dataset == head.dataset or str(as_path(dataset)) == head.path)

    return is_wanted
