"""What the surroundings say. The only module that reads settings from the environment, and the `.env` files beside it.

An option on the command line wins over its variable, and a variable over what `data_cli use` remembered. A variable
may stand in a file `.env` in the working directory or in the clone's root, looked into in this order; the real
environment wins over both, also with an empty value, which means: not set.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from strata import paths
from strata.errors import DataError, UsageError

DEFAULT_DATASET = "movies"


@dataclass(frozen=True)
class Access:
    """How one provider of language models is reached. The key is in no repr.

    stray: the working directory's .env names the server, but the key is from elsewhere (""), or that file's path.
    """

    key: str | None = field(default=None, repr=False)
    url: str | None = None
    model: str | None = None
    stray: str = ""


@dataclass(frozen=True)
class Providers:
    """replay: a folder of recordings. timeout: seconds for one reply, None: the provider's own."""

    groq: Access = Access()
    gemini: Access = Access()
    openai: Access = Access()
    replay: Path | None = None
    timeout: float | None = None


@dataclass(frozen=True)
class Settings:
    """dataset: a name or a path. models_dir: a folder that is looked into first for weights (STRATA_MODELS). keep_runs:
    how many run logs stay, 0 for all."""

    dataset: str
    cache_dir: Path
    log_dir: Path
    models_dir: Path | None = None
    providers: Providers = Providers()
    keep_runs: int = 1000


def env_files() -> tuple[Path, ...]:
    """The .env files that are looked into, the first one first."""
    root = paths.clone()
    try:
        here = Path.cwd() / ".env"
    except OSError:  # the working directory is gone
        return (root / ".env",) if root else ()
    return (here,) if root is None or root / ".env" == here else (here, root / ".env")


@lru_cache(maxsize=4)
def _read(file: Path, _stamp: tuple[int, int]) -> dict[str, str]:
    import dotenv

    try:
        found = dotenv.dotenv_values(file, interpolate=False, encoding="utf-8-sig")  # Windows' editors write the mark
        return {name: value or "" for name, value in found.items()}
    except (OSError, ValueError) as error:
        raise DataError(f"{file} cannot be read ({type(error).__name__})", "one NAME=value a line, UTF-8") from error


def _found(name: str) -> tuple[str | None, Path | None]:
    """A variable's value, and the .env file that it is from (None: the real environment, or nowhere)."""
    if name in os.environ:
        return os.environ[name].strip() or None, None
    for file in env_files():
        if os.path.isfile(file):  # not Path.is_file, which raises where nobody lets us look
            stat = file.stat()
            value = _read(file, (stat.st_mtime_ns, stat.st_size)).get(name, "").strip()
            if value:
                return value, file
    return None, None


def _variable(name: str) -> str | None:
    return _found(name)[0]


def _access(key: str, url: str, model: str) -> Access:
    """Whoever may write the working directory's .env must not have a key sent to a server of theirs."""
    (the_key, key_from), (address, address_from) = _found(key), _found(url)
    stray = the_key and address_from and address_from != key_from and address_from.parent != paths.clone()
    named = _variable(model) or _variable("STRATA_LLM_MODEL")
    return Access(the_key, address, named, str(address_from) if stray else "")


def _seconds(name: str) -> float | None:
    text = _variable(name)
    try:
        seconds = float(text) if text else None
    except ValueError:
        seconds = 0.0
    if seconds is not None and not 0 < seconds < 1e6:
        raise UsageError(f"{name} is {text}", "give a number of seconds, as 60")
    return seconds


def _count(name: str, usual: int) -> int:
    text = _variable(name)
    if text is None:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"{name} is {text}", f"give a whole number, as {usual}; 0 is for all")
    return int(text)


def providers() -> Providers:
    """What language models can be asked here."""
    replay = _variable("STRATA_REPLAY")
    return Providers(
        groq=_access("GROQ_API_KEY", "GROQ_BASE_URL", "GROQ_MODEL"),
        gemini=_access("GEMINI_API_KEY", "GEMINI_BASE_URL", "GEMINI_MODEL"),
        openai=_access("STRATA_LLM_API_KEY", "STRATA_LLM_BASE_URL", "STRATA_LLM_MODEL"),
        replay=paths.expanded(replay) if replay else None,
        timeout=_seconds("STRATA_LLM_TIMEOUT"),
    )


def chosen_dataset() -> str | None:
    """The catalogue remembered by `data_cli use`, if any."""
    from strata.files import parsed

    try:
        file = paths.choice_file()
    except UsageError:  # no home, so nothing was remembered
        return None
    try:
        return str(parsed(file.read_bytes())["dataset"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"{file} cannot be read ({why})", "delete it, or run: data_cli use movies") from error


def load(dataset: str | None = None, cache_dir: str | None = None, log_dir: str | None = None) -> Settings:
    """Settings for one command; arguments are what its options gave, None where they were not given."""
    models = _variable("STRATA_MODELS")
    return Settings(
        dataset=dataset or _variable("STRATA_DATASET") or chosen_dataset() or DEFAULT_DATASET,
        cache_dir=paths.expanded(cache_dir or _variable("STRATA_CACHE_DIR") or paths.cache_dir()),
        log_dir=paths.expanded(log_dir or _variable("STRATA_LOG_DIR") or paths.log_dir()),
        models_dir=paths.expanded(models) if models else None,
        providers=providers(),
        keep_runs=_count("STRATA_KEEP_RUNS", Settings.keep_runs),
    )


def offline_hub() -> bool:
    """Whether the Hugging Face hub must not be asked (HF_HUB_OFFLINE)."""
    return (_variable("HF_HUB_OFFLINE") or "0").lower() not in {"0", "false", "no"}


def hub_cache() -> Path:
    """Where the Hugging Face client keeps what it fetched."""
    explicit, home = _variable("HF_HUB_CACHE"), _variable("HF_HOME")
    if explicit:
        return paths.expanded(explicit)
    if home:
        return paths.expanded(home) / "hub"
    # As that client does it: where the user has no home, ~ stays as it is, and nothing is found there.
    return Path(os.path.expanduser(_variable("XDG_CACHE_HOME") or "~/.cache")) / "huggingface" / "hub"
