"""A seeded collection of made-up words, of any size, for what no real collection here is large enough.

    python benchmarks/zipf.py FOLDER --documents 1000000        corpus.jsonl and queries.jsonl, in BEIR layout

Words: VOCABULARY of them, two or three syllables and a k, so that no stop list holds one and no stemmer changes one:
whoever splits at blanks gets the same terms. The r-th most frequent word has a probability in proportion to
1 / (r + SHIFT): Zipf's law as Mandelbrot shifted it, whose first ranks, in English, are the stop words. So the most
frequent word is in about one document of five. Lengths: log-normal, LENGTH words in the median, a third of all between
30 and 50 words, LONGEST at most. A query is 2 to 6 words of one document of the collection.

The first documents of a larger collection are those of a smaller one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

VOCABULARY, SHIFT = 200_000, 30
LENGTH, SPREAD, LONGEST = 50, 0.5, 400
BLOCK = 10_000
"""Documents made at once, each block from a seed of its own."""
SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeiou"]


def word(rank: int) -> str:
    """The word of a rank, from 0. A prime step, so that neighbours in rank are none in the alphabet."""
    number = (rank * 7919) % VOCABULARY + len(SYLLABLES)
    letters = "k"
    while number:
        number, last = divmod(number, len(SYLLABLES))
        letters = SYLLABLES[last] + letters
    return letters


def blocks(documents: int, seed: int) -> Iterator[list[np.ndarray]]:
    """The documents as arrays of ranks, BLOCK at a time."""
    weights = np.cumsum(1.0 / (np.arange(VOCABULARY) + SHIFT))
    for start in range(0, documents, BLOCK):
        rng = np.random.default_rng([seed, start])
        lengths = np.clip(rng.lognormal(np.log(LENGTH), SPREAD, BLOCK).astype(np.int64), 1, LONGEST)
        ranks = np.searchsorted(weights, rng.random(lengths.sum()) * weights[-1])
        yield np.split(ranks, np.cumsum(lengths)[:-1])[: documents - start]


def texts(documents: int, seed: int = 0) -> Iterator[str]:
    """The texts of a collection, one after another."""
    words = [word(rank) for rank in range(VOCABULARY)]
    for block in blocks(documents, seed):
        for ranks in block:
            yield " ".join(map(words.__getitem__, ranks.tolist()))


def queries(count: int, documents: int, seed: int = 0) -> list[str]:
    """Queries over the first documents of the collection (its first block at most)."""
    rng = np.random.default_rng([seed, 1, 1])
    block = next(blocks(min(documents, BLOCK), seed))
    asked = []
    for _ in range(count):
        ranks = block[rng.integers(len(block))]
        asked.append(" ".join(word(rank) for rank in rng.choice(ranks, min(len(ranks), rng.integers(2, 7))).tolist()))
    return asked


def write(folder: Path, documents: int, asked: int = 1000, seed: int = 0) -> None:
    """A folder in BEIR layout, without judgements."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for i, text in enumerate(texts(documents, seed)):
            file.write(json.dumps({"_id": str(i), "title": "", "text": text}) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for i, text in enumerate(queries(asked, documents, seed)):
            file.write(json.dumps({"_id": str(i), "text": text}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=1000)
    given = parser.parse_args()
    write(given.folder, given.documents, given.queries)


if __name__ == "__main__":
    main()
