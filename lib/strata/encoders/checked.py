"""A folder of weights that was found, held against published digests where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from strata.encoders import Kind
from strata.encoders.places import how_to_install
from strata.errors import ArtefactError
from strata.files import fingerprint, trusted_digest
from strata.registry import EncoderRow
from strata.settings import Settings


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

    @property
    def home(self) -> Path:
        """Where the network and its tokenizer lie; in an older layout not beside modules.json."""
        return (self.folder / self.row.file).parent

    @property
    def whole(self) -> Path:
        """What sentence-transformers is to load."""
        return self.folder if (self.folder / "modules.json").is_file() else self.home

    def prefix(self, kind: Kind) -> str:
        return self.row.query_prefix if kind == "query" else self.row.document_prefix


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
                f"remove that folder, or install them again: {how_to_install(row)}; to use it as it is, "
                "name the folder",
            )
    return Weights(name, row, folder, row.digest, origin)
