"""What the surroundings say. The only module that reads the environment.

An option on the command line wins over its variable, and a variable over what `data_cli use` remembered.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from strata import paths
from strata.errors import DataError

DEFAULT_DATASET = "movies"


@dataclass(frozen=True)
class Settings:
    """dataset: a name or a path. models_dir: a folder that is looked into first for weights (STRATA_MODELS)."""

    dataset: str
    cache_dir: Path
    log_dir: Path
    models_dir: Path | None = None


def _variable(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def chosen_dataset() -> str | None:
    """The catalogue remembered by `data_cli use`, if any."""
    file = paths.choice_file()
    if not file.is_file():
        return None
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["dataset"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{file} cannot be read ({error})", "delete it, or run: data_cli use movies") from error


def load(dataset: str | None = None, cache_dir: str | None = None, log_dir: str | None = None) -> Settings:
    """Settings for one command; arguments are what its options gave, None where they were not given."""
    models = _variable("STRATA_MODELS")
    return Settings(
        dataset=dataset or _variable("STRATA_DATASET") or chosen_dataset() or DEFAULT_DATASET,
        cache_dir=Path(cache_dir or _variable("STRATA_CACHE_DIR") or paths.cache_dir()).expanduser(),
        log_dir=Path(log_dir or _variable("STRATA_LOG_DIR") or paths.log_dir()).expanduser(),
        models_dir=Path(models).expanduser() if models else None,
    )


def offline_hub() -> bool:
    """Whether the Hugging Face hub must not be asked (HF_HUB_OFFLINE)."""
    return (_variable("HF_HUB_OFFLINE") or "0").lower() not in {"0", "false", "no"}


def hub_cache() -> Path:
    """Where the Hugging Face client keeps what it fetched."""
    explicit = _variable("HF_HUB_CACHE")
    home = _variable("HF_HOME") or str(Path(_variable("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface")
    return Path(explicit).expanduser() if explicit else Path(home).expanduser() / "hub"
