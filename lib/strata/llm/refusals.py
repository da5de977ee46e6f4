"""What a refused call means: a model without eyes, a parameter too many, or an error."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from strata.errors import ProviderError
from strata.llm.faults import Answer, fault, refused_parameter
from strata.llm.hiding import without_data
from strata.llm.sight import blindness
from strata.llm.wire import Call, Unsupported


def refusal(answer: Answer, call: Call | None, sent: Collection[str]) -> ProviderError | Unsupported:
    """sent: the parameters of the call that may be left out. A picture may not: it is what is asked about."""
    if call is None:
        return fault(answer)
    if not call.shown:
        return refused_parameter(answer, sent) or fault(answer)
    answer = replace(answer, body=_without_data(answer.body, call.shown))
    return blindness(answer) or refused_parameter(answer, sent) or fault(answer)


def _without_data(body: Any, files: Collection[bytes]) -> Any:
    if isinstance(body, str):
        return without_data(body, files)
    if isinstance(body, dict):
        return {_without_data(name, files): _without_data(value, files) for name, value in body.items()}
    return [_without_data(value, files) for value in body] if isinstance(body, list) else body
