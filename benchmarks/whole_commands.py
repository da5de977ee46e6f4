"""Whole query commands, each from a cold process, beside the same job done the usual way (usual_way.py).

    python benchmarks/whole_commands.py [--runs 5] [--only WORD …] [--cross-encoder FOLDER]

Artefacts and the usual way's vectors and index are made in a first round, which does not count; the disk is warm then,
and byte code is written. In each round the commands run in turn, and each job of the usual way once, so that a busy
machine burdens all alike; a ratio is taken round by round. Over the bundled films; what the commands print is thrown
away. --cross-encoder: a sentence-transformers folder for the usual reranking; without it the reranking commands stand
beside the usual hybrid search alone, which does less. Exits with 1 where a hybrid search is not 10 times as fast.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rounds import POOLS, ROOT, Row, child, finish, parser, ratio

QUERY, MISSPELT, FILM = "cute british bear marmalade", "cute brittish bear marmelade", "Paddington"
LEAST = 10.0


@dataclass(frozen=True)
class Command:
    """One of ours, and the job of the usual way that it is compared with; None where there is none."""

    program: str
    args: tuple[str, ...]
    usual: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return " ".join([self.program, *(f'"{arg}"' if " " in arg else arg for arg in self.args)])

    @property
    def plain(self) -> bool:
        """Whether it does what the usual hybrid search does: no other encoder, no reranker, no answer."""
        return self.program == "hybrid_search_cli" and not {"--preset", "--rerank"} & set(self.args)

    @property
    def line(self) -> list[str]:
        return [sys.executable, str(ROOT / "cli" / f"{self.program}.py"), *self.args]


def commands(cross_encoder: str | None) -> list[Command]:
    keyword, hybrid, semantic = ("keyword", QUERY), ("hybrid", QUERY), ("semantic", QUERY)
    again = (*hybrid, "--cross-encoder", cross_encoder) if cross_encoder else hybrid
    rrf = ("rrf-search", QUERY)
    return [
        Command("keyword_search_cli", ("search", QUERY), keyword),
        Command("keyword_search_cli", ("bm25search", QUERY), keyword),
        Command("keyword_search_cli", ("explain", QUERY, FILM), keyword),
        Command("semantic_search_cli", ("search", QUERY), semantic),
        Command("semantic_search_cli", ("search_chunked", QUERY), ("chunks", QUERY)),
        Command("semantic_search_cli", ("similar", FILM), ("similar", FILM)),
        Command("hybrid_search_cli", rrf, hybrid),
        Command("hybrid_search_cli", ("weighted-search", QUERY), hybrid),
        Command("hybrid_search_cli", ("trace", QUERY), hybrid),
        Command("hybrid_search_cli", ("explain", QUERY, FILM), hybrid),
        Command("hybrid_search_cli", ("rrf-search", MISSPELT, "--enhance", "spell"), hybrid),
        Command("hybrid_search_cli", (*rrf, "--rerank", "cross_encoder"), again),
        Command("hybrid_search_cli", (*rrf, "--preset", "best", "--rerank", "none"), hybrid),
        Command("hybrid_search_cli", (*rrf, "--preset", "best"), again),
        Command("augmented_generation_cli", ("citations", QUERY), hybrid),
        Command("augmented_generation_cli", ("question", "Which bear loves marmalade?"), hybrid),
        Command("evaluation_cli", ("--limit", "5"), ("evaluate", "")),
        Command("data_cli", ("show", FILM), ("show", FILM)),
    ]


def measured(todo: list[Command], runs: int, folder: str) -> tuple[list[dict[str, float]], dict[str, float]]:
    """Seconds by what ran, a dict a round, and peak memory in MB. The usual jobs are keyed by their words."""
    environment = {"STRATA_LOG_DIR": f"{folder}/logs", "HF_HUB_OFFLINE": "1", "COLUMNS": "80"}
    lines = {command.name: command.line for command in todo}
    for command in todo:
        if command.usual:
            job, query, *options = command.usual
            script = str(ROOT / "benchmarks" / "usual_way.py")
            lines[" ".join(command.usual)] = [sys.executable, script, job, query, folder, *options]
    rounds, memory = [], {}
    for round_ in range(runs + 1):
        taken = {}
        for name, line in lines.items():
            done = child(line, **environment)
            taken[name], memory[name] = done.seconds, done.peak
        rounds += [taken] if round_ else []
    return rounds, memory


def rows(todo: list[Command], rounds: list[dict[str, float]], memory: dict[str, float]) -> Iterator[Row]:
    for command in todo:
        ours = [taken[command.name] for taken in rounds]
        row: Row = {"command": f"`{command.name}`", "s": statistics.median(ours), "MB": round(memory[command.name])}
        if command.usual:
            job = " ".join(command.usual)
            theirs = [taken[job] for taken in rounds]
            named = command.usual[0] + (", reranked" if "--cross-encoder" in command.usual else "")
            row |= {"usual job": named, "usual s": statistics.median(theirs), "usual MB": round(memory[job])}
            row["times as fast"] = ratio(theirs, ours)
        yield row


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--runs", type=int, default=5)
    asked.add_argument("--only", nargs="+", default=[""], help="commands that hold one of these words")
    asked.add_argument("--cross-encoder", metavar="FOLDER")
    given = asked.parse_args()
    for name in POOLS:  # as many threads as a user has
        os.environ.pop(name, None)
    folder = given.cross_encoder and str(Path(given.cross_encoder).resolve())
    todo = [one for one in commands(folder) if any(word in one.name for word in given.only)]
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as kept:
        table = list(rows(todo, *measured(todo, given.runs, kept)))
    title = f"Cold processes, medians of {given.runs}"
    plain = [row for row, one in zip(table, todo, strict=True) if one.plain]
    slow = [
        f"{row['command']} is not {LEAST:g} times as fast as the usual way"
        for row in plain
        if row["times as fast"]["median"] < LEAST  # type: ignore[index,call-overload]
    ]
    finish(given, {title: table}, ["sentence-transformers", "torch", "transformers", "rank-bm25", "typer"], slow)


if __name__ == "__main__":
    main()
