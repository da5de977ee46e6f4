"""CSV and its kin: a header line; commas, semicolons, tabs or bars; quoted fields may hold line breaks.

An id of digits only is a number, as it would be in JSON; everything else stays text. Empty cells are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from strata.core.load.entry import IDS, document
from strata.core.load.text import opened
from strata.core.types import Document
from strata.errors import DataError

LONGEST_FIELD = 1 << 24


def load(path: Path) -> Iterator[Document]:
    csv.field_size_limit(LONGEST_FIELD)
    with opened(path) as file:
        head = file.readline()
        file.seek(0)
        delimiter = max(",;\t|", key=head.count)
        rows = csv.DictReader(file, delimiter=delimiter, strict=True)
        try:
            names = [name.strip() for name in rows.fieldnames or []]
            if not any(name in IDS for name in names):
                raise DataError(f"{path}: no id among the columns {', '.join(names) or '(none)'}",
                                f"the first line names the columns; one is {' or '.join(IDS)}")  # fmt: skip
            rows.fieldnames = names
            for row in rows:
                where = f"{path}, line {rows.line_num}"
                if None in row:
                    raise DataError(
                        f"{where}: more cells than the {len(names)} columns of the header", "mend that line"
                    )
                entry = {name: _number(value) if name in IDS else value for name, value in row.items() if value}
                yield document(entry, where)
        except csv.Error as error:
            raise DataError(f"{path}, line {rows.line_num}: {error}", "mend that line") from error


def _number(value: str) -> int | str:
    """ "007" stays a text: the number 7 would be another id."""
    return int(value) if value.isascii() and value.isdigit() and str(int(value[:18])) == value else value
