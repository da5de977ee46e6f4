"""One HTML file that shows what was measured and how sure it is: no network, no script, light and dark, any width.

`page` makes the text, `write` the file. Charts are drawn by matplotlib, the page by Jinja2 with everything from data
escaped; both come with the extra `report` and are imported when a page is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from strata.core.golden import GoldenSet
from strata.errors import ArtefactError, UsageError
from strata.evaluation.measure import measure
from strata.evaluation.misses import Failures
from strata.evaluation.outcome import LeftOut, Outcome
from strata.evaluation.swept import Sweep
from strata.evaluation.table import Table
from strata.files import write_atomically
from strata.registry import METRICS
from strata.reporting.words import counted, listed, measure_name, plain

if TYPE_CHECKING:
    from strata.core.corpus import Corpus

NEEDED = ("matplotlib", "jinja2")


def check_installed() -> None:
    """ArtefactError where what a report needs is missing; a command asks before it measures anything."""
    for name in NEEDED:
        try:
            import_module(name)
        except ImportError as error:
            raise ArtefactError(
                f"a report needs the package {name}, which cannot be imported", "pip install 'strata-search[report]'"
            ) from error


def page(
    table: Table,
    golden: GoldenSet,
    outcomes: Sequence[Outcome],
    failures: Failures | None = None,
    sweeps: Sequence[Sweep] = (),
    command: str = "",
    about: Mapping[str, str] | None = None,
    flow: Sequence[str] = (),
    corpus: Corpus | None = None,
) -> str:
    """The page as text. outcomes: those that the table was made from, in its order. command: what repeats it. about:
    further lines of what was measured, by their names: catalogue, date, versions. flow: ids of the queries whose
    documents are followed through the layers, instead of those chosen by rule (UsageError for one without an answer).
    corpus: for titles where no outcome has traces."""
    check_installed()
    from strata.reporting import headline
    from strata.reporting.cost import cost
    from strata.reporting.flow import deepest, flows
    from strata.reporting.flow_chart import chart
    from strata.reporting.heat import by_kind, heat, shown
    from strata.reporting.layers import layers
    from strata.reporting.misses import misses
    from strata.reporting.queries import looked
    from strata.reporting.render import render
    from strata.reporting.sweeps import swept

    corpus = corpus or next((trace.corpus for one in outcomes for trace in one.traces.values()), None)
    main = measure(table.main, table.limit)
    numbers = shown(golden, outcomes, table)
    followed = deepest(outcomes, main, golden.judged)
    if flow and followed is None:
        raise UsageError("no row has a fusion or reranker to follow documents through", "leave the queries out")
    ways = flows(followed, golden.judged, main, table.limit, flow) if followed else []
    return render(
        title=headline.title(table),
        findings=headline.findings(table, golden, outcomes, failures),
        measured=_measured(table, golden, about or {}),
        command=command,
        problems=len(golden.problems),
        main=measure_name(table.main, table.limit),
        table=table,
        layers=layers(table),
        heat=heat(table, golden, outcomes, numbers),
        by_kind=by_kind(table),
        followed=plain(followed.label, 60) if followed else "",
        ways=[(one, chart(one, f"flow-{n}"), numbers.get(one.query.id, 0)) for n, one in enumerate(ways, start=1)],
        misses=misses(failures, numbers) if failures else None,
        sweeps=[swept(one, f"sweep-{n}") for n, one in enumerate(sweeps, start=1)],
        cost=cost(table, "cost"),
        queries=looked(golden, outcomes, outcomes[table.best_at], table.limit, corpus, failures, numbers),
        words={measure_name(name, table.limit): row.help for name, row in METRICS.items()},
    )


def _measured(table: Table, golden: GoldenSet, about: Mapping[str, str]) -> dict[str, str]:
    """What stands under "what was measured", by name."""
    unjudged = len(golden.unjudged)
    premises = [row.label for row in table.rows if row.premises]
    queries = f"{counted(table.queries, 'query', 'queries')} with an answer"
    return {
        "Golden set": f"{golden.name}: {queries}{f', {unjudged:,} without' if unjudged else ''}",
        "Limit": f"the first {counted(table.limit, 'result')} of each query",
        "Main measure": measure_name(table.main, table.limit),
        "Compared with": table.against,
        **({"With premises": ", ".join(premises)} if premises else {}),
        **about,
    }


def write(path: Path, html: str) -> None:
    """Write the page whole. UsageError where that cannot be."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", "name a file, as report.html")
    try:
        write_atomically(path, html.encode("utf-8", "replace"))  # a golden set may hold half a letter
    except ArtefactError as error:
        raise UsageError(error.message, "name a file that can be written, as report.html") from error


def facts(
    corpora: Iterable[Corpus], date: str, encoders: Sequence[str] = (), left_out: Sequence[LeftOut] = ()
) -> dict[str, str]:
    """Lines for `about`: the catalogue as it was read, with premises or without, by its fingerprint; the day; what it
    was made with; plans that were given up."""
    import platform
    from importlib.metadata import version

    import strata

    read = {corpus.fingerprint: corpus for corpus in corpora}
    corpus = next(iter(read.values()))
    prints = [f"{'with premises ' if one.premises else ''}{key[:12]}" for key, one in read.items()]
    said = {
        "Catalogue": f"{corpus.name}: {counted(len(corpus), 'document')}, fingerprint {listed(prints)}",
        "Date": date,
        "Encoders": ", ".join(encoders),
        "Left out": "; ".join(f"{one.label} ({one.error.message})" for one in left_out),
        "Made with": f"Strata {strata.__version__}, Python {platform.python_version()}, NumPy {version('numpy')}",
    }
    return {name: text for name, text in said.items() if text}
