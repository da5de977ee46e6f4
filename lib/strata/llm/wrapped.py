"""What every wrapper round a model passes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from strata.llm.types import LanguageModel


class Wrapped:
    """The names and parameters of the model inside."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def provider(self) -> str:
        return self._model.provider

    @property
    def model(self) -> str:
        return self._model.model

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is sent beside the messages, as recordings name it."""
        return getattr(self._model, "parameters", {})
