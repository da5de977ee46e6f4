"""What `strata doctor` says of language models: which one would be used, and whether it answers."""

from __future__ import annotations

from dataclasses import dataclass

from strata.errors import StrataError
from strata.llm.faults import PAGES
from strata.llm.opening import Choice, chosen, open_wire, recordings
from strata.llm.replay import Replay
from strata.settings import Settings

SECONDS = 5.0
"""How long a provider has to answer; doctor is not for waiting."""
BY_RULE = "every layer goes by rule; set GROQ_API_KEY, GEMINI_API_KEY or STRATA_LLM_BASE_URL for a model"


@dataclass(frozen=True)
class Probe:
    """provider and model: None where there is none. answers: None where nobody was asked. detail: one line."""

    provider: str | None
    model: str | None
    answers: bool | None
    detail: str


def probe(settings: Settings, choice: Choice) -> Probe:
    """Ask the provider that would be used for the list of its models. Costs no tokens; never raises a StrataError."""
    notes: list[str] = []
    name: str | None = None
    model: str | None = choice.model
    try:
        name = chosen(settings.providers, choice, notes.append)
        if name is None:
            why = "--llm none" if choice.provider == "none" else "; ".join([*notes, "no key is set"])
            return Probe(None, None, None, f"{why}: {BY_RULE}")
        if name == "replay":
            replay = Replay(recordings(settings, choice))
            return Probe(name, replay.model, True, f"{replay.count} recordings in {replay.folder}")
        wire = open_wire(settings.providers, name, choice.model, SECONDS)
        listed = wire.models()
        model = wire.model
        if model in listed:
            return Probe(name, model, True, f"it answers; {len(listed)} models")
        gone = f"; {PAGES[name]}" if name in PAGES else ""
        return Probe(name, model, False, f"it answers, but does not list this model{gone}")
    except StrataError as error:
        return Probe(name, model, False, f"{error.message}; {error.next_step}")
