"""The results of benchmarks as tables of Markdown, and docs/benchmarks.md held to them.

    python benchmarks/table.py            write the tables of docs/benchmarks.md anew from docs/benchmarks/*.json
    python benchmarks/table.py --check    exit with 1 where the page differs from them

On the page, what stands between `<!-- results: NAME -->` and `<!-- end of results -->` comes from NAME.json, which
`python benchmarks/… --json docs/benchmarks/NAME.json` wrote.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, RESULTS = DOCS / "benchmarks.md", DOCS / "benchmarks"
MARKED = re.compile(r"(<!-- results: (?P<name>[\w-]+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def rendered(results: Mapping[str, Any]) -> str:
    """A line on how they were come by, then each table under its title."""
    on = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    parts = [
        f"`{results['command']}`, {results['date']}: {on['cpu']}, {on['cores']} cores, {on['memory_gib']:g} GiB, load "
        f"{on['load']:g} before, {on['system']}, Python {on['python']}, {versions}."
    ]
    for title, rows in results["tables"].items():
        parts.append(f"{title}:\n\n{table(rows)}")
    if results["missed"]:
        parts.append(f"Missed: {'; '.join(results['missed'])}.")
    return "\n\n".join(parts)


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """One column a key; a row that lacks one has a dash there."""
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, ["---"] * len(names), *([cell(row.get(name)) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, dict):
        return f"{number(value['median'])} ({number(value['low'])}–{number(value['high'])})"
    return value if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Whole numbers with their thousands, others with three digits."""
    if isinstance(value, int) or value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def page() -> tuple[str, str]:
    """docs/benchmarks.md as it is, and as the results would have it."""
    text = PAGE.read_text(encoding="utf-8")

    def block(match: re.Match[str]) -> str:
        results = json.loads((RESULTS / f"{match['name']}.json").read_text(encoding="utf-8"))
        return f"{match[1]}{rendered(results)}\n{match[3]}"

    return text, MARKED.sub(block, text)


def main() -> None:
    before, after = page()
    if before == after:
        print("docs/benchmarks.md agrees with the results")
    elif "--check" in sys.argv[1:]:
        sys.exit("docs/benchmarks.md differs from docs/benchmarks/*.json: run python benchmarks/table.py")
    else:
        PAGE.write_text(after, encoding="utf-8", newline="\n")
        print("written: docs/benchmarks.md")


if __name__ == "__main__":
    main()
