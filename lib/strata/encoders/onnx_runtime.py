"""ONNX Runtime behind the Encoder's shape: for models in ONNX, of which int8 ones are the reason to have it.

Source: ONNX Runtime's dynamic quantisation scales each layer's input by its smallest and largest value over the whole
batch, so a text's vector would hang on its neighbours and on the padding (the same film alone and in a padded batch:
cosine .989). Each call therefore takes one text, unpadded; for several texts, several such calls run side by side,
each on one thread, which is faster too than one call on several threads (measured: 52 against 43 texts a second).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from strata.encoders import Kind
from strata.encoders.runtime import Runtime
from strata.encoders.tokens import Tokens, cores, first_line, in_threads, needing
from strata.encoders.weights import Weights
from strata.errors import ArtefactError
from strata.quiet import unheard

HIDDEN = ("last_hidden_state", "token_embeddings")
"""The names that exporters give to the hidden states, float32[1, length, dimensions]."""
FATAL = 4  # the least that its log can be told to say; errors are raised besides


class OnnxEncoder(Runtime):
    """Encodes with a graph that weights.py found and checked; asks no network."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._tokens = Tokens(weights)

    @cached_property
    def _session(self) -> Any:
        # On some machines it warns of graphics cards while it is being imported, before its log can be told to be still
        # (microsoft/onnxruntime#27092).
        with needing("onnxruntime", self.weights), unheard():
            import onnxruntime
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = FATAL
        try:
            session = onnxruntime.InferenceSession(
                str(self.weights.folder / self.weights.row.file), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # whatever it raises, the user needs to know which file
            raise self._unusable(f"cannot be opened by ONNX Runtime ({first_line(error)})") from error
        odd = {entry.name for entry in session.get_inputs()} - {"input_ids", "attention_mask", "token_type_ids"}
        if odd:
            raise self._unusable(f"wants the inputs {', '.join(sorted(odd))}")
        return session

    def _unusable(self, why: str) -> ArtefactError:
        return ArtefactError(f"{self.weights.folder / self.weights.row.file} {why}", "name another folder or encoder")

    @cached_property
    def _output(self) -> str:
        found = [entry.name for entry in self._session.get_outputs()]
        return next((name for name in HIDDEN if name in found), found[0])

    @cached_property
    def _inputs(self) -> list[str]:
        return [entry.name for entry in self._session.get_inputs()]

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        if not texts:
            return out
        coded = self._tokens.coded(texts, kind)
        _ = self._output, self._inputs  # opened once, before any thread asks
        order = sorted(range(len(coded)), key=lambda place: -len(coded[place]))  # the longest must not come last
        for place, vector in zip(order, in_threads(self._vector, [coded[i] for i in order], cores()), strict=True):
            out[place] = vector
        return out

    def _vector(self, ids: list[int]) -> np.ndarray:
        tokens = np.array([ids], dtype=np.int64)
        given = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        try:
            hidden = self._session.run([self._output], {name: given[name] for name in self._inputs})[0]
        except Exception as error:
            raise self._unusable(f"cannot be run ({first_line(error)})") from error
        if hidden.shape != (1, len(ids), self.dimensions):
            raise self._unusable(
                f"gives {self._output} of the shape {hidden.shape}, not (1, {len(ids)}, {self.dimensions})"
            )
        pooled = hidden[0, 0] if self.weights.row.pooling == "cls" else hidden[0].mean(axis=0)
        unit: np.ndarray = pooled / np.linalg.norm(pooled)
        return unit
