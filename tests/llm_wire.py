"""A wire that answers what it is told to, and what may be put round it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from strata.llm.asking import Asking
from strata.llm.budget import Budgeted
from strata.llm.retry import Patience, Tries
from strata.llm.types import Usage
from strata.llm.wire import Call, Raw

HASTY = Patience(sleep=lambda _: None)


def cut(prompt: int = 10, completion: int = 700, text: str = "") -> Raw:
    """A reply that was cut off."""
    return Raw(text, "length", "scripted", Usage(prompt, completion, 0, 1))


class ScriptedWire:
    """Gives its answers in turn, the last one again and again; an exception among them is raised. asked: every call.
    most: how many were under way at once."""

    provider = model = "scripted"
    parameters: Mapping[str, Any] = {}
    reserve = 0

    def __init__(
        self, *answers: str | Raw | Exception, secrets: tuple[str, ...] = (), during: Callable[[], object] = int
    ) -> None:
        self._answers = list(answers)
        self._lock = threading.Lock()
        self._during = during
        self.secrets = secrets
        self.asked: list[Call] = []
        self.most = self.under_way = 0

    def send(self, call: Call) -> Raw:
        with self._lock:
            self.asked.append(call)
            given = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        self._during()
        with self._lock:
            self.under_way -= 1
        if isinstance(given, Exception):
            raise given
        raw = given if isinstance(given, Raw) else Raw(given, "stop", self.model, Usage(10, 10, 0, 1))
        for letter in raw.text if call.stream else "":
            call.stream(letter)  # type: ignore[misc]
        return raw

    def models(self) -> list[str]:
        return [self.model]


def within(
    wire: ScriptedWire, *, patience: Patience = HASTY, note: Callable[[str], None] = print, **limits: int
) -> tuple[Asking, Budgeted]:
    """The model over a wire with tries and a budget, as opening.py puts them together; and the budget."""
    budget = Budgeted(wire, **limits)
    return Asking(budget, note, Tries("scripted", note, patience)), budget
