"""Pairs of texts to token numbers, cut at the model's longest input as sentence-transformers cuts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strata.encoders import tokenizable
from strata.encoders.tokens import Tokens
from strata.encoders.weights import Weights

MARKS = 3
"""[CLS] query [SEP] text [SEP]"""


class PairTokens:
    def __init__(self, weights: Weights) -> None:
        self._tokens = Tokens(weights)

    def coded(self, query: str, texts: Sequence[str]) -> list[Any]:
        """An encoding (ids, type_ids) of each pair; of a pair that is too long, the longer part is cut first."""
        encode = self._tokens.tokenizer.encode
        query = tokenizable(query)
        return [encode(query, tokenizable(text)) for text in texts]

    def coded_alone(self, texts: Sequence[str]) -> list[Any]:
        """An encoding of each text."""
        return [self._tokens.tokenizer.encode(tokenizable(text)) for text in texts]

    def count(self, text: str) -> int:
        """Tokens of a text, however long."""
        coded = self._tokens.tokenizer.encode(tokenizable(text), add_special_tokens=False)
        return len(coded.ids) + sum(len(rest.ids) for rest in coded.overflowing)


def room_for_text(query_tokens: int, max_tokens: int) -> int:
    """Tokens left for a text beside a query; at least about half, since of a long query the end is cut."""
    return max(max_tokens - MARKS - query_tokens, (max_tokens - MARKS) // 2)
