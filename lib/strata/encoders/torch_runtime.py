"""sentence-transformers behind the Encoder's shape: for bulk work. Importing it costs seconds, so nothing else does.

Its own `encode` takes the texts in batches of 32, each padded to its longest, each step spread over all threads. Here
they are tokenised once, sorted by their tokens, cut into batches of a like number of tokens, and each batch runs on
one thread beside the others: less is padded, a batch stays in the processor's cache, and no thread waits for another
after every step (measured by benchmarks/encode_speed.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from strata.encoders import Kind, tokenizable
from strata.encoders.runtime import Runtime
from strata.encoders.tokens import first_line, in_batches, in_threads, needing
from strata.encoders.weights import Weights
from strata.errors import ArtefactError

BATCH_TOKENS = 512
LOOP_TOKENS = 2048
CHARACTERS_A_TOKEN = 4
"""Of English. Only the size of a batch of their own loop hangs on these two."""


class TorchEncoder(Runtime):
    """Encodes a folder that weights.py found and checked; asks no network."""

    def __init__(self, weights: Weights) -> None:
        import logging

        for name in ("sentence_transformers", "transformers"):
            logging.getLogger(name).setLevel(logging.ERROR)  # their notes about devices are not the user's business
        with needing("sentence-transformers", weights):
            from sentence_transformers import SentenceTransformer
            from transformers.utils.logging import disable_progress_bar

        quiet: Callable[[], None] = disable_progress_bar
        quiet()  # or "Loading weights" is drawn on stderr, whatever show_progress_bar says
        super().__init__(weights)
        try:
            self._model = SentenceTransformer(str(weights.whole), device="cpu", local_files_only=True)
        except Exception as error:  # whatever a model's loader raises, the user needs to know which folder
            raise ArtefactError(
                f"sentence-transformers cannot load {weights.folder} ({type(error).__name__}: {first_line(error)})",
                "name another folder or encoder",
            ) from error
        self._model.max_seq_length = self.max_tokens
        self._model.eval()
        self._tokenizer = _plain_tokenizer(self._model)

    def encode(self, texts: Sequence[str], kind: Kind = "document") -> np.ndarray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        texts = [tokenizable(text) for text in texts]
        prefix = self.weights.prefix(kind)
        # A prefix may be left out of the pooling; that their own loop knows.
        if self._tokenizer is None or (
            prefix and any(getattr(m, "include_prompt", True) is False for m in self._model)
        ):
            return self._by_their_loop(texts, prefix, kind)
        return self._by_tokens([prefix + text for text in texts])

    def _by_tokens(self, texts: Sequence[str]) -> np.ndarray:
        import torch

        coded = self._tokenizer(texts, truncation=True, max_length=self.max_tokens, padding=False)
        lengths = [len(ids) for ids in coded["input_ids"]]
        threads = torch.get_num_threads()
        # Where there is little to do, each thread still gets its part.
        batches = list(in_batches(lengths, min(BATCH_TOKENS, max(lengths) + sum(lengths) // threads)))

        def vectors(batch: list[int]) -> np.ndarray:
            taken = {name: [rows[place] for place in batch] for name, rows in coded.items()}
            with torch.inference_mode():
                features = dict(self._tokenizer.pad(taken, return_tensors="pt"))
                found = self._model(features)["sentence_embedding"]
                unit: np.ndarray = torch.nn.functional.normalize(found.float(), dim=1).numpy()
            return unit

        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        try:
            for batch, found in zip(
                batches, in_threads(vectors, batches, threads, lambda: torch.set_num_threads(1)), strict=True
            ):
                out[batch] = found
        finally:
            torch.set_num_threads(threads)
        return out

    def _by_their_loop(self, texts: Sequence[str], prefix: str, kind: Kind) -> np.ndarray:
        """For whatever is not a transformer over one text's tokens. A router takes another way for queries."""
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        vectors = encode(
            texts,
            prompt=prefix,  # never None: then a default prompt of the model would be added
            batch_size=self._batch(texts),
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)

    def _batch(self, texts: Sequence[str]) -> int:
        """How many of the longest of these texts make LOOP_TOKENS: long texts in large batches encode slower."""
        longest = min(max(map(len, texts)) // CHARACTERS_A_TOKEN + 3, self.max_tokens)
        return max(4, min(64, LOOP_TOKENS // longest))


def _plain_tokenizer(model: Any) -> Any:
    """The tokenizer, where tokens are all that the model's first module takes of a text; else None."""
    first = model[0]
    tokenizer, kind = getattr(first, "tokenizer", None), type(first).__name__
    reads = set(getattr(first, "modality_config", {"text": None}))
    clip = getattr(getattr(first, "config", None), "model_type", "") == "clip" and reads == {"text", "image"}
    plain = (
        ((kind == "Transformer" and reads == {"text"}) or (kind in ("Transformer", "CLIPModel") and clip))
        and getattr(tokenizer, "is_fast", False)
        and not getattr(first, "processing_kwargs", None)
    )
    return tokenizer if plain else None
