"""The Hugging Face hub: what its cache holds, and what is fetched from it. Nothing that is here is asked for again.

The cache's layout, huggingface_hub's own: models--ORG--NAME/refs/main names the folder below snapshots/.
"""

from __future__ import annotations

import logging
import re
import sys
from errno import EACCES, ENOSPC, EROFS
from pathlib import Path

from strata.encoders.folder import Prefixes
from strata.errors import ArtefactError, StrataError
from strata.settings import hub_cache, offline_hub
from strata.telling import Note

WANTED = ["*.safetensors", "*.json", "*.txt", "*.model"]
UNWANTED = ["onnx/*", "openvino/*", "open_clip_*"]
NAME = re.compile(r"(?:\w[\w.-]*/)?\w[\w.-]*", re.ASCII)
LONGEST = 96  # characters; the hub takes no longer names
# What model cards ask for and these models' folders do not say.
PREFIXES = (
    (r"BAAI/bge-(small|base|large)-en(-v1\.5)?", ("Represent this sentence for searching relevant passages: ", "")),
    (r"intfloat/(multilingual-)?e5-(small|base|large)(-v2)?", ("query: ", "passage: ")),
)
REFUSALS = {
    "RepositoryNotFoundError": "the hub has no model of that name, or shows it to its owners only",
    "GatedRepoError": "the hub gives it only to those who agreed to its terms there",
}


def hub_name(name: str) -> str | None:
    """ORG/NAME as the hub has it, of a name that may be one: NAME alone is one of sentence-transformers' own."""
    if len(name) > LONGEST or not NAME.fullmatch(name):
        return None
    return name if "/" in name else f"sentence-transformers/{name}"


def usual_prefixes(repository: str) -> Prefixes:
    return next((prefixes for known, prefixes in PREFIXES if re.fullmatch(known, repository)), ("", ""))


def cached(repository: str) -> Path:
    """The snapshot that the hub's cache calls `main`, or else the newest; where it would be, if there is none, and
    where nobody lets us look."""
    home = hub_cache() / f"models--{repository.replace('/', '--')}"
    reference = home / "refs" / "main"
    try:
        if reference.is_file():
            return home / "snapshots" / reference.read_text(encoding="utf-8", errors="replace").strip()
        snapshots = sorted((home / "snapshots").glob("*"), key=lambda path: path.stat().st_mtime)
    except OSError:
        return home
    return snapshots[-1] if snapshots else home


def fetched(
    repository: str, missing: str, how: str, note: Note, *, fetch: bool, refuse: type[StrataError] = ArtefactError
) -> Path:
    """A folder in the hub's cache, fetched now. `refuse` where that cannot be done.

    missing, how: what its message says is missing, and what to do. fetch: whether the hub may be asked.
    """
    if not fetch:
        raise refuse(f"{missing}; the hub was not asked", how)
    if offline_hub():
        raise refuse(f"{missing}; the hub is switched off by HF_HUB_OFFLINE", how)
    try:
        import huggingface_hub
        from huggingface_hub.utils.tqdm import disable_progress_bars
    except ImportError:
        raise refuse(f"{missing}; huggingface_hub, which would fetch them, is not installed", how) from None
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # no advice about accounts
    if not sys.stderr.isatty():
        disable_progress_bars()  # nobody sees them move
    note(f"fetching {repository} from the Hugging Face hub")
    try:
        return Path(huggingface_hub.snapshot_download(repository, allow_patterns=WANTED, ignore_patterns=UNWANTED))
    except Exception as error:  # whatever the hub's client raises, the user needs the same answer
        why = REFUSALS.get(type(error).__name__, f"the hub cannot be reached ({type(error).__name__})")
        if isinstance(error, OSError) and error.errno in (ENOSPC, EACCES, EROFS):
            why = f"{hub_cache()} cannot be written ({error.strerror})"
        raise refuse(f"{missing}; {why}", how) from error
