"""Every command that builds or writes something, from where it starts; and questions, whose answers must not change."""

from __future__ import annotations

from dataclasses import dataclass

from faults.films import CHOSEN
from faults.peer import SET
from faults.process import Command
from faults.world import Places


@dataclass(frozen=True)
class Builder:
    """start: as in world.START. without: patterns of what is not there when it begins. asked: names of the questions
    (see `questions`) that hang on it. changes: whether it may change their answers."""

    name: str
    command: Command
    start: str
    asked: tuple[str, ...]
    without: tuple[str, ...] = ()
    changes: bool = True


def questions(places: Places) -> dict[str, Command]:
    """Name → command. Over the user's own file, the imported catalogue, and the one chosen by `data_cli use`."""
    films, encoder = ("--dataset", "films.json"), ("--encoder", places.encoder)
    query = "harbour baker in the winter storm"
    picture = ("image_search", "picture.png", "--model", str(places.clip), *films)
    return {
        **({"picture": Command("multimodal_search_cli", picture)} if places.clip.is_dir() else {}),
        "keyword": Command("keyword_search_cli", ("bm25search", query, *films)),
        "chunks": Command("hybrid_search_cli", ("rrf-search", query, *films, *encoder)),
        "document": Command("semantic_search_cli", ("search", query, *films, *encoder)),
        "premises": Command("hybrid_search_cli", ("rrf-search", query, *films, "--config", "plan.toml")),
        "imported": Command("keyword_search_cli", ("search", "orchard again", "--dataset", CHOSEN)),
        "chosen": Command("keyword_search_cli", ("bm25search", "violin soldier again")),
        "catalogues": Command("data_cli", ("list",)),
        "fetched": Command("keyword_search_cli", ("bm25search", "candle desert", "--dataset", SET)),
        "measured": Command("evaluation_cli", (*kept(places), "--golden", "golden.json", *films)),
        "judged": Command("evaluation_cli", ("check", "--golden", "golden.json", *films)),
    }


KEPT = ("cache/pair_scores", "cache/replies")
SEARCHES = ("keyword", "chunks", "document")


def kept(places: Places) -> tuple[str, ...]:
    """An evaluation that leaves two things in the cache: scores of pairs, and a model's replies."""
    return ("--rerank", "cross_encoder", "--cross-encoder", places.pairs, "--enhance", "expand", "--llm", "openai",
            "--encoder", places.encoder)  # fmt: skip


def builders(places: Places, run: str) -> list[Builder]:
    """run: the id of a logged search, to be run again."""
    ask = questions(places)
    films, encoder, golden = ("--dataset", "films.json"), ("--encoder", places.encoder), ("--golden", "golden.json")
    build = Command("keyword_search_cli", ("build", *films))
    whole = Command("semantic_search_cli", ("verify_embeddings", *films, *encoder))
    chunks = Command("semantic_search_cli", ("embed_chunks", *films, *encoder))
    own = (*golden, *films, *encoder)
    taken = ("imported", "chosen", "catalogues")
    update = Command("data_cli", ("import", "changes.json", "--name", CHOSEN, "--update", "--remove", "5"))
    fetch = Command("data_cli", ("fetch", SET, "--base-url", f"{places.url}/set", "--replace"))
    made = {
        "build": (build, "cold"), "build, edited": (build, "edited"),
        "verify_embeddings": (whole, "cold"), "verify_embeddings, edited": (whole, "edited"),
        "embed_chunks": (chunks, "cold"), "embed_chunks, edited": (chunks, "edited"),
        "first bm25search": (ask["keyword"], "cold"), "first search": (ask["document"], "cold"),
        "first rrf-search": (ask["chunks"], "cold"), "rrf-search, edited": (ask["chunks"], "edited"),
        "first search with premises": (ask["premises"], "cold"),
    }  # fmt: skip
    searched, seen = (*SEARCHES, "premises"), ("picture", "keyword")
    found = [Builder(name, command, start, searched, changes=False) for name, (command, start) in made.items()]
    if "picture" in ask:
        found += [Builder(f"image_search, {s}", ask["picture"], s, seen, changes=False) for s in ("cold", "edited")]
    brought = Command("data_cli", ("import", "second.json", "--name", CHOSEN, "--replace"))
    replayed = Command("experiment_cli", ("replay", run, "--log"))
    trec = Command("evaluation_cli", ("trec", "out/runs", "--layers", *own))
    pool = Command("evaluation_cli", ("pool", "out/pool.jsonl", *own))
    rows = ("--with", "cross_encoder,expand", "--cross-encoder", places.pairs, "--llm", "openai")
    layers = Command("evaluation_cli", ("--layers", *own, *rows))
    return [
        *found,
        Builder("import", brought, "full", taken, ("data/strata/catalogues/mine",)),
        Builder("import --replace", brought, "full", taken),
        Builder("import --update", update, "full", taken),
        Builder("use", Command("data_cli", ("use", "films.json")), "full", taken),
        Builder("first use", Command("data_cli", ("use", CHOSEN)), "cold", taken, ("config/strata",)),
        Builder("enrich", Command("data_cli", ("enrich", "--llm", "openai", *films)), "full",
                ("premises", "keyword"), ("data/strata/premises",)),
        Builder("fetch", fetch, "full", ("fetched", "catalogues")),
        Builder("--layers", layers, "cold", ("measured", *SEARCHES), changes=False),
        Builder("--layers, nothing kept", layers, "full", ("measured",), KEPT, changes=False),
        Builder("evaluate", ask["measured"], "full", ("measured",), KEPT, changes=False),
        Builder("report", Command("evaluation_cli", ("report", "out/report.html", *own)), "full",
                ("measured",), changes=False),
        Builder("trec", trec, "full", ("judged",), changes=False),
        Builder("pool", pool, "full", ("judged",), changes=False),
        Builder("check --merge", Command("evaluation_cli", ("check", "--merge", "graded.jsonl", *golden, *films)),
                "full", ("measured", "judged")),
        Builder("a logged search", ask["chunks"], "full", SEARCHES, changes=False),
        Builder("replay --log", replayed, "full", SEARCHES, changes=False),
    ]  # fmt: skip
