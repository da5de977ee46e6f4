"""Where an encoder's weights are: a folder named in the settings, an installed package, the hub's cache, the hub.

Whatever is found for a name of the registry is checked against the digests there before it is used. Any other model,
by its name on the hub or by the path of its folder, is taken as it is: its own files say how its vectors are made
(folder.py; clip_folder.py where it reads pictures too), and all of them are part of its fingerprint. So is the
registry's CLIP, of which it knows no digest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from strata import registry
from strata.encoders import hub
from strata.encoders.checked import Weights
from strata.encoders.checked import checked_weights as checked_weights
from strata.encoders.checked import digest_of as digest_of
from strata.encoders.clip_folder import described_there, home_of
from strata.encoders.folder import NEEDED, OWN, WEIGHTS, Prefixes, described, files, weights_file
from strata.encoders.places import Places as Places
from strata.encoders.places import how_to_install, instead, lacking, reads_text_only, to_fetch
from strata.encoders.places import in_package as in_package
from strata.encoders.places import looked_into as looked_into
from strata.encoders.places import needed_files as needed_files
from strata.encoders.places import path_of as path_of
from strata.errors import ArtefactError, StrataError, UsageError
from strata.files import fingerprint
from strata.registry import EncoderRow
from strata.settings import Settings
from strata.telling import Note

__all__ = ["NEEDED", "OWN", "WEIGHTS", "Weights", "find"]


def find(
    name: str, settings: Settings, note: Note, *, verify: bool = False, fetch: bool = True, pictures: bool = False
) -> Weights:
    """The weights of an encoder: of the registry, of a folder, or of the hub, by its name there.

    UsageError: a name of nothing. ArtefactError: weights that are missing, altered or not understood.
    verify: compute digests again even where the stamp says that nothing changed.
    fetch: whether the hub may be asked for what is not here.
    pictures: whether it must read pictures too: UsageError, before any weights are looked for, where that is known.
    """
    known = next((key for key, row in registry.ENCODERS.items() if name in (key, row.hub)), None)
    seeing = next((key for key, row in registry.PICTURE_ENCODERS.items() if name in (key, row.hub)), None)
    folder = None if name in registry.ENCODERS or name in registry.PICTURE_ENCODERS else path_of(name)
    asked = _Asked(name, settings, note, verify, fetch, pictures or bool(seeing))
    if folder:
        found = _in_folder(asked, folder, "the folder named", ("", ""))
    elif known:
        found = _registered(known, asked)
    elif seeing:
        found = _by_hub_name(replace(asked, name=seeing), registry.PICTURE_ENCODERS[seeing].hub, registered=True)
    else:
        repository = hub.hub_name(name)
        if repository is None:
            raise UsageError(
                f'no encoder is called "{name}", and no such folder exists',
                f"one of: {asked.names}; or ORG/NAME on the Hugging Face hub; or a folder's path",
            )
        found = _by_hub_name(asked, repository)
    if pictures and not found.row.pictures:
        raise reads_text_only(asked.name)
    return found


@dataclass(frozen=True)
class _Asked:
    """What `find` was asked for."""

    name: str
    settings: Settings
    note: Note
    verify: bool
    fetch: bool
    pictures: bool

    @property
    def option(self) -> str:
        """The option that takes a folder instead."""
        return "--model" if self.pictures else "--encoder"

    @property
    def names(self) -> str:
        return registry.names(registry.PICTURE_ENCODERS if self.pictures else registry.ENCODERS)


def _registered(name: str, asked: _Asked) -> Weights:
    """From the first place with all its files, which must be the published ones."""
    if asked.pictures:
        raise reads_text_only(asked.name)
    settings, verify, row = asked.settings, asked.verify, registry.ENCODERS[name]
    places: Places = [("STRATA_MODELS", settings.models_dir / name if settings.models_dir else None)]
    places.append((f"the package {row.package[0]}", in_package(row)))
    if row.hub:
        places.append(("the Hugging Face cache", hub.cached(row.hub)))
    needed = needed_files(row)
    for origin, folder in places:
        if folder and not lacking(folder, needed):
            return checked_weights(name, row, folder, origin, settings, verify)
    missing = f"the weights of {name} were found nowhere: {looked_into(places, needed)}"
    if not row.hub:
        raise ArtefactError(missing, how_to_install(row))
    folder = hub.fetched(row.hub, missing, how_to_install(row), asked.note, fetch=asked.fetch)
    lacks = lacking(folder, needed)
    if lacks:
        raise ArtefactError(f"{row.hub}, fetched from the hub, {lacks}", how_to_install(row))
    return checked_weights(name, row, folder, "the Hugging Face hub", settings, verify)


def _by_hub_name(asked: _Asked, repository: str, *, registered: bool = False) -> Weights:
    """Any model of the hub, from a folder in STRATA_MODELS, the hub's cache, or the hub.

    registered: whether the name is the registry's, of a model whose files have no published digests there."""
    name, models = asked.name, asked.settings.models_dir
    places: Places = [("STRATA_MODELS", models / name if models else None)]
    places.append(("the Hugging Face cache", hub.cached(repository)))
    prefixes = hub.usual_prefixes(repository)
    for origin, folder in places:
        if folder and not lacking(folder):
            return _in_folder(asked, folder, origin, prefixes)
    where, how = looked_into(places), to_fetch(repository, name, asked.option)
    refuse: type[StrataError] = ArtefactError
    missing = f"the weights of {name} were found nowhere: {'' if registered else 'no such folder; '}{where}"
    if name != repository and not registered:  # a bare word: more likely a slip of the pen than a model
        missing, refuse = f'no encoder is called "{name}", and no such folder exists; {where}', UsageError
        how = f"one of: {asked.names}; or a model of sentence-transformers, {how}"
    folder = hub.fetched(repository, missing, how, asked.note, fetch=asked.fetch, refuse=refuse)
    lacks = lacking(folder)
    if lacks:
        # Pickles are not even fetched: to load one is to run the code in it.
        pickles = "; pickles are not fetched" if WEIGHTS in lacks else ""
        advice = instead(repository, lacks, asked.option)
        raise ArtefactError(f"{repository}, as the hub has it, {lacks}{pickles}", advice)
    return _in_folder(asked, folder, "the Hugging Face hub", prefixes)


def _in_folder(asked: _Asked, folder: Path, origin: str, prefixes: Prefixes) -> Weights:
    """A folder as it is. One that holds a registered model's very weights and tokenizer counts as that model."""
    name, settings, verify = asked.name, asked.settings, asked.verify
    for row in registry.ENCODERS.values():
        if _holds(folder, row, settings, verify):
            return Weights(name, row, folder, row.digest, origin)
    home, lacks = home_of(folder), lacking(folder)
    if lacks:
        raise ArtefactError(f"{folder} {lacks}", instead(name, lacks, "--model" if home else asked.option))
    digest = digest_of((home or folder) / weights_file(home or folder), settings, verify)
    row = described_there(folder, home, digest, prefixes) if home else described(folder, digest, prefixes)
    # Nobody published digests for this folder, so every file that can move a vector counts.
    parts = [[file.relative_to(folder).as_posix(), digest_of(file, settings, verify)] for file in files(folder, row)]
    return Weights(name, row, folder, fingerprint(parts), origin)


def _holds(folder: Path, row: EncoderRow, settings: Settings, verify: bool) -> bool:
    """Whether a folder holds a registered model's very files. Beside tensors, a graph counts for nothing."""
    if lacking(folder, needed_files(row)) or (row.runtime == "onnx" and weights_file(folder) != row.file):
        return False
    same = digest_of(folder / row.file, settings, verify) == row.digest
    return same and row.tokenizer in ("", digest_of(folder / row.tokenizer_file, settings, verify))
