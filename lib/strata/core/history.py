"""Which contents a catalogue had, and clearing away what was made from those that are long past.

Every edit of a catalogue makes new artefacts, and the former would stay in the cache for ever. So the cache remembers
for each source (the path of a catalogue) the contents it had, newest first, and when a new content has been read,
what was made from older ones goes, by this rule:

- Of each kind of artefact, made in the same way (encoder, chunking, analyser …), a source keeps two: that of the
  content it has now, and the newest of those before. So going back by one edit costs nothing, and a catalogue never
  loses the vectors or the index that its next build starts from, however often it was edited without them.
- What any source keeps stays. Nothing goes that this source's history does not name.

A folder is moved aside under its lock, then removed; one that is being built is left alone. A reader that has it open
keeps it (on POSIX); one that comes a moment too late finds nothing and builds again. Whatever fails costs space only.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from strata.errors import ArtefactError
from strata.files import fingerprint, locked, parsed, write_atomically
from strata.storage import artefact_folder, artefact_folders, recipe

FOLDER = "history"
NAMES = ("file", "corpus")
"""By what an artefact names the content it was made from: the file's digest, or the fingerprint of its documents."""
ASIDE = ".pruned.tmp"
Version = dict[str, str]


def remember(cache: Path, source: Path, file: str, corpus: str, *, fresh: bool) -> None:
    """Write down which content a source has now. fresh: it was read just now, so older artefacts may go."""
    record = cache / FOLDER / f"{fingerprint(str(source))}.json"
    now = {"file": file, "corpus": corpus}
    if _versions(record)[:1] == [now]:
        return
    with suppress(ArtefactError, OSError), locked(cache / FOLDER / "lock"):
        versions = [now, *(version for version in _versions(record) if version != now)]
        if fresh:
            others = [_versions(other) for other in record.parent.glob("*.json") if other != record]
            versions = _prune(cache, versions, others)
        found = {"source": str(source), "versions": versions}
        write_atomically(record, json.dumps(found, indent=1).encode())


def _versions(record: Path) -> list[Version]:
    """What a record holds, newest first; nothing where it cannot be read."""
    try:
        found = parsed(record.read_bytes())["versions"]
        return [{name: str(version[name]) for name in NAMES} for version in found]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _prune(cache: Path, own: list[Version], others: list[list[Version]]) -> list[Version]:
    """Remove what the rule lets go; returns the versions that are still worth remembering."""
    for left in cache.glob(f"*/*{ASIDE}"):
        shutil.rmtree(left, ignore_errors=True)
    there: set[str] = set()
    for (_, name, _), found in _by_making(cache).items():
        kept = {content for versions in (own, *others) for content in _kept(versions, name, found)}
        for content in {version[name] for version in own} & found.keys() - kept:
            _remove(found[content])
        there |= {content for content, folder in found.items() if folder.is_dir()}
    return own[:2] + [version for version in own[2:] if there & set(version.values())]


def _by_making(cache: Path) -> dict[tuple[str, str, str], dict[str, Path]]:
    """(kind, how the content is named, fingerprint of everything else it was made from) → content → folder."""
    made: dict[tuple[str, str, str], dict[str, Path]] = {}
    for folder in artefact_folders(cache):
        kind, rest = folder.parent.name, recipe(folder)
        if folder == artefact_folder(cache, kind, rest):  # what it says it was made from is what it is named by
            name = next((name for name in NAMES if name in rest), None)
            if name:
                content = str(rest.pop(name))
                made.setdefault((kind, name, fingerprint(rest)), {})[content] = folder
    return made


def _kept(versions: list[Version], name: str, found: dict[str, Path]) -> list[str]:
    """The contents whose artefacts of one making, found by content, a source with these versions keeps."""
    now, *before = dict.fromkeys(version[name] for version in versions) or [""]
    return [content for content in (now, *[b for b in before if b in found][:1]) if content in found]


def _remove(folder: Path) -> None:
    """Take an artefact away, unless somebody holds its lock."""

    def give_up() -> None:
        raise BlockingIOError

    aside = folder.with_name(f"{folder.name}.{uuid4().hex[:8]}{ASIDE}")
    with suppress(OSError, ArtefactError), locked(folder.with_name(f"{folder.name}.lock"), give_up):
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
