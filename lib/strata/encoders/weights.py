"""Where an encoder's weights are: a folder named in the settings, an installed package, the hub's cache, the hub.

Whatever is found for a name of the registry is checked against the digest there before it is used. A folder given
in place of a name is taken as it is: its own files say how its vectors are made (folder.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path

from strata import registry
from strata.encoders import Note
from strata.encoders.folder import NEEDED, OWN, WEIGHTS, described
from strata.errors import ArtefactError, UsageError
from strata.files import fingerprint, trusted_digest
from strata.registry import EncoderRow
from strata.settings import Settings, hub_cache, offline_hub


@dataclass(frozen=True)
class Weights:
    """A folder in sentence-transformers' layout and what the registry says of its model."""

    name: str
    row: EncoderRow
    folder: Path
    digest: str
    origin: str

    @property
    def fingerprint(self) -> str:
        """Of everything that moves a vector, wherever the folder lies and whichever runtime reads it."""
        row = self.row
        return fingerprint([self.digest, row.pooling, row.query_prefix, row.max_tokens, "unit length"])

    @property
    def numpy_runs_it(self) -> bool:
        return self.row.pooling != OWN


def find(name: str, settings: Settings, note: Note, *, verify: bool = False, fetch: bool = True) -> Weights:
    """The weights of a registered encoder, from the first complete folder of `places`; or those in a folder.

    UsageError: neither a name nor a folder. ArtefactError: weights that are missing, altered or not understood.
    verify: compute the digest again even where the stamp says that nothing changed.
    fetch: whether the hub may be asked.
    """
    row = registry.ENCODERS.get(name)
    if row is None:
        return _in_folder(name, settings, verify)
    places = [
        ("STRATA_MODELS", settings.models_dir / name if settings.models_dir else None),
        (f"the package {row.package[0]}", _in_package(row)),
        ("the Hugging Face cache", _in_hub_cache(row)),
    ]
    for origin, folder in places:
        if folder and all((folder / file).is_file() for file in NEEDED):
            return _checked(name, row, folder, origin, settings, verify)
    return _checked(name, row, _from_hub(name, row, places, note, fetch), "the Hugging Face hub", settings, verify)


def _in_folder(name: str, settings: Settings, verify: bool) -> Weights:
    """A folder named by its path. One that holds a registered model's very weights counts as that model."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise UsageError(
            f'no encoder is called "{name}", and no such folder exists',
            f"one of: {registry.names(registry.ENCODERS)}; or the path of a folder of weights",
        )
    lacking = [file for file in NEEDED if not (folder / file).is_file()]
    if lacking:
        raise ArtefactError(f"{folder} holds no {', '.join(lacking)}", "name a folder that sentence-transformers wrote")
    digest = _digest(folder / WEIGHTS, settings, verify)
    for row in registry.ENCODERS.values():
        if row.digest == digest:
            return Weights(name, row, folder, digest, "the folder named")
    row = described(folder, digest)
    # Nobody published digests for this folder, so every file that can move a vector counts.
    files = sorted(file for file in folder.rglob("*") if file.suffix in {".safetensors", ".json", ".txt", ".model"})
    whole = fingerprint([[str(file.relative_to(folder)), _digest(file, settings, verify)] for file in files])
    return Weights(name, row, folder, whole, "the folder named")


def _digest(file: Path, settings: Settings, verify: bool) -> str:
    try:
        return trusted_digest(file, settings.cache_dir, verify=verify)
    except OSError as error:
        raise ArtefactError(f"{file} cannot be read ({error.strerror})", "check its permissions") from error


def _checked(name: str, row: EncoderRow, folder: Path, origin: str, settings: Settings, verify: bool) -> Weights:
    digest = _digest(folder / WEIGHTS, settings, verify)
    if digest != row.digest:
        raise ArtefactError(
            f"the weights of {name} in {folder} are not the published ones "
            f"(SHA-256 {digest[:12]}…, expected {row.digest[:12]}…)",
            f"remove that folder, or install them again: {_how(row)}",
        )
    return Weights(name, row, folder, digest, origin)


def _in_package(row: EncoderRow) -> Path | None:
    """The folder inside an installed package, which is located and not imported."""
    package, folder = row.package
    spec = PathFinder.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))) / folder


def _in_hub_cache(row: EncoderRow) -> Path:
    """The snapshot that the hub's cache calls `main`, or else the newest; where it would be, if there is none."""
    home = hub_cache() / f"models--{row.hub.replace('/', '--')}"
    reference = home / "refs" / "main"
    if reference.is_file():
        return home / "snapshots" / reference.read_text(encoding="utf-8").strip()
    snapshots = sorted((home / "snapshots").glob("*"), key=lambda path: path.stat().st_mtime)
    return snapshots[-1] if snapshots else home


def _from_hub(name: str, row: EncoderRow, places: list[tuple[str, Path | None]], note: Note, fetch: bool) -> Path:
    """Fetch from the hub, with huggingface_hub; ArtefactError where that cannot be done."""
    looked = "; ".join(f"{origin} ({folder or 'not there'})" for origin, folder in places)
    missing = f"the weights of {name} were found nowhere: {looked}"
    if not fetch:
        raise ArtefactError(f"{missing}; the hub was not asked", _how(row))
    if offline_hub():
        raise ArtefactError(f"{missing}; the hub is switched off by HF_HUB_OFFLINE", _how(row))
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ArtefactError(missing, _how(row)) from None
    note(f"fetching {row.hub} from the Hugging Face hub")
    try:
        folder = Path(snapshot_download(row.hub, allow_patterns=["*.json", WEIGHTS, "1_Pooling/*", "vocab.txt"]))
    except Exception as error:  # whatever the hub's client raises, the user needs the same answer
        raise ArtefactError(f"{missing}; the hub cannot be reached ({type(error).__name__})", _how(row)) from error
    lacking = [name for name in NEEDED if not (folder / name).is_file()]
    if lacking:
        raise ArtefactError(f"{row.hub} came from the hub without {', '.join(lacking)}", _how(row))
    return folder


def _how(row: EncoderRow) -> str:
    return f"pip install 'strata-search[{row.extra}]', or put the folder into the one that STRATA_MODELS names"
