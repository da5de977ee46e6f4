"""What every wrapper round a model, or round a vendor's wire, passes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from strata.llm.types import LanguageModel
from strata.llm.wire import Wire


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


class WrappedWire:
    """A wire's names, parameters, secrets and models."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    @property
    def provider(self) -> str:
        return self._wire.provider

    @property
    def model(self) -> str:
        return self._wire.model

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self._wire.parameters

    @property
    def reserve(self) -> int:
        return self._wire.reserve

    @property
    def secrets(self) -> tuple[str, ...]:
        return self._wire.secrets

    def models(self) -> list[str]:
        return self._wire.models()
