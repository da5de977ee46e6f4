"""Run logs in which anything may stand: wrong types everywhere, control characters, what is no JSON."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from strata.experiments.diff import diff
from strata.experiments.fields import Odd, loaded
from strata.experiments.parsing import parse
from strata.llm.scripted import Scripted
from tests.conftest import Run
from tests.harbour import ESCAPE, Search, rewrite


def whole_log(search: Search, scripted: Callable[..., Scripted]) -> dict[str, Any]:
    """A log in which every part is there."""
    scripted('{"query": "harbour bread"}', "A ship carries bread to a harbour [1].")
    return search(
        "citations", "harbur bread", "--enhance", "spell", "--where", "year>1900", "--exclude", "6", "--limit", "2"
    )


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a log holds anything; of lists the first entry stands for the others."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def replaced(log: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    made = copy.deepcopy(log)
    inner: Any = made
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return made


WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1.5,
    10**400,
    "",
    "x",
    ESCAPE,
    [],
    [[]],
    [None],
    {},
    {"a": {}},
    [ESCAPE],
    {ESCAPE: 1},
)


def test_wrong_types_anywhere_are_an_error_or_a_result(
    search: Search, scripted: Callable[..., Scripted], experiment: Run, log_dir: Path
) -> None:
    log = whole_log(search, scripted)
    rewrite(log_dir, log, run_id="20010101T000000-aaaaaa")
    every = [(path, value) for path in places(log) for value in WRONG]
    assert len({path for path, _ in every}) > 100
    drawn = random.Random(5)
    refused = 0
    for path, value in every:
        try:
            run = parse(loaded(json.dumps(replaced(log, path, value)).encode()))
        except Odd:
            refused += 1
        else:
            assert diff(parse(log), run) and diff(run, run).identical
    assert len(every) / 3 < refused < len(every)
    for path, value in drawn.sample(every, 30):
        id = rewrite(log_dir, replaced(log, path, value) | {"run_id": log["run_id"]})
        for args in (("list",), ("show", id), ("diff", "aaaaaa", id), ("show", id, "--json"), ("diff", id, "last-1")):
            done = experiment(*args)
            assert done.status in (0, 2) and "\x1b" not in done.out + done.err, (path, value, args)
            assert (done.status == 0) == (not done.err or args[0] == "list"), (path, value, args)


def test_a_replay_of_a_log_with_wrong_types_is_an_error_or_a_result(
    search: Search, scripted: Callable[..., Scripted], experiment: Run, log_dir: Path
) -> None:
    log = whole_log(search, scripted)
    drawn = random.Random(7)
    asked = [path for path in places(log) if path[0] in ("query", "plan", "dataset", "calls", "answer", "enhance")]
    some = drawn.sample([(path, value) for path in asked for value in WRONG], 30)
    for path, value in [*some, (("calls", 0, "usage", "prompt"), 10**400), (("plan", "retrieve"), None)]:
        done = experiment("replay", rewrite(log_dir, replaced(log, path, value) | {"run_id": log["run_id"]}))
        assert done.status in (0, 2), (path, value)
        assert "\x1b" not in done.out + done.err, (path, value)
        assert done.status == 0 or ("error: " in done.err and not done.out), (path, value)


def test_control_characters_of_a_log_do_not_reach_the_screen(
    search: Search, scripted: Callable[..., Scripted], experiment: Run, log_dir: Path
) -> None:
    log = whole_log(search, scripted)

    def planted(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: planted(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [planted(inner) for inner in value]
        return value + ESCAPE if isinstance(value, str) else value

    kept = {name: log[name] for name in ("run_id", "plan", "calls")}
    kept["dataset"] = {**log["dataset"], "fingerprint": ESCAPE}
    kept["query"] = {**log["query"], "original": log["query"]["original"] + ESCAPE}
    rewrite(log_dir, {**planted(log), **kept, "artefacts": {f"a{ESCAPE}": ESCAPE}, "versions": {f"v{ESCAPE}": ESCAPE}})
    other = rewrite(log_dir, {**log, "run_id": "20010101T000000-aaaaaa"})
    for args in (("list",), ("show", "last"), ("diff", other, "last"), ("diff", "last", other), ("replay", "last"),
                 ("replay", "last", "--strict")):  # fmt: skip
        done = experiment(*args)
        assert done.status in (0, 1) and "\x1b" not in done.out + done.err and "\x07" not in done.out + done.err, args
        assert "red" in done.out
    for place in (("plan", "answer", "encoder"), ("dataset", "path"), ("query", "where", 0)):
        done = experiment("replay", rewrite(log_dir, replaced(log, place, ESCAPE)))
        assert done.status == 2 and "control characters" in done.err and "\x1b" not in done.err


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "no JSON"), ("[]", "no table"), ('{"a": 1e999}', "float"), ('{"a": Infinity}', "Infinity"),
     ('{"a":' * 70 + "1" + "}" * 70, "deep"), ("1" * 5000, "no JSON")],
)  # fmt: skip
def test_json_that_is_no_log_is_refused(text: str, why: str) -> None:
    with pytest.raises(Odd, match=why):
        loaded(text.encode())
