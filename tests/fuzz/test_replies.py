"""Whatever a language model writes: it is used, repaired or refused in one line, and the search has its result.

Replies are what prompts ask for with something wrong in them, that in prose, in fences, twice, cut off, and any text.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import registry, runlog
from strata import settings as settings_module
from strata.answer.check import checked
from strata.answer.cite import statements
from strata.answer.suspicious import findings
from strata.core.types import Plan, Query
from strata.enhance.asking import checked_query
from strata.llm.faults import Answer, fault
from strata.llm.parsing import parse, visible
from strata.llm.prompting import schema
from strata.llm.scripted import Scripted
from strata.llm.thinking import Spoken
from strata.llm.waits import asked_wait, spoken
from strata.pictures.open import open_picture
from strata.pipeline.run import run
from strata.pipeline.workspace import Workspace
from strata.printable import one_line, plain
from strata.rerank import replies
from tests.conftest import write_catalogue
from tests.fuzz.common import fuzz, held
from tests.fuzz.drawing import any_json, damaged, mutated, texts
from tests.harbour import FILMS
from tests.seen import jpeg

VALID: dict[str, Any] = {
    "spell": {"query": "harbour bread"},
    "rewrite": {"query": "a ship in a harbour"},
    "expand": {"terms": ["vessel", "quay side", "flour"]},
    "structure": {
        "genres": ["Drama"], "mood": "quiet", "setting": "a harbour", "themes": ["ice"], "people": ["x y"],
        "years": {"from": 1970, "to": None}, "like": ["Night Train"], "without": ["bread"],
    },
    "describe": {"shows": "A ship in the ice.", "query": "a ship waits in winter"},
    "individual": {"score": 7, "why": "it fits"},
    "batch": {"ranking": [{"id": 2, "why": "nearest"}, {"id": "1", "why": ""}, {"id": 99}]},
    "judge": {"grades": [{"id": 1, "grade": 3, "why": "exactly"}, {"id": 2, "grade": 0, "why": "no"}]},
    "citations": "A ship carries bread to a harbour [1]. A conductor counts [2][3]. “Ice closes” it [1-3].",
}  # fmt: skip
LAYERS = {
    "spell": "enhance", "rewrite": "enhance", "expand": "enhance", "structure": "enhance", "vision": "enhance",
    "individual": "rerank", "batch": "rerank", "rag": "answer", "citations": "answer", "question": "answer",
}  # fmt: skip
WRAPPED = ("{}", "```json\n{}\n```", "Sure! Here is: {}", "<think>[1]{{</think>{}", "{0} {0}", "{}}}", "[{}]", "{}\x00")


def written(name: str) -> st.SearchStrategy[str]:
    """A reply to a prompt."""
    valid = VALID.get({"vision": "describe"}.get(name, name), VALID["citations"])
    wrong = mutated(valid) if isinstance(valid, dict) else texts(10)
    as_text = (wrong | any_json | st.just(valid)).map(
        lambda value: value if isinstance(value, str) else json.dumps(value)
    )
    cut = damaged(json.dumps(valid).encode()).map(lambda data: data.decode("utf-8", "replace"))
    return st.tuples(st.sampled_from(WRAPPED), as_text | cut | texts()).map(lambda pair: pair[0].format(pair[1]))


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    home = tmp_path_factory.mktemp("replies")
    path = write_catalogue(home / "harbour.json", *FILMS)
    jpeg(home / "seen.jpg")
    return Workspace(settings_module.load(str(path), str(home / "cache"), str(home / "logs")), lambda _: None)


def plan_with(name: str) -> Plan:
    lists = (registry.load(registry.RETRIEVE["bm25"])(),)
    layer = registry.load(registry.SLOTS[LAYERS[name]][name])()
    return Plan(lists, fuse=registry.load(registry.FUSE["rrf"])(), limit=3, **{LAYERS[name]: layer})


@fuzz(120)
@given(st.data())
def test_a_search_has_its_result_whatever_a_model_writes(harbour: Workspace, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(LAYERS)))
    plan = plan_with(name)
    harbour.model = Scripted(*data.draw(st.lists(written(name), min_size=1, max_size=2)))  # type: ignore[misc]
    streamed: list[str] = []
    harbour.stream = streamed.append
    logs = harbour.settings.log_dir
    picture = open_picture(str(logs.parent / "seen.jpg")) if name == "vision" else None

    def asked() -> Any:
        trace = run(plan, Query("a ship with bread in the harbour", picture=picture), harbour)
        entry = runlog.entry(trace, harbour, "fuzz", "lessons")
        assert not runlog.try_write(logs, entry)
        return trace

    trace = held(asked)
    assert trace is not None and (trace.final.docs.size or plan.enhance)
    assert all(c == "\n" or c.isprintable() or c.isspace() for piece in streamed for c in piece)
    harbour.calls.clear()


def filled(value: Any, text: str) -> Any:
    """A value with this text for each of its texts."""
    if isinstance(value, dict):
        return {name: filled(one, text) for name, one in value.items()}
    return [filled(one, text) for one in value] if isinstance(value, list) else text


@pytest.mark.parametrize("name", LAYERS)
def test_a_megabyte_from_a_model_costs_seconds(harbour: Workspace, name: str) -> None:
    valid = VALID.get({"vision": "describe"}.get(name, name), {})
    for reply in (json.dumps(filled(valid, "wo rd " * 50_000)), "[" + '{"id": 1, "why": "w"},' * 45_000 + "1]"):
        harbour.model = Scripted(reply, "x [1] " * 40_000)  # type: ignore[misc]
        picture = open_picture(str(harbour.settings.log_dir.parent / "seen.jpg")) if name == "vision" else None
        asked = Query("a ship with bread in the harbour", picture=picture)
        assert held(run, plan_with(name), asked, harbour).final.docs.size  # type: ignore[union-attr]


@fuzz(150)
@given(st.data())
def test_replies_are_parsed_as_their_schema_says(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(("spell", "expand", "structure", "describe", "judge", "rerank_batch", "premise")))
    text = data.draw(written(name.removeprefix("rerank_")))
    value = held(parse, text, schema(name))
    if value is not None:
        assert held(parse, json.dumps(value), schema(name)) == value
    visible(text)
    pieces = [text[at : at + 3] for at in range(0, len(text), 3)]
    given_out: list[str] = []
    spoken_of = Spoken(given_out.append)
    for piece in pieces:
        spoken_of(piece)
    spoken_of.close()


@fuzz(150)
@given(mutated(VALID["batch"]) | mutated(VALID["judge"]) | mutated(VALID["individual"]) | any_json, st.integers(1, 5))
def test_orders_and_grades_are_repaired(value: Any, n: int) -> None:
    order = held(replies.ordered, value, n)
    assert order is None or sorted(order.order) == list(range(n))
    grades = held(replies.graded, value, n, 3)
    assert grades is None or all(0 <= place < n and 0 <= one <= 3 for place, (one, _) in grades.grades.items())
    score = held(replies.grade, value, 10)
    assert score is None or (0 <= score[0] <= 10 and score[1].isprintable())


@fuzz(150)
@given(texts(12), texts(4))
def test_a_request_that_a_model_wrote_is_a_line_of_words(text: str, asked: str) -> None:
    found = held(checked_query, text, asked)
    assert found is None or (len(found.splitlines()) == 1 and len(found) <= 3 * len(asked) + 60)
    line = one_line(text, replies.LONGEST_WHY)
    assert line.isprintable() and len(line) <= replies.LONGEST_WHY


@fuzz(60)
@given(texts(25))
def test_any_answer_is_checked(harbour: Workspace, text: str) -> None:
    assert plain(plain(text)) == plain(text)
    for statement in statements(plain(text), 3):
        assert len(set(statement.numbers)) == len(statement.numbers)
    findings(text)
    sources = run(Plan((registry.load(registry.RETRIEVE["bm25"])(),)), Query("harbour ship"), harbour).passages(3)
    answer = held(checked, text, sources, harbour)
    for citation in answer.citations if answer else ():
        assert citation.status in ("supported", "unsupported", "absent")
        assert citation.score is None or 0 <= citation.score <= 1.000001


@fuzz(100)
@given(
    texts(),
    mutated({"error": {"message": "model `x` does not exist", "code": 1, "param": "seed"}}),
    st.integers(400, 599),
)
def test_whatever_a_server_sends_is_an_error_of_one_line(text: str, body: Any, status: int) -> None:
    for sent in (body, text):
        answer = Answer("groq", "a-model", status, sent, {"retry-after": text, "retry-after-ms": text}, ("sk-secret",))

        def fail(answer: Answer = answer) -> None:
            raise fault(answer)

        held(fail)
    wait = asked_wait({"Retry-After": text}, f"try again in {text}", datetime(2026, 1, 1, tzinfo=UTC))
    assert wait is None or (wait >= 0 and spoken(wait))
