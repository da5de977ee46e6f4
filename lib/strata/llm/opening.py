"""Which model answers, and what is wrapped round it: provider, retries, budget, recording, log.

Opening asks nobody and imports no vendor's SDK; that happens with the first call. Without a key nothing of this room
is imported but this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from strata import paths, registry
from strata.errors import Unavailable, UsageError, WrongKey
from strata.settings import Access, Providers, Settings

if TYPE_CHECKING:
    from strata.llm.logged import Sink
    from strata.llm.retry import Patience
    from strata.llm.showing import Show
    from strata.llm.types import LanguageModel
    from strata.llm.wire import Wire

PACKAGES = {"groq": "groq", "gemini": "google.genai", "openai": "httpx"}
"""What each provider is reached with, as it is imported."""
SEEING = ("gemini", "openai", "groq")
"""The order for a picture: each of Gemini's models sees, a server of one's own may, Groq's usual one does not."""


@dataclass(frozen=True)
class Choice:
    """What the options of a command say about language models.

    provider: "auto", "none", or a name of the registry. record: a folder to record into. replay: the folder that
    "replay" reads (default: STRATA_REPLAY, else the bundled recordings). show_prompt: shows messages, sends nothing.
    kept: a folder of replies to look in before anybody is asked, and to keep what was asked in. sees: a picture is to
    be shown, so "auto" passes over whoever is known to read text only.
    """

    provider: str = "auto"
    model: str | None = None
    record: Path | str | None = None
    replay: Path | str | None = None
    max_calls: int | None = None
    max_tokens_total: int | None = None
    show_prompt: Show | None = None
    kept: Path | None = None
    sees: bool = False

    @property
    def by_name(self) -> bool:
        """Whether a provider was asked for by name: then its failure is the command's (exit 3)."""
        return self.provider not in ("auto", "none")

    def check(self) -> None:
        """UsageError for a provider that there is not, and for an option that would have nothing to say.

        A limit may stand anywhere: a run that sends nothing keeps to it. So may --record beside "auto", which may find
        nobody to ask.
        """
        name, whom = self.provider, "name a provider with --llm"
        if name not in ("auto", "none", *registry.PROVIDERS):
            known = f"one of auto, none, {registry.names(registry.PROVIDERS)}"
            raise UsageError(f'there is no provider "{name}"', known)
        typed = {"--llm-model": self.model, "--record": self.record, "--replay": self.replay}
        idle = next((option for option, value in typed.items() if value is not None), None)
        if name == "none" and idle:
            raise UsageError(f"--llm none asks no language model, so {idle} has nothing to say",
                             f"leave out {idle}, or {whom}")  # fmt: skip
        if name == "replay" and self.record is not None:
            raise UsageError("--record and --llm replay exclude each other", "record with a model, then replay")
        if name == "replay" and self.model is not None:
            raise UsageError("a recording names its own model, so --llm-model has nothing to say to --llm replay",
                             f"leave out --llm-model, or {whom}")  # fmt: skip
        if name != "replay" and self.replay is not None:
            raise UsageError(f"--replay is what --llm replay reads, and --llm is {name}", "leave out one of the two")


def open_model(
    settings: Settings,
    choice: Choice,
    note: Callable[[str], None],
    sink: Sink | None = None,
    patience: Patience | None = None,
) -> LanguageModel | None:
    """The model to ask, None where every layer goes by rule. sink: is given a record of each call.

    A provider asked for by name without its key is a WrongKey, an unknown name a UsageError.
    """
    choice.check()
    if choice.show_prompt is not None:
        from strata.llm.showing import Showing

        return Showing(choice.show_prompt)
    model = _provider(settings, choice, note, patience)
    if model is None:
        return None
    if choice.kept is not None and model.provider != "replay":
        from strata.llm.kept import Kept

        model = Kept(model, choice.kept, note)  # what is kept costs nothing of the budget
    if choice.record is not None:
        from strata.llm.recording import Recorded

        model = Recorded(model, choice.record)
    if sink is not None:
        from strata.llm.logged import Logged

        model = Logged(model, sink)
    return model


def _provider(
    settings: Settings, choice: Choice, note: Callable[[str], None], patience: Patience | None
) -> LanguageModel | None:
    name = chosen(settings.providers, choice, note)
    if name is None:
        return None
    if name == "replay":
        from strata.llm.replay import Replay

        return Replay(recordings(settings, choice))
    from strata.llm.asking import Asking
    from strata.llm.retry import Tries

    wire = open_wire(settings.providers, name, choice.model)
    if choice.max_calls is not None or choice.max_tokens_total is not None:
        from strata.llm.budget import Budgeted

        wire = Budgeted(wire, choice.max_calls, choice.max_tokens_total)
    return Asking(wire, note, Tries(name, note, patience))


def recordings(settings: Settings, choice: Choice) -> Path | str:
    """The folder that is replayed."""
    return choice.replay or settings.providers.replay or paths.data_dir() / "recordings"


def chosen(providers: Providers, choice: Choice, note: Callable[[str], None]) -> str | None:
    """The provider that is meant: for "auto" the first that can be reached with what is set."""
    choice.check()
    name = choice.provider
    if name != "auto":
        return None if name == "none" else name
    for candidate in SEEING if choice.sees else PACKAGES:
        access = access_of(providers, candidate)
        if not (access.url if candidate == "openai" else access.key):
            continue
        if not installed(candidate):
            note(f"{candidate} has a key, but its package is missing: pip install 'strata-search[llm]'")
        elif choice.sees and candidate == "groq" and not _sees(choice.model or access.model):
            note("groq has a key, but the model there reads text only: name one that sees with --llm-model")
        else:
            return candidate
    return None


def _sees(model: str | None) -> bool:
    """Whether a model of Groq's may see; the usual one (None) does not."""
    from strata.llm.sight import reads_text_only

    return model is not None and not reads_text_only(model)


def open_wire(providers: Providers, name: str, model: str | None, seconds: float | None = None) -> Wire:
    """The way to a provider, not yet used."""
    from strata.llm.faults import VARIABLES

    access = access_of(providers, name)
    if access.stray:
        raise UsageError(f"{access.stray} names a server for {name}, but the key is not from there",
                         "put both into that file, or the server's address where the key is")  # fmt: skip
    if access.key and not (access.key.isascii() and access.key.isprintable() and " " not in access.key):
        raise WrongKey(f"the key for {name} holds characters that no key has", f"check {VARIABLES[name]}")
    if not installed(name):
        problem = Unavailable(f"the package that reaches {name} is not installed", "pip install 'strata-search[llm]'")
        problem.again = False
        raise problem
    row = registry.PROVIDERS[name]
    wire: Wire = registry.load(row)(access, model, seconds or providers.timeout)
    return wire


def access_of(providers: Providers, name: str) -> Access:
    access = getattr(providers, name)
    assert isinstance(access, Access)
    return access


def installed(name: str) -> bool:
    """Whether a provider's package is there; it is not imported."""
    from importlib.util import find_spec

    try:
        return find_spec(PACKAGES[name]) is not None
    except ModuleNotFoundError:  # the package that should hold it
        return False
