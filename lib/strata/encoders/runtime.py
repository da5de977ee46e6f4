"""What every runtime says of the weights that it runs, and its hold on the threads of BLAS."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from strata.encoders.tokens import needing

if TYPE_CHECKING:
    from strata.encoders.weights import Weights


class Runtime:
    """An Encoder but for its `encode`."""

    def __init__(self, weights: Weights) -> None:
        self.name = weights.name
        self.weights = weights
        self.fingerprint = weights.fingerprint
        self.dimensions = weights.row.dimensions
        self.max_tokens = weights.row.max_tokens

    @cached_property
    def pools(self) -> Any:
        """A threadpoolctl.ThreadpoolController."""
        with needing("threadpoolctl", self.weights):
            from threadpoolctl import ThreadpoolController
        return ThreadpoolController()
