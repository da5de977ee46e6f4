"""Sweeps: what a user may write, how queries are held out, that nothing leaks, and plans over a small catalogue."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.core.golden import GoldenQuery, GoldenSet
from strata.core.types import Plan, Query, Ranking
from strata.errors import DataError, ModelGone, ProviderError, RateLimited, StrataError, UsageError
from strata.evaluation import sweep as sweeping
from strata.evaluation.folds import Folds, folds, stratified
from strata.evaluation.grid import LARGEST, USUAL, Axis, Value, axes, axis, combinations, own
from strata.evaluation.measure import measure
from strata.evaluation.outcome import WARM_UP, Contender, evaluate
from strata.evaluation.sweep import sweep
from strata.evaluation.swept import Sweep, choice, curves, judged, to_json
from strata.hybrid.rrf import RRF
from strata.hybrid.weighted import Weighted
from strata.keyword.bm25 import BM25
from strata.keyword.tfidf import TfIdf
from strata.pipeline.plan import with_settings
from strata.pipeline.planfile import preset
from strata.pipeline.workspace import Workspace
from strata.registry import DEFAULT_ENCODER
from strata.semantic.document import Documents
from strata.show import sweep as show
from strata.show.text import columns_of, plain
from tests.counting import Encoders, Opened

ONE = Plan((BM25(),))
TWO = Plan((BM25(), TfIdf()), fuse=RRF())
WEIGHTED = preset("lessons", "weighted")


# What a user may write


@pytest.mark.parametrize(
    ("plan", "text", "values"),
    [
        (WEIGHTED, "alpha=0,0.25,1", (0, 0.25, 1)),
        (WEIGHTED, "alpha=0..1:0.1", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        (WEIGHTED, "alpha=.2...5:.15", (0.2, 0.35, 0.5)),
        (WEIGHTED, "alpha=0..1:0.3", (0, 0.3, 0.6, 0.9)),
        (TWO, "k=1..4", (1, 2, 3, 4)),
        (TWO, "k=0, 1 ,60..100:20", (0, 1, 60, 80, 100)),
        (TWO, "k=60,60.0", (60,)),
        (TWO, "depth=5,10", (5, 10)),
        (ONE, "k1=1.5", (1.5,)),
        (WEIGHTED, "min-score=0.1,0.2", (0.1, 0.2)),
        (WEIGHTED, "sentences=2..6:2", (2, 4, 6)),
        (WEIGHTED, "encoder=all-MiniLM-L6-v2,./bge", ("all-MiniLM-L6-v2", "./bge")),
    ],
)
def test_values_and_ranges(plan: Plan, text: str, values: tuple[Value, ...]) -> None:
    found = axis(text, plan)
    assert found.values == values
    assert [type(value) for value in found.values] == [type(value) for value in values]


@pytest.mark.parametrize("name", USUAL)
def test_a_name_alone_has_its_usual_values_and_the_lessons_among_them(name: str) -> None:
    plan = next(plan for plan in (WEIGHTED, TWO) if name == "depth" or _has(plan, name))
    found = axis(name, plan)
    assert own(plan, name) in found.values
    assert len(combinations(plan, [found])) == len(found.values) > 5


def _has(plan: Plan, name: str) -> bool:
    try:
        return own(plan, name) is not None
    except AttributeError:
        return False


@pytest.mark.parametrize(
    ("plan", "text", "said", "advice"),
    [
        (ONE, "k1=", 'k1 cannot be ""', "a number; as k="),
        (ONE, "k1=abc", 'k1 cannot be "abc"', "a number; as k="),
        (ONE, "k1=1,,2", 'k1 cannot be ""', "as k="),
        (ONE, "k1=nan", 'k1 cannot be "nan"', "as k="),
        (ONE, "k1=1e400", 'k1 cannot be "1e400"', "as k="),
        (ONE, "k1=1..", 'k1 cannot be "1.."', "as k="),
        (ONE, "k1=1٢", 'k1 cannot be "1٢"', "as k="),
        (ONE, "k1=0.5..1", "0.5..1: by what step?", "as 0.5..1:0.1"),
        (ONE, "k1=2..1", "2..1 is no range", "from the smaller"),
        (ONE, "k1=1..2:0", "1..2:0 is no range", "a step above 0"),
        (ONE, "k1=1..2:-1", "1..2:-1 is no range", "a step above 0"),
        (TWO, "depth=1.5", 'depth cannot be "1.5"', "a whole number"),
        (TWO, "depth=0,5", "a depth must be from 1 up", "as depth="),
        (TWO, "depth=0..2:0.5", 'depth cannot be "0.5"', "a whole number"),
        (ONE, "depth=5", "this plan has none", "another"),
        (TWO, "limit=5", "the limit changes no ranking", "--limit"),
        (WEIGHTED, "sentences", "which values of sentences", "as sentences=VALUE"),
        (WEIGHTED, "encoder=a,,b", 'encoder cannot be ""', "a text"),
        (ONE, "alpha", "no layer of this plan has the setting alpha", "bm25"),
        (ONE, "name=keyword", "no layer of this plan has the setting name", "bm25"),
        (ONE, "__class__=1", "no layer of this plan has the setting __class__", "bm25"),
        (ONE, "", "no layer of this plan has the setting", "bm25"),
    ],
)
def test_nonsense_is_refused_with_an_example(plan: Plan, text: str, said: str, advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        axis(text, plan)
    assert said in refused.value.message and advice in refused.value.next_step


def test_a_setting_that_no_layer_has_is_refused_as_an_option_is() -> None:
    with pytest.raises(UsageError) as refused:
        axis("alpha=0.5", TWO)
    with pytest.raises(UsageError) as other:
        with_settings(TWO, {"alpha": 0.5})
    assert (refused.value.message, refused.value.next_step) == (other.value.message, other.value.next_step)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], "nothing to sweep over"),
        (["k=1", "k1=1", "k=2"], "k is given twice"),
        (["k=0..20", "k1=1..20"], "420 combinations: at most 400"),
        (["k=0..400"], "401 values in 0..400"),
        (["k=0..999999999999:0.000000000001"], "values in 0..999999999999"),
        (["k=0..300,400..700"], "602 values of k"),
    ],
)
def test_too_many_or_none(texts: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        axes(texts, TWO)
    assert math.prod(len(one.values) for one in axes(["k=1..20", "k1=1..20"], TWO)) == LARGEST


@given(st.text(alphabet="k1=.,:-0123456789e ", max_size=20))
def test_any_text_gives_an_axis_or_a_clear_refusal(text: str) -> None:
    try:
        found = axis("k1=" + text, ONE)
    except UsageError as refused:
        assert refused.next_step
    else:
        assert 0 < len(set(found.values)) == len(found.values) <= LARGEST


def test_what_a_layer_does_not_take_is_refused_before_anything_runs() -> None:
    golden = GoldenSet("two", (GoldenQuery("a", "x", {"1": 1}), GoldenQuery("b", "y", {"1": 1})))
    nothing: Any = None  # a workspace that would fail whatever is asked of it
    for plan, text, said in [(WEIGHTED, "alpha=0.5,2", "alpha must be"), (WEIGHTED, "sentences=4,1", "overlap")]:
        with pytest.raises(StrataError, match=said):
            sweep(plan, axes([text], plan), golden, nothing, measure("ndcg", 5))
    with pytest.raises(UsageError, match="folds cannot be"):
        sweep(ONE, axes(["b"], ONE), golden, nothing, measure("ndcg", 5), "3")


# Folds

kinds = st.lists(st.sampled_from(["", "typo", "mood", "natural"]), min_size=2, max_size=60)


@given(kinds, st.data())
def test_each_query_is_held_out_once_and_kinds_are_spread(kinds: list[str], data: st.DataObject) -> None:
    count = data.draw(st.integers(2, len(kinds)))
    seed = data.draw(st.integers(0, 5))
    parts = stratified(kinds, count, seed)
    assert sorted(i for part in parts for i in part) == list(range(len(kinds))) and len(parts) == count
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    for kind in set(kinds):
        held = [sum(kinds[i] == kind for i in part) for part in parts]
        assert max(held) - min(held) <= 1
    assert parts == stratified(kinds, count, seed)


def test_the_seed_deals_anew_and_loo_knows_none() -> None:
    many = ["a", "b"] * 20
    assert folds("5", many, 1) != folds("5", many, 2)
    assert (
        folds("loo", many, 1) == folds("loo", many, 2) == Folds("leave one query out", tuple((i,) for i in range(40)))
    )
    assert folds("40", many).way == "40 folds" and len(folds("40", many).parts) == 40


@pytest.mark.parametrize("text", ["1", "0", "-2", "41", "five", "2.5", "", "LOO", "٢", "9" * 30])
def test_folds_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="folds cannot be") as refused:
        folds(text, [""] * 40)
    assert "2 to 40" in refused.value.next_step and "loo" in refused.value.next_step


@pytest.mark.parametrize("count", [0, 1])
def test_one_query_cannot_be_held_out(count: int) -> None:
    with pytest.raises(DataError, match="nothing can be held out"):
        folds("loo", [""] * count)


# Choosing, by hand-made outcomes


def weighed(values: Any, parts: Any = "loo", base: Any = None, mine: float = 0, tried: Any = None) -> Sweep:
    """A sweep of k over rows of values, one a setting; k is the row's number where `tried` does not say."""
    table = np.array(values, dtype=float)
    over = (Axis("k", tuple(tried or range(len(table)))),)
    parted = folds(parts, [""] * table.shape[1]) if isinstance(parts, str) else Folds("by hand", parts)
    given = table[0] if base is None else base
    return judged("ndcg@5", over, [{"k": k} for k in over[0].values], table, {"k": mine}, given, parted)


def test_a_setting_chosen_on_the_held_out_query_would_be_caught() -> None:
    """Each setting is right for half of the queries. Without one of them the other half leads, so that every choice is
    wrong: 0. Whoever looks at the query that is held out scores .5 or more."""
    found = weighed([[1, 1, 0, 0], [0, 0, 1, 1]])
    assert found.held == (0, 0, 0, 0) and found.held_mean == 0
    assert found.best.mean == 0.5 and found.optimism == 0.5
    assert [point.chosen for point in found.points] == [2, 2]


@given(st.integers(0, 10**6), st.integers(2, 6))
def test_what_is_chosen_for_a_fold_does_not_depend_on_its_queries(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    values = random.random((5, 12)).round(1)
    parts = stratified([""] * 12, count, seed)
    chosen = _chosen(values, parts)
    for at, part in enumerate(parts):
        changed = values.copy()
        changed[:, part] = random.random((5, len(part)))
        again = weighed(changed, parts)
        assert [again.held[i] for i in part] == [changed[chosen[at], i] for i in part]


def _chosen(values: np.ndarray, parts: tuple[tuple[int, ...], ...]) -> list[int]:
    """By a plain loop: the best mean of the other queries, the first of equal ones (k = 0 is the plan's own)."""
    chosen = []
    for part in parts:
        rest = [i for i in range(values.shape[1]) if i not in part]
        means = [sum(row[i] for i in rest) / len(rest) for row in values.tolist()]
        chosen.append(next(n for n, mean in enumerate(means) if mean >= max(means) - 1e-12))
    return chosen


def test_of_noise_nothing_is_gained_however_good_the_best_looks() -> None:
    found = [weighed(np.random.default_rng(seed).random((100, 40))) for seed in range(30)]
    assert np.mean([one.best.mean - one.base_mean for one in found]) > 0.08  # the best of 100 that are all alike
    assert abs(np.mean([one.held_mean - one.base_mean for one in found])) < 0.03
    assert sum(one.luck.p < 0.05 for one in found) <= 4


def test_a_setting_that_is_really_better_is_found() -> None:
    random = np.random.default_rng(2)
    values = np.clip(random.normal(0.4, 0.2, (6, 60)), 0, 1)
    values[4] = np.clip(values[0] + 0.2 + random.normal(0, 0.1, 60), 0, 1)
    found = weighed(values, "10")
    assert found.best == found.points[4] and found.points[4].chosen == 10
    assert found.held_mean == pytest.approx(found.best.mean) and found.luck.p < 0.001


def test_of_equal_settings_the_nearest_to_the_plans_own_is_taken_then_the_first() -> None:
    same = [[0.1 + 0.2, 0.3]] * 4
    assert weighed(same, mine=60, tried=[100, 0, 50, 70]).best.settings == {"k": 50}
    assert weighed(same, mine=60, tried=[100, 0, 70, 50]).best.settings == {"k": 70}
    assert weighed(same, mine=60, tried=[60, 59, 61, 0]).best.settings == {"k": 60}
    assert weighed([[0.3, 0.3], [0.1 + 0.2, 0.3]], mine=0, tried=[0, 1]).best.settings == {"k": 0}  # a rounding error
    tenths = [value / 10 for value in range(11)]
    tied = [[0.0, 0.0]] * 4 + [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]] + [[0.0, 0.0]] * 4
    assert weighed(tied, mine=0.5, tried=tenths).best.settings == {"k": 0.4}
    assert abs(0.3 - 0.5) != abs(0.7 - 0.5)  # as floats; they are as near all the same
    assert weighed([[1.0, 1.0]] * 2, mine=0.5, tried=[0.3, 0.7]).best.settings == {"k": 0.3}


def test_nearness_is_measured_on_each_axis_by_its_own_span() -> None:
    over = (Axis("k", (0, 100)), Axis("encoder", ("a", "b")), Axis("b", (0.1, 0.9)))
    grid = [
        dict(zip(("k", "encoder", "b"), values, strict=True)) for values in itertools.product(*(o.values for o in over))
    ]
    parted = folds("loo", ["", ""])
    values = np.ones((8, 2))
    found = judged("m", over, grid, values, {"k": 90, "encoder": "b", "b": None}, [0, 0], parted)
    assert found.best.settings == {"k": 100, "encoder": "b", "b": 0.1}
    two: list[Mapping[str, Value]] = [{"k": 100, "b": 0.1}, {"k": 0, "b": 0.9}]
    found = judged("m", (over[0], over[2]), two, values[:2], {"k": 90, "b": 0.9}, [0, 0], parted)
    assert found.best.settings == {"k": 0, "b": 0.9}  # .9 of k's span, against .1 of it and the whole of b's


def test_choice_takes_the_highest_mean() -> None:
    assert choice(np.array([[0.0, 1.0], [0.9, 0.9], [1.0, 0.0]]), [0, 1, 2]) == 1
    assert choice(np.array([[0.5, 0.5], [0.5, 0.5]]), [1, 0]) == 1


# Plans over a small catalogue

TEXTS = (
    "bear bear bear bear forest",
    "bear honey",
    "honey bees and a long walk through the forest with many trees, rivers, stones, clouds and birds",
    "a forest fire",
    "bees bees bees",
    "a ship at sea, a storm, a captain, a whale, an island, a bear on the island, and a forest",
    "whale whale captain",
    "storm over the forest, honey in the trees",
)
QUERIES = (
    ("bear forest", {"6": 2, "1": 1}), ("honey", {"8": 2}), ("bees honey", {"3": 2, "5": 1}), ("storm whale", {"6": 1}),
    ("captain whale", {"7": 2, "6": 1}), ("forest", {"4": 1, "6": 2}), ("bear", {"2": 1}), ("nothing here", {}),
)  # fmt: skip
GOLDEN = GoldenSet(
    "small", tuple(GoldenQuery(f"q{i}", text, rel, "ab"[i % 2]) for i, (text, rel) in enumerate(QUERIES))
)


@pytest.fixture
def small(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> Workspace:
    return workspace(catalogue(*TEXTS))


@pytest.mark.parametrize(
    ("plan", "texts", "parted"),
    [
        (ONE, ["b"], "loo"),
        (ONE, ["k1=0..2:0.5", "b=0,0.5,1"], "3"),
        (TWO, ["k=0,1,60", "depth=1,2,8"], "loo"),
        (TWO, ["k1=0,3", "k=0,9", "b=0,1"], "2"),
    ],
)
def test_a_sweep_is_what_each_plan_alone_gives(small: Workspace, plan: Plan, texts: list[str], parted: str) -> None:
    over, ndcg = axes(texts, plan), measure("ndcg", 3)
    found = sweep(plan, over, GOLDEN, small, ndcg, parted, seed=4)
    rows = {}
    for settings, changed in combinations(plan, over):
        [outcome] = evaluate([Contender("alone", changed)], GOLDEN, small).outcomes
        rows[json.dumps(settings)] = outcome.values(GOLDEN.judged, ndcg)
        point = next(point for point in found.points if dict(point.settings) == settings)
        assert point.mean == pytest.approx(outcome.mean(GOLDEN.judged, ndcg))
    assert len({tuple(row) for row in rows.values()}) > 1  # the catalogue tells the settings apart
    assert found.base == tuple(
        evaluate([Contender("own", plan)], GOLDEN, small).outcomes[0].values(GOLDEN.judged, ndcg)
    )
    assert found.folds == folds(parted, [query.kind for query in GOLDEN.judged], 4)
    assert sum(point.chosen for point in found.points) == len(found.folds.parts)
    table, settings = np.array(list(rows.values())), [dict(point.settings) for point in found.points]
    assert list(rows) == [json.dumps(one) for one in settings]
    mine = {one.setting: own(plan, one.setting) for one in over}
    assert found == judged("ndcg@3", over, settings, table, mine, found.base, found.folds, 4)


def test_only_queries_with_an_answer_count(small: Workspace) -> None:
    found = sweep(ONE, axes(["b"], ONE), GOLDEN, small, measure("recall@2", 5))
    assert len(found.base) == len(found.held) == 7 and found.measure == "recall@2"


def test_each_list_is_made_once_and_forgotten_when_its_last_plan_has_run(
    small: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[BM25] = []
    sizes: list[int] = []
    search = BM25.__call__

    def counted(self: BM25, *given: Any) -> Any:
        made.append(self)
        return search(self, *given)

    def watched(contenders: Any, golden: GoldenSet, ws: Workspace, memo: dict[Any, Any], **more: Any) -> Any:
        sizes.append(len(memo))
        return evaluate(contenders, golden, ws, memo, **more)

    monkeypatch.setattr(BM25, "__call__", counted)
    monkeypatch.setattr(sweeping, "evaluate", watched)
    sweep(TWO, axes(["k1=0,1.5,3", "k=1..20"], TWO), GOLDEN, small, measure("ndcg", 3))
    assert len(made) == 3 * 7  # three k1, seven queries
    assert len(sizes) == 61  # and the plan's own, k = 60, which the grid lacks
    assert max(sizes) == 7 * 3  # tf-idf's lists, those of k1 = 1.5 for the plan's own, and of the k1 being tried
    assert sizes[-1] == 7 * 2


def test_a_plan_that_stands_in_the_grid_is_not_run_again(small: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    monkeypatch.setattr(sweeping, "evaluate", lambda c, *a, **m: runs.append(c[0].label) or evaluate(c, *a, **m))
    found = sweep(TWO, axes(["k"], TWO), GOLDEN, small, measure("ndcg", 3))
    assert len(runs) == len(found.points)


@dataclass(frozen=True)
class Loud:
    """An answer that must not be asked for."""

    name = "loud"

    def __call__(self, *_: Any) -> Any:
        raise AssertionError("an answer was asked for")


def test_no_answer_is_asked_for(small: Workspace) -> None:
    found = sweep(replace(ONE, answer=Loud()), axes(["b"], ONE), GOLDEN, small, measure("ndcg", 3))
    assert found == sweep(ONE, axes(["b"], ONE), GOLDEN, small, measure("ndcg", 3))


@dataclass(frozen=True)
class Shaky:
    """A reranker whose provider fails for some queries; for all, and for good, where `gone`."""

    gone: bool = False
    candidates: int = 5
    name = "shaky"

    def __call__(self, q: Query, found: Ranking, _: Any) -> Ranking:
        if self.gone:
            raise ModelGone("no such model", "name another")
        if "honey" in q.text:
            raise RateLimited("too many requests")
        return found


def test_runs_at_which_a_step_failed_are_counted_and_told(small: Workspace) -> None:
    found = sweep(replace(ONE, rerank=Shaky()), axes(["b=0,1"], ONE), GOLDEN, small, measure("ndcg", 3))
    assert found.failed == to_json(found)["failed"] == 2 * 3  # two queries, and the plan's own b besides
    assert "At 6 runs a provider failed" in " ".join(drawn(found))
    assert "provider" not in " ".join(drawn(replace(found, failed=0)))


def test_a_provider_that_is_gone_ends_the_sweep(small: Workspace) -> None:
    with pytest.raises(ProviderError, match=r"the sweep stops at the plan's own, b=0\.75") as ended:
        sweep(replace(ONE, rerank=Shaky(gone=True)), axes(["b=0,1"], ONE), GOLDEN, small, measure("ndcg", 3))
    assert ended.value.exit_status == 3 and ended.value.next_step


def test_progress_is_told(small: Workspace) -> None:
    from contextlib import contextmanager

    told: list[Any] = []

    @contextmanager
    def progress(what: str, total: int) -> Any:
        told.append((what, total))
        yield told.append

    sweep(ONE, axes(["b=0,1"], ONE), GOLDEN, small, measure("ndcg", 3), progress=progress)
    assert told == [("settings", 3), 1, 2, 3]


def test_the_ends_of_alpha_are_the_layers_alone_and_no_query_is_encoded_twice(
    catalogue: Callable[..., Path], opened: Opened, encoders: Encoders
) -> None:
    ws = opened(catalogue(*TEXTS))
    plan = Plan((BM25(), Documents()), fuse=Weighted())
    ndcg = measure("ndcg", 1)
    encoders[DEFAULT_ENCODER].drain()
    found = sweep(plan, axes(["alpha"], plan), GOLDEN, ws, ndcg, "3")
    asked = [text for kind, text in encoders[DEFAULT_ENCODER].drain() if kind == "query" and text != WARM_UP]
    assert sorted(asked) == sorted(query.text for query in GOLDEN.judged)
    alone = [Contender("", Plan((layer,))) for layer in (Documents(), BM25())]
    means = [outcome.mean(GOLDEN.judged, ndcg) for outcome in evaluate(alone, GOLDEN, ws).outcomes]
    assert [found.points[0].mean, found.points[-1].mean] == pytest.approx(means) and means[0] != means[1]
    assert found.points[5].mean == found.base_mean


# Shown


@pytest.mark.parametrize("texts", [["b"], ["k1=0..2:0.5", "b"], ["k1=0,3", "k=0,9", "b=0..1:0.1"], ["k=0..99"]])
def test_json_and_curves_are_plain(small: Workspace, texts: list[str]) -> None:
    found = sweep(TWO, axes(texts, TWO), GOLDEN, small, measure("ndcg", 3), "3")
    data = json.loads(json.dumps(to_json(found), allow_nan=False))
    assert data["queries"] == 7 and data["folds"] == {"way": "3 folds", "count": 3, "seed": 0}
    assert len(data["settings"]) == math.prod(len(one["values"]) for one in data["over"])
    assert data["best"]["mean"] == max(one["mean"] for one in data["settings"])
    for one in (data["best"], data["held_out"]):
        assert one["gain"] == pytest.approx(one["mean"] - data["own"]["mean"])
    assert data["held_out"]["optimism"] == pytest.approx(data["best"]["mean"] - data["held_out"]["mean"])
    assert 0 < data["best"]["p_value"] <= 1 and data["best"]["exact"] is True
    drawn = curves(found)
    assert [curve.name for curve in drawn] == [one.setting for one in found.over]
    for curve, one in zip(drawn, found.over, strict=True):
        assert curve.x == one.values and len(curve.y) == len(curve.x)
        assert curve.y[curve.x.index(curve.best)] == found.best.mean
        assert curve.own == own(TWO, one.setting)


def drawn(found: Sweep) -> list[str]:
    lines = [text for block in show.view(found) for text in plain(block)]
    assert all(columns_of(text) <= 80 and text == text.rstrip() for text in lines), lines
    return lines


def test_one_setting_is_a_curve_of_bars() -> None:
    values = [[0.2, 0.4, 0.3, 0.2, 0.3, 0.4], [0.4, 0.6, 0.5, 0.4, 0.5, 0.6], [0, 0, 0, 0, 0, 0]]
    assert drawn(weighed(values, mine=10, tried=[10, 60, 100])) == [
        "k: ndcg@5, 6 queries, leave one query out",
        "  k  mean                            to own  chosen",
        " 10  .300  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░░░░░       =          own",
        " 60  .500  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓   +.200       6  best",
        "100  .000  ░░░░░░░░░░░░░░░░░░░░░░░░   −.300",
        "best here       .500  +.200  k=60",
        "held out        .500  +.200  each query by what suits the others",
        "the plan's own  .300         k=10",
        "The best of 3 is ahead by +.200, p .016: more than luck.",
    ]


def test_two_settings_are_a_grid() -> None:
    over = (Axis("k1", (0.5, 1.5)), Axis("b", (0, 0.75)))
    grid: list[Mapping[str, Value]] = [{"k1": k1, "b": b} for k1 in (0.5, 1.5) for b in (0, 0.75)]
    values = np.array([[0.1, 0.1], [0.2, 0.3], [1.0, 1.0], [0.3, 0.2]])
    own_settings = {"k1": 1.5, "b": 0.75}
    found = judged("map@5", over, grid, values, own_settings, values[3], folds("loo", ["", ""]))
    assert drawn(found) == [
        "k1 and b: map@5, 2 queries, leave one query out",
        "k1 ╲ b       0   0.75",
        "   0.5   .100   .250",
        "   1.5  1.000*  .250°",
        "* the best, ° the plan's own",
        "chosen: k1=1.5 b=0 2×",
        "best here       1.000  +.750  k1=1.5 b=0",
        "held out        1.000  +.750  each query by what suits the others",
        "the plan's own   .250         k1=1.5 b=0.75",
        "The best of 4 is ahead by +.750, p .50: no more than luck may give.",
        "k1=1.5 is the last value tried on its side: the best may lie beyond.",
    ]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (weighed([[0.5, 0.5], [0.5, 0.5]]), "Nothing that was tried is ahead"),
        (weighed([[0.5] * 8, [0.4] * 8]), "Nothing that was tried is ahead"),
        (weighed([[0.2] * 6, [0.1] * 6], base=[1] * 6), "Nothing that was tried is ahead"),
        (weighed([[0] * 8, [1] * 8]), "The best of 2 is ahead by +1.000, p .004: more than luck."),
        (
            weighed([[1, 1, 0, 0], [0, 0, 1, 1]], base=[0] * 4),
            "no more than luck may give. It flatters itself by .500.",
        ),
        (
            weighed([[0] * 16, [1, 1, 1, -1, 0, 0, 0, 0] * 2]),
            "p .14: no more than luck may give; it would take about +.",
        ),
        (weighed([[1] * 8], base=[0] * 8), "The best is ahead by +1.000"),
        (weighed([[0] * 8, [1] * 8]), "k=1 is the last value tried on its side"),
    ],
)
def test_the_verdict_follows_from_the_figures(found: Sweep, said: str) -> None:
    assert said in " ".join(drawn(found))


def test_an_end_that_a_setting_cannot_pass_is_no_end() -> None:
    best_first = [[1] * 8, [0] * 8]
    assert "may lie beyond" not in " ".join(drawn(weighed(best_first, tried=[0, 60])))
    assert "k=1 is the last" in " ".join(drawn(weighed(best_first, tried=[1, 60])))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_any_number_of_settings_fits_80_columns(small: Workspace, count: int) -> None:
    texts = ["k=0,1,1000000", "k1=0..3:0.25", "b=0.123456789,1", "depth=1,100000"][:count]
    if count == 2:
        texts.reverse()
    lines = drawn(sweep(TWO, axes(texts, TWO), GOLDEN, small, measure("ndcg", 3)))
    assert len(lines) < 40
    assert any(line.startswith("the best 10 of") for line in lines) == (count > 2)


def test_names_of_any_length_and_kind_are_drawn_safely() -> None:
    names = ("plain", "a\x1b[31mred", "x" * 300)
    table = np.array([[0.1, 0.2], [0.3, 0.1], [0.9, 0.9]])
    for over in ((Axis("encoder", names),), (Axis("encoder", names), Axis("k", (1,)))):
        grid = [{"encoder": name, "k": 1} if len(over) > 1 else {"encoder": name} for name in names]
        current = {"encoder": "plain", "k": 1} if len(over) > 1 else {"encoder": "plain"}
        lines = drawn(judged("ndcg@5", over, grid, table, current, table[0], folds("loo", ["", ""])))
        assert not any("\x1b" in line for line in lines)
