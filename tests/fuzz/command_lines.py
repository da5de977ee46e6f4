"""Command lines drawn from the programs' own parameters: most of a line fits its command, some of it is odd."""

from __future__ import annotations

import importlib
from typing import Any

import typer.main
from hypothesis import strategies as st

from tests.fuzz.drawing import arguments

PROGRAMS = (
    "strata", "keyword_search_cli", "semantic_search_cli", "hybrid_search_cli", "augmented_generation_cli", "data_cli",
    "evaluation_cli", "experiment_cli", "multimodal_search_cli", "describe_image_cli",
)  # fmt: skip
SLOW = {"report"}
"""Draws charts for seconds: its arguments are in test_report.py."""
FITTING: dict[str, tuple[str, ...]] = {
    "query": ("harbour", "a ship with bread but no ice", "harbur brad from the 90s", "something like Baker Street"),
    "texts": ("a ship", "a harbour"), "text": ("Ice closes the harbour. A ship waits.",), "term": ("harbour", "net"),
    "doc_id": ("1", "x4", "Harbour Lights", "harbour", "ship"), "exclude": ("1", "Night Train"),
    "where": ("year>1980", "title~harbour", "text!~ice", "year!=1990"), "scores": ("1", "-2.5"),
    "answer": ("A ship carries bread [1]. Ice closes the harbour [2].",), "image": ("seen.jpg",),
    "golden": ("golden.json",), "queries": ("queries.jsonl",), "file": ("harbour.json", "page.html"),
    "merge": ("pool.jsonl",), "run": ("last", "run.txt", "last-1"), "before": ("last",), "after": ("last-1",),
    "config": ("plan.toml",), "dataset": ("harbour.json", "./harbour.json"), "output": ("pool.jsonl", "new.jsonl"),
    "folder": ("exported",), "catalogue": ("harbour.json",), "given": (".", "harbour.json"), "name": ("mine",),
    "enhance": ("spell", "rewrite", "expand", "structure", "understand", "none"), "preset": ("lessons", "best"),
    "rerank": ("late_interaction", "none"), "fuse": ("rrf", "weighted"), "vectors": ("chunks", "document"),
    "llm": ("none", "auto", "replay"), "replay": (".",), "record": ("recorded",), "encoder": ("all-MiniLM-L6-v2",),
    "over": ("alpha=0,1", "k=1..3"), "metric": ("ndcg@10", "mrr"), "with_": ("spell", "understand"), "kind": ("plot",),
    "against": ("bm25",), "split": ("test",), "folds": ("2", "loo"), "flow": ("q1",), "command": ("rrf-search",),
    "cache_dir": ("kept",), "log_dir": ("logged",),
}  # fmt: skip
"""By a parameter's name."""
USUAL = ("golden", "doc_id")
"""Nothing is done without them: they are left out only now and then."""
NUMBERS = ("0", "1", "2", "5", "-1", "3.5", "1e3", "nan", "-inf", "1e400", "2147483648", "9223372036854775808",
           "1" * 30, "1" * 5000, "٣", "0x10", "1_0", "", " 7", "0.5", "1.0000001", "-0.0")  # fmt: skip
PLACES = (".", "work", "/dev/null", "harbour.json", "golden.json", "", "nowhere/at/all", "~nobody/x", "seen.jpg")
WRITES = ("cache_dir", "log_dir", "record", "output", "folder", "name", "file")
"""Parameters that may name a place to write to."""


def app(program: str) -> Any:
    return importlib.import_module("strata.__main__" if program == "strata" else program).app


def _inside(text: str) -> str:
    """A name of a place within the working directory."""
    return text.replace("/", "_").replace("~", "_").replace("..", "_")


@st.composite
def _value(draw: st.DrawFn, parameter: Any) -> str:
    number = any(kind in type(parameter.type).__name__ for kind in ("Int", "Float"))
    if draw(st.integers(0, 3)):
        fitting = st.sampled_from(FITTING.get(parameter.name, ("x",)))
        return draw(st.integers(0, 60).map(str) | st.sampled_from(("0.5", "1")) if number else fitting)
    odd = (
        st.sampled_from(NUMBERS) if number else st.sampled_from(PLACES) | arguments(4) | st.just("harbour ship " * 200)
    )
    found = draw(odd)
    return _inside(found) if parameter.name in WRITES else found


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    """(program, its arguments)."""
    program = draw(st.sampled_from(PROGRAMS))
    group: Any = typer.main.get_command(app(program))
    commands = getattr(group, "commands", {"": group})
    name, command = draw(st.sampled_from([pair for pair in sorted(commands.items()) if pair[0] not in SLOW]))
    args: list[str] = []
    options = [one for one in command.params if one.param_type_name == "option" and one.name != "help"]
    chosen = draw(st.lists(st.sampled_from(options), max_size=4, unique_by=lambda one: one.name))
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            if not parameter.required and draw(st.booleans()):
                continue
            args += [draw(_value(parameter)) for _ in range(2 if parameter.nargs < 0 else 1)]
        elif parameter in chosen or parameter.required or (parameter.name in USUAL and draw(st.integers(0, 3))):
            spelt = draw(st.sampled_from(parameter.opts))
            given = [spelt] if parameter.is_flag or parameter.count else [spelt, draw(_value(parameter))]
            args = [*given, *args] if draw(st.booleans()) else [*args, *given]
    if draw(st.integers(0, 2)) == 0:
        args.append("--json")
    spoilt = draw(st.integers(0, 29))
    if spoilt == 0:
        args.insert(draw(st.integers(0, len(args))), draw(arguments(2)))
    elif spoilt == 1 and args:
        del args[draw(st.integers(0, len(args) - 1))]
    spelt = draw(st.sampled_from((name, name.replace("_", "-"), name.replace("_", ""))))
    return program, [*filter(None, [spelt]), *args]
