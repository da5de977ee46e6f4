"""From a command's options to the plan it runs: a preset's or a file's plan, changed by the options that were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from strata import registry
from strata.core.types import Plan
from strata.errors import UsageError
from strata.paths import expanded

if TYPE_CHECKING:
    from strata.llm.opening import Choice

SETTINGS = {"max_chunk_size": "sentences"}
"""Options that are called otherwise than the layers' setting."""
MODEL = ("llm", "llm_model", "record", "replay", "max_calls", "max_tokens_total", "show_prompt")
NOT_SETTINGS = (
    "fuse", "vectors", "enhance", "rerank", "debug", "evaluate", "strict", *MODEL, "where", "exclude", "preset",
    "config", "show_plan", "no_log",
)  # fmt: skip

_OF_ONE_COMMAND = {"show_plan", "no_log", "show_prompt", "debug", "evaluate", "strict"}
"""Options that say what a command is to do beside its search."""


@dataclass(frozen=True)
class Asked:
    """base: the name of the command's plan. values: every plan option with its value. given: the options that were
    typed, the command's own too. puts: the layers, by slot, that the command puts into the plan whatever it holds."""

    base: str
    values: dict[str, Any]
    given: frozenset[str]
    puts: Mapping[str, str] = field(default_factory=dict)

    @property
    def where(self) -> list[str] | None:
        return self.values.get("where")

    @property
    def exclude(self) -> list[str] | None:
        return self.values.get("exclude")

    @property
    def no_log(self) -> bool:
        return bool(self.values.get("no_log"))

    @property
    def show_plan(self) -> bool:
        return bool(self.values.get("show_plan"))

    @property
    def debug(self) -> bool:
        return bool(self.values.get("debug"))

    @property
    def evaluate(self) -> bool:
        return bool(self.values.get("evaluate"))

    def choice(self, show: Callable[..., None], *, sees: bool = False) -> Choice | None:
        """Which language model may be asked; None for a command that asks none. show: what --show-prompt calls. sees:
        it is to be shown a picture. UsageError for options that have nothing to say to it."""
        if "llm" not in self.values:
            return None
        from strata.llm.opening import Choice

        provider = "replay" if "replay" in self.given and "llm" not in self.given else self.values["llm"]
        choice = Choice(
            provider=provider,
            model=self.values["llm_model"],
            record=self.values["record"],
            replay=self.values["replay"],
            max_calls=self.values["max_calls"],
            max_tokens_total=self.values["max_tokens_total"],
            show_prompt=show if self.values.get("show_prompt") else None,
            sees=sees,
        )
        choice.check()
        return choice

    @property
    def origin(self) -> str:
        """The preset's name, or the plan file's."""
        config = self.values.get("config")
        return str(self.values.get("preset", "lessons")) if config is None else Path(config).name

    @property
    def options(self) -> list[str]:
        """What was typed of the plan and the request, for a command whose own plan is rrf's."""
        fusion = ["--fuse weighted"] if self.base == "weighted" and self.values.get("config") is None else []
        typed = {name: self.values[name] for name in self.values if name in self.given - _OF_ONE_COMMAND}
        if "limit" in typed and self._finds_the_same_by_any_limit():
            del typed["limit"]
        many = {name: value if isinstance(value, list) else [value] for name, value in typed.items()}
        fusion += ["--enhance none"] if "enhance" in self.puts and self.start().enhance else []  # another stood there
        return fusion + [f"{flag(name)} {quote(str(number(one)))}" for name, values in many.items() for one in values]

    def _finds_the_same_by_any_limit(self) -> bool:
        """Whether the typed limit moves nothing: neither the lists' depth nor what a reranker reads."""
        usual = {name: value for name, value in self.values.items() if name != "limit"}
        other = replace(self, values=usual, given=self.given - {"limit"}).plan()
        return replace(other, limit=self.values["limit"]) == self.plan()

    def plan(self) -> Plan:
        """UsageError for an option that no layer of the plan has, DataError for a file that holds no plan."""
        from strata.pipeline.plan import settled, with_candidates, with_settings

        config = self.values.get("config")
        plan = self.start()
        if "vectors" in self.given:
            plan = _with_vectors(plan, self.values["vectors"])
        for slot in ("enhance", "rerank"):
            if slot in self.given:
                plan = with_layer(plan, slot, self.values[slot])
        for slot, name in self.puts.items():
            plan = with_layer(plan, slot, name)
        typed = [name for name in self.values if name in self.given and name not in NOT_SETTINGS]
        plan = with_settings(plan, {SETTINGS.get(name, name): number(self.values[name]) for name in typed})
        plan = with_candidates(plan)
        if "depth" in typed or (config is not None and "limit" not in typed):
            return plan  # a depth that somebody wrote stands
        return settled(plan, shorten=config is None and "limit" in self.values)  # explain shows no results

    def start(self) -> Plan:
        """The preset's or the file's plan, before options change it."""
        from strata.pipeline import planfile

        config = self.values.get("config")
        base = self._base()
        if config is None:
            return planfile.preset(self.values["preset"], base)
        if "preset" in self.given:
            raise UsageError("--config holds a whole plan, so --preset has nothing to say", "give one of the two")
        return planfile.read(_path(config), base)

    def _base(self) -> str:
        fuse = self.values.get("fuse")
        if fuse is None or "fuse" not in self.given:
            return self.base
        if fuse not in ("rrf", "weighted"):
            raise UsageError(f'no fusion is called "{fuse}"', "one of: rrf, weighted")
        if self.values.get("config") is not None:
            raise UsageError("--config holds a whole plan, its fusion too", "leave out --fuse, or change the file")
        return str(fuse)


def with_layer(plan: Plan, slot: str, name: str) -> Plan:
    """The plan with the layer of this name in a slot, with its own defaults; "none" leaves the slot empty."""
    table = registry.SLOTS[slot]
    if name not in (*table, "none"):
        raise UsageError(f'--{slot} cannot be "{name}"', f"one of: {registry.names(registry.for_words(table))}, none")
    filled: dict[str, Any] = {slot: None if name == "none" else registry.load(table[name])()}
    return replace(plan, **filled)


def flag(name: str) -> str:
    """An option as it is typed."""
    return f"--{name.replace('_', '-')}"


def _path(config: str) -> Path:
    if not config.strip():
        raise UsageError("--config names no file", "write --config FILE")
    return expanded(config)


def number(value: Any) -> Any:
    """60.0 as 60, as it was typed."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _with_vectors(plan: Plan, which: str) -> Plan:
    """Chunk lists as document lists, or the reverse, with the settings that both have."""
    from strata.semantic.chunks import Chunks
    from strata.semantic.document import Documents

    if which not in ("chunks", "document"):
        raise UsageError(f'--vectors cannot be "{which}"', "one of: chunks, document")
    if not any(isinstance(layer, Chunks | Documents) for layer in plan.retrieve):
        raise UsageError("this plan searches no vectors", "leave out --vectors")

    def swapped(layer: Any) -> Any:
        if which == "document" and isinstance(layer, Chunks):
            return Documents(layer.encoder, layer.min_score, layer.weight, layer.when)
        if which == "chunks" and isinstance(layer, Documents):
            return Chunks(layer.encoder, min_score=layer.min_score, weight=layer.weight, when=layer.when)
        return layer

    return replace(plan, retrieve=tuple(map(swapped, plan.retrieve)))
