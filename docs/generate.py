"""Writes the generated parts of the docs, or checks that they are what the programs print today.

    python docs/generate.py            write
    python docs/generate.py --check    exit with 1 and a diff where a page differs

Generated are docs/commands.md (every program's --help) and, in README.md and docs/*.md, what stands below a line
`$ command` in a block marked ```console. Times vary from run to run and are not compared.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = (
    "strata",
    "keyword_search_cli",
    "semantic_search_cli",
    "hybrid_search_cli",
    "augmented_generation_cli",
    "multimodal_search_cli",
    "describe_image_cli",
    "evaluation_cli",
    "data_cli",
    "experiment_cli",
)
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "commands.md")]

BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)
TIMES = re.compile(r" *\d[\d.,]* m?s\b|(?<=ms: ).*|(?<=\()\d+(?=/s\))|^seconds .*$", re.MULTILINE)


@cache
def output(command: str) -> str:
    """What a command prints on stdout, in 80 columns, over the bundled films."""
    program, *args = shlex.split(command, comments=True)
    start = ["-m", "strata"] if program == "strata" else [str(ROOT / "cli" / f"{program}.py")]
    if program not in PROGRAMS:
        raise SystemExit(f"docs: cannot run {command!r}; commands in ```console blocks are ours")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STRATA_")}
    done = subprocess.run(
        [sys.executable, *start, *args],
        env={
            **kept, "STRATA_LOG_DIR": f"{tempfile.gettempdir()}/strata-docs-logs", "COLUMNS": "80", "NO_COLOR": "1",
            "PYTHONIOENCODING": "utf-8", "HF_HUB_OFFLINE": "1",
            "HF_HUB_CACHE": "no-hub",  # a page must not hang on what a developer has fetched
        },
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    # A page may show an error on purpose: then its one line on stderr is what there is to show.
    return "\n".join(line.rstrip() for line in (done.stdout or done.stderr).splitlines())


def timeless(text: str) -> str:
    return TIMES.sub("…", text)


def rewritten(page: str) -> str:
    """A page with the output of its commands as it is today, unless only times differ."""

    def block(match: re.Match[str]) -> str:
        parts = re.split(r"(?m)^(?=\$ )", match.group())
        return "".join(part if not part.startswith("$ ") else _part(part) for part in parts)

    return BLOCK.sub(block, page)


def _part(part: str) -> str:
    command, _, before = part.partition("\n")
    printed = output(command.removeprefix("$ "))
    same = timeless(printed).strip("\n") == timeless(before).strip("\n")
    return part if same else f"{command}\n{printed}\n"


def reference() -> str:
    """docs/commands.md."""
    about = "Written by `docs/generate.py` from the programs' own `--help`; `make check` holds it to them."
    pages = [f"# Command reference\n\n{about}\n"]
    for program in PROGRAMS:
        help_ = output(f"{program} --help")
        pages.append(f"\n## {program}\n\n```text\n{help_.strip()}\n```\n")
        for name in subcommands(help_):
            pages.append(f"\n### {program} {name}\n\n```text\n{output(f'{program} {name} --help').strip()}\n```\n")
    return "".join(pages)


def subcommands(help_: str) -> list[str]:
    """The names in the Commands panel of a program's --help."""
    panel = help_.partition("Commands ─")[2]
    return re.findall(r"(?m)^│ ([a-z0-9][\w-]*) ", panel)


def main() -> None:
    check = "--check" in sys.argv[1:]
    wanted = {path: rewritten(path.read_text(encoding="utf-8")) for path in PAGES}
    wanted[ROOT / "docs" / "commands.md"] = reference()
    stale = False
    for path, text in wanted.items():
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        if before == text:
            continue
        stale = True
        name = str(path.relative_to(ROOT))
        if check:
            sys.stdout.writelines(
                difflib.unified_diff(
                    before.splitlines(True), text.splitlines(True), f"{name} (as committed)", f"{name} (today)"
                )
            )
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"written: {name}")
    if check and stale:
        sys.exit("docs differ from what the programs print: run `make docs`, read the change, commit it")
    print(f"docs: {len(wanted)} pages agree with the programs" if not stale else "docs: done")


if __name__ == "__main__":
    main()
