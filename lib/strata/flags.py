"""Options that several commands share, so that a flag means the same in every program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from strata import registry
from strata.asked import MODEL
from strata.core import analysis
from strata.core.types import Query
from strata.errors import UsageError
from strata.model_flags import Judge, Llm, LlmModel, MaxCalls, MaxTokens, Record, Replay, ShowPrompt
from strata.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from strata.core.picture import Picture

QueryText = Annotated[
    str, typer.Argument(metavar="QUERY", help="What to look for, in plain words.", show_default=False)
]
DocRef = Annotated[
    str,
    typer.Argument(
        metavar="DOC_ID", help="A document's id, its title, or a unique part of its title.", show_default=False
    ),
]
TermText = Annotated[str, typer.Argument(metavar="TERM", help="One word.", show_default=False)]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many results to show.")]
Depth = Annotated[int, typer.Option("--depth", min=1, help="How far down each list goes into fusion.")]
K1 = Annotated[float, typer.Option("--k1", help="BM25: how soon repeats of a term stop counting (0 or more).")]
B = Annotated[float, typer.Option("--b", help="BM25: how much long documents are held back (0 to 1).")]
RankConstant = Annotated[float, typer.Option("-k", "--k", help="rrf: the rank constant (0 or more).")]
Alpha = Annotated[float, typer.Option("--alpha", help="weighted: the keyword side's weight, 0 to 1.")]
Fuse = Annotated[str, typer.Option("--fuse", metavar="rrf|weighted", help="How the lists become one.")]
Vectors = Annotated[
    str, typer.Option("--vectors", metavar="chunks|document", help="Each document by its best chunk, or as a whole.")
]
Encoder = Annotated[
    str,
    typer.Option(
        "--encoder",
        metavar="NAME|PATH",
        help=f"Text encoder: {registry.names(registry.ENCODERS)}, any sentence-transformers name, or a folder.",
    ),
]
PictureModel = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME|PATH",
        help=f"CLIP or a model like it: {registry.names(registry.PICTURE_ENCODERS)}, a name of the hub, or a folder.",
    ),
]
TextWeight = Annotated[float, typer.Option("--text-weight", help="How much --query counts beside the picture, 0 to 1.")]
PicturePath = Annotated[
    str, typer.Argument(metavar="IMAGE", help="A picture: PNG, JPEG, WebP, GIF, BMP or TIFF.", show_default=False)
]
ChunkSize = Annotated[int, typer.Option("--max-chunk-size", help="Sentences a chunk (1 or more).")]
Overlap = Annotated[int, typer.Option("--overlap", help="How many of them the next chunk begins with; below the size.")]
MinScore = Annotated[
    float | None, typer.Option("--min-score", help="Semantic lists: only cosines from here up.", show_default=False)
]
Enhance = Annotated[
    str | None,
    typer.Option(
        "--enhance",
        metavar="NAME",
        help=f"Improve the query: {registry.names(registry.for_words(registry.ENHANCE))}, or none.",
        show_default=False,
    ),
]
Rerank = Annotated[
    str | None,
    typer.Option(
        "--rerank", "--rerank-method", metavar="NAME", help=f"Look again: {registry.names(registry.RERANK)}, or none.",
        show_default=False,
    ),
]  # fmt: skip
CrossEncoder = Annotated[
    str,
    typer.Option("--cross-encoder", metavar="NAME|PATH", help="For --rerank cross_encoder: a hub name or a folder."),
]
MinEvidence = Annotated[
    float | None,
    typer.Option(
        "--min-evidence", help="Give no answer below this evidence (0: always answer, to 1).", show_default=False
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 1 where a citation does not hold.")]
Debug = Annotated[bool, typer.Option("--debug", help="After the results, the query's way through the layers.")]
SEARCH = "The search"
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", metavar="FIELD=VALUE|FIELD>=N", help="Only documents that meet this; repeatable.",
        show_default=False, rich_help_panel=SEARCH,
    ),
]  # fmt: skip
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="DOC_ID", help="Leave this document out; repeatable.", show_default=False,
        rich_help_panel=SEARCH,
    ),
]  # fmt: skip
NoLog = Annotated[bool, typer.Option("--no-log", help="Write no run log.", rich_help_panel=SEARCH)]
Preset = Annotated[
    str,
    typer.Option(
        "--preset", metavar="NAME", help=f"The plan to start from: {registry.names(registry.PRESETS)}.",
        rich_help_panel=SEARCH,
    ),
]  # fmt: skip
Config = Annotated[
    str | None,
    typer.Option(
        "--config", metavar="FILE", help="A whole plan from a TOML file; options given beside it change it.",
        show_default=False, rich_help_panel=SEARCH,
    ),
]  # fmt: skip
ShowPlan = Annotated[
    bool, typer.Option("--show-plan", help="Print the plan as TOML, search nothing.", rich_help_panel=SEARCH)
]

OPTIONS: dict[str, tuple[Any, Any]] = {
    "limit": (Limit, 5),
    "depth": (Depth, 100),
    "fuse": (Fuse, "rrf"),
    "k": (RankConstant, 60),
    "alpha": (Alpha, 0.5),
    "k1": (K1, 1.5),
    "b": (B, 0.75),
    "vectors": (Vectors, "chunks"),
    "encoder": (Encoder, registry.DEFAULT_ENCODER),
    "model": (PictureModel, registry.DEFAULT_PICTURE_ENCODER),
    "text_weight": (TextWeight, 0.5),
    "max_chunk_size": (ChunkSize, 4),
    "overlap": (Overlap, 1),
    "min_score": (MinScore, None),
    "enhance": (Enhance, None),
    "rerank": (Rerank, None),
    "cross_encoder": (CrossEncoder, registry.DEFAULT_CROSS_ENCODER),
    "debug": (Debug, False),
    "min_evidence": (MinEvidence, None),
    "strict": (Strict, False),
    "llm": (Llm, "auto"),
    "llm_model": (LlmModel, None),
    "evaluate": (Judge, False),
    "record": (Record, None),
    "replay": (Replay, None),
    "max_calls": (MaxCalls, None),
    "max_tokens_total": (MaxTokens, None),
    "show_prompt": (ShowPrompt, False),
    "where": (Where, None),
    "exclude": (Exclude, None),
    "preset": (Preset, "lessons"),
    "config": (Config, None),
    "show_plan": (ShowPlan, False),
    "no_log": (NoLog, False),
}
"""Every option of a command that runs a plan: its type and the default that help shows."""
EVERY_SEARCH = ("where", "exclude", "preset", "config", "show_plan", "no_log")
SEMANTIC = ("encoder", "max_chunk_size", "overlap", "min_score")
HYBRID = ("limit", "depth", "k1", "b", "vectors", *SEMANTIC, "enhance", "rerank", "cross_encoder", *MODEL)
SEARCHED = (*HYBRID, "evaluate", "debug")
PICTURE = ("model", "text_weight")


def words(text: str) -> str:
    """A query, checked to hold at least one letter or digit."""
    if not analysis.tokens(text):
        raise UsageError(f'the query "{text}" holds no word', 'ask with words, e.g. "cute british bear"')
    return text


def query(
    text: str,
    ws: Workspace,
    exclude: list[str] | None,
    where: list[str] | None,
    like: int | None = None,
    picture: Picture | None = None,
) -> Query:
    """The request that a command line asks for. Its text may hold stop words only: then the lists are empty.

    like: a document whose neighbours are wanted, itself not among them; the query's text is then its label. picture:
    beside the text, or instead of it: then the text may be blank.
    """
    left_out = frozenset(ws.corpus.find(ref) for ref in exclude or ())
    if like is not None:
        return Query(ws.corpus.label(like), exclude=left_out | {like}, where=tuple(where or ()), like=like)
    said = "" if picture is not None and not text.strip() else words(text)
    return Query(said, exclude=left_out, where=tuple(where or ()), picture=picture)
